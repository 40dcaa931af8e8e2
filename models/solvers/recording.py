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
    """What one solver is asked, from its formula on.

    Attributes:
        formula: the one that it was opened with.
        calls: how often it was called, for a model or to propagate.
    """

    variables: int
    steps: list[RecordedStep] = field(default_factory=list)
    formula: Formula = field(default_factory=Formula, compare=False)
    calls: int = field(default=0, compare=False)


class CallReached(BaseException):
    """The call at which recording is to end is about to be made. No `except Exception` of a backend keeps it.

    Attributes:
        recording: of the solver that is called.
        assumptions: of the call.
    """

    def __init__(self, recording: Recording, assumptions: Sequence[int]) -> None:
        super().__init__()
        self.recording, self.assumptions = recording, list(assumptions)


class _Recordings(list[Recording]):
    """The recordings of all solvers. They stop at their call `last`, all counted together from 1."""

    last: int | None = None


_recordings: _Recordings | None = None
"""The list that is being filled; None outside of `recorded`."""


@contextmanager
def recorded(last: int | None = None) -> Iterator[list[Recording]]:
    """Within, each solver that `models.session.session` opens adds a recording to the list.

    Raises:
        CallReached: call number `last`, counted from 1 over all solvers, is about to be made.
    """
    global _recordings
    before, _recordings = _recordings, _Recordings()
    _recordings.last = last
    try:
        yield _recordings
    finally:
        _recordings = before


def observed(solver: Any, formula: Formula) -> Any:
    """The solver, which holds the formula; within `recorded` one that does the same and notes what it is asked."""
    if _recordings is None:
        return solver
    steps = [RecordedStep(False, tuple(clause)) for clause in formula.clauses]
    recording = Recording(formula.variables, steps, formula)
    _recordings.append(recording)
    return _Observed(solver, recording, _recordings)


class _Observed:
    """A solver whose clauses and calls are noted; all its other methods are the solver's own."""

    def __init__(self, solver: Any, recording: Recording, every: _Recordings) -> None:
        self._solver, self._recording, self._every = solver, recording, every

    def _called(self, assumptions: Sequence[int]) -> None:
        self._recording.calls += 1
        if sum(each.calls for each in self._every) == self._every.last:
            raise CallReached(self._recording, assumptions)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._solver, name)

    def add_clause(self, clause: Sequence[int]) -> Any:
        self._recording.steps.append(RecordedStep(False, tuple(clause)))
        return self._solver.add_clause(clause)

    def solve(self, assumptions: Sequence[int] = ()) -> bool | None:
        self._called(assumptions)
        self._recording.steps.append(RecordedStep(True, tuple(assumptions)))
        return self._solver.solve(assumptions=assumptions) if assumptions else self._solver.solve()

    def solve_limited(self) -> bool | None:
        self._called(())
        self._recording.steps.append(RecordedStep(True, ()))
        return self._solver.solve_limited()

    def propagate(self, assumptions: Sequence[int] = ()) -> Any:
        self._called(assumptions)
        return self._solver.propagate(assumptions=assumptions)
