"""Trying every contender on a batch of boards.

Our backends solve a whole batch in one child, the backend of a plugin in another one; a judge checks. A program whose
format holds many boards gets the batch in one start. If that fails as a whole, it is halved until the failing board is known; if
no board fails by itself, the call is the fault. Of some boards the written formulas are tried as well: a solver's verdict on each
must fit the answers.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from time import monotonic, time

import puzzles
from compare.campaign.relation import Stance, conflicting, differing
from compare.fuzz.batch import PLAIN_KINDS, Batch, BatchKind, BatchResult, Deadline, FailingBoard, Tried, boards_of
from compare.fuzz.trials.backend_trial import checked_block, packed_boards, solve_block, try_backends
from compare.fuzz.trials.halving import FailedCall, failed_alone, halving, limits_of
from compare.fuzz.trials.observed import CONFLICT, LACKING, REFUSED, UNPROVED, Fault, Observed, Response, check_faults, with_share
from compare.isolate.outcome import Limits, Status
from compare.work.attempt import run_together, start_program
from compare.work.contenders import BackendContender, ProgramContender
from compare.work.job import CHECK_S, Job
from compare.work.pool import Pool
from models.cnf import Formula
from models.dimacs import encode
from models.session import session
from models.solvers.solver_names import DEFAULT_SOLVER
from puzzles.answer import Claims
from puzzles.backend import Unsupported
from puzzles.grid import Board
from puzzles.instance import Instance
from puzzles.space.instance_space import shape_fits
from puzzles.text import UserError

ENCODE = "encode"
"""What a fault calls the formulas."""

DRAWING = Limits(600.0)
"""What drawing the boards of a batch may take; a family of a puzzle of one's own may be slow."""

NO_WRONG_ANSWER = (UNPROVED, REFUSED, LACKING)
"""Kinds of faults that say less than the others, so they come last."""


def try_batch(pool: Pool, batch: Batch, until: float | None = None) -> BatchResult:
    """Try every contender on the boards of a batch. Of what is raised here only a mistake of the user ends the search.

    Args:
        until: when the search ends, in seconds since the epoch: the call may have waited for its turn.
    """
    seconds = batch.seconds if until is None else max(0.0, until - time())
    started, deadline = monotonic(), Deadline(seconds)
    try:
        boards = _drawn(pool, batch)
        get_ready(pool, batch)
        started = monotonic()
        tried = _all_is_well(pool, batch, boards, deadline)
        if tried is not None:
            return BatchResult([], monotonic() - started, tried)
        stream: list[Instance] = pickle.loads(boards)  # noqa: S301 - a judge wrote it
        failing, tried = observe_boards(pool, batch, stream, deadline)
    except UserError:
        raise
    except Exception as error:
        return BatchResult([], monotonic() - started, broken=f"{type(error).__name__}: {error}")
    return BatchResult(failing, monotonic() - started, tried)


def all_boards_of(pool: Pool, batch: Batch) -> list[Instance]:
    """The boards of a batch."""
    return pickle.loads(_drawn(pool, batch))  # noqa: S301 - a judge wrote it


def _drawn(pool: Pool, batch: Batch) -> bytes:
    """The boards of a batch, pickled. A judge draws them; those of a generator come from its starts."""
    if batch.generator:
        return packed_boards(generated_boards(pool, batch))
    with pool.judge() as judge:
        drawn = judge.call(_draw, batch, limits=DRAWING)
    if isinstance(drawn.value, UserError):
        raise drawn.value
    if not drawn.ok:
        raise RuntimeError(f"the boards could not be drawn: {drawn.status} {drawn.detail}")
    return drawn.value


def generated_boards(pool: Pool, batch: Batch) -> list[Instance]:
    """The boards that the generator of a batch prints for consecutive seeds; an input file may hold several.

    Raises:
        UserError: the command does not end well, or its output is no input file of the puzzle.
    """
    numbers = range(batch.count * batch.blocks)[batch.start : batch.stop]
    first_seed = batch.seed + batch.index * batch.count + numbers.start
    boards: list[Instance] = []
    for seed in range(first_seed, first_seed + len(numbers)):
        start = f"{' '.join(batch.generator)} {seed}"
        outcome = start_program(pool, [*batch.generator, str(seed)], b"", batch.limits)
        if not outcome.ok:
            raise UserError(
                f"--generator: {start}: {outcome.status}: {outcome.detail}. It must print an input file and end with status 0"
            )
        boards += puzzles.get(batch.puzzle).parse(outcome.value, f"<output of {start}>")
    return boards


