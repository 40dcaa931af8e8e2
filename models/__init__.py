"""The puzzles stated as clauses (solved by python-sat) and as constraints (solved by CP-SAT).

To learn how an encoding is written here, or to copy one, start with
`models/beams/by_cnf_traced.py`:
the smallest encoding, with comments for a newcomer. Then read `models/cnf.py` (formulas) and
`models/session.py` (solvers).

A puzzle's module is imported when that puzzle is first used, and a solver package when a backend
first runs.

No backend uses `models/lemmas/`. It proves or refutes the claims that the
algorithms rest on, and it is reached by `compare prove`.
"""

from __future__ import annotations

from puzzles.backend import Side

SIDE = Side(__name__)
backends = SIDE.backends
get = SIDE.get
solve = SIDE.solve
solve_text = SIDE.solve_text
