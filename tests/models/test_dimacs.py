"""Formulas as DIMACS text: solved by themselves, they are the answer."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from pysat.formula import CNF
from pysat.solvers import Solver

import direct
import puzzles
from compare.fuzz.boards import boards
from models.dimacs import encode, text
from puzzles.geography import Geography
from puzzles.grid import Board
from puzzles.nogo import NoGo
from puzzles.nogo.board import BLACK, EMPTY, without_liberty
from puzzles.text import UserError
from tests.models import written


def satisfiable(formula: str) -> bool:
    with Solver("glucose4", bootstrap_with=CNF(from_string=formula).clauses) as solver:
        return bool(solver.solve())


def expected_of_cell(board: Board, cell: int) -> bool | None:
    """Whether the question about this cell is answered yes, by other means; None where it cannot be asked."""
    answer = direct.solve(board)
    claims = answer.claims
    assert claims is not None
    if isinstance(board, NoGo):
        grid = board.grid.copy()
        if grid.flat[cell] != EMPTY:
            return False
        grid.flat[cell] = BLACK
        return without_liberty(grid).size == 0
    if isinstance(board, Geography):
        return None if board.grid.flat[cell] != ord(".") else bool(claims[cell])
    if board.grid.flat[cell] != ord("#") or (board.in_contest_format and beside_no_clue(board, cell)):
        return None
    return bool(claims[0] and claims[1 + cell] != 0)


def beside_no_clue(board: Board, cell: int) -> bool:
    row, column = divmod(cell, board.columns)
    near = board.grid[max(0, row - 1) : row + 2, max(0, column - 1) : column + 2]
    return not (((near >= ord("0")) & (near <= ord("8"))) | (near == ord("."))).any()


@pytest.mark.parametrize("puzzle", ["minesweeper", pytest.param("nogo", marks=pytest.mark.slow), "geography"])
def test_a_written_question_about_a_cell_is_decided_alone(puzzle: str) -> None:
    asked = 0
    for board in itertools.chain(*(boards(puzzles.get(puzzle), 6, index, 50, 5) for index in range(2))):
        if board.cells > 16:
            continue
        for cell in range(board.cells):
            expected = expected_of_cell(board, cell)
            place = cell // board.columns + 1, cell % board.columns + 1
            if expected is None:
                with pytest.raises(UserError, match=r"is a wall|is not a covered one"):
                    encode(board, place)
                continue
            assert satisfiable(text(encode(board, place))) is expected, f"{place} of\n{board}"
            asked += 1
    assert asked > 100


@pytest.mark.parametrize("puzzle", puzzles.names())
def test_a_written_formula_is_the_whole_answer(puzzle: str) -> None:
    for board in boards(puzzles.get(puzzle), 7, 0, 60, 4) + boards(puzzles.get(puzzle), 7, 1, 60, 4):
        if board.cells > 16:
            continue
        encoding = encode(board)
        answer = direct.solve(board)
        claims = answer.claims
        assert claims is not None
        with Solver("glucose4", bootstrap_with=CNF(from_string=text(encoding)).clauses) as solver:
            verdict = solver.solve()
            true = {literal for literal in solver.get_model() or [] if literal > 0}
        true_names = [name for variable, name in encoding.names if variable in true]
        if puzzle in ("beams", "minesweeper"):
            assert verdict is bool(claims[0])
        elif puzzle == "geography":
            places = [f"{cell // board.columns + 1},{cell % board.columns + 1}" for cell in np.flatnonzero(claims).tolist()]
            assert [name.rpartition(" ")[2] for name in true_names if name.startswith("the first mover loses")] == places
        else:
            places = [
                f"move {k} goes to {c // board.columns + 1},{c % board.columns + 1}" for k, c in enumerate(claims.tolist(), 1)
            ]
            assert [name for name in true_names if name.startswith("move")] == places


def test_names_of_beams() -> None:
    encoding = encode(puzzles.get("beams").parse("1\n2 3\n|#.\n./.\n", "<text>")[0])
    lines = text(encoding).splitlines()
    assert lines[0] == "c satisfiable if and only if the turrets can be turned so that every open cell is lit"
    assert "c 1 the turret at 1,1 is horizontal" in lines
    assert "c 3 a beam enters 1,1 going south" in lines
    assert "c 15 a beam enters 2,2 going south" in lines
    assert lines[len(encoding.names) + 1] == f"p cnf 21 {len(encoding.formula.clauses)}"
    assert len(encoding.names) == 21


def test_what_is_written_of_many_boards_is_right() -> None:
    questions = written.cases(2, 64)
    assert {question.board.puzzle for question in questions} == set(puzzles.names())
    for question in questions:
        written.examine(question)
