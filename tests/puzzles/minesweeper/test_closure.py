"""Minesweeper: the closure against the write-up's prose."""

from __future__ import annotations

import numpy as np
import pytest

from direct import SIDE as DIRECT
from puzzles.minesweeper.promises import closure
from tests.puzzles.minesweeper.boards import PUZZLE, by_prose, claimed, family, seeded, solved


@pytest.mark.parametrize("kernels", ["python", "compiled"])
def test_the_closure_is_that_of_the_prose(kernels: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", kernels)
    """So is the one that the check of promises states plainly."""
    most_rounds = inconsistent = 0
    for board in seeded(3000, 3) if kernels == "compiled" else seeded(400, 4):
        claims, rounds = by_prose(board)
        assert np.array_equal(claimed(board, DIRECT, "two-sat"), claims), f"\n{board}"
        if kernels == "python":
            plain = closure(board)
            assert (plain is None) == (claims[0] == 0), f"\n{board}"
            assert plain is None or all(
                claims[1 + cell] == plain.get(cell, -1)
                for cell, kind in enumerate(board.kinds)
                if kind in "#XO"
            ), f"\n{board}"
        most_rounds, inconsistent = max(most_rounds, rounds), inconsistent + (claims[0] == 0)
    assert most_rounds >= (3 if kernels == "compiled" else 2)
    assert inconsistent > 50


@pytest.mark.parametrize("name", ["d20", "isolated", "short", "rounds", "wall", "broken"])
def test_the_closure_is_that_of_the_prose_on_larger_boards(name: str) -> None:
    for seed in range(6):
        board = family(name, 14, 100 + seed)
        claims, _ = by_prose(board)
        assert np.array_equal(claimed(board, DIRECT, "two-sat"), claims), f"\n{board}"


def test_rounds_grow_with_the_chain() -> None:
    assert [by_prose(family("rounds", size, 2))[1] for size in (8, 16, 24)] == sorted(
        {8 // 2, 16 // 2, 24 // 2}
    )


def test_the_closure_falls_short_on_its_family() -> None:
    for size, seed in PUZZLE.family("short").bundled:
        board = family("short", size, seed)
        assert solved(board, DIRECT, "two-sat").board == board
        assert solved(board, DIRECT, "frontier").mines.size > 0
