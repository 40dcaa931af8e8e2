"""Smallest cores of certain cells where the search lacks something: no time, or no layout to begin
with, as on wide boards.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import direct
import models
import puzzles
from compare.fuzz.boards import boards
from direct.minesweeper.smallest_core import smallest_core
from models.minesweeper.certificate import smallest_core as smallest_core_by_solver
from puzzles.minesweeper.board import COVERED, Certificate, Core, Deduction, Minesweeper

SEARCHES = (
    (direct, "frontier", smallest_core),
    (models, "cnf", partial(smallest_core_by_solver, solver="cadical153")),
)
"""The backends that search for smallest cores, and their searches."""

_MAX_CELLS = 25
"""Cells of a board at most."""

_LONG_S = 60.0
"""Seconds in which every search comes to its end."""

_LATE = -1.0
"""Seconds for a search: they are over when it begins."""


def cases(seed: int, count: int) -> list[Minesweeper]:
    """Small boards, with and without a number of mines."""
    small: list[Minesweeper] = []
    for index in range(count):
        block = boards(puzzles.get("minesweeper"), seed, index, 64, 6)
        small += [
            board for board in block if isinstance(board, Minesweeper) and board.cells <= _MAX_CELLS
        ]
        if len(small) >= count:
            break
    return small[:count]


def examine(case: Minesweeper) -> None:
    """Raise `AssertionError` unless each smallest core is right.

    Without time it is the core of its cell. It is said to be the smallest only if it is, which can
    be seen at once of one clue and of two. Without layouts it is as small as with them.
    """
    for side, name, search in SEARCHES:
        answer = side.solve(case, name, certify=True)
        assert isinstance(answer, Deduction)
        assert isinstance(answer.certificate, Certificate)
        for cell in _certain(case, answer):
            core = _core(answer, cell)
            late = search(case, answer, cell, _LATE)
            assert (late.cell, late.clues, late.counted) == (cell, core.clues, core.counted)
            assert not late.fewest or not core.clues or (len(core.clues) <= 2 and not core.counted)
            bare = replace(answer, certificate=replace(answer.certificate, layouts=()))
            one, other = (search(case, each, cell, _LONG_S) for each in (answer, bare))
            assert (len(one.clues), one.counted, one.fewest) == (
                len(other.clues),
                other.counted,
                other.fewest,
            )
            assert not late.fewest or (len(late.clues), late.counted) == (
                len(one.clues),
                one.counted,
            )


def _certain(board: Minesweeper, answer: Deduction) -> list[int | None]:
    if not answer.consistent:
        return [None]
    certain = (board.grid == COVERED) & (answer.board.grid != COVERED)
    return certain.ravel().nonzero()[0].tolist()


def _core(answer: Deduction, cell: int | None) -> Core:
    assert isinstance(answer.certificate, Certificate)
    return next(
        (core for core in answer.certificate.cores if cell is None or cell in core.cells), Core(())
    )
