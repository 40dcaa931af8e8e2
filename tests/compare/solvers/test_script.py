"""Scripts: their texts, and copies that keep every verdict, by brute force over tiny scripts."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from compare.solvers.reference import statuses
from compare.solvers.samples import CHANGES, EDGES, Origin, Sample, copied, single_call, tiny
from compare.solvers.script import Query, Script, call, clause, parse
from puzzles.text import InputError


def by_brute_force(script: Script) -> tuple[bool, ...]:
    """For each call, whether some assignment satisfies everything."""
    return tuple(has_model(query, script.variables) for query in script.queries())


def has_model(query: Query, variables: int) -> bool:
    clauses = [*query.clauses, *((literal,) for literal in query.assumptions)]
    return any(
        all(any(values[abs(literal) - 1] == (literal > 0) for literal in each) for each in clauses)
        for values in product((False, True), repeat=variables)
    )


def tiny_scripts(count: int) -> list[Script]:
    rng = Random(1)
    return [*EDGES.values(), *(tiny(rng, only_formulas=k % 2 == 0) for k in range(count))]


@pytest.mark.parametrize("comments", [(), ("solver: x", "a 1 0", "")])
def test_a_text_reads_back(comments: tuple[str, ...]) -> None:
    for script in tiny_scripts(100):
        assert parse(script.text(comments).encode(), "x") == script


def test_a_formula_is_dimacs_and_a_sequence_icnf() -> None:
    assert Script.formula(3, [[1, -2], []]).text(["why"]) == "c why\np cnf 3 2\n1 -2 0\n0\n"
    script = Script(3, (clause(1, -2), call(2), clause(-1), call()))
    assert script.text() == "c variables 3\np inccnf\n1 -2 0\na 2 0\n-1 0\na 0\n"
    assert (script.calls, script.clauses, script.is_formula) == (2, 2, False)
    assert list(script.queries()) == [Query(((1, -2),), (2,)), Query(((1, -2), (-1,)), ())]


def test_a_foreign_icnf_text_has_the_variables_of_its_literals() -> None:
    assert parse(b"c one\r\np inccnf\n1\n -4 0 a 2 0\nc two\na 0\n", "x") == Script(4, (clause(1, -4), call(2), call()))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("p inccnf\n1 x 0\n", "x:2:3: expected a literal, a or 0; found 'x'"),
        ("p inccnf\n1 a 0\n", "x:2:3: expected a literal, a or 0; found 'a'"),
        ("p inccnf\n1 00 0\n", "x:2:3: expected a literal, a or 0; found '00'"),
        ("p inccnf\na 1\n", "x:2:4: the text ends within a step; expected 0"),
        ("p inccnf\n99999999 0\n", "x:2:1: literal 99999999 is beyond 67108864 variables"),
        ("1 0\np inccnf\n", "x:1:1: expected p inccnf before everything else"),
        ("p cnf 1 2\n1 0\n", "x:1:1: the header announces 2 clauses, the text has 1"),
    ],
)
def test_a_wrong_text_is_a_message_with_its_place(text: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        parse(text.encode(), "x")
    assert str(raised.value) == message


def test_what_is_known_is_true() -> None:
    scripts = tiny_scripts(100)
    verdicts = [by_brute_force(script) for script in scripts]
    assert {verdict for some in verdicts for verdict in some} == {False, True}
    assert [statuses(script) for script in scripts] == verdicts


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_keeps_every_verdict_and_changes_something(name: str) -> None:
    rng, different = Random(2), 0
    for script in tiny_scripts(60):
        changed = CHANGES[name](script, rng)
        assert by_brute_force(changed) == by_brute_force(script)
        different += changed != script
    assert different > 20


def test_a_copy_is_the_same_for_the_same_seed_and_keeps_every_verdict() -> None:
    scripts = tiny_scripts(40)
    copies = [copied(script, seed) for seed, script in enumerate(scripts)]
    assert copies == [copied(script, seed) for seed, script in enumerate(scripts)]
    assert [by_brute_force(each) for each in copies] == [by_brute_force(each) for each in scripts]
    assert sum(copy != script for copy, script in zip(copies, scripts, strict=True)) > 30


def test_a_single_call_has_the_verdict_of_that_call() -> None:
    for script in tiny_scripts(40):
        sample = Sample(script, Origin("", "", "edge"), by_brute_force(script))
        for number in range(script.calls):
            single = single_call(sample, number)
            assert single.script.is_formula
            assert by_brute_force(single.script) == single.known
