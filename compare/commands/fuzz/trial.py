"""Trying every contender on a batch of boards.

Our backends solve a whole batch in one child, the backend of a plugin in another one; a judge
checks. A program whose format holds many boards gets the batch in one start. A board alone is tried
as in a comparison.
"""

from __future__ import annotations

import pickle
import shlex
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from math import inf, isinf
from time import monotonic, time

from msgspec.structs import replace as with_fields

import puzzles
from compare.commands.fuzz.batch import (
    CERTIFY_EVERY,
    LONG_S,
    Batch,
    BatchKind,
    BatchResult,
    FailingBoard,
    Observed,
    Tried,
    boards_of,
)
from compare.commands.fuzz.blocks import Block, carry_out_block, judge_block
from compare.commands.fuzz.halving import (
    FailedCall,
    failed_alone,
    halving,
    limits_of,
)
from compare.engine.isolate.outcome import Limits, Outcome, Status, Usage
from compare.engine.work.asking import carry_out, start_program
from compare.engine.work.contenders import Ask, BackendContender, DatasetCase, ProgramContender
from compare.engine.work.pool import Pool
from compare.engine.work.result import (
    CONFLICT,
    LACKING,
    REFUSED,
    UNPROVED,
    Fault,
    Result,
    contradict,
    differing,
    same_claims,
)
from puzzles.instance import Instance
from puzzles.shell.time_limits import Deadline
from puzzles.text import InputError, UserError, exception_text

DRAWING = Limits(600.0)
"""What drawing the boards of a batch may take; a family of a user's puzzle may be slow."""

NO_WRONG_ANSWER = (UNPROVED, REFUSED, LACKING)
"""Kinds of faults that say less than the others, so they come last."""


def try_batch(pool: Pool, batch: Batch, until: float = inf) -> BatchResult:
    """Try every contender on the boards of a batch. Of what is raised here only a mistake of the
    user ends the search.

    Args:
        until: when the search ends, in seconds since the epoch: the call may have waited for its
            turn.
    """
    seconds = batch.seconds if isinf(until) else max(0.0, until - time())
    started, deadline, cut_off = monotonic(), Deadline(seconds), ""
    try:
        get_ready(pool, batch)
        if batch.generator:  # its starts are work: a batch has as many as its time allows
            started = monotonic()
            generated, cut_off = generated_boards(pool, batch, deadline)
            boards = packed_boards(generated)
        else:
            boards = _draw_in_judge(pool, batch, deadline)
            started = monotonic()
        failing, tried = [], _all_is_well(pool, batch, boards, deadline)
        if tried is None:
            stream: list[Instance] = pickle.loads(boards)  # noqa: S301 - a judge wrote it
            failing, tried = observe_boards(pool, batch, stream, deadline)
    except UserError:
        raise
    except Exception as error:
        return BatchResult([], monotonic() - started, broken=exception_text(error))
    return BatchResult(failing, monotonic() - started, tried, cut_off=cut_off)


def all_boards_of(pool: Pool, batch: Batch) -> list[Instance]:
    """The boards of a batch; none, or fewer of a generator, if they take longer than its
    seconds.
    """
    deadline = Deadline(batch.seconds)
    if batch.generator:
        return generated_boards(pool, batch, deadline)[0]
    return pickle.loads(_draw_in_judge(pool, batch, deadline))  # noqa: S301 - a judge wrote it


def _draw_in_judge(pool: Pool, batch: Batch, deadline: Deadline) -> bytes:
    """The boards of a batch that has no generator, pickled, as a judge draws them; none if the
    deadline comes first.
    """
    with pool.judge() as judge:
        drawn = judge.call(_draw, batch, limits=DRAWING.until(deadline))
    if drawn.status is Status.TIMEOUT and deadline.over:
        return packed_boards([])
    if isinstance(drawn.value, UserError):
        raise drawn.value
    if not drawn.ok:
        raise RuntimeError(f"the boards could not be drawn: {drawn.status} {drawn.detail}")
    return drawn.value


