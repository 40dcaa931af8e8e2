"""Geography for the tests: boards, answers, and what the check says of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import puzzles
from puzzles.answer import Verdict
from puzzles.backend import Side
from puzzles.geography.board import Geography, Losing
from puzzles.grid import grid_of

PUZZLE = puzzles.get("geography")


def board_of(*rows: str) -> Geography:
    return Geography(grid_of(rows))


def solved(side: Side, board: Geography, name: str | None = None, **options: object) -> Losing:
    """The certified answer of a backend."""
    answer = side.solve(board, name, certify=True, **options)
    assert isinstance(answer, Losing)
    return answer


def family_board(family: str, size: int, seed: int) -> Geography:
    board = PUZZLE.family(family).board(size, seed)
    assert isinstance(board, Geography)
    return board


def seeded(count: int, seed: int, longest: int = 5) -> list[Geography]:
    rng = np.random.default_rng(seed)
    boards = []
    for _ in range(count):
        shape, share = rng.integers(1, longest + 1, 2), rng.choice([0.1, 0.2, 0.3, 0.4])
        boards.append(
            Geography(np.where(rng.random(shape) < share, ord("#"), ord(".")).astype(np.uint8))
        )
    return boards


def verdict(board: Geography, cells: Sequence[int], certificate: Any = None) -> Verdict:
    """What the check says of these losing cells."""
    answer = Losing(board, np.array(cells, np.int32), certificate=certificate)
    return PUZZLE.check(board, answer).verdict


def proves(answer: Losing, board: Geography) -> bool:
    return PUZZLE.check(board, answer).verdict is Verdict.PROVED
