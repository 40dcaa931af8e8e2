"""What the answers of backends owe, stated plainly: for small boards, slow, and sharing no code with any backend or the check.

The closure promises all that its rules give. A cause promises the fewest clues.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzles.minesweeper.board import Cause, Deduction, Minesweeper

CLOSURE = "closure"
"""What a backend promises that finds the closure of write-up 001."""

_MAX_UNKNOWN = 30
"""Covered cells up to which the closure is recomputed."""

_MAX_LAID_OUT, _MAX_CLUES = 9, 9
"""Covered cells and clues up to which every layout and every set of clues is tried."""

Cell = tuple[int, int]
Literal = tuple[Cell, bool]


def broken_promise(board: Minesweeper, answer: Deduction, promise: str) -> str | None:
    """What the answer lacks (see `Puzzle.broken_promise`)."""
    if promise != CLOSURE and not answer.causes:
        return None
    view = View(board)
    if promise == CLOSURE and board.mines is None and len(view.covered) <= _MAX_UNKNOWN:
        wanting = _short_of_closure(view, answer)
        if wanting is not None:
            return wanting
    if answer.causes and len(view.covered) <= _MAX_LAID_OUT and len(view.clues) <= _MAX_CLUES:
        layouts = _every_layout(board, view)
        for cause in answer.causes:
            wanting = _too_long(board, view, layouts, answer, cause)
            if wanting is not None:
                return wanting
    return None


class View:
    """A board as plain values.

    Attributes:
        covered: the covered cells of which nothing is given, in row-major order.
        certain: the cells given as a mine (True) or as safe (False).
        clues: for each clue its number, and the covered and given cells around it.
    """

    def __init__(self, board: Minesweeper) -> None:
        kinds = {(r, c): kind for r, line in enumerate(board.lines()) for c, kind in enumerate(line)}
        self.covered = [cell for cell, kind in kinds.items() if kind == "#"]
        self.certain = {cell: kind == "X" for cell, kind in kinds.items() if kind in "XO"}
        self.clues: list[tuple[int, list[Cell]]] = []
        for (row, column), kind in kinds.items():
            if kind in ".012345678":
                beside = [(row + r, column + c) for r in (-1, 0, 1) for c in (-1, 0, 1) if r or c]
                self.clues.append((0 if kind == "." else int(kind), [cell for cell in beside if kinds.get(cell, ".") in "#XO"]))


def closure(view: View) -> dict[Cell, bool] | None:
    """What single clues and chains of their implications make certain; None if they meet a contradiction.

    A clue with n mines to place on k unknown cells says: n = 0, all are safe; n = k, all are mines; n = 1, a mine makes
    the others safe; n = k - 1, a safe cell makes the others mines. A literal from which its negation follows is false. These
    rules are applied until nothing changes.
    """
    known = dict(view.certain)
    while True:
        before = len(known)
        edges: dict[Literal, list[Literal]] = {}
        for number, cells in view.clues:
            unknown = [cell for cell in cells if cell not in known]
            missing = number - sum(known.get(cell, False) for cell in cells)
            if not 0 <= missing <= len(unknown):
                return None
            if missing in (0, len(unknown)):
                known.update(dict.fromkeys(unknown, missing > 0))
                continue
            for mine in (True, False):
                if missing == (1 if mine else len(unknown) - 1):
                    for cell, other in product(unknown, unknown):
                        if cell != other:
                            edges.setdefault((cell, mine), []).append((other, not mine))
        if len(known) > before:
            continue
        for cell, mine in edges:
            if (cell, not mine) in _reached((cell, mine), edges):
                if known.get(cell, not mine) is mine:
                    return None
                known[cell] = not mine
        if len(known) == before:
            return known


def _reached(start: Literal, edges: dict[Literal, list[Literal]]) -> set[Literal]:
    reached, waiting = {start}, [start]
    for literal in waiting:
        for near in edges.get(literal, ()):
            if near not in reached:
                reached.add(near)
                waiting.append(near)
    return reached


def _short_of_closure(view: View, answer: Deduction) -> str | None:
    certain = closure(view)
    if not answer.consistent:
        return None
    if certain is None:
        return "does not find the contradiction to which its rules lead"
    for cell in view.covered:
        if cell in certain and answer.board.grid[cell] == ord("#"):
            row, column = cell
            return (
                f"does not find that the cell at {row + 1},{column + 1} is {'a mine' if certain[cell] else 'safe'}, as its rules do"
            )
    return None


class _Layouts(NamedTuple):
    """Each way to put mines on the covered cells, a row each.

    Attributes:
        mine: whether each covered cell has a mine.
        broken: the clues that the layout breaks, as bits.
        wrong_number: whether it has the wrong number of mines.
    """

    mine: NDArray[np.bool_]
    broken: NDArray[np.int64]
    wrong_number: NDArray[np.bool_]


def _every_layout(board: Minesweeper, view: View) -> _Layouts:
    place = {cell: k for k, cell in enumerate(view.covered)}
    mine = (np.arange(2 ** len(place))[:, None] >> np.arange(len(place)) & 1).astype(np.bool_)
    broken = np.zeros(len(mine), np.int64)
    for k, (number, cells) in enumerate(view.clues):
        given = sum(view.certain.get(cell, False) for cell in cells)
        mines = given + mine[:, [place[cell] for cell in cells if cell in place]].sum(axis=1)
        broken |= (mines != number).astype(np.int64) << k
    if board.mines is None:
        return _Layouts(mine, broken, np.zeros(len(mine), np.bool_))
    return _Layouts(mine, broken, mine.sum(axis=1) + sum(view.certain.values()) != board.mines)


def _too_long(board: Minesweeper, view: View, layouts: _Layouts, answer: Deduction, cause: Cause) -> str | None:
    """Why a cause is not one of the fewest clues."""
    row, column = divmod(cause.cell or 0, board.columns)
    mine, broken, wrong_number = layouts
    if cause.cell is not None:
        says, place = answer.board.grid[row, column] == ord("X"), view.covered.index((row, column))
        flipped = mine[:, place] != says
        broken, wrong_number = broken[flipped], wrong_number[flipped]
    counted = bool((broken == 0).any())
    if counted:
        broken = broken[~wrong_number]
    fewest = _fewest(np.unique(broken), len(view.clues))
    if fewest is None or ((len(cause.clues), cause.counted) == (fewest, counted) and cause.fewest):
        return None
    what = "the contradiction" if cause.cell is None else f"the cell at {row + 1},{column + 1}"
    reason = f"{len(cause.clues)} clues{' and the number of mines' * cause.counted}"
    if (len(cause.clues), cause.counted) == (fewest, counted):
        return f"does not know that {reason} are the fewest that force {what}, on a board on which this is settled at once"
    return f"gives {reason} for {what}, where {fewest}{' with the number of mines' * counted} suffice"


def _fewest(broken: NDArray[np.int64], clues: int) -> int | None:
    """The size of the smallest set of clues of which each of these sets holds one; None if there is none."""
    by_size = sorted(range(1 << clues), key=int.bit_count)
    return next((chosen.bit_count() for chosen in by_size if (broken & chosen).all()), None)
