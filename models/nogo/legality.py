"""The rules of one move as clauses.

Two ways to forbid a chain without liberty: cuts, added lazily, or ranks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.cnf import Formula
from puzzles.nogo.board import BLACK, EMPTY, NoGo
from puzzles.text import Grid

Near = list[list[int]]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def neighbours(board: NoGo) -> Near:
    """For each cell the cells beside it, in ascending order."""
    return neighbours_on(*board.shape)


def neighbours_on(rows: int, columns: int) -> Near:
    """For each cell of a board of this size the cells beside it, in ascending order."""
    cells = np.pad(np.arange(rows * columns).reshape(rows, columns), 1, constant_values=-1)
    four = np.stack([cells[:-2, 1:-1], cells[1:-1, :-2], cells[1:-1, 2:], cells[2:, 1:-1]], axis=-1)
    return [[beside for beside in row if beside >= 0] for row in four.reshape(-1, 4).tolist()]


def pairs_of(near: Near) -> tuple[Ints, Ints]:
    """The two cells of each ordered pair of neighbours."""
    pairs = [(cell, other) for cell, beside in enumerate(near) for other in beside]
    cell, other = np.array(pairs, np.int64).reshape(-1, 2).T
    return cell, other


class MoveVariables(NamedTuple):
    """The variables of one move, each an array with one variable for each cell, and one variable
    for the player.

    Attributes:
        black, white: after the move, a stone of this colour is on the cell.
        empty: before the move, no stone is on the cell.
        move: the move goes to the cell.
        reached: the move goes to this cell or to an earlier one.
        black_moves: the player to move is black; else it is white.
    """

    black: Ints
    white: Ints
    empty: Ints
    move: Ints
    reached: Ints
    black_moves: int

    def stone(self, colour: int, cell: int) -> list[int]:
        """The literals that say of a cell: a stone of this colour is there before the move."""
        return [int((self.black if colour == BLACK else self.white)[cell]), -int(self.empty[cell])]

    def position(self, grid: Grid) -> list[int]:
        """The literals that say what is on each cell before the move."""
        kinds = enumerate(grid.ravel().tolist())
        return [
            literal
            for cell, kind in kinds
            for literal in ([int(self.empty[cell])] if kind == EMPTY else self.stone(kind, cell))
        ]


def one_move(near: Near, formula: Formula) -> MoveVariables:
    """State one move: exactly one, to an empty point; the position after it; and the rule of
    liberties for single stones.
    """
    cells = len(near)
    black, white, empty, move, reached = (formula.array(cells) for _ in range(5))
    names = MoveVariables(black, white, empty, move, reached, formula.new())
    turn, every = names.black_moves, range(cells)
    formula.name(black, "black at {} after the move", every)
    formula.name(white, "white at {} after the move", every)
    formula.name(empty, "{} is empty before the move", every, auxiliary=True)
    formula.name(move, "the move goes to {}", every)
    formula.name(reached, "the move goes to {} or to a point before it", every, auxiliary=True)
    formula.name([names.black_moves], "black moves", auxiliary=True)
    formula.rule("the move goes to an empty point, where afterwards a stone of the player is")
    formula.state(-move, empty)
    formula.state(-move, -turn, black)
    formula.state(-move, turn, white)
    formula.rule(
        "a stone has one colour; on a point that was empty it is the new one, of the player"
    )
    formula.state(-black, -white)
    for stone, player in ((black, turn), (white, -turn)):
        formula.state(-empty, -stone, move)
        formula.state(-empty, -stone, player)
    # `reached` becomes true at the move and stays true, and no move comes after.
    formula.rule("there is exactly one move")
    formula.state(-move, reached)
    formula.state(-reached[:-1], reached[1:])
    formula.state(-reached[:-1], -move[1:])
    formula.state(-reached[1:], reached[:-1], move[1:])
    formula.add(-reached[0], move[0])
    formula.add(reached[-1])
    state_single_liberties(near, formula, black, white)
    return names


def state_single_liberties(near: Near, formula: Formula, black: Ints, white: Ints) -> None:
    """State the rule of liberties for chains of one stone."""
    formula.rule("a single stone has a liberty or a neighbour of its colour")
    for cell, beside in enumerate(near):
        formula.add(*liberty_clause(black, white, [cell], beside))
        if len(near) != 2:  # else it is that of the other cell for the other colour
            formula.add(*liberty_clause(white, black, [cell], beside))


def liberty_clause(
    ours: Ints, theirs: Ints, chain: Iterable[int], edge: Iterable[int]
) -> list[int]:
    """The clause: if all cells of `chain` are ours, some cell of `edge` is not theirs.

    `chain` is a connected set of cells and `edge` all cells beside it. Stated for every such set,
    this is the rule of liberties: no chain is surrounded by stones of the other player.
    """
    return [-int(ours[cell]) for cell in chain] + [-int(theirs[cell]) for cell in edge]


def connected_sets(near: Near) -> Iterator[tuple[list[int], set[int]]]:
    """Each connected set of cells once, with the cells beside it. There are exponentially many."""
    beside = [sum(1 << other for other in row) for row in near]
    waiting = [1 << cell for cell in range(len(near))]
    met = set(waiting)
    while waiting:
        members = waiting.pop()
        chain = [cell for cell in range(len(near)) if members >> cell & 1]
        around = 0
        for cell in chain:
            around |= beside[cell]
        edge = {cell for cell in range(len(near)) if around >> cell & 1 and not members >> cell & 1}
        yield chain, edge
        larger = {members | 1 << cell for cell in edge} - met
        met |= larger
        waiting += larger


def cuts(ours: Bools, theirs: Bools, names: tuple[Ints, Ints], near: Near) -> list[list[int]]:
    """For each chain without liberty the clause that it violates.

    Args:
        ours, theirs: bool arrays of the board's shape, the stones of the two players in a model.
        names: the variables for these stones, one for each cell.
    """
    own_bits, their_bits = bits_of(ours, theirs)
    return cuts_of_bits(own_bits, their_bits, ours.shape, names, near)


def cuts_of_bits(
    ours: int, theirs: int, shape: tuple[int, int], names: tuple[Ints, Ints], near: Near
) -> list[list[int]]:
    """As `cuts`, for stones in the form of `bits_of`."""
    rows, columns = shape
    free = _board_bits(rows, columns) & ~(ours | theirs)
    # Both players' stones are looked at in one go: those of the opponent are on a second board,
    # below the first and an empty row.
    below = (rows + 1) * (columns + 1)
    dead = _without_liberty(ours | theirs << below, free | free << below, columns + 1)
    if not dead:
        return []
    clauses: list[list[int]] = []
    for stones, own, other in ((dead & (1 << below) - 1, *names), (dead >> below, *names[::-1])):
        clauses += [
            liberty_clause(own, other, *chain) for chain in chains(_cells(stones, columns), near)
        ]
    # On a full board both colours may say the same.
    return clauses if free else list({tuple(sorted(clause)): clause for clause in clauses}.values())


def _without_liberty(stones: int, free: int, stride: int) -> int:
    """The stones whose chains have no liberty. Liberties are handed on from stone to stone, at all
    points at once.

    The steps to the four sides may leave the board, where no stone is.
    """
    alive = stones & (free << 1 | free >> 1 | free << stride | free >> stride)
    while alive != stones:
        more = alive | stones & (alive << 1 | alive >> 1 | alive << stride | alive >> stride)
        if more == alive:
            return stones ^ alive
        alive = more
    return 0


def bits_of(*sets: Bools) -> list[int]:
    """Sets of points, bool arrays of one shape, as integers: bit row * (columns + 1) + column.

    The extra column parts the rows.
    """
    rows, columns = sets[0].shape
    edged = np.zeros((len(sets), rows, columns + 1), np.bool_)
    for k, points in enumerate(sets):
        edged[k, :, :-1] = points
    packed = np.packbits(edged.reshape(len(sets), -1), axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in packed]


def _cells(points: int, columns: int) -> list[int]:
    """The flat indices of a set of points, ascending."""
    cells: list[int] = []
    while points:
        lowest = points & -points
        place = lowest.bit_length() - 1
        cells.append(place - place // (columns + 1))
        points ^= lowest
    return cells


@cache
def _board_bits(rows: int, columns: int) -> int:
    """All points of a board."""
    return bits_of(np.ones((rows, columns), np.bool_))[0]


def chains(stones: list[int], near: Near) -> list[tuple[list[int], set[int]]]:
    """Split stones of one player into chains: for each chain its cells, and the cells beside it.

    `stones` holds whole chains.
    """
    left, chains_and_edges = set(stones), list[tuple[list[int], set[int]]]()
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
            chains_and_edges.append((chain, edge.difference(chain)))
    return chains_and_edges


def ranked(near: Near, formula: Formula, ours: Ints, theirs: Ints) -> None:
    """State the rule of liberties without cuts: every stone has a liberty, or a neighbour of its
    colour with a smaller rank.
    """
    cells, bits = len(near), max(1, (len(near) - 1).bit_length())
    empty = formula.array(cells)
    rank = formula.array(cells, bits)
    cell, other = pairs_of(near)
    way = formula.array(cell.size)
    formula.name(empty, "{} is empty after the move", range(cells), auxiliary=True)
    for bit in range(bits):
        formula.name(rank[:, bit], f"bit {bit} of the rank of {{}}", range(cells), auxiliary=True)
    formula.name(
        way,
        "the way of {} to a liberty goes on at {}",
        np.column_stack([cell, other]),
        auxiliary=True,
    )
    formula.rule("each stone has a liberty, or a neighbour of its colour with a smaller rank")
    for stone in (ours, theirs):
        formula.state(-empty, -stone)
        formula.state(-way, -stone[cell], stone[other])
    first = 0
    for beside, our, their in zip(near, ours.tolist(), theirs.tolist(), strict=True):
        if not beside:
            continue  # no stone can stand there, by the rule for single stones
        ways = [*empty[beside].tolist(), *way[first : first + len(beside)].tolist()]
        formula.add(-our, *ways)
        formula.add(-their, *ways)
        first += len(beside)
    formula.less_than(way, rank[other], rank[cell])
