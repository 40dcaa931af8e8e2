"""Measures a model's effort: the seconds to build the formula, then to load and solve it, and the
steps of the search. Wide tables show the two times; others the wall time, which
`compare/engine/work/solving.py` takes.
"""

from __future__ import annotations

from time import perf_counter

from puzzles.answer import Effort


class Stopwatch:
    """Starts when it is constructed.

    Construct it after the solver packages are imported, so that importing them is not counted.
    """

    def __init__(self) -> None:
        self._started = self._building_since = perf_counter()
        self._build_s = 0.0
        self._steps: tuple[int, int, int] | None = None

    def start_solving(self) -> None:
        """Call between building and solving."""
        self._build_s += perf_counter() - self._building_since

    def add_steps(self, conflicts: int, decisions: int, propagations: int) -> None:
        """Add the steps of a solver. What follows is building, if `start_solving` comes again."""
        self._building_since = perf_counter()
        before = self._steps or (0, 0, 0)
        self._steps = before[0] + conflicts, before[1] + decisions, before[2] + propagations

    def effort(self, variables: int, clauses: int) -> Effort:
        """The effort until now, with the size of the formula."""
        solve_s = perf_counter() - self._started - self._build_s
        return Effort(self._build_s, solve_s, variables, clauses, *(self._steps or ()))
