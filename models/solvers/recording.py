"""What the SAT solvers of this process are asked, noted down: formulas, clauses that are added later, calls with assumptions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from models.cnf import Formula


class RecordedStep(NamedTuple):
    """One thing that a solver is asked.

    Attributes:
        solves: whether it is a call of the solver; else a clause is added.
        literals: the assumptions of the call, or the clause.
    """

    solves: bool
    literals: tuple[int, ...]


@dataclass
class Recording:
    """What one solver is asked, from its formula on."""

    variables: int
    steps: list[RecordedStep] = field(default_factory=list)


_recordings: list[Recording] | None = None
"""The list that is being filled; None outside of `recorded`."""


@contextmanager
def recorded() -> Iterator[list[Recording]]:
    """Within, each solver that `models.session.session` opens adds a recording to the list."""
    global _recordings
    before, _recordings = _recordings, []
    try:
        yield _recordings
    finally:
        _recordings = before


def observed(solver: Any, formula: Formula) -> Any:
    """The solver, which holds the formula; within `recorded` one that does the same and notes what it is asked."""
    if _recordings is None:
        return solver
    recording = Recording(formula.variables, [RecordedStep(False, tuple(clause)) for clause in formula.clauses])
    _recordings.append(recording)
    return _Observed(solver, recording)


class _Observed:
    """A solver whose clauses and calls are noted; all its other methods are the solver's own."""

    def __init__(self, solver: Any, recording: Recording) -> None:
        self._solver, self._recording = solver, recording

    def __getattr__(self, name: str) -> Any:
        return getattr(self._solver, name)

    def add_clause(self, clause: Sequence[int]) -> Any:
        self._recording.steps.append(RecordedStep(False, tuple(clause)))
        return self._solver.add_clause(clause)

    def solve(self, assumptions: Sequence[int] = ()) -> bool | None:
        self._recording.steps.append(RecordedStep(True, tuple(assumptions)))
        return self._solver.solve(assumptions=assumptions) if assumptions else self._solver.solve()

    def solve_limited(self) -> bool | None:
        self._recording.steps.append(RecordedStep(True, ()))
        return self._solver.solve_limited()
