"""The independent check of geography: a matching, the losing cells, and chains of parents that end
in exposed cells.

Let M be a matching of open neighbours and L the cells claimed to lose, such that

1. every exposed (unmatched) open cell is in L;
2. every open neighbour of a member of L is matched to a member of L;
3. every other member u of L has a parent p in L of smaller rank, such that u's mate is a neighbour
   of p.

Then L is the set of losing cells:

- From a cell outside L the first mover wins by moving to the mate every time. No reply leads into L
  or to an exposed cell, because by 2 the mate of a neighbour of L is in L. So there is always a
  mate to move to.
- No two cells of L are neighbours. Suppose u and v were. By 2, u is matched to a cell m of L, and
  the parent p of u is a neighbour of m. So p and m are two neighbours in L again. Up the chain of
  parents this ends at an exposed cell that is a neighbour of a cell of L, against 2.
- From a cell u in L the first mover loses. Match the mates along u's chain of parents one step up:
  then the matching misses u instead of the exposed cell at the end of the chain. 2 still holds: a
  neighbour of a cell of L is outside L, and if it got a new mate, that is a parent, in L. Every
  move from a cell of L leads to a cell that is matched to another member of L. The second player
  moves there, so always has a reply.

The check also plays out small components; that refutes a wrong claim there without regard to the
certificate. Nothing here is shared with `direct` or `models` but the statement of the puzzle.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from puzzles.answer import Check, Verdict
from puzzles.geography.board import Geography, Losing

_MAX_PLAYED = 14
"""The largest component, in cells, that the check plays out."""

_MAX_POSITIONS = 200_000
"""The number of positions after which a check stops playing out components."""


def check(board: Geography, answer: Losing) -> Check:
    """Judge an answer by its certificate, and by playing out small components.

    Linear in the board.
    """
    cells = answer.cells
    if answer.board != board:
        return Check(Verdict.REFUTED, "the answer is to another board")
    if cells.ndim != 1 or (
        cells.size and (int(cells.min()) < 0 or int(cells.max()) >= board.cells)
    ):
        return Check(Verdict.REFUTED, "a losing cell is not on the board")
    if (np.diff(cells) <= 0).any():
        return Check(Verdict.REFUTED, "the losing cells are not in ascending order")
    free = board.grid.ravel() == ord(".")
    walls = cells[~free[cells]]
    if walls.size:
        return Check(Verdict.REFUTED, f"the losing cell at {board.place(int(walls[0]))} is a wall")
    losing = np.zeros(board.cells, np.bool_)
    losing[cells] = True
    flaw = (
        "no certificate"
        if answer.certificate is None
        else _flaw(board, free, losing, answer.certificate)
    )
    if flaw is None:
        return Check(Verdict.PROVED, "the matching and the chains decide every cell")
    wrong = _played_wrong(board, free, losing)
    if wrong is not None:
        claim = "lose" if losing[wrong] else "win"
        return Check(
            Verdict.REFUTED,
            f"the first mover from {board.place(wrong)} is said to {claim}, which play refutes",
        )
    return Check(Verdict.UNPROVED, flaw)


def _flaw(
    board: Geography, free: NDArray[np.bool_], losing: NDArray[np.bool_], certificate: object
) -> str | None:
    """What is wrong with a certificate, or None if it proves the losing set."""
    if (
        not isinstance(certificate, np.ndarray)
        or certificate.shape != (3, board.cells)
        or certificate.dtype.kind != "i"
    ):
        return f"the certificate is no integer array of shape (3, {board.cells})"
    mate, parent, rank = certificate.astype(np.int64)
    every = np.arange(board.cells)
    matched = mate >= 0
    if (mate[free] < -1).any() or (mate >= board.cells).any() or (matched & ~free).any():
        return "the matching names a wall, or a cell that is not on the board"
    pairs = every[matched]
    if (mate[mate[pairs]] != pairs).any() or not _adjacent(board, pairs, mate[pairs]).all():
        return "the matching does not pair neighbours"
    if (free & ~matched & ~losing).any():
        return "an exposed cell is not among the losing ones"
    to_losing = np.zeros(board.cells, np.bool_)
    to_losing[pairs] = losing[mate[pairs]]
    square, fine = losing.reshape(board.grid.shape), (to_losing | ~free).reshape(board.grid.shape)
    for one, other in ((np.s_[1:], np.s_[:-1]), (np.s_[:, 1:], np.s_[:, :-1])):
        if (square[one] & ~fine[other]).any() or (square[other] & ~fine[one]).any():
            return "a neighbour of a losing cell is not matched to a losing cell"
    hanging = every[losing & matched]
    above = parent[hanging]
    if (
        (above < 0).any()
        or (above >= board.cells).any()
        or not losing[above].all()
        or (rank[above] >= rank[hanging]).any()
    ):
        return "a losing cell has no losing parent of smaller rank"
    if not _adjacent(board, mate[hanging], above).all():
        return "a losing cell's mate is no neighbour of its parent"
    return None


def _adjacent(
    board: Geography, one: NDArray[np.int64], other: NDArray[np.int64]
) -> NDArray[np.bool_]:
    (row, column), (row_too, column_too) = (
        np.divmod(one, board.columns),
        np.divmod(other, board.columns),
    )
    return abs(row - row_too) + abs(column - column_too) == 1


def _played_wrong(
    board: Geography, free: NDArray[np.bool_], losing: NDArray[np.bool_]
) -> int | None:
    """A cell of a small component where playing out contradicts the claim, or None; it stops at
    `_MAX_POSITIONS`.
    """
    left = _MAX_POSITIONS
    seen: set[int] = set()
    for first in np.flatnonzero(free).tolist():
        if first in seen:
            continue
        near_of, waiting = {first: _neighbours(board, free, first)}, [first]
        for cell in waiting:
            for near in near_of[cell]:
                if near not in near_of:
                    near_of[near] = _neighbours(board, free, near)
                    waiting.append(near)
        seen |= near_of.keys()
        if len(near_of) > _MAX_PLAYED:
            continue
        results: dict[tuple[int, frozenset[int]], bool] = {}
        for cell in near_of:
            if _wins(near_of, cell, frozenset([cell]), results) == bool(losing[cell]):
                return cell
        left -= len(results)
        if left < 0:
            return None
    return None


def _neighbours(board: Geography, free: NDArray[np.bool_], cell: int) -> list[int]:
    row, column = divmod(cell, board.columns)
    places = ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))
    inside = [
        r * board.columns + c for r, c in places if 0 <= r < board.rows and 0 <= c < board.columns
    ]
    return [near for near in inside if free[near]]


def _wins(
    near_of: dict[int, list[int]],
    cell: int,
    visited: frozenset[int],
    results: dict[tuple[int, frozenset[int]], bool],
) -> bool:
    """Whether the player to move from `cell` wins.

    The depth of the recursion is at most `_MAX_PLAYED`.
    """
    if (cell, visited) not in results:
        results[cell, visited] = any(
            not _wins(near_of, near, visited | {near}, results)
            for near in near_of[cell]
            if near not in visited
        )
    return results[cell, visited]
