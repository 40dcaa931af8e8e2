"""What is asked: an `Ask`. `Result`s come of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from compare.engine.isolate.outcome import DEFAULT_LIMITS, Limits, Status
from compare.engine.work.contenders import Contender, Kind
from compare.engine.work.result import InstanceKey, Result, RunKey
from puzzles.answer import Answer
from puzzles.instance import Instance
from puzzles.text import escape

CHECK_S = 60.0
"""Seconds that one check may take, unless the ask says otherwise."""


class DatasetCase(msgspec.Struct, frozen=True, eq=False, gc=False):
    """An instance, and where it stands. A plan has many of them: without a cycle they need no
    garbage collector, and take less memory.

    Attributes:
        dataset: the name of its dataset; empty if it belongs to none.
        file: the stem of its file, if that is not the name of the dataset.
        number: within its file or family, from 1.
        family, seed: how it was generated.
        answer: the expected answer, if there is one.
    """

    instance: Instance
    dataset: str = ""
    file: str | None = None
    number: int = 1
    family: str | None = None
    seed: int | None = None
    answer: Answer | None = None


class Ask(msgspec.Struct, frozen=True, kw_only=True, eq=False, gc=False):
    """One contender is asked for its answer to one case, or a program to several in one start, as
    with a contest's file of several cases.

    Attributes:
        repeat: which repeat this is, from 1. Of a later one of a built-in backend only the time
            counts.
        format: of the answers that a program prints and that results keep (default: the puzzle's
            first).
        limits: of one case.
        check: whether the answer is checked; a backend is asked for a certificate then.
        timed: whether the time matters: caches are filled before, and the certificate comes from a
            call of its own.
        exact: whether all exact claims are wanted that a backend can give.
        in_new_process: whether it must be carried out in a process that has solved nothing before.
        check_s: seconds that the check may take; the certified run has these beyond those of
            `limits`.
        view: what else is wanted of the answer, the certified one if there is one. It is called
            where answers are checked, and returns what JSON can say.
        recorded: whether the result goes into a file of results: it says the instance's digest and
            text, and no text that is too long.
        parallel: whether others are asked at the same time; results say so.
    """

    contender: Contender
    cases: Sequence[DatasetCase]
    repeat: int = 1
    format: str | None = None
    limits: Limits = DEFAULT_LIMITS
    check: bool = True
    timed: bool = True
    exact: bool = False
    in_new_process: bool = False
    check_s: float = CHECK_S
    view: Callable[[Instance, Answer], dict[str, object]] | None = None
    recorded: bool = False
    parallel: bool = False

    @property
    def instance(self) -> Instance:
        """The first instance that is asked."""
        return self.cases[0].instance

    @property
    def run_keys(self) -> list[RunKey]:
        """What identifies the run of each case in a file of results."""
        name, kind, together = escape(self.contender.name), self.contender.kind, len(self.cases)
        runs: list[RunKey] = []
        for case in self.cases:
            puzzle, digest = case.instance.puzzle, case.instance.digest
            key = InstanceKey(puzzle, case.dataset, case.file, case.number, digest)
            runs.append(RunKey(key, name, kind, self.repeat, together))
        return runs

    @property
    def start(self) -> tuple[str, str, str]:
        """See `Result.start`."""
        return self.contender.puzzle, escape(self.contender.name), self.cases[0].dataset

    @property
    def skipped_result(self) -> Result | None:
        """What stands in the place of its result if the one case is skipped or spared; None if it
        is run.
        """
        reason = self.contender.absent or self.contender.does_not_take(self.instance)
        if reason is None:
            return None
        spared = self.contender.kind is Kind.PROGRAM
        status = Status.SPARED if spared else Status.SKIPPED
        return Result.of(self, status=status, reason=reason)

    def failed(self, reason: str, status: Status = Status.CRASH) -> list[Result]:
        """The results if all of it ends alike."""
        return [Result.of(self, k, status=status, reason=reason) for k in range(len(self.cases))]

    def crashed(self, error: Exception) -> list[Result]:
        """The results if this project's own code raised."""
        return self.failed(f"raised {type(error).__name__} outside of its sandbox: {error}")
