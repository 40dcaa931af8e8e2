"""What is wrong with a solver's replies, by what is known without it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from compare.isolate.outcome import Status
from compare.solvers.asking import Conduct, Hearing, Occasion, Reply
from compare.solvers.reference import consistent, first_unsatisfied, status, why_wrong
from compare.solvers.script import Query, Script

MAX_SHOWN = 12
"""Literals of a model, a core or a clause that a detail shows."""


class FaultKind(StrEnum):
    """What can be wrong.

    Attributes:
        WRONG_SAT: it says that there is a model, and a proof shows that there is none.
        WRONG_UNSAT: it says that there is no model, and there is one.
        WRONG_MODEL: its model leaves a clause or an assumption without a true literal, contradicts itself or leaves the variables.
        WRONG_CORE: its core is no part of the assumptions, or does not contradict the clauses.
        WRONG_PROOF: its proof does not prove that there is no model.
        CRASH: its process ended in another way than by itself.
        HANG: it passed the time limit.
        MEMORY: it passed the memory limit.
        SILENCE: it gave no verdict.
        DIFFERS: asked again at once, it says the opposite.
    """

    WRONG_SAT = "wrong SAT"
    WRONG_UNSAT = "wrong UNSAT"
    WRONG_MODEL = "wrong model"
    WRONG_CORE = "wrong core"
    WRONG_PROOF = "wrong proof"
    CRASH = "crash"
    HANG = "hang"
    MEMORY = "memory"
    SILENCE = "silence"
    DIFFERS = "differs"


ENDINGS = {
    Status.CRASH: FaultKind.CRASH,
    Status.ERROR: FaultKind.CRASH,
    Status.TIMEOUT: FaultKind.HANG,
    Status.MEMORY: FaultKind.MEMORY,
}
"""What it means that a solver's process did not come to its end."""


class SolverFault(NamedTuple):
    """One thing that is wrong.

    Attributes:
        detail: what exactly, as a clause.
        said, expected: the solver's verdict and the known one; None if there is none.
        number: which call of the script it is about, counted from 0; None if that is not known.
    """

    kind: FaultKind
    detail: str
    said: bool | None = None
    expected: bool | None = None
    number: int | None = None


def faults(script: Script, known: Sequence[bool | None], hearing: Hearing) -> list[SolverFault]:
    """What is wrong with what came of a script.

    Args:
        known: for each call whether there is a model, None where that is not known.
    """
    if hearing.conversation is None:
        return [SolverFault(ENDINGS[hearing.status], hearing.detail)] if hearing.status in ENDINGS else []
    queries = list(script.queries())
    replies = hearing.conversation.replies
    first = {reply.number: reply.verdict for reply in replies if reply.occasion == Occasion.FIRST}
    wrong: list[SolverFault] = []
    for reply in replies:
        if not 0 <= reply.number < len(queries):
            return [SolverFault(FaultKind.CRASH, "its replies are malformed")]
        before = first.get(reply.number)
        if reply.occasion == Occasion.AGAIN and None not in (before, reply.verdict) and before != reply.verdict:
            detail = f"{verdict_word(before)} at first, {verdict_word(reply.verdict)} when asked again"
            wrong.append(SolverFault(FaultKind.DIFFERS, detail, reply.verdict, known[reply.number], reply.number))
        elif fault := _fault(queries[reply.number], known[reply.number], reply, script.variables):
            wrong.append(fault._replace(number=reply.number))
    return wrong


def verdict_word(satisfiable: bool | None) -> str:
    """A verdict as solvers print it."""
    return "UNKNOWN" if satisfiable is None else "SATISFIABLE" if satisfiable else "UNSATISFIABLE"


def _fault(query: Query, known: bool | None, reply: Reply, variables: int) -> SolverFault | None:
    if reply.verdict is None:
        if reply.conduct != Conduct.MODEL_REFUSED:
            kind = FaultKind.CRASH if reply.conduct == Conduct.DIED else FaultKind.SILENCE
            return SolverFault(kind, reply.complaint, None, known)
        if known is False:
            return SolverFault(FaultKind.WRONG_SAT, f"says SATISFIABLE, is UNSATISFIABLE; {reply.complaint}", True, known)
        return SolverFault(FaultKind.WRONG_MODEL, reply.complaint, True, known)
    if known is not None and known != reply.verdict:
        kind = FaultKind.WRONG_SAT if reply.verdict else FaultKind.WRONG_UNSAT
        return SolverFault(kind, f"says {verdict_word(reply.verdict)}, is {verdict_word(known)}", reply.verdict, known)
    for kind, detail in (
        (FaultKind.WRONG_MODEL, _wrong_model(query, reply, variables)),
        (FaultKind.WRONG_CORE, _wrong_core(query, reply)),
        (FaultKind.WRONG_PROOF, _wrong_proof(query, known, reply)),
    ):
        if detail:
            return SolverFault(kind, detail, reply.verdict, known)
    return None


def _wrong_model(query: Query, reply: Reply, variables: int) -> str:
    if reply.model is None:
        return ""
    model = set(reply.model)
    if not consistent(model):
        return "its model contradicts itself"
    strange = [literal for literal in reply.model if not 0 < abs(literal) <= variables]
    named = {abs(literal) for each in (*query.clauses, query.assumptions) for literal in each}
    if not named.issuperset(map(abs, strange)):
        return f"its model has {shown(strange)}, and the formula has {variables} variables"
    missing = first_unsatisfied([(literal,) for literal in query.assumptions], model)
    if missing is not None:
        return f"its model does not hold the assumption {missing[0]}"
    clause = first_unsatisfied(query.clauses, model)
    return "" if clause is None else f"its model makes no literal of the clause ({shown(clause)}) true"


def _wrong_core(query: Query, reply: Reply) -> str:
    if reply.core is None:
        return ""
    strange = [literal for literal in reply.core if literal not in query.assumptions]
    if strange:
        return f"its core has {shown(strange)}, which is not assumed"
    if status(Query(query.clauses, reply.core)) is True:
        return f"its core ({shown(reply.core)}) does not contradict the clauses"
    return ""


def _wrong_proof(query: Query, known: bool | None, reply: Reply) -> str:
    why = "" if reply.proof is None or known is not False else why_wrong(query, reply.proof)
    return why and (reply.complaint or why)


def shown(literals: Sequence[int]) -> str:
    """The literals for people, the first of them if there are many."""
    more = " ..." if len(literals) > MAX_SHOWN else ""
    return " ".join(map(str, literals[:MAX_SHOWN])) + more
