"""What is to be done, a `Job` or a `Block` of boards, and what came of it: a `Run`, or a short
`Response` to each board.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from compare.engine.isolate.outcome import DEFAULT_LIMITS, Limits, Status, Usage
from compare.engine.work.contenders import BackendContender, Contender
from puzzles.answer import Answer, Check, Claims, Effort, Verdict
from puzzles.instance import Instance

CHECK_S = 60.0
"""Seconds that one check may take, unless the job says otherwise."""


@dataclass(frozen=True, kw_only=True)
class Manner:
    """In what way backends solve, whatever the board.

    Attributes:
        timed: whether the time matters: caches are filled before, and the certificate comes from a
            call of its own.
        exact: whether all exact claims are wanted that a backend can give.
    """

    timed: bool = True
    exact: bool = False


TIMED = Manner()


@dataclass(frozen=True, kw_only=True)
class Job:
    """One contender on one instance, once.

    Attributes:
        answer: the answer of a contender whose answers exist already.
        format: of the answers that a program prints and that records keep (default: the puzzle's
            first).
        check: whether the answer is checked.
        only_time: whether only the time of the run is kept, as of a repeat.
        manner: of a backend; see `Manner`.
        in_new_process: whether it must be carried out in a process that has solved nothing before.
        not_twice: whether a run that was stopped at its limit in a child that is kept counts, so
            that nobody waits for it twice.
        check_s: seconds that the check may take; the certified run has these beyond those of
            `limits`.
        view: what else is wanted of the answer, the certified one if there is one. It is called
            where answers are checked.
    """

    contender: Contender
    instance: Instance
    answer: Answer | None = None
    format: str | None = None
    limits: Limits = DEFAULT_LIMITS
    check: bool = True
    only_time: bool = False
    manner: Manner = TIMED
    in_new_process: bool = False
    not_twice: bool = False
    check_s: float = CHECK_S
    view: Callable[[Instance, Answer], Any] | None = None


@dataclass(frozen=True, kw_only=True)
class Block:
    """Boards of one puzzle that backends solve in one call, one backend after the other. Nothing is
    timed.

    Attributes:
        contenders: built-in backends, or a single foreign one.
        boards: a list of them, pickled.
        count: how many there are.
        size: the sizes of all of them.
        manner: in what way they are solved.
        exact_every, certify_every: one board in how many is solved with all exact claims, or one
            answer certified and checked; None for none.
    """

    contenders: tuple[BackendContender, ...]
    boards: bytes
    count: int
    size: int
    limits: Limits
    manner: Manner
    exact_every: int | None = None
    certify_every: int | None = None


@dataclass(frozen=True)
class Stance:
    """What an answer claims, whether it claims everything that can be claimed, and its further
    exact claims.
    """

    claims: Claims
    complete: bool = True
    exact: Mapping[str, object] = field(default_factory=dict)

    def __reduce__(self) -> tuple[Callable[..., Stance], tuple[object, ...]]:
        """Fuzzing pickles thousands of stances a second; as bytes small arrays take half the time.

        What comes back is read-only.
        """
        return _unpickled, (
            self.claims.shape,
            self.claims.dtype,
            self.claims.tobytes(),
            self.complete,
            self.exact,
        )

    def same(self, other: Stance) -> bool:
        """Whether both claim the same."""
        return (
            self.complete is other.complete
            and self.exact == other.exact
            and same_claims(self.claims, other.claims)
        )


def _unpickled(
    shape: tuple[int, ...],
    dtype: np.dtype[np.integer],
    claims: bytes,
    complete: bool,
    exact: Mapping[str, object],
) -> Stance:
    return Stance(np.ndarray(shape, dtype, claims), complete, exact)


class Response(NamedTuple):
    """What one contender answered to one board.

    Attributes:
        name: the contender.
        stance: what the answer claims; None if nothing that can be related.
        seconds: what the answer cost, as far as it is known.
    """

    name: str
    stance: Stance | None
    seconds: float | None


def response(
    contender: Contender,
    claims: Claims | None,
    exact: Mapping[str, object],
    effort: Effort,
    before: Sequence[Response],
    share_s: float | None = None,
) -> Response:
    """What a contender answered, with the stance of the first one if they are the same: so it is
    pickled and compared once.

    Args:
        before: what others answered to the same board.
        share_s: the seconds of an answer that does not say what it took.
    """
    seconds = share_s if effort.solve_s is None else effort.solve_s + (effort.build_s or 0.0)
    stance = None if claims is None else Stance(claims, contender.complete, exact)
    first = before[0].stance if before else None
    same = first is not None and stance is not None and stance.same(first)
    return Response(contender.name, first if same else stance, seconds)


@dataclass(frozen=True, kw_only=True)
class Run:
    """What came of one job.

    Attributes:
        detail: why it did not end well.
        declared: whether the backend declares that it may refuse the board; of a run that is
            SKIPPED.
        lacking: what an incomplete answer should claim and does not (see `Backend.finds`); empty
            for nothing.
        usage: wall seconds around the call (of a program: of its whole life), CPU seconds and
            memory of its process.
        effort: what the backend itself says: seconds to build and to solve, size of the formula.
        claims: what the answer claims; None if nothing that can be related.
        exact: further exact claims by name, mostly of the certified answer.
        decided: how many open questions of the instance the claims decide.
        answer: the answer in the contest's format.
        check: of the certified answer; None if it was not checked.
        printed: the beginning of what a backend wrote to standard output and standard error; no
            record keeps it.
        view: what the job's `view` returned; None if it was not called or did not come to an end.
            No record keeps it.
    """

    status: Status
    detail: str = ""
    declared: bool = False
    lacking: str = ""
    usage: Usage = field(default=Usage())
    effort: Effort = field(default=Effort())
    claims: Claims | None = None
    exact: dict[str, object] | None = None
    decided: int | None = None
    answer: str | None = None
    check: Check | None = None
    printed: str = field(default="", compare=False)
    view: Any = field(default=None, compare=False)

    @property
    def verdict(self) -> Verdict | None:
        """What the check says of the answer; None if it was not checked."""
        return None if self.check is None else self.check.verdict


def joined(*texts: str) -> str:
    """The texts that are not empty, a line or more each."""
    return "\n".join(filter(None, texts))


def counts(run: Run) -> bool:
    """Whether what was found in a child that had solved other boards before counts."""
    ended_well = run.status is Status.OK or (run.status is Status.SKIPPED and run.declared)
    return ended_well and not run.lacking and run.verdict in (None, Verdict.PROVED)


def difference(kept: Run, alone: Run) -> str:
    """A sentence if a run in a child that is kept ended otherwise than the same run in a new one;
    else empty.
    """
    if kept.status is Status.TIMEOUT or alone.status is Status.TIMEOUT:
        return ""  # a busy machine is enough for that
    if (
        kept.status is alone.status
        and same_claims(kept.claims, alone.claims)
        and kept.verdict is alone.verdict
    ):
        return ""
    return (
        "in a process that had solved other boards before, this run ended otherwise: "
        f"{_ending(kept)}; "
        f"in a process of its own, which counts: {_ending(alone)}"
    )


def same_claims(one: Claims | None, other: Claims | None) -> bool:
    """Whether two answers claim the same, further exact claims aside."""
    if one is other or one is None or other is None:
        return one is other
    if one.dtype == other.dtype:  # for small arrays several times as fast
        return one.shape == other.shape and one.tobytes() == other.tobytes()
    return np.array_equal(one, other)


def _ending(run: Run) -> str:
    ending = " ".join(filter(None, (run.status, run.detail)))
    return f"{ending}, {run.verdict}" if run.verdict else ending
