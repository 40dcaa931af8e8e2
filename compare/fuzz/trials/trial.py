"""Trying every contender on a batch of boards; all of it happens inside a worker.

Our backends solve a whole batch in one sandbox, the backend of a plugin in another one; the checks run in neither. A program whose
format holds many boards gets the batch in one start. If that fails as a whole, it is halved until the failing board is known; if
no board fails by itself, the call is the fault. Of some boards the written formulas are tried as well: a solver's verdict on each
must fit the answers.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence
from functools import cache
from random import Random
from time import monotonic, time

import puzzles
from compare.campaign.relation import conflicting, differing
from compare.fuzz.batch import Batch, BatchKind, BatchResult, Deadline, FailingBoard, Tried, boards_of
from compare.fuzz.trials.foreign_trial import try_alone, try_plugin, try_program
from compare.fuzz.trials.halving import halving
from compare.fuzz.trials.observed import CONFLICT, LACKING, REFUSED, UNPROVED, Fault, Observed, Said
from compare.fuzz.trials.own_trial import try_backends
from compare.isolate.sandbox import call
from compare.work.contenders import BackendContender, ProgramContender
from compare.work.worker import warm_up
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

_COLLECT_EVERY = 100_000
"""Objects after whose making Python looks for garbage. Batches make many objects and little garbage."""

NO_WRONG_ANSWER = (UNPROVED, REFUSED, LACKING)
"""Kinds of faults that say less than the others, so they come last."""


def try_batch(batch: Batch, until: float | None = None) -> BatchResult:
    """Try every contender on the boards of a batch. Of what is raised here only a mistake of the user ends the search.

    Args:
        until: when the search ends, in seconds since the epoch: the call may have waited for a worker.
    """
    seconds = batch.seconds if until is None else max(0.0, until - time())
    started, deadline = monotonic(), Deadline(seconds)
    try:
        stream = boards_of(batch)
        get_ready(batch)
        started = monotonic()
        failing, tried = observe_boards(batch, stream, deadline)
    except UserError:
        raise
    except BaseException as error:
        return BatchResult([], monotonic() - started, broken=f"{type(error).__name__}: {error}")
    return BatchResult(failing, monotonic() - started, tried)


def try_boards(batch: Batch, stream: Sequence[Instance]) -> list[FailingBoard]:
    """Try every contender on the boards; returns those that fail, in their order."""
    get_ready(batch)
    return observe_boards(batch, stream, Deadline(batch.seconds))[0]


def observe_boards(batch: Batch, stream: Sequence[Instance], deadline: Deadline) -> tuple[list[FailingBoard], Tried]:
    """Try every contender on the boards; returns those that fail, in their order, and what was tried."""
    observed = observe(batch, stream, deadline)
    order = {contender.name: k for k, contender in enumerate(batch.contenders)}
    names = tuple(order)
    failing: list[FailingBoard] = []
    tried = Tried()
    for board, each in zip(stream, observed, strict=True):
        each.answers.sort(key=lambda said: order.get(said.name, len(order)))
        faults = each.faults + _conflicts(batch.puzzle, each.answers)
        if faults:
            faults.sort(key=lambda fault: fault.kind in NO_WRONG_ANSWER)
            failing.append(FailingBoard(board, tuple(faults)))
        if faults or not each.untried:
            tried.count(board, each, names)
        tried.add_unfinished(each.unfinished)
    return failing, tried


def observe(batch: Batch, stream: Sequence[Instance], deadline: Deadline) -> list[Observed]:
    """What each contender alone shows of each board; answers are not related yet."""
    backends = _ours(batch)
    names = tuple(each.name for each in backends)
    observed = halving(lambda part: try_backends(batch, backends, part, deadline), names, stream, deadline)
    for contender in batch.contenders:
        if isinstance(contender, ProgramContender):
            _add_program(batch, contender, stream, observed, deadline)
        elif isinstance(contender, BackendContender) and contender not in backends:
            _add_plugin(batch, contender, stream, observed, deadline)
    if batch.kind is BatchKind.SELDOM:
        try_encoding(batch, stream, observed, deadline)
    return observed


def _ours(batch: Batch) -> tuple[BackendContender, ...]:
    return tuple(each for each in batch.contenders if isinstance(each, BackendContender) and not each.apart)


def get_ready(batch: Batch) -> None:
    """Load and compile what a batch needs, which may take a minute the first time."""
    for contender in _ours(batch):
        warm_up(contender)
    _keep_what_is_loaded()


@cache
def _keep_what_is_loaded() -> None:
    """All that is loaded stays. Otherwise each batch's process would look through it for garbage, and so copy its pages.

    Once for this process: to ask the collector whether it is done has it count all that it keeps.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_COLLECT_EVERY, *gc.get_threshold()[1:])


def _conflicts(puzzle: str, answers: Sequence[Said]) -> list[Fault]:
    stances = [(said.name, said.stance) for said in answers if said.stance is not None]
    faults: list[Fault] = []
    for a, b in conflicting(puzzle, [stance for _, stance in stances]):
        (one, ours), (other, theirs) = stances[a], stances[b]
        faults.append(Fault(CONFLICT, (one, other), "; ".join(differing(ours.exact, theirs.exact))))
    return faults


def _add_plugin(
    batch: Batch, contender: BackendContender, stream: Sequence[Instance], observed: Sequence[Observed], deadline: Deadline
) -> None:
    """Try a plugin's backend on all boards, and add what came of it."""
    results = halving(lambda part: try_plugin(batch, contender, part, deadline), (contender.name,), stream, deadline)
    for each, result in zip(observed, results, strict=True):
        each.add(result)


def _add_program(
    batch: Batch, program: ProgramContender, stream: Sequence[Instance], observed: Sequence[Observed], deadline: Deadline
) -> None:
    """Try a program on the boards that its format can say, and add what came of it."""
    most = max(puzzles.get(batch.puzzle).largest, 2 * batch.size)
    taken = [k for k, board in enumerate(stream) if (batch.extended or board.in_contest_format) and shape_fits(board, most)]
    part = [stream[k] for k in taken]
    if puzzles.get(batch.puzzle).many_instances and batch.kind is not BatchKind.LARGE:
        results = halving(lambda half: try_program(batch, program, half, deadline), (program.name,), part, deadline)
    else:
        results = try_alone(batch, program, part, deadline)
    for k, result in zip(taken, results, strict=True):
        observed[k].add(result)


def try_encoding(batch: Batch, stream: Sequence[Instance], observed: Sequence[Observed], deadline: Deadline) -> None:
    """Add a conflict to each board whose formula, or whose formula of a question about one cell, contradicts an answer to it."""
    answered = [
        (k, board, said.name, said.stance.claims)
        for k, (board, each) in enumerate(zip(stream, observed, strict=True))
        for said in each.answers[:1]
        if said.stance is not None and said.stance.complete
    ]
    if deadline.over or not answered:
        return
    outcome = call(_contradicted, [(board, claims) for _, board, _, claims in answered], limits=deadline.within(batch.limits))
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