def generated_boards(pool: Pool, batch: Batch, deadline: Deadline) -> tuple[list[Instance], str]:
    """The boards that the generator of a batch prints for consecutive seeds until the deadline; an
    input file may hold several. Beside them the start that the deadline cut off, for people, if
    that took long; else an empty text.

    Raises:
        UserError: the command does not end well, or its output is no input file of the puzzle.
    """
    numbers = range(batch.count * batch.blocks)[batch.start : batch.stop]
    first_seed = batch.seed + batch.index * batch.count + numbers.start
    boards: list[Instance] = []
    for seed in range(first_seed, first_seed + len(numbers)):
        if deadline.over:
            break
        began, words = monotonic(), [*batch.generator, str(seed)]
        outcome = start_program(pool, words, b"", batch.limits.until(deadline))
        start = shlex.join(words)
        if outcome.status is Status.TIMEOUT and deadline.over:
            taken_s = monotonic() - began
            return boards, f"{start} had not ended after {taken_s:.1f} s" * (taken_s >= LONG_S)
        if not outcome.ok:
            raise UserError(
                f"--generator: {start}: {outcome.status}: {outcome.detail}. It must print an "
                f"input file and end with status 0 within {batch.limits.seconds:g} s (--timeout)"
            )
        try:
            boards += puzzles.get(batch.puzzle).parse(outcome.value, f"<output of {start}>")
        except InputError as error:
            raise UserError(
                f"--generator: {error}. It must print an input file of {batch.puzzle}; look at "
                f"what `{start}` prints"
            ) from None
    return boards, ""


def packed_boards(part: Sequence[Instance]) -> bytes:
    """Boards as they cross between processes."""
    return pickle.dumps(list(part), protocol=5)


def _draw(batch: Batch) -> bytes | UserError:
    try:
        return packed_boards(boards_of(batch))
    except UserError as error:
        return error


def _all_is_well(pool: Pool, batch: Batch, boards: bytes, deadline: Deadline) -> Tried | None:
    """What was tried, if all backends are built-in and nothing is wrong; else None.

    The backends solve in a child that is kept, and main opens neither the boards nor the answers.
    """
    backends = batch.built_in
    if len(backends) < len(batch.contenders) or not backends:
        return None
    count = batch.blocks * batch.count if batch.stop is None else batch.stop - batch.start
    block = _block(batch, backends, boards, count, deadline)
    return carry_out_block(pool, block, partial(_judge_well, batch, block)).value


def _block(
    batch: Batch,
    contenders: tuple[BackendContender, ...],
    boards: bytes,
    count: int,
    deadline: Deadline,
    size: int = 0,
) -> Block:
    """The call in which these contenders solve boards of a batch."""
    foreign = contenders[0].foreign
    return Block(
        contenders=contenders,
        boards=boards,
        count=count,
        size=size,
        limits=(limits_of(batch.limits, count) if foreign else batch.limits).until(deadline),
        exact_every=batch.exact_every,
        certify_every=_certify_every(batch, foreign),
    )


def _certify_every(batch: Batch, foreign: bool) -> int | None:
    """One answer in how many is certified: every one of a plugin of our puzzles, and the first
    block of a user's puzzle.
    """
    if not foreign:
        return batch.certify_every
    certifies_all = batch.every or batch.index == 0 or batch.puzzle not in puzzles.user_files()
    return 1 if certifies_all else CERTIFY_EVERY


def _judge_well(batch: Batch, block: Block, solved: bytes) -> Tried | None:
    """In a judge: what was tried; None if anything is wrong."""
    stream: list[Instance] = pickle.loads(block.boards)  # noqa: S301 - main wrote it
    failing, tried = _relate(batch, stream, _observe(block, solved))
    return None if failing else tried


def _observe(block: Block, solved: bytes) -> list[Observed]:
    """In a judge: what came of each board."""
    return [Observed.of(results) for results in judge_block(block, solved)]


def try_boards(pool: Pool, batch: Batch, stream: Sequence[Instance]) -> list[FailingBoard]:
    """Try every contender on the boards; returns those that fail, in their order."""
    return observe_boards(pool, batch, stream, Deadline(batch.seconds))[0]


def observe_boards(
    pool: Pool, batch: Batch, stream: Sequence[Instance], deadline: Deadline
) -> tuple[list[FailingBoard], Tried]:
    """Try every contender on the boards; returns those that fail, in their order, and what was
    tried.
    """
    return _relate(batch, stream, observe(pool, batch, stream, deadline))


