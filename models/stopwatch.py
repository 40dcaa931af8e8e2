"""Measures a model's effort: the seconds to build the formula, then to load and solve it, and the
steps of the search. Wide tables show the two times; others the wall time, which
`compare/engine/work/solving.py` takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

from puzzles.answer import Effort

_listeners: list[Callable[[int, int], object]] = []


@contextmanager
def hear_sizes(listener: Callable[[int, int], object]) -> Iterator[None]:
    """Within, the listener hears of each formula how many variables and clauses it has, before a
    solver gets it.
    """
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def tell_size(variables: int, clauses: int) -> None:
    """Say how large the formula is that a solver gets now: a run that is stopped has it, too."""
    for each in _listeners:
        each(variables, clauses)


class Stopwatch:
    """Starts when it is constructed.

    Construct it after the solver packages are imported, so that importing them is not counted.
    """

    def __init__(self) -> None:
        self._started = self._building_since = perf_counter()
        self._build_s = 0.0
        self._steps: tuple[int, int, int] | None = None

    def start_solving(self, variables: int | None = None, clauses: int | None = None) -> None:
        """Call between building and solving.

        Args:
            variables, clauses: the size of what is solved, so that a run that is stopped has it,
                too. `models.session.session` says it by itself.
        """
        self._build_s += perf_counter() - self._building_since
        if variables is not None and clauses is not None:
            tell_size(variables, clauses)

    def add_steps(self, conflicts: int, decisions: int, propagations: int) -> None:
        """Add the steps of a solver. What follows is building, if `start_solving` comes again."""
        self._building_since = perf_counter()
        before = self._steps or (0, 0, 0)
        self._steps = before[0] + conflicts, before[1] + decisions, before[2] + propagations

    def effort(self, variables: int, clauses: int) -> Effort:
        """The effort until now, with the size of the formula."""
        solve_s = perf_counter() - self._started - self._build_s
        return Effort(self._build_s, solve_s, variables, clauses, *(self._steps or ()))
