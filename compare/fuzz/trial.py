"""Trying every contender on a batch of boards; all of it happens inside a worker.

Our backends solve a whole batch in one sandbox, the backend of a plugin in another one; the checks run in neither. A program whose
format holds many boards gets the batch in one start. If that fails as a whole, it is halved until the failing board is known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import monotonic

import puzzles
from compare.campaign.relation import conflicting, differing
from compare.fuzz.boards import boards, bundled_boards
from compare.fuzz.observed import (
    CONFLICT,
    DIFFERS,
    REFUSED,
    UNPROVED,
    Fault,
    Observed,
    Refusal,
    Said,
    answered,
    judged,
    promised,
    same_claims,
)
from compare.fuzz.plugin_trial import try_plugin
from compare.fuzz.together import certified, solve_together
from compare.isolate.outcome import Limits, Outcome, Status
from compare.isolate.sandbox import call
from compare.work.checker import call_apart
from compare.work.contenders import BackendContender, Contender, ProgramContender
from compare.work.job import CHECK_S
from compare.work.programs import ProgramRun, run_program
from compare.work.worker import warm_up
from puzzles.answer import Answer
from puzzles.grid import Board
from puzzles.verdict import Check

CHECK_EVERY = 16
"""One answer in this many of our own backends is certified and checked; of plugins and programs every answer is."""

EXACT_EVERY = 4
"""One board in this many is solved with all exact claims that the backends can give, such as probabilities."""

ENOUGH = 3
"""So many failing boards of one batch are tracked down if a contender fails as a whole."""

_NO_WRONG_ANSWER = (UNPROVED, REFUSED)
"""Kinds of faults that say less than the others, so they come last."""

_CHECK_S = 0.01
"""Seconds that checking one more answer may take."""

Certified = tuple[int, BackendContender, Answer]
"""The index of a board, and a contender's certified answer to it."""


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Boards to be generated from a seed and tried.

    Attributes:
        index: the number of the first block; `blocks` blocks of `count` boards each are tried.
        size: rows and columns of the larger boards; most are far smaller.
        limits: of one board, or of one start of a program.
        format: of the answers of programs.
        extended: whether programs get the boards too that the contest's format cannot say.
        thorough: whether every answer is checked, and given with all exact claims.
    """

    puzzle: str
    contenders: tuple[Contender, ...]
    seed: int
    index: int = 0
    count: int
    size: int
    limits: Limits
    format: str | None = None
    blocks: int = 1
    extended: bool = False
    thorough: bool = False


@dataclass(frozen=True)
class FailingBoard:
    """A board and what is wrong on it."""

    board: Board
    faults: tuple[Fault, ...]


@dataclass(frozen=True)
class BatchResult:
    """What came of a batch: how many boards were tried, those that fail, and the seconds that it took."""

    boards: int
    failing: list[FailingBoard]
    seconds: float


def try_batch(batch: Batch) -> BatchResult:
    """Generate the boards of a batch and try every contender on each."""
    started, stream = monotonic(), boards_of(batch)
    return BatchResult(len(stream), try_boards(batch, stream), monotonic() - started)


def boards_of(batch: Batch) -> list[Board]:
    """The boards of a batch; the first batch ends with the bundled boards."""
    puzzle = puzzles.get(batch.puzzle)
    blocks = range(batch.index, batch.index + batch.blocks)
    stream = [board for index in blocks for board in boards(puzzle, batch.seed, index, batch.count, batch.size)]
    if batch.index == 0:
        bundled = bundled_boards(puzzle)[: len(stream)]
        stream[len(stream) - len(bundled) :] = bundled
    return stream


def try_boards(batch: Batch, stream: Sequence[Board]) -> list[FailingBoard]:
    """Try every contender on the boards; returns those that fail, in their order."""
    backends = tuple(each for each in batch.contenders if isinstance(each, BackendContender) and each.ours)
    for contender in backends:
        warm_up(contender)
    observed = _halving(lambda part: _try_backends(batch, backends, part), stream)
    for contender in batch.contenders:
        if isinstance(contender, ProgramContender):
            _add_program(batch, contender, stream, observed)
        elif contender not in backends:
            _add_plugin(batch, contender, stream, observed)
    order = {contender.name: k for k, contender in enumerate(batch.contenders)}
    for each in observed:
        each.answers.sort(key=lambda said: order[said.name])
    failing: list[FailingBoard] = []
    for board, each in zip(stream, observed, strict=True):
        faults = each.faults + _conflicts(batch.puzzle, each.answers)
        if faults:
            faults.sort(key=lambda fault: fault.kind in _NO_WRONG_ANSWER)
            failing.append(FailingBoard(board, tuple(faults)))
    return failing


def _conflicts(puzzle: str, answers: Sequence[Said]) -> list[Fault]:
    stances = [(said.name, said.stance) for said in answers if said.stance is not None]
    faults: list[Fault] = []
    for a, b in conflicting(puzzle, [stance for _, stance in stances]):
        (one, ours), (other, theirs) = stances[a], stances[b]
        faults.append(Fault(CONFLICT, (one, other), "; ".join(differing(ours.exact, theirs.exact))))
    return faults


def _halving(attempt: Callable[[Sequence[Board]], list[Observed] | None], stream: Sequence[Board]) -> list[Observed]:
    """What `attempt` observes on all boards. If it fails as a whole, it is tried on both halves, down to single boards.

    Once a few single boards have failed, the halves not yet tried are given up: more of the same faults help nobody.
    """
    observed: list[Observed] = []
    waiting = [stream]
    while waiting:
        part = waiting.pop()
        if sum(bool(each.faults) for each in observed) >= ENOUGH:
            observed += [Observed() for _ in part]
            continue
        results = attempt(part)
        if results is None:
            waiting += [part[len(part) // 2 :], part[: len(part) // 2]]
        else:
            observed += results
    return observed


def _try_backends(batch: Batch, contenders: tuple[BackendContender, ...], part: Sequence[Board]) -> list[Observed] | None:
    """Our backends on some boards in one sandbox; on a single board, one contender after the other."""
    if not contenders:
        return [Observed() for _ in part]
    if len(part) > 1:
        outcome = _solve_and_check(batch, contenders, part)
        return outcome.value if outcome.ok else None
    observed = Observed()
    for contender in contenders:
        outcome = _solve_and_check(batch, (contender,), part)
        if outcome.ok:
            _add(observed, outcome.value[0])
        else:
            observed.faults.append(Fault(outcome.status, (contender.name,), outcome.detail))
    return [observed]


def _solve_and_check(batch: Batch, contenders: tuple[BackendContender, ...], part: Sequence[Board]) -> Outcome:
    """Solve the boards in a sandbox, then check the certified answers apart from it; the value is what came of each board."""
    outcome = call(_solve_all, contenders, part, batch.thorough, limits=batch.limits)
    if not outcome.ok:
        return outcome
    observed, to_check = outcome.value
    if to_check:
        limits = replace(batch.limits, seconds=CHECK_S + _CHECK_S * len(to_check))
        checked = call_apart(_check_all, batch.puzzle, [(part[k], answer) for k, _, answer in to_check], limits=limits)
        if not checked.ok:
            return checked
        for (k, contender, answer), check in zip(to_check, checked.value, strict=True):
            observed[k].faults += _judge(contender, part[k], answer, check)
    return replace(outcome, value=observed)


def _solve_all(
    contenders: tuple[BackendContender, ...], part: Sequence[Board], thorough: bool
) -> tuple[list[Observed], list[Certified]]:
    observed, to_check = [Observed() for _ in part], []
    for contender in contenders:
        together = solve_together(contender, part, 1 if thorough else EXACT_EVERY)
        for k, refusal in together.refusals.items():
            refusal.into(observed[k], contender.name)
        for k, answer in together.answers.items():
            claims, exact = answer.claims, dict(answer.exact)
            if thorough or k % CHECK_EVERY == 0:
                complete = certified(contender, part[k])
                if not isinstance(complete, Refusal):
                    exact.update(complete.exact)
                    if same_claims(complete.claims, claims):
                        to_check.append((k, contender, complete))
                    else:
                        observed[k].faults += judged(contender, DIFFERS)
                elif not complete.declared:
                    observed[k].faults.append(Fault(UNPROVED, (contender.name,), complete.reason))
            observed[k].answers.append(answered(contender, claims, exact, answer))
    return observed, to_check


def _judge(contender: BackendContender, board: Board, answer: Answer, check: Check) -> list[Fault]:
    """What the check of a certified answer finds wrong. A backend may give less where it declares that it may refuse."""
    backend = contender.backend
    faults = judged(contender, check, promises=promised(backend, answer, ours=True))
    excused = any(fault.kind == UNPROVED for fault in faults) and backend.may_refuse(board, certify=True, **dict(contender.options))
    return [] if excused else faults


def _add(one: Observed, other: Observed) -> None:
    """Add what came of the same board elsewhere."""
    one.answers += other.answers
    one.faults += other.faults
    one.refused += other.refused


def _add_plugin(batch: Batch, contender: Contender, stream: Sequence[Board], observed: Sequence[Observed]) -> None:
    """Try a plugin's backend on all boards, and add what came of it."""
    assert isinstance(contender, BackendContender)
    exact_every = 1 if batch.thorough else EXACT_EVERY
    results = _halving(lambda part: try_plugin(contender, part, batch.limits, exact_every), stream)
    for each, result in zip(observed, results, strict=True):
        _add(each, result)