def _relate(
    batch: Batch, stream: Sequence[Instance], observed: Sequence[Observed]
) -> tuple[list[FailingBoard], Tried]:
    """The boards that fail, in their order, and what was tried."""
    order = {contender.name: k for k, contender in enumerate(batch.contenders)}
    names = tuple(order)
    promising = [
        each.name
        for each in batch.contenders
        if isinstance(each, BackendContender) and each.certifies
    ]
    failing: list[FailingBoard] = []
    tried = Tried()
    for board, each in zip(stream, observed, strict=True):
        each.answers.sort(key=lambda one: order[one.contender])
        faults = each.faults + _conflicts(each.answers)
        if faults:
            faults.sort(key=lambda fault: fault.kind in NO_WRONG_ANSWER)
            failing.append(FailingBoard(board, tuple(faults)))
        if faults or not each.untried:
            tried.count(board, each, names)
            tried.count_proofs(each.answers, promising)
        else:
            tried.untried += 1
        tried.add_unfinished(each.unfinished)
    return failing, tried


def observe(
    pool: Pool, batch: Batch, stream: Sequence[Instance], deadline: Deadline
) -> list[Observed]:
    """What each contender alone shows of each board; answers are not related yet."""
    ours = batch.built_in
    observed = _try_backends(pool, batch, ours, stream, deadline)
    for contender in batch.contenders:
        if isinstance(contender, ProgramContender):
            _add_program(pool, batch, contender, stream, observed, deadline)
        elif isinstance(contender, BackendContender) and contender not in ours:
            results = _try_backends(pool, batch, (contender,), stream, deadline)
            for each, result in zip(observed, results, strict=True):
                each.add(result)
    return observed


def _try_backends(
    pool: Pool,
    batch: Batch,
    backends: tuple[BackendContender, ...],
    stream: Sequence[Instance],
    deadline: Deadline,
) -> list[Observed]:
    names = tuple(each.name for each in backends)
    return halving(
        lambda part: try_backends(pool, batch, backends, part, deadline),
        names,
        stream,
        deadline,
        keep_going=batch.keep_going,
    )


def try_backends(
    pool: Pool,
    batch: Batch,
    contenders: tuple[BackendContender, ...],
    part: Sequence[Instance],
    deadline: Deadline,
) -> list[Observed] | FailedCall:
    """What came of each board, or how the call of several boards failed.

    On a single board, and on boards whose call crashes, one contender is tried after the other.

    Args:
        contenders: built-in backends, or a single foreign one.
    """
    if not contenders:
        return [Observed() for _ in part]
    if len(part) == 1:
        observed = Observed()
        for contender in contenders:
            observed.add(_try_alone(pool, batch, contender, part[0], deadline))
        return [observed]
    outcome = _try_together(pool, batch, contenders, part, deadline)
    if outcome.ok:
        return outcome.value
    failure = FailedCall(outcome.status, tuple(each.name for each in contenders), outcome.detail)
    if not failure.whole or len(contenders) == 1:
        return failure
    results = [Observed() for _ in part]
    for contender in contenders:
        for each, its_own in zip(
            results, _try_backends(pool, batch, (contender,), part, deadline), strict=True
        ):
            each.add(its_own)
    return results


def _try_together(
    pool: Pool,
    batch: Batch,
    contenders: tuple[BackendContender, ...],
    part: Sequence[Instance],
    deadline: Deadline,
) -> Outcome:
    """What came of each board in one call, as the value.

    What a child that is kept shows counts if all is well, or if it was stopped at its limit. All
    else counts only from a new one. A built-in answer that lacks something counts only if it does
    so twice: on a busy machine a search may run out of time.
    """
    size, foreign = sum(board.size for board in part), contenders[0].foreign

    def tried(*, new: bool) -> Outcome:
        block = _block(batch, contenders, packed_boards(part), len(part), deadline, size)
        outcome = carry_out_block(pool, block, partial(_observe, block), new=new)
        if outcome.ok and outcome.printed:
            outcome.value[0].printed[contenders[0].name] = outcome.printed
        if outcome.ok and foreign and outcome.usage.wall_s is not None:
            share = Usage(wall_s=outcome.usage.wall_s / len(part))
            for each in outcome.value:
                each.answers = [with_fields(one, usage=share) for one in each.answers]
        return outcome

    outcome = tried(new=False)
    faults = (
        [fault.kind for each in outcome.value for fault in each.faults]
        if outcome.ok
        else [outcome.status]
    )
    if foreign or not faults or outcome.status is Status.TIMEOUT:
        return outcome
    return tried(new=True)


