"""Asking a solver the questions of a script, in a process of its own; what it replies, or how it failed."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from time import perf_counter
from typing import Any, NamedTuple

from compare.isolate.child import call
from compare.isolate.outcome import Limits, Status
from compare.solvers.reference import formula_of
from compare.solvers.script import Script
from compare.work.foreign.plain import from_plain, to_plain
from models.solvers.external import PROOF_PLACE, is_command
from models.solvers.opening import open_solver
from models.solvers.sat_solver import ModelRefused, SolverDied, SolverFailure
from models.solvers.solver_names import SINGLE_CALL, runs_foreign_code


class Occasion(StrEnum):
    """On which occasion a question is asked.

    Attributes:
        FIRST: it is its turn in the script.
        AGAIN: the last question, once more.
        PROOF: the question of a formula, once more to a new solver that keeps a proof.
    """

    FIRST = "first"
    AGAIN = "again"
    PROOF = "proof"


class Conduct(StrEnum):
    """What kept a solver from giving a verdict that counts.

    Attributes:
        SILENT: it gave none.
        DIED: its program was ended by a signal.
        MODEL_REFUSED: its program said that there is a model, and printed none that can be read and is one.
    """

    SILENT = "silent"
    DIED = "died"
    MODEL_REFUSED = "model refused"


class Reply(NamedTuple):
    """What a solver says to one question.

    Attributes:
        occasion: see `Occasion`.
        number: which call of the script it is, counted from 0.
        verdict: whether it says that there is a model; None if it says neither.
        model, core, proof: what it gives beside that; None for nothing.
        complaint: what is wrong with how it said so; else empty.
        conduct: of which kind that is, a `Conduct`; else empty.
    """

    occasion: str
    number: int
    verdict: bool | None
    model: tuple[int, ...] | None = None
    core: tuple[int, ...] | None = None
    proof: tuple[str, ...] | None = None
    complaint: str = ""
    conduct: str = ""


class Conversation(NamedTuple):
    """All replies to one script, and the seconds of the first occasions."""

    replies: tuple[Reply, ...]
    seconds: float


MAX_HANGS = 2
"""Scripts of one call on which a solver may pass its time limit."""

_CLASSES = {"Reply": Reply, "Conversation": Conversation}


@dataclass(frozen=True)
class Hearing:
    """How the questions of a script went.

    Attributes:
        status: OK if the solver came to its end, SKIPPED if it was not asked; else how it failed, and `detail` says more.
        conversation: None if the status is not OK.
    """

    status: Status
    detail: str = ""
    conversation: Conversation | None = None


def takes(solver: str, script: Script) -> bool:
    """Whether a solver can be asked this script: some can be called only once."""
    return script.is_formula or solver not in SINGLE_CALL


def is_alone(solver: str) -> bool:
    """Whether a solver gets a process for each script: all but those of python-sat."""
    return is_command(solver) or runs_foreign_code(solver)


def heard(solver: str, scripts: Sequence[Script], limits: Limits) -> list[Hearing]:
    """What came of each script. A solver of python-sat gets several in one process; if that fails, each in a process of its own.

    A solver hangs on a script only if it does so twice: a busy machine may have been the cause. After `MAX_HANGS` such scripts the
    others are SKIPPED.
    """
    if len(scripts) > 1 and not is_alone(solver):
        outcome = call(_converse_all, solver, list(scripts), limits=limits)
        if outcome.ok:
            return [Hearing(Status.OK, "", conversation) for conversation in outcome.value]
    hearings: list[Hearing] = []
    for script in scripts:
        if sum(each.status is Status.TIMEOUT for each in hearings) >= MAX_HANGS:
            hearings.append(Hearing(Status.SKIPPED))
            continue
        hearing = heard_alone(solver, script, limits)
        hearings.append(heard_alone(solver, script, limits) if hearing.status is Status.TIMEOUT else hearing)
    return hearings


def heard_alone(solver: str, script: Script, limits: Limits) -> Hearing:
    """What came of one script in a process of its own."""
    foreign = runs_foreign_code(solver)
    if foreign:
        outcome = call(_plain_conversation, solver, script, limits=limits, foreign=True)
    else:
        outcome = call(converse, solver, script, limits=limits)
    if not outcome.ok or not foreign:
        return Hearing(outcome.status, outcome.detail, outcome.value if outcome.ok else None)
    try:
        return Hearing(Status.OK, "", from_plain(outcome.value, Conversation, _CLASSES))
    except ValueError as error:
        return Hearing(Status.CRASH, f"its replies are malformed: {error}")


def _converse_all(solver: str, scripts: Sequence[Script]) -> list[Conversation]:
    return [converse(solver, script) for script in scripts]


def _plain_conversation(solver: str, script: Script) -> str:
    return to_plain(converse(solver, script), _CLASSES)


def converse(solver: str, script: Script) -> Conversation:
    """Ask a solver in this process."""
    replies: list[Reply] = []
    first_call = next((k for k, step in enumerate(script.steps) if step.solves), len(script.steps))
    started = perf_counter()
    with open_solver(formula_of([step.literals for step in script.steps[:first_call]], script.variables), solver) as session:
        for step in script.steps[first_call:]:
            if step.solves:
                replies.append(_reply(session, step.literals, Occasion.FIRST, len(replies)))
            else:
                session.add_clause(list(step.literals))
        seconds = perf_counter() - started
        if replies and script.steps[-1].solves and solver not in SINGLE_CALL:
            replies.append(_reply(session, script.steps[-1].literals, Occasion.AGAIN, len(replies) - 1))
    if script.is_formula and replies[0].verdict is False and (PROOF_PLACE in solver or not is_command(solver)):
        replies += _with_proof(solver, script)
    return Conversation(tuple(replies), seconds)


def _with_proof(solver: str, script: Script) -> list[Reply]:
    """The reply of a new solver that keeps a proof; nothing if it cannot."""
    formula = formula_of([step.literals for step in script.steps[:-1]], script.variables)
    with suppress(NotImplementedError), open_solver(formula, solver, with_proof=True) as session:
        reply = _reply(session, (), Occasion.PROOF, 0)
        if reply.verdict is not False:
            return [reply]
        try:
            return [reply._replace(proof=tuple(map(str, session.get_proof() or ())))]
        except SolverFailure as failure:
            return [reply._replace(proof=(), complaint=failure.what)]
    return []


def _reply(session: Any, assumptions: Sequence[int], occasion: Occasion, number: int) -> Reply:
    try:
        verdict = session.solve(assumptions=list(assumptions)) if assumptions else session.solve()
        if verdict is None:
            return Reply(str(occasion), number, None, complaint="gave no verdict", conduct=str(Conduct.SILENT))
        if verdict:
            return Reply(str(occasion), number, True, model=tuple(map(int, session.get_model() or ())))
        core = None
        if assumptions:
            with suppress(NotImplementedError):
                core = tuple(map(int, session.get_core() or ()))
    except SolverFailure as failure:
        conduct = {SolverDied: Conduct.DIED, ModelRefused: Conduct.MODEL_REFUSED}.get(type(failure), Conduct.SILENT)
        return Reply(str(occasion), number, None, complaint=failure.what, conduct=str(conduct))
    return Reply(str(occasion), number, False, core=core)
