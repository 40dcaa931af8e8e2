"""The specialised polynomial algorithms.

A puzzle's module is imported when that puzzle is first used. `two_sat` knows no puzzle and
can be used alone.
"""

from __future__ import annotations

from puzzles.backend import Side

SIDE = Side(__name__)
backends = SIDE.backends
get = SIDE.get
solve = SIDE.solve
solve_text = SIDE.solve_text
