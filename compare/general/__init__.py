"""General problems as puzzles: `two-sat` and `graph` for our own general solvers, `formula` for SAT
solvers.

They are found as the puzzles of any installed package are, by the entry points in `pyproject.toml`.
"""
