"""The problems of our general solvers as puzzles, for `compare fuzz two-sat` and `compare fuzz graph`.

They are found as the puzzles of any installed package are, by the entry points in `pyproject.toml`.
"""
