"""What the check says of replies written by hand."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import compare.commands.fuzz_formula.formula_check
from compare.commands.fuzz_formula.formula_check import check_trace, why_wrong
from compare.commands.fuzz_formula.formula_puzzle import (
    Query,
    Replies,
    Reply,
    Trace,
    clause,
    solver_call,
)
from puzzles.answer import Check, Verdict

EITHER = Trace.formula(3, [[1, 2], [3, -3]])
NEITHER = Trace.formula(2, [[1, 2], [1, -2], [-1, 2], [-1, -2]])
MADE_FALSE = "its model satisfies no literal of clause 1: 1 2 0"
NO_CONTRADICTION = "its core (-1) does not contradict the clauses"
NO_LIST = "gave a model that cannot be read"
ASSUMED = Trace(4, (clause(1, 2), clause(3), solver_call(-1, -2, 3)))


def checked(
    trace: Trace, *calls: Reply, again: Reply | None = None, proved: Reply | None = None
) -> Check:
    return check_trace(trace, Replies(calls, again, proved))


@pytest.mark.parametrize(
    ("trace", "reply", "wrong", "detail"),
    [
        (EITHER, Reply(True, (1, -2, 3)), "", ""),
        (EITHER, Reply(True, (-1, 2)), "", ""),  # any value of 3 is right
        (EITHER, Reply(False), "UNSAT", "says UNSATISFIABLE, is SATISFIABLE"),
        (EITHER, Reply(True, (-1, -2, 3)), "model", ""),
        (EITHER, Reply(True, (-1, -2)), "model", MADE_FALSE),
        (EITHER, Reply(True, (-1, 3)), "model", ""),  # 2 is not mentioned
        (EITHER, Reply(True, (1, -1, 3)), "model", ""),
        (EITHER, Reply(True, (1, 4)), "model", "its model has 4, the formula 3 variables"),
        (EITHER, Reply(True, ()), "model", ""),
        (EITHER, Reply(True), "model", ""),
        (EITHER, Reply(True, complaint=NO_LIST), "model", ""),
        (NEITHER, Reply(True, complaint=NO_LIST), "SAT", ""),
        (NEITHER, Reply(False), "", ""),
        (NEITHER, Reply(True, (1, 2)), "SAT", "says SATISFIABLE, is UNSATISFIABLE"),
        (ASSUMED, Reply(False, core=(-1, -2)), "", ""),
        (ASSUMED, Reply(False, core=(-2, 3, -1)), "", ""),
        (ASSUMED, Reply(False, core=(-1, 3)), "core", ""),
        (ASSUMED, Reply(False, core=()), "core", ""),
        (ASSUMED, Reply(False, core=(-1,)), "core", NO_CONTRADICTION),
        (ASSUMED, Reply(False, core=(-1, -2, 4)), "core", "its core has 4, which is not assumed"),
        (ASSUMED, Reply(False), "", ""),  # it names no cores
        (Trace(2, (clause(1, 2), solver_call(-1))), Reply(True, (1, 2)), "model", ""),
    ],
)
def test_a_reply_is_judged_with_the_reason(
    trace: Trace, reply: Reply, wrong: str, detail: str
) -> None:
    judged = checked(trace, reply)
    assert (judged.verdict, judged.part) == (Verdict.REFUTED if wrong else Verdict.PROVED, wrong)
    assert detail in ("", judged.detail)


def test_a_reply_of_another_form_proves_nothing() -> None:
    trace = Trace.formula(1, [[1]])
    for calls in ((1,), (Reply(True, model=(1,), complaint=True),), (Reply(2),)):  # pyright: ignore
        assert check_trace(trace, Replies(calls)).verdict is Verdict.UNPROVED  # pyright: ignore


def test_the_reason_names_the_call() -> None:
    three = Trace(1, (solver_call(), clause(1), solver_call(-1)))
    judged = checked(three, Reply(True, ()), Reply(True, (1,)))
    assert judged.detail == "call 2 of 2: says SATISFIABLE, is UNSATISFIABLE"
    assert checked(EITHER).detail == "it has 0 verdicts for 1 call"


def test_the_opposite_when_asked_again_is_a_fault_of_its_own() -> None:
    judged = checked(NEITHER, Reply(False), again=Reply(True, (1, 2)))
    assert (judged.part, judged.detail) == (
        "again",
        "UNSATISFIABLE at first, SATISFIABLE when asked again",
    )
    assert checked(NEITHER, Reply(False), again=Reply(False)).verdict is Verdict.PROVED


@pytest.mark.parametrize("core", [None, ()])
def test_what_cannot_be_confirmed_is_open(core: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare.commands.fuzz_formula.formula_check, "status", lambda query: None)
    judged = checked(NEITHER, Reply(False, core=core), proved=Reply(False, proof=("0",)))
    assert judged == Check(
        Verdict.UNPROVED, "neither a model nor a proof could be confirmed", limited=True
    )
    assert checked(EITHER, Reply(True, (-1, -2))).part == "model"
    assert checked(EITHER, Reply(False), again=Reply(True, (1,))).part == "again"


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
    judged = checked(NEITHER, Reply(False), proved=Reply(False, proof=tuple(proof)))
    assert (judged.verdict, judged.part) == (
        (Verdict.REFUTED, "proof") if wrong else (Verdict.PROVED, "")
    )


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (["1 0", "x"], "its proof is no DRAT: line 2, column 1: expected a literal, 0 or d"),
        (["c why", "1 0", "2"], "its proof is no DRAT: line 3, column 2: the text ends within"),
        (["0"], "its proof is wrong: step 1: the empty clause does not follow by unit propagation"),
        (
            ["d 1 2 0", "d -1 2 0", "2 0", "0"],
            "its proof is wrong: step 1: the clause 2 does not follow by unit propagation, nor is "
            "it RAT; the proof has deleted a clause that it needs",
        ),
    ],
)
def test_why_a_proof_is_wrong(lines: list[str], why: str) -> None:
    query = Query(((1, 2), (1, -2), (-1, 2), (-1, -2)), ())
    assert why_wrong(query, lines).startswith(why)


def test_what_is_read_as_a_stream_of_words_is_right() -> None:
    query = Query(((1, 2), (1, -2), (-1, 2), (-1, -2)), ())
    for lines in (["c my solver", "2 0", "0"], ["\t2\t0\r", "0\r"], ["2", "0 d 1", "2 0 0"]):
        assert why_wrong(query, lines) == ""


def test_a_proof_in_another_format_is_not_judged() -> None:
    lines = ("5 1 0 1 3 0", "6 2 0 5 2 0", "7 0 5 6 4 0")
    assert checked(NEITHER, Reply(False), proved=Reply(False, proof=lines)) == Check(
        Verdict.UNPROVED,
        "its proof is LRAT, not DRAT: let the solver write DRAT as text (cadical: without --lrat; "
        "with --no-binary)",
        limited=True,
    )


def test_a_rat_step_is_right_and_a_step_that_is_neither_is_wrong() -> None:
    query = Query(((1, 2), (1, -2), (-1, 2), (-1, -2), (3, 4)), ())
    # 3 stands nowhere with a minus sign, so this is a RAT step
    assert why_wrong(query, ["3 0", "1 0", "0"]) == ""
    satisfiable = Query(((1, 2), (-1, -2)), ())
    refused = why_wrong(satisfiable, ["1 2 0", "1 0", "-1 0", "0"])
    assert "step 2: the clause 1 does not follow by unit propagation, nor is it RAT" in refused


@pytest.mark.parametrize(
    ("says", "why"),
    [
        ("s VERIFIED", ""),
        ("c failed at proof line 2\ns NOT VERIFIED\nc verification time: 0.1 seconds", "refused"),
    ],
)
def test_another_checker_is_asked_about_what_our_own_refuses(
    says: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may accept what nothing needs; and if it refuses it too, its reason is said."""
    program = tmp_path / "drat-trim"
    program.write_text(f"#!/bin/sh\necho '{says}'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    query = Query(((1, 2), (1, -2), (-1, 2), (-1, -2), (3, 4), (-3, 4)), ())
    refused = why_wrong(query, ["-4 0", "1 0", "0"])
    assert bool(refused) == bool(why)
    assert not why or refused.endswith(
        "; drat-trim does not verify the proof: failed at proof line 2"
    )
