"""Minesweeper for the tests: all layouts of a small board, and probabilities counted from them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from importlib.util import find_spec

import numpy as np
import pytest
from numpy.typing import NDArray

from direct import SIDE as DIRECT
from models import SIDE as MODELS
from puzzles import minesweeper
from puzzles.minesweeper.board import COVERED, MINE, SAFE, Deduction, Minesweeper
from tests.puzzles.minesweeper.boards import numbers

PUZZLE = minesweeper.PUZZLE

WITHOUT_PYSDD = pytest.mark.skipif(find_spec("pysdd") is None, reason="pysdd is not installed")

COMPLETE = [
    (DIRECT, "frontier"),
    (MODELS, "cnf"),
    (MODELS, "cnf-totalizer"),
    (MODELS, "cpsat"),
    pytest.param(MODELS, "count", marks=WITHOUT_PYSDD),
]


def layouts(board: Minesweeper, clues: NDArray[np.int64] | None = None, counted: bool = True) -> NDArray[np.bool_]:
    """Every layout of the mines that agrees with the clues (all, or the cells given) and the number of mines."""
    kind = board.grid.ravel()
    covered = np.flatnonzero(kind == COVERED)
    every = np.zeros((2**covered.size, board.cells), np.bool_)
    every[:, kind == MINE] = True
    every[:, covered] = (np.arange(2**covered.size)[:, None] >> np.arange(covered.size)) & 1
    around = numbers(every.reshape(-1, *board.grid.shape)).reshape(-1, board.cells)
    if clues is None:
        clues = np.flatnonzero((kind == ord(".")) | ((kind >= ord("0")) & (kind <= ord("8"))))
    asked = np.where(kind == ord("."), 0, kind.astype(np.int64) - ord("0"))
    fits = (around[:, clues] == asked[clues]).all(axis=1)
    if counted and board.mines is not None:
        fits &= every.sum(axis=1) == board.mines
    return every[fits]


def with_counts(boards: Iterator[Minesweeper], step: int) -> Iterator[Minesweeper]:
    """Each board without a number of mines and with some numbers, also such as no layout has."""
    for index, board in enumerate(boards):
        yield board
        most = int(np.isin(board.grid, (COVERED, MINE)).sum()) + 1
        for mines in range(index % step, most + 1, step):
            yield Minesweeper(board.grid, mines)


def judge(board: Minesweeper, answer: Deduction) -> None:
    """The layouts counted are those enumerated."""
    every = layouts(board)
    chances = answer.chances
    assert answer.consistent == (len(every) > 0), board.text()
    if chances is None:
        assert not answer.consistent
        assert answer.probability == ()
        return
    certain = np.isin(board.grid.ravel(), (COVERED, MINE, SAFE)).tolist()
    with_mine = every.sum(axis=0).tolist()
    wanted = tuple(Fraction(mine, len(every)) if known else None for mine, known in zip(with_mine, certain, strict=True))
    assert answer.probability == wanted, board.text()
    assert chances.layouts == len(every)
    totals, counts = np.unique(every.sum(axis=1), return_counts=True)
    assert chances.distribution == dict(zip(totals.tolist(), counts.tolist(), strict=True))
    assert chances.mines == (totals[0], totals[-1])
    assert chances.expected == sum(filter(None, wanted), Fraction(0))
    marks = ["O" if each == 0 else "X" if each == 1 else "#" for each in wanted]
    shown = "".join(answer.board.lines())
    assert all(mark == kind for mark, kind, known in zip(marks, shown, certain, strict=True) if known), board.text()
