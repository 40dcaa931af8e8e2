"""The rules of one move as clauses.

Two ways to forbid a chain without liberty: cuts, added lazily, or ranks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from models.cnf import Formula, Ints
from puzzles.nogo.board import BLACK, EMPTY, NoGo
from puzzles.text import Grid

Near = list[list[int]]
Variables = Ints | list[int]


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


def starts_of(near: Near) -> Ints:
    """Where in `pairs_of` the pairs of each cell begin, the first cell aside."""
    return np.cumsum([len(beside) for beside in near])[:-1]


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

    def position(self, grid: Grid) -> list[int]:
        """The literals that say what is on each cell before the move."""
        literals: list[int] = []
        for cell, kind in enumerate(grid.ravel().tolist()):
            empty = int(self.empty[cell])
            stone = int((self.black if kind == BLACK else self.white)[cell])
            literals += [empty] if kind == EMPTY else [stone, -empty]
        return literals


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
    ours: Variables, theirs: Variables, chain: Iterable[int], edge: Iterable[int]
) -> list[int]:
    """The clause: if all cells of `chain` are ours, some cell of `edge` is not theirs.

    `chain` is a connected set of cells and `edge` all cells beside it. Stated for every such set,
    this is the rule of liberties: no chain is surrounded by stones of the other player.
    """
    return [-int(ours[cell]) for cell in chain] + [-int(theirs[cell]) for cell in edge]


def connected_sets(near: Near) -> Iterator[tuple[frozenset[int], frozenset[int]]]:
    """Each connected set of cells once, with the cells beside it. There are exponentially many."""
    waiting = [frozenset([cell]) for cell in range(len(near))]
    met = set(waiting)
    while waiting:
        chain = waiting.pop()
        edge = frozenset(beside for cell in chain for beside in near[cell]) - chain
        yield chain, edge
        larger = {chain | {cell} for cell in edge} - met
        met |= larger
        waiting += larger


def cuts(
    position: Sequence[int],
    names: tuple[Variables, Variables],
    near: Near,
    move: int | None = None,
) -> list[list[int]]:
    """For each chain without liberty the clause that it violates.

    Args:
        position: what is on each cell; `EMPTY`, `BLACK` or `WHITE`.
        names: the variables for black and for white stones, one for each cell.
        move: the cell of the last move, if the position before it was legal: then only its own
            chain and those beside it can lack a liberty.
    """
    clauses: dict[tuple[int, ...], list[int]] = {}
    met_from: dict[int, int] = {}  # by stone that was met, where the search began that met it
    for start in range(len(near)) if move is None else (move, *near[move]):
        colour = position[start]
        if colour == EMPTY or start in met_from:
            continue
        met_from[start] = start
        chain = [start]
        for stone in chain:
            for beside in near[stone]:
                kind = position[beside]
                if kind == EMPTY:
                    break
                if kind == colour:
                    if beside not in met_from:
                        met_from[beside] = start
                        chain.append(beside)
                    elif met_from[beside] != start:
                        break  # a search that did not meet all of a chain has found its liberty
            else:
                continue
            break
        else:
            ours, theirs = names if colour == BLACK else names[::-1]
            edge = {beside for stone in chain for beside in near[stone]}.difference(chain)
            clause = liberty_clause(ours, theirs, chain, edge)
            clauses[tuple(sorted(clause))] = clause  # on a full board both colours may say the same
    return list(clauses.values())


def state_ranks(near: Near, formula: Formula, ours: Ints, theirs: Ints) -> None:
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
    for point, own in enumerate(np.split(way, starts_of(near))):
        if own.size:  # else no stone can stand there, by the rule for single stones
            ways = [*empty[near[point]].tolist(), *own.tolist()]
            formula.add(-int(ours[point]), *ways)
            formula.add(-int(theirs[point]), *ways)
    formula.less_than(way, rank[other], rank[cell])
