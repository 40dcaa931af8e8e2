"""Traces: their texts, what is known of them, and copies that keep every verdict, by brute force
over tiny traces.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from compare.commands.fuzz_formula.formula_check import status
from compare.commands.fuzz_formula.formula_families import CHANGES, copy_with_changes, single_call
from compare.commands.fuzz_formula.formula_puzzle import (
    PUZZLE,
    Query,
    Replies,
    Reply,
    Trace,
    clause,
    solver_call,
)
from puzzles.text import InputError
from tests.compare.commands.fuzz_formula.traces import by_brute_force, tiny_traces


def statuses(trace: Trace) -> tuple[bool | None, ...]:
    return tuple(status(query) for query in trace.queries())


@pytest.mark.parametrize("comments", ["", "c solver: x\nc a 1 0\nc\n"])
def test_a_text_reads_back(comments: str) -> None:
    for trace in tiny_traces(100):
        (read,) = PUZZLE.parse(comments + trace.text(), "x")
        assert (read.variables, read.steps) == (trace.variables, trace.steps)
        assert read.text() == (comments * trace.is_formula) + trace.text()
        assert (read == trace) == (not comments or not trace.is_formula)


def test_a_formula_is_dimacs_and_a_sequence_icnf() -> None:
    formula = Trace.formula(3, [[1, -2], []])
    assert (formula.text(), formula.suffix, formula.shown_size) == (
        "p cnf 3 2\n1 -2 0\n0\n",
        ".cnf",
        "2 clauses",
    )
    trace = Trace(3, (clause(1, -2), solver_call(2), clause(-1), solver_call()))
    assert trace.text() == "c variables 3\np inccnf\n1 -2 0\na 2 0\n-1 0\na 0\n"
    assert (trace.calls, trace.clauses, trace.is_formula) == (2, 2, False)
    assert (trace.suffix, trace.shown_size) == (".icnf", "2 clauses and 2 calls")
    assert list(trace.queries()) == [Query(((1, -2),), (2,)), Query(((1, -2), (-1,)), ())]


def test_a_foreign_icnf_text_has_the_variables_of_its_literals() -> None:
    text = b"c one\r\np inccnf\n1\n -4 0 a 2 0\nc two\na 0\n"
    assert PUZZLE.parse(text, "x") == [Trace(4, (clause(1, -4), solver_call(2), solver_call()))]


def test_replies_read_back_as_solvers_print_them() -> None:
    trace = Trace(2, (clause(1, 2), solver_call(), solver_call(-1, -2), solver_call(1)))
    replies = Replies((Reply(True, (1, -2)), Reply(False), Reply(True, (1, 2))))
    printed = PUZZLE.print_answers([replies], "competition")
    assert printed == "s SATISFIABLE\nv 1 -2 0\ns UNSATISFIABLE\ns SATISFIABLE\nv 1 2 0\n"
    assert PUZZLE.parse_answers(printed, [trace], "competition") == [replies]
    split = printed.replace("v 1 -2 0", "c a comment\nv 1\nv -2 0")
    assert PUZZLE.parse_answers(split, [trace], "competition") == [replies]


@pytest.mark.parametrize(
    ("printed", "message"),
    [
        ("s SATISFIABLE\nv 1 0\n", "x:3:1: expected 2 verdicts, found 1"),
        (
            "s MAYBE\n",
            "x:1:1: expected s SATISFIABLE, s UNSATISFIABLE or s UNKNOWN; found 's MAYBE'",
        ),
        ("s UNSATISFIABLE\nv 1 0\n", "x:3:1: expected 2 verdicts, found 1"),
        ("s SATISFIABLE\nv one 0\n", "x:2:1: expected a literal or 0; found 'one'"),
    ],
)
def test_wrong_replies_are_a_message_with_their_place(printed: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        PUZZLE.parse_answers(
            printed, [Trace(1, (solver_call(), solver_call()))], "competition", "x"
        )
    assert str(raised.value) == message


@pytest.mark.parametrize(
    "printed",
    [
        "v 1\ns SATISFIABLE\nWARNING: some words\n\nv 2 0\n",
        "SAT\n1 2 0\n",
    ],
)
def test_a_single_reply_is_read_in_every_form(printed: str) -> None:
    trace = Trace(2, (clause(1, 2), solver_call()))
    replies = Replies((Reply(True, (1, 2)),))
    assert PUZZLE.parse_answers(printed, [trace], "competition") == [replies]


def test_a_reply_without_a_verdict_claims_nothing() -> None:
    trace = Trace(2, (clause(1, 2), solver_call(), solver_call(1)))
    printed = "s UNKNOWN\ns SATISFIABLE\nv 1 2 0\n"
    (replies,) = PUZZLE.parse_answers(printed, [trace], "competition")
    assert replies.claims is None
    assert replies.without_verdict == "call 1 of 2: s UNKNOWN"
    assert PUZZLE.print_answers([replies], "competition") == printed


def test_what_is_known_is_true() -> None:
    traces = tiny_traces(100)
    verdicts = [by_brute_force(trace) for trace in traces]
    assert {verdict for some in verdicts for verdict in some} == {False, True}
    assert [statuses(trace) for trace in traces] == verdicts


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_change_keeps_every_verdict_and_changes_something(
    change: Callable[[Trace, Random], Trace],
) -> None:
    rng, different = Random(2), 0
    for trace in tiny_traces(60):
        changed = change(trace, rng)
        assert by_brute_force(changed) == by_brute_force(trace)
        different += changed != trace
    assert different > 20


def test_a_copy_is_the_same_for_the_same_seed_and_keeps_every_verdict() -> None:
    traces = tiny_traces(40)
    copies = [copy_with_changes(trace, Random(seed)) for seed, trace in enumerate(traces)]
    assert copies == [copy_with_changes(trace, Random(seed)) for seed, trace in enumerate(traces)]
    assert [by_brute_force(each) for each in copies] == [by_brute_force(each) for each in traces]
    assert sum(copy != trace for copy, trace in zip(copies, traces, strict=True)) > 30


def test_a_single_call_has_the_verdict_of_that_call() -> None:
    for trace in tiny_traces(40):
        for number, verdict in enumerate(by_brute_force(trace)):
            single = single_call(trace, number)
            assert single.is_formula
            assert by_brute_force(single) == (verdict,)
