"""The strict DIMACS reader: formulas of clauses of any length."""

from __future__ import annotations

import numpy as np

from puzzles.dimacs_reader import DimacsReader


def test_clauses_of_any_length_over_lines_and_several_a_line() -> None:
    text = "c first\n\np cnf 4 5\n1 -2 3 -4 0 2 0\n  c between\n0 -1\r\n\t1 0\n003 00\n"
    variables, clauses = DimacsReader(text).formula(4)
    assert variables == 4
    assert clauses.lists() == [[1, -2, 3, -4], [2], [], [-1, 1], [3]]
    assert np.array_equal(np.flatnonzero(clauses.literals == 0), clauses.ends)
    assert DimacsReader("p cnf 0 0").formula(0)[1].lists() == []
