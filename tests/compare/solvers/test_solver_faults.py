"""What is called a fault of a solver, and what is not, on replies written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from compare.isolate.outcome import Status
from compare.solvers.asking import Conduct, Conversation, Hearing, Occasion, Reply
from compare.solvers.reference import other_checkers, why_wrong
from compare.solvers.script import Query, Script, call, clause
from compare.solvers.solver_faults import FaultKind, faults

EITHER = Script.formula(3, [[1, 2], [3, -3]])
NEITHER = Script.formula(2, [[1, 2], [1, -2], [-1, 2], [-1, -2]])
ASSUMED = Script(4, (clause(1, 2), clause(3), call(-1, -2, 3)))


def kinds(script: Script, known: Sequence[bool | None], *replies: Reply) -> list[FaultKind]:
    return [fault.kind for fault in faults(script, known, Hearing(Status.OK, "", Conversation(replies, 0.0)))]


def reply(verdict: bool | None, occasion: Occasion = Occasion.FIRST, **more: Any) -> Reply:
    return Reply(str(occasion), 0, verdict, **more)


@pytest.mark.parametrize(
    ("script", "known", "said", "expected"),
    [
        (EITHER, True, reply(True, model=(1, -2, 3)), []),
        (EITHER, True, reply(True, model=(-1, 2)), []),  # any value of 3 is right
        (EITHER, True, reply(False), [FaultKind.WRONG_UNSAT]),
        (EITHER, True, reply(True, model=(-1, -2, 3)), [FaultKind.WRONG_MODEL]),
        (EITHER, True, reply(True, model=(-1, 3)), [FaultKind.WRONG_MODEL]),  # 2 is not mentioned
        (EITHER, True, reply(True, model=(1, -1, 3)), [FaultKind.WRONG_MODEL]),
        (EITHER, True, reply(True, model=(1, 4)), [FaultKind.WRONG_MODEL]),
        (EITHER, True, reply(True, model=()), [FaultKind.WRONG_MODEL]),
        (EITHER, None, reply(True, model=(-1, -2)), [FaultKind.WRONG_MODEL]),
        (EITHER, None, reply(False), []),
        (EITHER, True, reply(None, complaint="gave no verdict"), [FaultKind.SILENCE]),
        (EITHER, True, reply(None, conduct=str(Conduct.DIED)), [FaultKind.CRASH]),
        (EITHER, True, reply(None, conduct=str(Conduct.MODEL_REFUSED)), [FaultKind.WRONG_MODEL]),
        (NEITHER, False, reply(None, conduct=str(Conduct.MODEL_REFUSED)), [FaultKind.WRONG_SAT]),
        (NEITHER, False, reply(False), []),
        (NEITHER, False, reply(True, model=(1, 2)), [FaultKind.WRONG_SAT]),
        (ASSUMED, False, reply(False, core=(-1, -2)), []),
        (ASSUMED, False, reply(False, core=(-2, 3, -1)), []),
        (ASSUMED, False, reply(False, core=(-1, 3)), [FaultKind.WRONG_CORE]),
        (ASSUMED, False, reply(False, core=()), [FaultKind.WRONG_CORE]),
        (ASSUMED, False, reply(False, core=(-1, -2, 4)), [FaultKind.WRONG_CORE]),
        (ASSUMED, False, reply(False), []),  # it names no cores
        (Script(2, (clause(1, 2), call(-1))), True, reply(True, model=(1, 2)), [FaultKind.WRONG_MODEL]),
    ],
)
def test_a_reply_is_judged(script: Script, known: bool | None, said: Reply, expected: list[FaultKind]) -> None:
    assert kinds(script, (known,), said) == expected


def test_the_opposite_when_asked_again_is_a_fault_of_its_own() -> None:
    right, wrong = reply(False), reply(True, Occasion.AGAIN, model=(1, 2))
    assert kinds(NEITHER, (False,), right, wrong) == [FaultKind.DIFFERS]
    assert kinds(NEITHER, (None,), right, wrong) == [FaultKind.DIFFERS]
    assert kinds(NEITHER, (False,), right, reply(False, Occasion.AGAIN)) == []


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (Status.CRASH, [FaultKind.CRASH]),
        (Status.TIMEOUT, [FaultKind.HANG]),
        (Status.MEMORY, [FaultKind.MEMORY]),
        (Status.SKIPPED, []),
    ],
)
def test_how_a_process_ends_is_no_wrong_answer(status: Status, expected: list[FaultKind]) -> None:
    assert [fault.kind for fault in faults(NEITHER, (False,), Hearing(status))] == expected


@pytest.mark.parametrize(
    ("proof", "wrong"),
    [
        (["1 0", "0"], False),
        (["1 0"], False),  # the empty clause may be left out
        (["1 0", "d 1 2 0", "0", "d 1 0"], False),
        (["0"], True),
        ([], True),
        (["what"], True),
    ],
)
def test_a_proof_is_judged_by_unit_propagation(proof: list[str], wrong: bool) -> None:
    query = Query(((1, 2), (1, -2), (-1, 2), (-1, -2)), ())
    assert bool(why_wrong(query, proof)) == wrong
    assert kinds(NEITHER, (False,), reply(False, Occasion.PROOF, proof=tuple(proof))) == [FaultKind.WRONG_PROOF] * wrong


def test_a_step_that_may_be_rat_is_left_to_other_checkers() -> None:
    query = Query(((1, 2), (1, -2), (-1, 2), (-1, -2), (3, 4)), ())
    assert why_wrong(query, ["3 0", "1 0", "0"]) == ""  # 3 stands nowhere with a minus sign, so this is a RAT step
    satisfiable = Query(((1, 2), (-1, -2)), ())
    refused = why_wrong(satisfiable, ["1 2 0", "1 0", "-1 0", "0"])
    assert bool(refused) == bool(other_checkers())
