"""The puzzles stated as clauses (python-sat) and constraints (CP-SAT), for a solver to search.

A puzzle's module is imported when that puzzle is asked for, and the solver packages when a backend runs.
"""

from __future__ import annotations

from puzzles.backend import Side

SIDE = Side(__name__)
backends = SIDE.backends
get = SIDE.get
solve = SIDE.solve
solve_text = SIDE.solve_text
