"""Measures a model's effort: the seconds to build the formula, then the seconds to load and solve it."""

from __future__ import annotations

from time import perf_counter

from puzzles.answer import Effort


class Stopwatch:
    """Starts when it is constructed. Construct it after the solver packages are imported, so that importing them is not counted."""

    def __init__(self) -> None:
        self._started = perf_counter()
        self._build_s = 0.0

    def built(self) -> None:
        """Call once, between building and solving."""
        self._build_s = perf_counter() - self._started

    def effort(self, variables: int, clauses: int) -> Effort:
        """The effort until now, with the size of the formula."""
        return Effort(self._build_s, perf_counter() - self._started - self._build_s, variables, clauses)