def _draw(batch: Batch) -> bytes | UserError:
    try:
        return packed_boards(boards_of(batch))
    except UserError as error:
        return error


def _all_is_well(pool: Pool, batch: Batch, boards: bytes, deadline: Deadline) -> Tried | None:
    """What was tried, if all backends are ours and nothing is wrong; else None.

    The backends solve in a child that is kept, and main opens neither the boards nor the answers.
    """
    backends = _ours(batch)
    if len(backends) < len(batch.contenders) or batch.kind is BatchKind.SELDOM or not backends:
        return None
    solved = solve_block(pool, batch, backends, boards, deadline.within(batch.limits), new=False)
    if not solved.ok:
        return None
    with pool.judge() as judge:
        judged = judge.call(_judge_block, batch, boards, solved.value, limits=Limits(CHECK_S, batch.limits.memory))
    return judged.value


def _judge_block(batch: Batch, boards: bytes, solved: bytes) -> Tried | None:
    """In a judge: what was tried; None if anything is wrong."""
    stream: list[Instance] = pickle.loads(boards)  # noqa: S301 - main wrote it
    failing, tried = _related(batch, stream, checked_block(batch, _ours(batch), stream, solved))
    return None if failing else tried


def try_boards(pool: Pool, batch: Batch, stream: Sequence[Instance]) -> list[FailingBoard]:
    """Try every contender on the boards; returns those that fail, in their order."""
    return observe_boards(pool, batch, stream, Deadline(batch.seconds))[0]


def observe_boards(pool: Pool, batch: Batch, stream: Sequence[Instance], deadline: Deadline) -> tuple[list[FailingBoard], Tried]:
    """Try every contender on the boards; returns those that fail, in their order, and what was tried."""
    return _related(batch, stream, observe(pool, batch, stream, deadline))


def _related(batch: Batch, stream: Sequence[Instance], observed: Sequence[Observed]) -> tuple[list[FailingBoard], Tried]:
    """The boards that fail, in their order, and what was tried."""
    order = {contender.name: k for k, contender in enumerate(batch.contenders)}
    names = tuple(order)
    failing: list[FailingBoard] = []
    tried = Tried()
    for board, each in zip(stream, observed, strict=True):
        each.answers.sort(key=lambda one: order.get(one.name, len(order)))
        faults = each.faults + _conflicts(batch.puzzle, each.answers)
        if faults:
            faults.sort(key=lambda fault: fault.kind in NO_WRONG_ANSWER)
            failing.append(FailingBoard(board, tuple(faults)))
        if faults or not each.untried:
            tried.count(board, each, names)
        tried.add_unfinished(each.unfinished)
    return failing, tried


def observe(pool: Pool, batch: Batch, stream: Sequence[Instance], deadline: Deadline) -> list[Observed]:
    """What each contender alone shows of each board; answers are not related yet."""
    ours = _ours(batch)
    observed = _try_backends(pool, batch, ours, stream, deadline)
    for contender in batch.contenders:
        if isinstance(contender, ProgramContender):
            _add_program(pool, batch, contender, stream, observed, deadline)
        elif isinstance(contender, BackendContender) and contender not in ours:
            results = _try_backends(pool, batch, (contender,), stream, deadline)
            for each, result in zip(observed, results, strict=True):
                each.add(result)
    if batch.kind is BatchKind.SELDOM:
        try_encoding(pool, batch, stream, observed, deadline)
    return observed


def _try_backends(
    pool: Pool, batch: Batch, backends: tuple[BackendContender, ...], stream: Sequence[Instance], deadline: Deadline
) -> list[Observed]:
    names = tuple(each.name for each in backends)
    return halving(lambda part: try_backends(pool, batch, backends, part, deadline), names, stream, deadline)


def _ours(batch: Batch) -> tuple[BackendContender, ...]:
    return tuple(each for each in batch.contenders if isinstance(each, BackendContender) and not each.foreign)


def get_ready(pool: Pool, batch: Batch) -> None:
    """Have a child for our backends that has loaded and compiled what they need, which may take a minute the first time."""
    if batch.kind not in PLAIN_KINDS:
        with pool.solver(*_ours(batch)), pool.judge():
            pass


