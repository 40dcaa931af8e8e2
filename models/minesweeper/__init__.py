"""Minesweeper as clauses and constraints. Each backend stands in a `by_NAME.py`.

Each covered cell that touches a clue is a variable: "a mine is there". Each clue is an exact sum of
variables. If the board gives its number of mines, that number bounds the sum of all variables. One
more variable then stands for the free cells, which touch no clue: it is that of the first of them,
and the others take the mines that are left over.

The certain cells are the backbone: the variables that have the same value in all solutions.

Begin with `clues`, which says what the variables are, then `by_cnf` and `backbone`. `certificate`
proves an answer; `smallest_core` says why a cell is certain by the fewest clues.
"""
