"""Minesweeper: the closure that `two-sat` finds is the plain one of the promise; its rounds."""

from __future__ import annotations

import numpy as np
import pytest

from direct import SIDE as DIRECT
from puzzles.minesweeper.board import Minesweeper
from tests.oracles.minesweeper import closure_rounds
from tests.puzzles.minesweeper.boards import PUZZLE, claimed, closed, family, seeded, solved


def rounds(board: Minesweeper) -> int:
    return len(closure_rounds(board.lines()))


@pytest.mark.parametrize(("kernels", "count", "least"), [("python", 400, 2), ("compiled", 1200, 3)])
def test_the_closure_is_the_plain_one(
    kernels: str, count: int, least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", kernels)
    most_rounds = inconsistent = 0
    for board in seeded(count, 3):
        claims = closed(board)
        assert np.array_equal(claimed(board, DIRECT, "two-sat"), claims), f"\n{board}"
        most_rounds = max(most_rounds, rounds(board))
        inconsistent += claims[0] == 0
    assert most_rounds >= least
    assert inconsistent > 50


@pytest.mark.parametrize("name", ["d20", "isolated", "short", "rounds", "wall", "broken"])
def test_the_closure_is_the_plain_one_on_larger_boards(name: str) -> None:
    for seed in range(6):
        board = family(name, 14, 100 + seed)
        assert np.array_equal(claimed(board, DIRECT, "two-sat"), closed(board)), f"\n{board}"


def test_rounds_grow_with_the_chain() -> None:
    assert [rounds(family("rounds", size, 2)) for size in (8, 16, 24)] == [4, 8, 12]


def test_the_closure_falls_short_on_its_family() -> None:
    for size, seed in PUZZLE.family("short").bundled:
        board = family("short", size, seed)
        assert solved(board, DIRECT, "two-sat").board == board
        assert solved(board, DIRECT, "frontier").mines.size > 0
