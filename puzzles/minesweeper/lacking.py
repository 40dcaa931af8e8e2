"""What the answers of backends owe, stated plainly: for small boards, slow, and sharing no code
with any backend.

The closure has all that its rules give. A smallest core has the fewest clues.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations

from puzzles.minesweeper.board import COVERED, MINE, Core, Deduction, Minesweeper
from puzzles.minesweeper.refuter import ClueRefuter, sums_of

CLOSURE = "closure"
"""The name of what a backend finds at least that finds the closure of write-up 001."""

_MAX_UNKNOWN = 30
"""Covered cells up to which the closure is recomputed."""

_MAX_COVERED, _MAX_CLUES = 9, 9
"""Covered cells and clues up to which every set of clues is tried."""

Literal = tuple[int, bool]


def lacking(board: Minesweeper, answer: Deduction, finds: str) -> str | None:
    """What the answer lacks (see `Puzzle.lacking`)."""
    covered, reason = board.kinds.count("#"), None
    if finds == CLOSURE and board.mines is None and covered <= _MAX_UNKNOWN:
        reason = _short_of_closure(board, answer)
    if reason is None and answer.smallest_cores and covered <= _MAX_COVERED:
        refuter, clues = ClueRefuter(board), board.clues
        if len(clues) <= _MAX_CLUES:
            reasons = (_too_large(refuter, clues, answer, core) for core in answer.smallest_cores)
            reason = next(filter(None, reasons), None)
    return reason


def closure(board: Minesweeper) -> dict[int, bool] | None:
    """What single clues and chains of their implications make certain, given cells included; None
    if they meet a contradiction.

    A clue with n mines to place on k unknown cells says: n = 0, all are safe; n = k, all are mines;
    n = 1, a mine makes the others safe; n = k - 1, a safe cell makes the others mines. A literal
    from which its negation follows is false. These rules are applied until nothing changes.
    """
    known = {cell: kind == "X" for cell, kind in enumerate(board.kinds) if kind in "XO"}
    sums = sums_of(board, board.clues, False)
    while True:
        before = len(known)
        edges: dict[Literal, list[Literal]] = {}
        for each in sums:
            unknown, missing = each.left(known)
            if not 0 <= missing <= len(unknown):
                return None
            if missing in (0, len(unknown)):
                known.update(dict.fromkeys(unknown, missing > 0))
                continue
            for mine in (True, False):
                if missing == (1 if mine else len(unknown) - 1):
                    for cell, other in permutations(unknown, 2):
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


def _short_of_closure(board: Minesweeper, answer: Deduction) -> str | None:
    if not answer.consistent:
        return None
    certain = closure(board)
    if certain is None:
        return "does not find the contradiction to which its rules lead"
    for cell in sorted(certain):
        if board.grid.flat[cell] == COVERED == answer.board.grid.flat[cell]:
            state = "a mine" if certain[cell] else "safe"
            return f"does not find that the cell at {board.place(cell)} is {state}, as its rules do"
    return None


def _too_large(
    refuter: ClueRefuter, clues: Sequence[int], answer: Deduction, core: Core
) -> str | None:
    """Why a core does not have the fewest clues."""
    mine = core.cell is not None and answer.board.grid.flat[core.cell] == MINE

    def suffice(some: Sequence[int], counted: bool) -> bool:
        return refuter.forces(Core(tuple(some), core.cells, counted), mine)

    counted = not suffice(clues, False)
    sizes = (
        size
        for size in range(len(clues) + 1)
        for some in combinations(clues, size)
        if suffice(some, counted)
    )
    fewest = next(sizes, None)
    smallest = (len(core.clues), core.counted) == (fewest, counted)
    if fewest is None or (smallest and core.fewest):
        return None
    what = (
        "the contradiction" if core.cell is None else f"the cell at {answer.board.place(core.cell)}"
    )
    clues_given = f"{len(core.clues)} clues{' and the number of mines' if core.counted else ''}"
    if smallest:
        return (
            f"does not know that {clues_given} are the fewest that force {what}, on a board on "
            "which "
            "this is settled at once"
        )
    return (
        f"gives {clues_given} for {what}, where "
        f"{fewest}{' with the number of mines' if counted else ''} suffice"
    )
