"""Several boards in one call of a backend: each gets the answer that it gets alone, and its own
certificate.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import numpy as np

import direct
import models
import puzzles
from compare.engine.search.boards import boards
from puzzles.answer import Verdict
from puzzles.backend import Backend
from puzzles.grid import Board
from puzzles.minesweeper.board import COVERED, Deduction, Minesweeper, numbers_around
from tests.models import claims_of
from tests.thresholds import forced

_NEARLY_LEGAL = 300
"""Minesweeper boards with one wrong clue, of which the blocks are drawn."""

_MAX_CELLS = 16
"""Cells of a board at most."""


@dataclass(frozen=True)
class Block:
    """Boards of one puzzle, and the subset of the thresholds that is forced low; None for none."""

    boards: list[Board]
    subset: int | None


def cases(seed: int, count: int) -> list[Block]:
    """The puzzles in turn, one to six small boards each; every second block with thresholds forced
    low.
    """
    rng, drawn = Random(seed), list[Block]()
    small = {name: _small(name, seed) for name in puzzles.names()}
    small["minesweeper again"] = [_nearly_legal(rng) for _ in range(_NEARLY_LEGAL)]
    for number in range(count):
        chosen = rng.sample(list(small.values())[number % len(small)], rng.randint(1, 6))
        drawn.append(Block(chosen, number if number // len(small) % 2 else None))
    return drawn


def _small(name: str, seed: int) -> list[Board]:
    return [
        board
        for index in range(3)
        for board in boards(puzzles.get(name), seed, index, 64, 6)
        if board.cells <= _MAX_CELLS
    ]


def _nearly_legal(rng: Random) -> Board:
    """A board of four columns with some of its cells opened, and one clue changed by one: often no
    layout fits it.
    """
    mines = np.array([[rng.random() < 0.4 for _ in range(4)] for _ in range(rng.randint(3, 5))])
    grid, around = np.full(mines.shape, COVERED, np.uint8), numbers_around(mines)
    opened = [at for at in np.argwhere(~mines).tolist() if rng.random() < 0.7]
    for row, column in opened:
        grid[row, column] = ord("0") + around[row, column]
    if opened:
        row, column = rng.choice(opened)
        grid[row, column] = min(
            max(int(grid[row, column]) + rng.choice([-1, 1]), ord("1")), ord("8")
        )
    return Minesweeper(grid)


def examine(case: Block) -> None:
    """Raise `AssertionError` unless many boards at once are answered as each of them alone."""
    name = case.boards[0].puzzle
    for board in case.boards:
        if isinstance(board, Minesweeper):
            _examine_probabilities(board)
    for side in (direct, models):
        for backend in side.backends(name).values():
            if backend.many is not None and backend.available() is None:
                with forced(1, case.subset):
                    _examine_backend(backend, case.boards)


def _examine_probabilities(board: Minesweeper) -> None:
    """The probabilities of a board are known exactly where it has a layout, and only on request."""
    answer = direct.solve(board)
    assert isinstance(answer, Deduction)
    assert answer.chances is None
    assert (direct.solve(board, probabilities=True).chances is not None) == answer.consistent


def _examine_backend(backend: Backend, every: list[Board]) -> None:
    rules = puzzles.get(backend.puzzle)
    taken = [board for board in every if not backend.may_refuse(board, **backend.defaults)]
    alone = [backend.solve(board) for board in taken]
    assert [claims_of(answer) for answer in backend.solve_many(taken)] == [
        claims_of(answer) for answer in alone
    ]
    assert all(
        not answer.exact or getattr(board, "mines", None) is not None
        for board, answer in zip(taken, alone, strict=True)
    )
    certified = [
        board for board in taken if not backend.may_refuse(board, certify=True, **backend.defaults)
    ]
    for board, answer in zip(certified, backend.solve_many(certified, certify=True), strict=True):
        assert claims_of(answer) == claims_of(backend.solve(board))
        verdict = rules.check(board, answer).verdict
        assert verdict == rules.check(board, backend.solve(board, certify=True)).verdict
        assert verdict is Verdict.PROVED or not backend.complete
