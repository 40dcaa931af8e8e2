"""General problems as puzzles: `two-sat` for our own solver, `formula` for SAT solvers.

They are found as the puzzles of any installed package are, by the entry points in `pyproject.toml`.
"""
