"""The strict DIMACS reader: formulas of clauses of any length, and DRAT proofs."""

from __future__ import annotations

import numpy as np
import pytest

from puzzles.dimacs_reader import DimacsReader
from puzzles.text import InputError

BEYOND = "literal {} is beyond {}"


def test_clauses_of_any_length_over_lines_and_several_a_line() -> None:
    text = "c first\n\np cnf 4 5\n1 -2 3 -4 0 2 0\n  c between\n0 -1\r\n\t1 0\n003 -0\n"
    variables, clauses = DimacsReader(text).formula(4)
    assert variables == 4
    assert clauses.lists() == [[1, -2, 3, -4], [2], [], [-1, 1], [3]]
    assert np.array_equal(np.flatnonzero(clauses.literals == 0), clauses.ends)
    assert DimacsReader("p cnf 0 0").formula(0)[1].lists() == []


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        (" \n", "1:1", "the text is empty"),
        ("c a\nc b\n", "3:1", "the text ends here; expected p cnf"),
        ("\n1 0\n", "2:1", "expected p cnf"),
        ("p cnf 2 1 1\n", "1:1", "expected p cnf"),
        ("p cnf -1 1\n", "1:1", "expected p cnf"),
        ("p  cnf 10 1\n", "1:8", "more than 9 variables"),
        ("p cnf 2 1\n1 +2 0\n", "2:3", "expected a literal or 0; found '+2'"),
        ("p cnf 2 1\n1 1_0 0\n", "2:3", "expected a literal or 0; found '1_0'"),
        ("p cnf 2 1\nd 1 0\n", "2:1", "expected a literal or 0; found 'd'"),
        ("p cnf 2 1\n1 --2 0\n", "2:3", "expected a literal or 0; found '--2'"),
        ("p cnf 2 1\n1 -9223372036854775808 0\n", "2:3", "out of range for 2 variables"),
        ("p cnf 2 1\n-4611686018427387904 0\n", "2:1", "out of range for 2 variables"),
        ("p cnf 2 1\n1 2\nc end\n", "2:4", "the text ends within a clause; expected 0"),
        ("c a\np cnf 2 1\n1 0\n2 0\n", "2:1", "the header announces 1 clauses, the text has 2"),
    ],
)
def test_bad_formulas_are_refused_with_their_place(text: str, place: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        DimacsReader(text, "f").formula(9)
    assert str(caught.value).startswith(f"f:{place}: ")
    assert words in str(caught.value)


def test_a_proof_is_what_it_adds() -> None:
    assert DimacsReader("1 2 0\nd 1\n2 0 -1 0 d 0\nc end\n0\n").proof(2, BEYOND) == [[1, 2], [-1], []]
    assert DimacsReader("").proof(2, BEYOND) == []


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("1 d 2 0\n", "1:3", "expected a literal or 0; found 'd'"),
        ("d d 2 0\n", "1:3", "expected a literal or 0; found 'd'"),
        ("d 3 0\n", "1:3", "literal 3 is beyond 2"),
        ("d 1 0\n-4611686018427387904 1 0\n", "2:1", "is beyond 2"),
        ("0\nd", "2:2", "the text ends within a clause"),
    ],
)
def test_bad_proofs_are_refused_with_their_place(text: str, place: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        DimacsReader(text, "p").proof(2, BEYOND)
    assert str(caught.value).startswith(f"p:{place}: ")
    assert words in str(caught.value)
