"""The rules of one move as clauses, and what keeps a chain from keeping itself alive: cuts, or ranks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.cnf import Formula
from puzzles.nogo.board import NoGo

Near = list[list[int]]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def neighbours(board: NoGo) -> Near:
    """The cells beside each cell."""
    cells = np.pad(np.arange(board.cells).reshape(board.grid.shape), 1, constant_values=-1)
    four = np.stack([cells[:-2, 1:-1], cells[1:-1, :-2], cells[1:-1, 2:], cells[2:, 1:-1]], axis=-1)
    return [[beside for beside in row if beside >= 0] for row in four.reshape(-1, 4).tolist()]


class Names(NamedTuple):
    """The variables, one a cell each.

    Attributes:
        own, other: before the move a stone of the player to move, of the other one, is there.
        move: the move goes there.
        reached: the move goes there or to an earlier cell.
        after: after the move a stone of the player to move is there.
    """

    own: Ints
    other: Ints
    move: Ints
    reached: Ints
    after: Ints


def one_move(near: Near, formula: Formula) -> Names:
    """Exactly one move, to an empty point; the position after it; no single stone without a liberty or a companion."""
    cells = len(near)
    names = Names(*(np.arange(cells) + formula.new(cells) for _ in Names._fields))
    own, other, move, reached, after = names
    formula.extend(np.column_stack([-move, -own]))
    formula.extend(np.column_stack([-move, -other]))
    formula.extend(np.column_stack([-own, after]))
    formula.extend(np.column_stack([-move, after]))
    formula.extend(np.column_stack([-after, own, move]))
    formula.extend(np.column_stack([-move, reached]))
    formula.extend(np.column_stack([-reached[:-1], reached[1:]]))
    formula.extend(np.column_stack([-reached[:-1], -move[1:]]))
    formula.extend(np.column_stack([-reached[1:], reached[:-1], move[1:]]))
    formula.add(-reached[0], move[0])
    formula.add(reached[-1])
    for cell, beside in enumerate(near):
        formula.add(*breathing(after, other, [cell], beside))
        formula.add(*breathing(other, after, [cell], beside))
    return names


def breathing(ours: Ints, theirs: Ints, chain: Iterable[int], edge: Iterable[int]) -> list[int]:
    """The clause: unless one of these connected cells is not ours, some cell of all those beside them is not theirs.

    Stated for every connected set of cells this is the rule of liberties: a chain beside which all is the other's has none.
    """
    return [-int(ours[cell]) for cell in chain] + [-int(theirs[cell]) for cell in edge]


def cuts(ours: Bools, theirs: Bools, names: tuple[Ints, Ints], near: Near) -> list[list[int]]:
    """For each chain without liberty the clause that it breaks.

    Args:
        ours, theirs: bool arrays of the board's shape: a stone of that player is there.
        names: the variables that say so.
    """
    free, clauses = _bits(~(ours | theirs)), list[list[int]]()
    for stones, own, other in ((ours, *names), (theirs, *names[::-1])):
        stifled = _stifled(_bits(stones), free, *stones.shape)
        clauses += [breathing(own, other, *chain) for chain in chains(stifled, near)]
    return clauses


def _stifled(stones: int, free: int, rows: int, columns: int) -> list[int]:
    """The stones of one player to which no liberty is handed on from stone to stone; all points at once, as bits."""
    stride = columns + 1
    alive = stones & _beside(free, stride)
    while (more := stones & _beside(alive, stride) | alive) != alive:
        alive = more
    dead = stones & ~alive
    if not dead:
        return []
    return [row * columns + column for row in range(rows) for column in range(columns) if dead >> row * stride + column & 1]


def _bits(points: Bools) -> int:
    """Bit row * (columns + 1) + column for each of the points; one column of edge serves both sides."""
    edged = np.zeros((points.shape[0], points.shape[1] + 1), np.bool_)
    edged[:, :-1] = points
    return int.from_bytes(np.packbits(edged, bitorder="little").tobytes(), "little")


def _beside(points: int, stride: int) -> int:
    return points << 1 | points >> 1 | points << stride | points >> stride


def chains(stones: list[int], near: Near) -> list[tuple[list[int], set[int]]]:
    """The chains of these stones of one player, whole chains all of them: the cells of each, and the cells beside them."""
    left, found = set(stones), list[tuple[list[int], set[int]]]()
    for start in stones:
        if start in left:
            left.remove(start)
            chain, edge = [start], set[int]()
            for cell in chain:
                for beside in near[cell]:
                    if beside in left:
                        left.remove(beside)
                        chain.append(beside)
                    else:
                        edge.add(beside)
            found.append((chain, edge.difference(chain)))
    return found


def ranked(near: Near, formula: Formula, ours: Ints, theirs: Ints) -> None:
    """Write down what the cuts would add: every stone has a liberty, or beside it one of its colour with a smaller rank."""
    cells, bits = len(near), max(1, (len(near) - 1).bit_length())
    empty = formula.new(cells) + np.arange(cells)
    rank = formula.new(cells * bits) + np.arange(cells * bits).reshape(cells, bits)
    cell = np.array([cell for cell, beside in enumerate(near) for _ in beside], np.int64)
    other = np.array([other for beside in near for other in beside], np.int64)
    way = formula.new(cell.size) + np.arange(cell.size)
    for stone in (ours, theirs):
        formula.extend(-np.column_stack([empty, stone]))
        formula.extend(np.column_stack([-way, -stone[cell], stone[other]]))
    first = 0
    for beside, our, their in zip(near, ours.tolist(), theirs.tolist(), strict=True):
        ways = [*empty[beside].tolist(), *way[first : first + len(beside)].tolist()]
        formula.add(-our, *ways)
        formula.add(-their, *ways)
        first += len(beside)
    formula.below(way, rank[other], rank[cell])
