"""Which runs are made in a standing fork, and the standing forks of this worker: one for each backend of the puzzle at hand.

Only our own backends get one, once they are warm. What they say there counts if it is PROVED. All else is made again in a process
of its own, and so are PROVED answers that contradict one another (see `compare.campaign.running`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from compare.isolate.coordination import take_turn, while_nobody_is_timed
from compare.isolate.outcome import Limits, Outcome, Status
from compare.isolate.standing import StandingFork
from compare.work.contenders import BackendContender
from compare.work.job import CHECK_S, Job, Run
from compare.work.solving import ENDINGS, examples, solve_for_nothing
from models.solvers.external import is_command
from puzzles.instance import Instance
from puzzles.verdict import Verdict

MOST_SIZE = 50_000
"""The largest size of an instance that is solved in a standing fork. Beside a larger one the cost of a fork is nothing."""

_forks: dict[BackendContender, StandingFork] = {}


def may_stand(job: Job, contender: BackendContender) -> bool:
    """Whether this job may be carried out in a standing fork. One whose answer counts unchecked may not."""
    if job.in_new_process or contender.apart or is_command(contender.solver) or job.instance.size > MOST_SIZE:
        return False
    return job.check or job.only_time


def solve_standing(
    contender: BackendContender, board: Instance, steps: Sequence[tuple[Callable[..., Any], Limits]]
) -> list[Outcome]:
    """The outcomes of the steps in the standing fork of a contender."""
    for other in [each for each in _forks if each.puzzle != contender.puzzle or not _forks[each].running]:
        _forks.pop(other).close()
    if contender not in _forks:
        with while_nobody_is_timed():
            _forks[contender] = StandingFork()
            _forks[contender].call_in_turn([(_get_ready, Limits(CHECK_S))], contender)
        if not _forks[contender].running:
            return [Outcome(Status.CRASH, detail="it does not solve the example")]
    take_turn()
    return _forks[contender].call_in_turn(steps, contender, board, endings=ENDINGS)


def _get_ready(contender: BackendContender) -> None:
    """Solve the example: a new fork still has to fetch its pages of memory."""
    solve_for_nothing(contender, examples(contender))


def counts(run: Run) -> bool:
    """Whether what was found in a standing fork counts."""
    return run.status is Status.OK and (run.check is None or run.check.verdict is Verdict.PROVED)


def difference(standing: Run, alone: Run) -> str:
    """A sentence if a run in a standing fork ended otherwise than the same run in a process of its own; else empty."""
    if standing.status is Status.TIMEOUT or alone.status is Status.TIMEOUT:
        return ""  # a busy machine is enough for that
    if standing.status is alone.status and same_claims(standing, alone) and _verdict(standing) is _verdict(alone):
        return ""
    return (
        f"in a process that had solved other boards before, this run ended otherwise: {_ending(standing)}; "
        f"in a process of its own, which counts: {_ending(alone)}"
    )


def same_claims(a: Run, b: Run) -> bool:
    return a.claims is b.claims or np.array_equal(a.claims, b.claims)  # pyright: ignore[reportArgumentType]


def _verdict(run: Run) -> Verdict | None:
    return None if run.check is None else run.check.verdict


def _ending(run: Run) -> str:
    verdict = _verdict(run)
    return f"{run.status}{f' {run.detail}' if run.detail else ''}{f', {verdict}' if verdict else ''}"
