"""Cores of certain cells: none of `direct` has a clue too many, and the search of `models` for a
smallest one is right where it lacks something: time, a layout to begin with, or a good core.
"""

from __future__ import annotations

from dataclasses import replace

import direct
import models
import puzzles
from compare.engine.search.boards import boards
from models.minesweeper.smallest_core import smallest_core
from puzzles.answer import Verdict
from puzzles.minesweeper.board import COVERED, Certificate, Core, Deduction, Minesweeper
from puzzles.minesweeper.refuter import ClueRefuter
from tests.thresholds import forced

_MAX_CELLS = 25
"""Cells of a board at most."""

_LONG_S = 60.0
"""Seconds in which every search comes to its end."""

_SUBSETS = 3
"""Subsets of the thresholds with which a first core is found."""

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
    """Raise `AssertionError` unless each core of the direct side needs all its clues, and each
    smallest core is right.

    Without time it is the core of its cell. Else it forces its cell. It is said to be the smallest
    only if it is, which can be seen at once of one clue. Without layouts it is as small as with
    them, and so it is where the first core is another one.
    """
    _examine_cores(case)
    answer = models.solve(case, certify=True)
    assert isinstance(answer, Deduction)
    assert isinstance(answer.certificate, Certificate)
    for cell in _certain(case, answer):
        core = _core(answer, cell)
        late = smallest_core(case, answer, core, _LATE, "cadical153")
        assert (late.cell, late.clues, late.counted) == (cell, core.clues, core.counted)
        assert late.fewest == (len(core.clues) + core.counted <= 1)
        bare = replace(answer, certificate=replace(answer.certificate, layouts=()))
        one, other = (
            smallest_core(case, each, core, _LONG_S, "cadical153") for each in (answer, bare)
        )
        assert one.fewest
        assert other.fewest
        is_mine = cell is not None and answer.board.kinds[cell] == "X"
        assert ClueRefuter(case).forces(one, is_mine)
        assert ClueRefuter(case).forces(other, is_mine)
        assert _size(one) == _size(other)
        for subset in range(_SUBSETS):
            with forced(1, subset):
                hasty = models.solve(case, certify=True)
                assert isinstance(hasty, Deduction)
                found = smallest_core(case, hasty, _core(hasty, cell), _LONG_S, "cadical153")
            assert _size(found) == _size(one)


def _examine_cores(board: Minesweeper) -> None:
    """No core holds without one of its clues, but for those of the number of mines."""
    answer = direct.solve(board, certify=True)
    assert isinstance(answer, Deduction)
    assert isinstance(answer.certificate, Certificate)
    cores = answer.certificate.cores
    for core in cores:
        for clue in core.clues if not core.counted else ():
            fewer = core._replace(clues=tuple(each for each in core.clues if each != clue))
            changed = [fewer if each is core else each for each in cores]
            proof = replace(answer.certificate, cores=tuple(changed))
            verdict = puzzles.get("minesweeper").check(board, replace(answer, certificate=proof))
            assert verdict.verdict is not Verdict.PROVED


def _size(core: Core) -> tuple[int, bool]:
    return len(core.clues), core.counted


def _certain(board: Minesweeper, answer: Deduction) -> list[int | None]:
    if not answer.consistent:
        return [None]
    certain = (board.grid == COVERED) & (answer.board.grid != COVERED)
    return certain.ravel().nonzero()[0].tolist()


def _core(answer: Deduction, cell: int | None) -> Core:
    assert isinstance(answer.certificate, Certificate)
    cores = (core for core in answer.certificate.cores if cell is None or cell in core.cells)
    return next(cores, Core(()))._replace(cells=() if cell is None else (cell,))
