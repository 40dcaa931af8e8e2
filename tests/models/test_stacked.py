"""Boards that are one formula: none of them changes the answer of another."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
import pytest

import models
import puzzles
from compare.engine.search.boards import boards
from models.geography.by_cnf import cells_by_board, cells_of_board
from models.session import session
from models.stacked import Stack, StackedFormula, models_of_boards, stacks
from puzzles.answer import Answer, Verdict
from puzzles.beams import Beams
from puzzles.geography import Geography
from puzzles.grid import Board, grid_of
from puzzles.minesweeper import Minesweeper
from tests.models import claims_of

STACKING = ("beams", "minesweeper")


def solvable(answer: Answer) -> bool:
    """Whether the board has a solution: a layout of turrets, or of mines."""
    return claims_of(answer)[0] == 1


def assert_as_alone(
    stream: Sequence[Board], alone: Sequence[Answer], solver: str = "cadical153"
) -> None:
    backend, puzzle = models.get(stream[0].puzzle, "cnf"), puzzles.get(stream[0].puzzle)
    together = backend.solve_many(stream, solver=solver)
    for board, one, other in zip(stream, together, alone, strict=True):
        assert claims_of(one) == claims_of(other), f"\n{board}"
        if board.puzzle == "beams" and solvable(one):
            assert puzzle.check(board, one).verdict is Verdict.PROVED, f"\n{board}"


@pytest.mark.parametrize("solver", ["cadical153", "minisat22", "glucose4"])
@pytest.mark.parametrize("name", STACKING)
def test_boards_without_a_solution_leave_those_beside_them_as_they_are(
    name: str, solver: str
) -> None:
    backend = models.get(name, "cnf")
    stream = [board for index in (0, 1) for board in boards(puzzles.get(name), 11, index, 150, 6)]
    alone = {board: backend.solve(board) for board in stream}
    yes, no = (
        [board for board in alone if solvable(alone[board]) is wanted] for wanted in (True, False)
    )
    assert min(len(yes), len(no)) > 20
    mixed = list(chain.from_iterable(zip(yes, no, strict=False)))
    for order in (mixed, mixed[::-1], no + yes):
        assert_as_alone(order, [alone[board] for board in order], solver)


@pytest.mark.parametrize("name", STACKING)
def test_the_size_of_a_stack_changes_no_answer(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    backend = models.get(name, "cnf")
    stream = boards(puzzles.get(name), 12, 1, 120, 6)
    alone = [backend.solve(board) for board in stream]
    for cells in (1, 30, 300):
        monkeypatch.setattr(f"models.{name}.thresholds.STACKED_CELLS", cells)
        assert_as_alone(stream, alone)


def test_boards_that_nothing_can_contradict_are_in_no_call() -> None:
    bare, dark = Beams(grid_of(["#/", "\\#"])), Beams(grid_of(["."]))
    answers = models.get("beams", "cnf").solve_many([bare, dark, bare])
    assert [solvable(answer) for answer in answers] == [True, False, True]
    untouched = Minesweeper(grid_of(["##"]))
    answers = models.get("minesweeper", "cnf").solve_many(
        [untouched, Minesweeper(grid_of(["8"])), untouched]
    )
    assert [str(answer) for answer in answers] == ["##", "INCONSISTENT", "##"]


def test_numbers_of_mines_count_for_their_own_board_alone() -> None:
    rows = ["1#", "##", "##"]
    stream = [Minesweeper(grid_of(rows), mines) for mines in (None, 0, 1, 2, 3, 4, 9, None)]
    backend = models.get("minesweeper", "cnf")
    assert backend.solve_many(stream) == [backend.solve(board) for board in stream]


def test_each_board_has_a_model_or_there_is_none() -> None:
    stack = Stack([Beams(grid_of(["..."])) for _ in range(5)], ord("#"))
    formula = StackedFormula(stack)
    cell, question = formula.new(15), formula.new()
    for board in range(5):
        at = board * 6
        formula.extend_groups([at], np.array([[cell + 3 * board]]))
        if board % 2:  # the same cell of every second board is to be true and false
            formula.extend_groups([at + 1], np.array([[-(cell + 3 * board)]]))
    assert sorted(formula.selectors) == [0, 1, 2, 3, 4]
    with session(formula) as opened:
        found = models_of_boards(opened, formula.selectors, question)
        assert sorted(found) == [0, 2, 4]
        assert all(model[cell + 3 * board] for board, model in found.items())
        assert opened.solve()  # nothing that was asked stays behind


def test_a_stack_keeps_its_boards_apart() -> None:
    rows = (["...", "..."], ["."], ["...." * 9], ["..", ".."])
    pile = list(stacks([Geography(grid_of(each)) for each in rows], ord("#"), 40))
    assert [[board.columns for board in stack.boards] for stack in pile] == [[3, 1], [36], [2]]
    first = pile[0]
    assert first.grid.tobytes() == b"......###.#####"
    cells = np.flatnonzero(first.grid == ord("."))
    assert [own.tolist() for own in cells_by_board(first, cells)] == [[0, 1, 2, 3, 4, 5], [0]]
    assert [own.tolist() for own in cells_by_board(first, cells[1:2])] == [[1], []]
    assert cells_of_board(first, 0, cells[:-1]).tolist() == [0, 1, 2, 3, 4, 5]
    assert cells_of_board(first, 1, cells[-1:]).tolist() == [0]