def _try_alone(
    pool: Pool, batch: Batch, contender: BackendContender, board: Instance, deadline: Deadline
) -> Observed:
    """What one contender shows of one board."""
    if contender.does_not_take(board):
        return Observed()
    allowed = batch.limits.until(deadline)
    ask = Ask(
        contender=contender,
        cases=[DatasetCase(board)],
        format=batch.format,
        limits=allowed,
        check=_certify_every(batch, contender.foreign) is not None,
        timed=False,
        exact=batch.exact_every is not None,
    )
    (result,) = carry_out(pool, ask)
    if result.status not in (Status.OK, Status.SKIPPED, Status.UNKNOWN):
        return failed_alone(batch, contender, board, result, allowed)
    return Observed.of([result])


def get_ready(pool: Pool, batch: Batch) -> None:
    """Have a child for our backends that has loaded and compiled what they need, which may take a
    minute the first time.
    """
    with pool.solver(*batch.built_in), pool.judge():
        pass


def of_fault(batch: Batch, fault: Fault) -> Batch:
    """The batch with the contenders of a fault alone, which are tried until it shows; large boards
    are no longer a start each.
    """
    contenders = tuple(each for each in batch.contenders if each.name in fault.names)
    kind = BatchKind.ORDINARY if batch.kind is BatchKind.LARGE else batch.kind
    return replace(batch, contenders=contenders, kind=kind, keep_going=False)


def _conflicts(answers: Sequence[Result]) -> list[Fault]:
    claiming = [each for each in answers if each.claims is not None]
    return [
        Fault(
            CONFLICT,
            (one.contender, other.contender),
            "; ".join(differing(one.exact or {}, other.exact or {})),
        )
        for one, other in conflicting(claiming)
    ]


def conflicting(answers: Sequence[Result]) -> list[tuple[Result, Result]]:
    """The pairs of answers to one instance that cannot both be right; one pass if all are complete
    and claim the same.
    """
    if all(each.complete and _agree(each, answers[0]) for each in answers):
        return []
    return [(one, other) for one, other in combinations(answers, 2) if contradict(one, other)]


def _agree(one: Result, other: Result) -> bool:
    return (
        same_claims(one.claims, other.claims)
        and (one.exact == other.exact or not (one.exact and other.exact))
        and (one.value, one.bound) == (other.value, other.bound)
    )


def _add_program(
    pool: Pool,
    batch: Batch,
    program: ProgramContender,
    stream: Sequence[Instance],
    observed: Sequence[Observed],
    deadline: Deadline,
) -> None:
    """Try a program on the boards that its contest promises, and add what came of it.

    If its format holds many boards, it gets them in one start; large boards have a start each.
    """
    taken: list[int] = []
    for k, board in enumerate(stream):
        broken = program.does_not_take(board)
        if broken is None:
            taken.append(k)
        else:
            observed[k].spared[program.name] = broken
    part = [stream[k] for k in taken]
    in_one = puzzles.get(batch.puzzle).many_instances and batch.kind is not BatchKind.LARGE
    results: list[Observed] = []
    for some in [part] if in_one else [[board] for board in part]:
        results += halving(
            lambda half: try_program(pool, batch, program, half, deadline),
            (program.name,),
            some,
            deadline,
            keep_going=batch.keep_going,
        )
    for k, result in zip(taken, results, strict=True):
        observed[k].add(result)


def try_program(
    pool: Pool,
    batch: Batch,
    program: ProgramContender,
    part: Sequence[Instance],
    deadline: Deadline,
) -> list[Observed] | FailedCall:
    """What came of boards in one start, or how the start on several boards failed."""
    allowed = limits_of(batch.limits, len(part)).until(deadline)
    limits = replace(batch.limits, seconds=allowed.seconds / len(part))
    cases = [DatasetCase(board) for board in part]
    results = carry_out(
        pool, Ask(contender=program, cases=cases, format=batch.format, limits=limits)
    )
    failed = next((each for each in results if each.status is not Status.OK), None)
    if failed is not None and len(part) > 1:
        return FailedCall(failed.status, (program.name,), failed.reason)
    if failed is not None:
        return [failed_alone(batch, program, part[0], failed, allowed)]
    return [Observed.of([result]) for result in results]
