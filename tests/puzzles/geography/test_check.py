"""Geography: broken certificates are never proved, false claims are refuted."""

from __future__ import annotations

import numpy as np
import pytest

import direct
from puzzles.answer import Verdict
from puzzles.geography.board import Geography, Losing
from tests.puzzles.geography.play import PUZZLE, board_of, family_board, proves, solved, verdict


@pytest.fixture
def case() -> tuple[Geography, Losing]:
    board = family_board("walls-20", 12, 3)
    answer = solved(direct.SIDE, board)
    assert proves(answer, board)
    return board, answer


def test_without_a_certificate_nothing_is_proved(case: tuple[Geography, Losing]) -> None:
    board, answer = case
    cells = answer.cells.tolist()
    assert verdict(board, cells) is Verdict.UNPROVED
    for broken in (
        "no array",
        np.zeros((2, board.cells), np.int32),
        answer.certificate.astype(float),
    ):
        assert verdict(board, cells, broken) is not Verdict.PROVED


def test_one_thing_changed_in_a_proof_leaves_no_proof(case: tuple[Geography, Losing]) -> None:
    """Each cell loses or not the other way; the matching, the chains and their ranks are broken."""
    board, answer = case
    cells, good = answer.cells.tolist(), answer.certificate
    for cell in range(board.cells):
        assert verdict(board, sorted({*cells} ^ {cell}), good) is not Verdict.PROVED, cell
    changes = [
        (0, cell, value)
        for cell in range(board.cells)
        if board.grid.flat[cell] != ord("#")
        for value in (-1, -2, cell, 0, board.cells, board.cells - 1)
    ]
    for cell in cells:
        if good[0, cell] >= 0:
            changes += [(1, cell, value) for value in (-1, cell, board.cells)]
            changes += [(2, cell, value) for value in (good[2, good[1, cell]], -1)]
    for row, cell, value in changes:
        certificate = good.copy()
        certificate[row, cell] = value
        same = value == good[row, cell]
        assert same or verdict(board, cells, certificate) is not Verdict.PROVED, (row, cell, value)


def test_circular_support_is_no_proof() -> None:
    """In a block the cells of one colour support each other, but neither is exposed: none of them
    loses.
    """
    mate, parent = [1, 0, 3, 2], [3, -1, -1, 0]
    for rank in ([1, -1, -1, 0], [0, -1, -1, 1], [1, -1, -1, 1], [-1] * 4):
        certificate = np.array([mate, parent, rank], np.int32)
        assert verdict(board_of("..", ".."), [0, 3], certificate) is Verdict.REFUTED
    mate = [cell ^ 1 for cell in range(18)]
    certificate = np.array([mate, [-1] * 18, [-1] * 18], np.int32)
    assert verdict(board_of(*["......"] * 3), [0, 7], certificate) is Verdict.UNPROVED


@pytest.mark.parametrize(("cells", "says"), [(3, Verdict.REFUTED), (101, Verdict.UNPROVED)])
def test_a_vertex_cover_is_no_proof(cells: int, says: Verdict) -> None:
    """On three cells in a row a cover proves the matching maximum, but cell 1 loses as well as cell
    3.
    """
    last = cells - 1
    mate = [cell ^ 1 for cell in range(last)] + [-1]
    certificate = np.array([mate, [-1] * cells, [-1] * last + [0]], np.int32)
    assert verdict(board_of("." * cells), [last], certificate) is says


@pytest.mark.parametrize(
    ("row", "cells"),
    [(".#", [1]), (".#", []), ("..", [2]), ("..", [-1]), ("...", [2, 0]), ("...", [0, 0])],
)
def test_false_claims_are_refuted(row: str, cells: list[int]) -> None:
    assert verdict(board_of(row), cells) is Verdict.REFUTED


def test_small_components_are_refuted_on_large_boards() -> None:
    board = family_board("walls-40", 60, 2)
    answer = solved(direct.SIDE, board)
    edged = np.pad(board.grid, 1, constant_values=ord("#"))
    around = np.stack([edged[:-2, 1:-1], edged[2:, 1:-1], edged[1:-1, :-2], edged[1:-1, 2:]])
    alone = np.flatnonzero((around == ord("#")).all(axis=0) & (board.grid == ord(".")))
    wrong = np.setdiff1d(answer.cells, alone[:1]).astype(np.int32)
    check = PUZZLE.check(board, Losing(board, wrong, certificate=answer.certificate))
    assert check.verdict is Verdict.REFUTED
    assert board.place(int(alone[0])) in check.detail
