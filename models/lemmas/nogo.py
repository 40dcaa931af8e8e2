"""What the P4997 write-up rests on: a move that is illegal once stays illegal, and liberties may be counted once for each stone."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np

from models.cnf import Formula
from models.lemmas.lemma import Assignment, Counterexample, CounterexampleFormula, CountingLemma, FormulaLemma, Lemma
from models.lemmas.logic import (
    Cell,
    Characters,
    Near,
    all_of,
    any_of,
    cell_names,
    cells_beside,
    characters_of,
    less_than,
    new_variables,
    one_hot,
    ranks,
    rows_of,
    true_index,
    unary_count,
)
from puzzles.nogo.board import Game, NoGo

WRITE_UP = 'a write-up of Luogu P4997, "题解 P4997 【不围棋】" (Solution of P4997, NoGo)'


class SymbolicPosition(NamedTuple):
    """The variables of a position, in each list one for each point."""

    black: list[int]
    white: list[int]
    stone: list[int]

    def names(self, columns: int, when: str) -> list[tuple[int, str]]:
        return cell_names(self.black, columns, f"black at {{}} {when}") + cell_names(self.white, columns, f"white at {{}} {when}")

    def read(self, model: Assignment, columns: int) -> tuple[str, ...]:
        return rows_of(
            "".join("X" if model[b] else "O" if model[w] else "." for b, w in zip(self.black, self.white, strict=True)), columns
        )


def position_of(formula: Formula, cells: int) -> SymbolicPosition:
    """State a position: each point is empty, black or white."""
    position = SymbolicPosition(new_variables(formula, cells), new_variables(formula, cells), new_variables(formula, cells))
    for black, white, stone in zip(*position, strict=True):
        formula.add(-black, -white)
        formula.add(-black, stone)
        formula.add(-white, stone)
        formula.add(-stone, black, white)
    return position


def after_move(formula: Formula, before: SymbolicPosition, move: list[int], colour: int) -> SymbolicPosition:
    """State the position after a move; the literal `colour` says that the move is black."""
    after = position_of(formula, len(move))
    for own, (earlier, later) in ((colour, (before.black, after.black)), (-colour, (before.white, after.white))):
        for there, now, put in zip(earlier, later, move, strict=True):
            formula.add(-there, now)
            formula.add(-put, -own, now)
            formula.add(-now, there, put)
            formula.add(-now, there, own)
    for put, there in zip(move, before.stone, strict=True):
        formula.add(-put, -there)
    return after


def chain_of(formula: Formula, near: Near, position: SymbolicPosition, colour: int) -> list[int]:
    """State a set of whole chains of one colour; the literal `colour` says that it is black. For each point "it is in the set"."""
    members = new_variables(formula, len(near))
    for cell, member in enumerate(members):
        formula.add(-member, -colour, position.black[cell])
        formula.add(-member, colour, position.white[cell])
        for beside in near[cell]:
            formula.add(-member, -colour, -position.black[beside], members[beside])
            formula.add(-member, colour, -position.white[beside], members[beside])
    return members


def put(rows: tuple[str, ...], row: int, column: int, colour: str) -> Characters:
    """The points of the board with one more stone; empty if the point is occupied."""
    points = characters_of(rows)
    return points | {(row, column): colour} if points[row, column] == "." else {}


def beside_of(points: Characters, point: Cell) -> list[Cell]:
    """The points beside a point."""
    row, column = point
    return [near for near in ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)) if near in points]


def flood(points: Characters, start: Cell) -> list[Cell]:
    """The chain of a stone."""
    chain = [start]
    for point in chain:
        chain += [near for near in beside_of(points, point) if points[near] == points[start] and near not in chain]
    return chain


def some_dead(points: Characters) -> bool:
    """Whether some chain has no liberty."""
    stones = [point for point, kind in points.items() if kind != "."]
    chains = (flood(points, stone) for stone in stones)
    return any(all(points[near] != "." for member in chain for near in beside_of(points, member)) for chain in chains)


class Support(NamedTuple):
    """How each stone is connected to a liberty.

    Attributes:
        ways: for each point and neighbour, "the way to a liberty goes over this neighbour".
        rank: for each point a number that falls along the ways.
    """

    ways: list[list[int]]
    rank: list[list[int]]


def _legal(formula: Formula, near: Near, position: SymbolicPosition) -> Support:
    """State that every stone has an empty point beside it, or a stone of its colour that is nearer to one."""
    rank = ranks(formula, len(near), len(near) - 1)
    ways = [new_variables(formula, len(beside)) for beside in near]
    for cell, beside in enumerate(near):
        empty = [-position.stone[other] for other in beside]
        formula.add(-position.stone[cell], *empty, *ways[cell])
        for other, way in zip(beside, ways[cell], strict=True):
            formula.add(-way, -position.black[cell], position.black[other])
            formula.add(-way, -position.white[cell], position.white[other])
            less_than(formula, way, rank[other], rank[cell])
    return Support(ways, rank)


def _permanence(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """A move that takes the last liberty of some chain, and a later position in which the same move is legal."""
    formula, near = Formula(), cells_beside(rows, columns)
    cells = rows * columns
    earlier, later = position_of(formula, cells), position_of(formula, cells)
    move, colour = one_hot(formula, cells), formula.new()
    if not without_hypothesis:
        for then, now in zip([*earlier.black, *earlier.white], [*later.black, *later.white], strict=True):
            formula.add(-then, now)
    illegal, legal = after_move(formula, earlier, move, colour), after_move(formula, later, move, colour)
    dead_is_black = formula.new()
    dead = chain_of(formula, near, illegal, dead_is_black)
    formula.add(*dead)
    for cell, beside in enumerate(near):
        for other in beside:
            formula.add(-dead[cell], illegal.stone[other])
    support = _legal(formula, near, legal)

    def script() -> Iterator[list[int]]:
        """Later, no stone of the dead chain has a liberty. So all its ways stay in the chain, and its ranks have no least one."""
        for own in ("black", "white", "stone"):
            for then, now in zip(getattr(illegal, own), getattr(legal, own), strict=True):
                yield [-then, now]
        for cell, (beside, ways) in enumerate(zip(near, support.ways, strict=True)):
            for other, way in zip(beside, ways, strict=True):
                yield [-dead_is_black, -dead[cell], -way, dead[other]]
                yield [-dead[cell], -way, dead[other]]
            yield [-dead_is_black, -dead[cell], *ways]
            yield [-dead[cell], *ways]
        for least in range(cells - 1):
            for cell, ways in enumerate(support.ways):
                for way in ways:
                    yield [-dead[cell], -way, support.rank[cell][least]]
                yield [-dead[cell], support.rank[cell][least]]
        for cell, ways in enumerate(support.ways):
            for way in ways:
                yield [-dead[cell], -way]
            yield [-dead[cell]]
        yield []

    def decode(model: Assignment) -> Counterexample:
        details = {
            "later": later.read(model, columns),
            "move": divmod(true_index(model, move), columns),
            "colour": "X" if model[colour] else "O",
        }
        return Counterexample(earlier.read(model, columns), details)

    names = earlier.names(columns, "at first") + later.names(columns, "later")
    names += [*cell_names(move, columns, "the move goes to {}"), (colour, "the move is black")]
    names += cell_names(dead, columns, "the stone at {} is of a chain that the move leaves without a liberty at first")
    return CounterexampleFormula(formula, decode, script, names)


def _permanence_failure(example: Counterexample) -> str:
    (row, column), colour = example.details["move"], example.details["colour"]
    now, later = (put(rows, row, column, colour) for rows in (example.rows, example.details["later"]))
    if not (now and later and some_dead(now) and not some_dead(later)):
        return ""
    return f"{colour} must not move to {row + 1},{column + 1} here, and may on {' / '.join(example.details['later'])}"


_PERMANENCE: tuple[Lemma, ...] = (
    FormulaLemma(
        name="nogo-permanence",
        puzzle="nogo",
        statement="a move that is illegal once is illegal ever after",
        source=WRITE_UP,
        quote="如果一个位置上检查到不能放一种棋,那么以后也不能放这种棋",
        translation="if a point is once found to be forbidden for a colour, that colour may never be played there later either",
        size=13,
        build=_permanence,
        hypothesis="no stone is ever taken off",
        failure_on=_permanence_failure,
    ),
)


def _counted(rows: int, columns: int, without_hypothesis: bool, *, distinct: bool) -> CounterexampleFormula:
    """A chain, its liberties counted in one of the two ways, and a point at which the count misleads.

    The number of the chain's stones beside the point is subtracted from the count. The result should be zero if and only if the
    chain has no other liberty than this point.
    """
    formula, near = Formula(), cells_beside(rows, columns)
    cells = rows * columns
    position, colour = position_of(formula, cells), formula.new()
    chain, root, point = chain_of(formula, near, position, colour), one_hot(formula, cells), one_hot(formula, cells)
    _connected(formula, near, chain, root)
    if not without_hypothesis:
        for there, at in zip(position.stone, point, strict=True):
            formula.add(-at, -there)
    pairs = [(cell, other) for cell, beside in enumerate(near) for other in beside]
    seen = [all_of(formula, chain[cell], -position.stone[other]) for cell, other in pairs]
    if distinct:
        around = {other: [edge for edge, (_, to) in zip(seen, pairs, strict=True) if to == other] for other in range(cells)}
        liberties = [any_of(formula, *edges) for edges in around.values() if edges]
    else:
        liberties = seen
    others = [all_of(formula, edge, -point[other]) for edge, (_, other) in zip(seen, pairs, strict=True)]
    other_liberty = any_of(formula, *others)
    stones_beside: list[int] = []
    for down, right in ((-1, 0), (0, -1), (0, 1), (1, 0)):
        steps = [
            (row * columns + column, (row + down) * columns + column + right)
            for row, column in product(range(rows), range(columns))
            if 0 <= row + down < rows and 0 <= column + right < columns
        ]
        stones_beside.append(any_of(formula, *(all_of(formula, point[at], chain[stone]) for at, stone in steps)))
    total, off = unary_count(formula, liberties, 5), unary_count(formula, stones_beside, 4)
    equal: list[int] = []
    for k in range(max(len(total), len(off))):
        one, two = total[k : k + 1], off[k : k + 1]
        if one and two:
            differ = all_of(formula, one[0], -two[0]), all_of(formula, -one[0], two[0])
            equal += [-differ[0], -differ[1]]
        else:
            equal += [-literal for literal in one + two]
    zero = all_of(formula, *equal)
    formula.add(-zero, other_liberty)
    formula.add(zero, -other_liberty)

    def decode(model: Assignment) -> Counterexample:
        details = {"stone": divmod(true_index(model, root), columns), "point": divmod(true_index(model, point), columns)}
        return Counterexample(position.read(model, columns), details)

    names = [*position.names(columns, "before the move"), (colour, "the chain is black")]
    names += cell_names(chain, columns, "the stone at {} is of the chain") + cell_names(point, columns, "the point is {}")
    return CounterexampleFormula(formula, decode, names=names)


def _connected(formula: Formula, near: Near, members: list[int], root: list[int]) -> None:
    """State that the members are connected: the root is a member, and every other member has a neighbour nearer to the root."""
    rank = ranks(formula, len(near), len(near) - 1)
    for cell, beside in enumerate(near):
        formula.add(-root[cell], members[cell])
        ways = new_variables(formula, len(beside))
        formula.add(-members[cell], root[cell], *ways)
        for other, way in zip(beside, ways, strict=True):
            formula.add(-way, members[other])
            less_than(formula, way, rank[other], rank[cell])


def _counted_failure(example: Counterexample, *, distinct: bool) -> str:
    points = characters_of(example.rows)
    chain = flood(points, example.details["stone"])
    edges = [near for stone in chain for near in beside_of(points, stone) if points[near] == "."]
    liberties = len(set(edges)) if distinct else len(edges)
    stones_beside = sum(example.details["point"] in beside_of(points, stone) for stone in chain)
    last = set(edges) <= {example.details["point"]}
    if points[chain[0]] == "." or (liberties == stones_beside) == last:
        return ""
    (row, column), (at, across) = chain[0], example.details["point"]
    left = "no liberty" if last else "a liberty"
    count = f"counts {liberties}, less {stones_beside} for {at + 1},{across + 1}"
    return f"the chain at {row + 1},{column + 1} {count}, and is left {left}"


def _naive_game(board: NoGo) -> Game:
    """The game of somebody who counts liberties as distinct points and subtracts one for each stone of the chain beside a move."""
    points = characters_of(tuple(board.lines()))
    moves: list[int] = []
    while True:
        colour = "XO"[len(moves) % 2]
        legal = (point for point, kind in points.items() if kind == "." and _seems_legal(points, point, colour))
        move = next(legal, None)
        if move is None:
            return Game(board, np.array(moves, np.int32))
        points[move] = colour
        moves.append(move[0] * board.columns + move[1])


def _seems_legal(points: Characters, point: Cell, colour: str) -> bool:
    beside = beside_of(points, point)
    lives = any(points[near] == "." for near in beside)
    for stone in beside:
        if points[stone] == ".":
            continue
        chain = flood(points, stone)
        liberties = {near for member in chain for near in beside_of(points, member) if points[near] == "."}
        left = len(liberties) - sum(near in chain for near in beside)
        if points[stone] != colour and left == 0:
            return False
        lives = lives or (points[stone] == colour and left != 0)
    return lives


_LIBERTIES: tuple[Lemma, ...] = (
    FormulaLemma(
        name="nogo-liberties",
        puzzle="nogo",
        statement="a chain has lost its last liberty when its count is 0; the count has each liberty once for each stone beside it",
        source=WRITE_UP,
        quote="一个联通块的气等于她每个棋子四周的空位数量之和",
        translation="the liberties of a chain are the sum of the empty points around each of its stones",
        size=9,
        build=partial(_counted, distinct=False),
        hypothesis="the point is empty",
        failure_on=partial(_counted_failure, distinct=False),
    ),
    FormulaLemma(
        name="nogo-distinct",
        puzzle="nogo",
        statement="the same holds if the count has each liberty once, and a move takes off one for each stone beside it",
        source=WRITE_UP,
        quote="如果棋子有两个方向上的相邻棋子属于同一个联通块,那么那个联通块的气-2",
        translation="if a stone's neighbours in two directions belong to the same chain, that chain's liberties fall by 2",
        size=3,
        expected_to_hold=False,
        naive_answer=_naive_game,
        build=partial(_counted, distinct=True),
        hypothesis="the point is empty",
        failure_on=partial(_counted_failure, distinct=True),
    ),
)


def legal_positions(rows: int, columns: int) -> Formula:
    """The positions in which every chain has a liberty, without auxiliary variables.

    For each connected set of points and each colour: the set is not a chain of this colour that the other colour surrounds.
    """
    formula, near = Formula(), cells_beside(rows, columns)
    colours = [(formula.new(), formula.new()) for _ in near]
    for black, white in colours:
        formula.add(-black, -white)
    connected_sets = {frozenset([cell]) for cell in range(len(near))}
    waiting = list(connected_sets)
    for points in waiting:
        edge = {beside for point in points for beside in near[point]} - points
        for own, other in ((0, 1), (1, 0)):
            formula.add(*(-colours[point][own] for point in points), *(-colours[point][other] for point in edge))
        larger = {points | {point} for point in edge} - connected_sets
        connected_sets |= larger
        waiting += larger
    return formula


_POSITIONS: tuple[Lemma, ...] = (
    CountingLemma(
        name="nogo-positions",
        puzzle="nogo",
        statement="the positions in which every chain has a liberty are as many as published",
        source="J. Tromp and G. Farnebäck, Combinatorics of Go, 2006",
        quote="the number of legal positions",
        size=16,
        largest_size=16,
        published={
            (1, 1): 1,
            (2, 2): 57,
            (2, 3): 489,
            (2, 4): 4125,
            (3, 3): 12675,
            (3, 4): 321689,
            (4, 4): 24318165,
        },
        build=legal_positions,
    ),
)

LEMMAS = _PERMANENCE + _LIBERTIES + _POSITIONS