def _add_program(batch: Batch, program: ProgramContender, stream: Sequence[Board], observed: Sequence[Observed]) -> None:
    """Try a program on the boards that its format can say, and add what came of it."""
    taken = [k for k, board in enumerate(stream) if batch.extended or board.in_contest_format]
    if not taken:
        return
    part = [stream[k] for k in taken]
    if puzzles.get(batch.puzzle).many_instances:
        results = _halving(lambda half: _one_start(batch, program, half), part)
    else:
        runs = run_program(program, [[board] for board in part], batch.format, batch.limits)
        results = _observe(batch, program, [[board] for board in part], runs)
    for k, result in zip(taken, results, strict=True):
        _add(observed[k], result)


def _one_start(batch: Batch, program: ProgramContender, part: Sequence[Board]) -> list[Observed] | None:
    """A program on some boards in one start; None if something went wrong and there is more than one board."""
    runs = run_program(program, [part], batch.format, batch.limits)
    return _observe(batch, program, [part], runs) if runs[0].outcome.ok or len(part) == 1 else None


def _observe(
    batch: Batch, program: ProgramContender, parts: Sequence[Sequence[Board]], runs: Sequence[ProgramRun]
) -> list[Observed]:
    """What the starts of a program show: of each board of a start that ended well, or once of a start that did not.

    All answers are checked in one sandbox.
    """
    pairs = [
        (board, answer) for part, run in zip(parts, runs, strict=True) for board, answer in zip(part, run.answers, strict=False)
    ]
    limits = replace(batch.limits, seconds=CHECK_S + _CHECK_S * len(pairs))
    checked = call_apart(_check_all, batch.puzzle, pairs, limits=limits) if pairs else None
    checks = iter(checked.value if checked is not None and checked.ok else ())
    observed: list[Observed] = []
    for run in runs:
        if not run.outcome.ok:
            observed.append(Observed(faults=[Fault(run.outcome.status, (program.name,), run.outcome.detail)]))
        for answer in run.answers:
            check = next(checks, None)
            faults = [] if check is None else judged(program, check)
            observed.append(Observed([answered(program, answer.claims, {}, answer)], faults))
    if checked is not None and not checked.ok:
        observed[0].faults.append(Fault(Status.ERROR, (program.name,), f"its answers could not be checked: {checked.detail}"))
    return observed


def _check_all(name: str, answered: Sequence[tuple[Board, Answer]]) -> list[Check]:
    puzzle = puzzles.get(name)
    return [puzzle.check(board, answer) for board, answer in answered]
