"""Geography: broken certificates are never proved, false claims are refuted."""

from __future__ import annotations

import numpy as np
import pytest

import direct
from puzzles.geography.board import Geography, Losing
from puzzles.verdict import Verdict
from tests.puzzles.geography.play import PUZZLE, board_of, family_board, proves, solved


@pytest.fixture
def case() -> tuple[Geography, Losing]:
    board = family_board("walls-20", 12, 3)
    answer = solved(direct.SIDE, board)
    assert proves(answer, board)
    return board, answer


def test_without_a_certificate_nothing_is_proved(case: tuple[Geography, Losing]) -> None:
    board, answer = case
    assert PUZZLE.check(board, Losing(board, answer.cells)).verdict is Verdict.UNPROVED
    for broken in (
        "no array",
        np.zeros((2, board.cells), np.int32),
        answer.certificate.astype(float),
    ):
        assert not proves(Losing(board, answer.cells, certificate=broken), board)


def test_one_thing_changed_in_a_proof_leaves_no_proof(case: tuple[Geography, Losing]) -> None:
    """Each cell loses or not the other way; the matching, the chains and their ranks are broken."""
    board, answer = case
    for cell in range(board.cells):
        cells = np.setxor1d(answer.cells, [cell]).astype(np.int32)
        assert not proves(Losing(board, cells, certificate=answer.certificate), board), cell
    changes = [
        (0, cell, value)
        for cell in range(board.cells)
        if board.grid.flat[cell] != ord("#")
        for value in (-1, -2, cell, 0, board.cells, board.cells - 1)
    ]
    for cell in answer.cells.tolist():
        parent = int(answer.certificate[1, cell])
        if answer.certificate[0, cell] >= 0:
            changes += [(1, cell, value) for value in (-1, cell, board.cells)]
            changes += [(2, cell, value) for value in (answer.certificate[2, parent], -1)]
    for row, cell, value in changes:
        certificate = answer.certificate.copy()
        certificate[row, cell] = value
        broken = Losing(board, answer.cells, certificate=certificate)
        same = value == answer.certificate[row, cell]
        assert same or not proves(broken, board), (row, cell, value)


def test_circular_support_is_no_proof() -> None:
    """In a block the cells of one colour support each other, but neither is exposed: none of them
    loses.
    """
    board = board_of("..", "..")
    mate, parent = [1, 0, 3, 2], [3, -1, -1, 0]
    for rank in ([1, -1, -1, 0], [0, -1, -1, 1], [1, -1, -1, 1], [-1] * 4):
        answer = Losing(
            board, np.array([0, 3], np.int32), certificate=np.array([mate, parent, rank], np.int32)
        )
        assert PUZZLE.check(board, answer).verdict is Verdict.REFUTED
    wide = board_of("......", "......", "......")
    mate = [cell + 1 if cell % 2 == 0 else cell - 1 for cell in range(18)]
    answer = Losing(
        wide,
        np.array([0, 7], np.int32),
        certificate=np.array([mate, [-1] * 18, [-1] * 18], np.int32),
    )
    assert PUZZLE.check(wide, answer).verdict is Verdict.UNPROVED


def test_a_vertex_cover_is_no_proof() -> None:
    """On three cells in a row a cover proves the matching maximum, but cell 1 loses as well as cell
    3.
    """
    board = board_of("...")
    certificate = np.array([[1, 0, -1], [-1] * 3, [-1, -1, 0]], np.int32)
    assert (
        PUZZLE.check(board, Losing(board, np.array([2], np.int32), certificate=certificate)).verdict
        is Verdict.REFUTED
    )
    long = Geography(np.full((1, 101), ord("."), np.uint8))
    mate = [cell ^ 1 for cell in range(100)] + [-1]
    rank = [-1] * 100 + [0]
    answer = Losing(
        long, np.array([100], np.int32), certificate=np.array([mate, [-1] * 101, rank], np.int32)
    )
    assert PUZZLE.check(long, answer).verdict is Verdict.UNPROVED


@pytest.mark.parametrize(
    ("rows", "cells"),
    [
        ((".#",), [1]),
        ((".#",), []),
        (("..",), [2]),
        (("..",), [-1]),
        (("...",), [2, 0]),
        (("...",), [0, 0]),
    ],
)
def test_false_claims_are_refuted(rows: tuple[str, ...], cells: list[int]) -> None:
    board = board_of(*rows)
    assert PUZZLE.check(board, Losing(board, np.array(cells, np.int32))).verdict is Verdict.REFUTED


def test_small_components_are_refuted_on_large_boards() -> None:
    board = family_board("walls-40", 60, 2)
    answer = solved(direct.SIDE, board)
    lonely = next(
        cell
        for cell in answer.cells.tolist()
        if answer.certificate[0, cell] < 0 and _alone(board, cell)
    )
    wrong = np.setdiff1d(answer.cells, [lonely]).astype(np.int32)
    check = PUZZLE.check(board, Losing(board, wrong, certificate=answer.certificate))
    assert check.verdict is Verdict.REFUTED
    assert board.place(lonely) in check.detail


def _alone(board: Geography, cell: int) -> bool:
    row, column = divmod(cell, board.columns)
    around = ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))
    return all(
        board.grid[r, c] == ord("#")
        for r, c in around
        if 0 <= r < board.rows and 0 <= c < board.columns
    )
