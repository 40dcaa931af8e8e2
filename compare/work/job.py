"""What is to be done, a `Job`, and what came of it, a `Run`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from compare.isolate.outcome import DEFAULT_LIMITS, Limits, Status, Usage
from compare.work.contenders import Contender
from puzzles.answer import Answer, Claims, Effort
from puzzles.instance import Instance
from puzzles.verdict import Check, Verdict

CHECK_S = 60.0
"""Seconds that one check may take, unless the job says otherwise."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """One contender on one instance, once.

    Attributes:
        answer: the answer of a contender whose answers exist already.
        format: of the answers that a program prints and that records keep (default: the puzzle's first).
        check: whether the answer is checked.
        only_time: whether only the time of the run is kept, as of a repeat.
        in_new_process: whether it must be carried out in a process that has solved nothing before.
        not_twice: whether a run that was stopped at its limit in a child that is kept counts, so that nobody waits for it twice.
        check_s: seconds that the check may take; the certified run has these beyond those of `limits`.
        view: what else is wanted of the answer, the certified one if there is one. It is called where answers are checked.
    """

    contender: Contender
    instance: Instance
    answer: Answer | None = None
    format: str | None = None
    limits: Limits = DEFAULT_LIMITS
    check: bool = True
    only_time: bool = False
    in_new_process: bool = False
    not_twice: bool = False
    check_s: float = CHECK_S
    view: Callable[[Instance, Answer], Any] | None = None


@dataclass(frozen=True, kw_only=True)
class Run:
    """What came of one job.

    Attributes:
        detail: why it did not end well.
        usage: wall seconds around the call (of a program: of its whole life), CPU seconds and memory of its process.
        effort: what the backend itself says: seconds to build and to solve, size of the formula.
        claims: what the answer claims; None if nothing that can be related.
        exact: further exact claims by name, mostly of the certified answer.
        decided: how many open questions of the instance the claims decide.
        answer: the answer in the contest's format.
        check: of the certified answer; None if it was not checked.
        printed: the beginning of what a backend wrote to standard output and standard error; no record keeps it.
        view: what the job's `view` returned; None if it was not called or did not come to an end. No record keeps it.
    """

    status: Status
    detail: str = ""
    usage: Usage = field(default=Usage())
    effort: Effort = field(default=Effort())
    claims: Claims | None = None
    exact: dict[str, object] | None = None
    decided: int | None = None
    answer: str | None = None
    check: Check | None = None
    printed: str = field(default="", compare=False)
    view: Any = field(default=None, compare=False)


def counts(run: Run) -> bool:
    """Whether what was found in a child that had solved other boards before counts."""
    return run.status is Status.OK and (run.check is None or run.check.verdict is Verdict.PROVED)


def difference(kept: Run, alone: Run) -> str:
    """A sentence if a run in a child that is kept ended otherwise than the same run in a new one; else empty."""
    if kept.status is Status.TIMEOUT or alone.status is Status.TIMEOUT:
        return ""  # a busy machine is enough for that
    if kept.status is alone.status and same_claims(kept, alone) and _verdict(kept) is _verdict(alone):
        return ""
    return (
        f"in a process that had solved other boards before, this run ended otherwise: {_ending(kept)}; "
        f"in a process of its own, which counts: {_ending(alone)}"
    )


def same_claims(a: Run, b: Run) -> bool:
    """Whether two runs claim the same."""
    return a.claims is b.claims or np.array_equal(a.claims, b.claims)  # pyright: ignore[reportArgumentType]


def _verdict(run: Run) -> Verdict | None:
    return None if run.check is None else run.check.verdict


def _ending(run: Run) -> str:
    verdict = _verdict(run)
    return f"{run.status}{f' {run.detail}' if run.detail else ''}{f', {verdict}' if verdict else ''}"
