"""Formulas as DIMACS text: solved by themselves, they are the answer."""

from __future__ import annotations

import re

import pytest
from pysat.formula import CNF
from pysat.solvers import Solver

import models
import puzzles
from models.backend_encoding import asked_formula
from models.dimacs import encode_board, text
from models.solvers.opening import record_solvers
from tests.models import written


def satisfiable(formula: str) -> bool:
    with Solver("glucose4", bootstrap_with=CNF(from_string=formula).clauses) as solver:
        return bool(solver.solve())


def test_names_of_beams() -> None:
    encoding = encode_board(puzzles.get("beams").parse("1\n2 3\n|#.\n./.\n", "<text>")[0])
    lines = text(encoding).splitlines()
    assert (
        lines[0]
        == "c satisfiable if and only if the turrets can be turned so that every open cell is lit"
    )
    assert "c 1 the turret at 1,1 is horizontal" in lines
    assert "c 3 a beam enters 1,1 going south" in lines
    assert "c 15 a beam enters 2,2 going south" in lines
    comments = [line for line in lines if line.startswith("c ")]
    assert lines[len(comments)] == f"p cnf 21 {len(encoding.formula.clauses)}"
    assert "c clause 29: no turret is hit" in comments
    assert (
        comments[-1] == f"c clauses 30 to {len(encoding.formula.clauses)}: every open cell is lit"
    )
    assert len(encoding.names) == 21


BOARDS = {
    "beams": "1\n2 3\n|#.\n./.\n",
    "minesweeper": "1\n3 4 3\n#21#\n####\n####\n",
    "nogo": "3\n...\n.XO\n...\n",
    "geography": "3 3\n...\n.#.\n...\n",
}


@pytest.mark.parametrize(
    ("puzzle", "name"),
    [
        (puzzle, name)
        for puzzle in BOARDS
        for name, each in models.backends(puzzle).items()
        if "solver" in each.options
    ],
)
def test_what_is_written_is_what_a_backend_asks_its_solver(puzzle: str, name: str) -> None:
    """With all variables named and all clauses labelled."""
    (board,) = puzzles.get(puzzle).parse(BOARDS[puzzle])
    with record_solvers() as recordings:
        effort = models.solve(board, name).effort
    assert sum(each.calls for each in recordings) > 0
    encoding = asked_formula(board, backend=name)
    formula = text(encoding)
    assert f"the first call of the solver by models:{name}\n" in formula
    named = re.findall(r"^c ([0-9]+) ", formula, re.MULTILINE)
    assert named == [f"{k + 1}" for k in range(encoding.formula.variables)]
    firsts = [first for first, _ in encoding.formula.rules]
    assert firsts[:1] == [0]
    assert firsts == sorted(firsts)
    stated = recordings[0].formula.clauses
    assert len({tuple(sorted(clause)) for clause in stated}) == len(stated)
    firsts_of = {rule: first for first, rule in encoding.formula.rules}
    end = firsts_of.get("assumed in this call alone", len(encoding.formula.clauses))
    assert len(stated) <= end
    assert encoding.formula.variables == effort.variables or name == "cnf-monotone"
    # The effort of cnf-monotone counts the clauses that it adds.
    assert len(stated) == effort.clauses or name == "cnf-monotone"


def test_what_is_written_of_many_boards_is_right() -> None:
    questions = written.cases(2, 120)
    assert {question.board.puzzle for question in questions} == set(written.names())
    assert set(written.names()) >= set(written.SAYS)
    for question in questions:
        written.examine(question)