def _conflicts(puzzle: str, answers: Sequence[Response]) -> list[Fault]:
    stances = [(each.name, each.stance) for each in answers if each.stance is not None]
    faults: list[Fault] = []
    for a, b in conflicting(puzzle, [stance for _, stance in stances]):
        (one, ours), (other, theirs) = stances[a], stances[b]
        faults.append(Fault(CONFLICT, (one, other), "; ".join(differing(ours.exact, theirs.exact))))
    return faults


def _add_program(
    pool: Pool,
    batch: Batch,
    program: ProgramContender,
    stream: Sequence[Instance],
    observed: Sequence[Observed],
    deadline: Deadline,
) -> None:
    """Try a program on the boards that its format can say, and add what came of it.

    If its format holds many boards, it gets them in one start; large boards have a start each.
    """
    most = max(puzzles.get(batch.puzzle).largest, 2 * batch.size)
    taken = [k for k, board in enumerate(stream) if (batch.extended or board.in_contest_format) and shape_fits(board, most)]
    part = [stream[k] for k in taken]
    if puzzles.get(batch.puzzle).many_instances and batch.kind is not BatchKind.LARGE:
        results = halving(lambda half: try_program(pool, batch, program, half, deadline), (program.name,), part, deadline)
    else:
        results = []
        for board in part:
            alone = [Observed(untried=True)] if deadline.over else try_program(pool, batch, program, [board], deadline)
            assert not isinstance(alone, FailedCall)
            results += alone
    for k, result in zip(taken, results, strict=True):
        observed[k].add(result)


def try_program(
    pool: Pool, batch: Batch, program: ProgramContender, part: Sequence[Instance], deadline: Deadline
) -> list[Observed] | FailedCall:
    """What came of boards in one start, or how the start on several boards failed."""
    allowed = deadline.within(limits_of(batch.limits, len(part)))
    limits = replace(allowed, seconds=allowed.seconds / len(part))
    runs = run_together(pool, [Job(contender=program, instance=board, format=batch.format, limits=limits) for board in part])
    failed = next((run for run in runs if run.status is not Status.OK), None)
    if failed is not None and len(part) > 1:
        return FailedCall(failed.status, (program.name,), failed.detail)
    if failed is not None:
        return [failed_alone(batch, program, part[0], failed, allowed)]
    observed: list[Observed] = []
    for run in runs:
        stance = None if run.claims is None else Stance(run.claims, program.complete)
        faults = [] if run.check is None else check_faults(program, run.check)
        observed.append(Observed([Response(program.name, stance, None)], faults))
    return with_share(observed, runs[0].usage.wall_s)


def try_encoding(pool: Pool, batch: Batch, stream: Sequence[Instance], observed: Sequence[Observed], deadline: Deadline) -> None:
    """Add a conflict to each board whose formula, or whose formula of a question about one cell, contradicts an answer to it."""
    answered = [
        (k, board, first.name, first.stance.claims)
        for k, (board, each) in enumerate(zip(stream, observed, strict=True))
        for first in each.answers[:1]
        if first.stance is not None and first.stance.complete
    ]
    if deadline.over or not answered:
        return
    stated = [(board, claims) for _, board, _, claims in answered]
    with pool.solver(new=True) as solver:
        outcome = solver.call(_contradicted, stated, limits=deadline.within(batch.limits))
    if outcome.ok:
        for (k, _, name, _), detail in zip(answered, outcome.value, strict=True):
            if detail:
                observed[k].faults.append(Fault(CONFLICT, (name, ENCODE), detail))
    elif len(stream) == 1 and not deadline.over:
        observed[0].faults.append(Fault(outcome.status, (ENCODE,), outcome.detail))


def _contradicted(answered: Sequence[tuple[Instance, Claims]]) -> list[str]:
    """For each board what its formulas and the claims contradict each other in; empty if they agree."""
    return [_contradiction(board, claims) for board, claims in answered]


def _contradiction(board: Instance, claims: Claims) -> str:
    if not isinstance(board, Board):
        return ""  # formulas that can be written down are about boards
    cell = Random(board.digest).randrange(board.cells)
    for place in (None, (cell // board.columns + 1, cell % board.columns + 1)):
        try:
            encoding = encode(board, place)
        except (Unsupported, UserError):
            continue
        expected = encoding.expected(claims)
        if expected is not None and satisfiable(encoding.formula) != expected:
            return f"the formula should be {'' if expected else 'un'}satisfiable: {encoding.meaning}"
    return ""


def satisfiable(formula: Formula) -> bool:
    """Whether a formula has a model."""
    with session(formula, DEFAULT_SOLVER) as opened:
        return opened.solve()
