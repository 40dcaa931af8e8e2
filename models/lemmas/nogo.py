"""What write-up 003 rests on: a point that is illegal once stays so, and liberties may be counted once for each stone."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np

from models.cnf import Formula
from models.lemmas.lemma import Claim, Count, Counterexample, Lemma, Model, Symbolic
from models.lemmas.logic import Near, below, both, chosen, count, either, grid, named, one_of, ranks, rows_of, some
from puzzles.nogo.board import Game, NoGo

WRITE_UP = "write-up 003 (Luogu P4997)"


class Position(NamedTuple):
    """Variables of a position, one a point."""

    black: list[int]
    white: list[int]
    stone: list[int]

    def names(self, columns: int, when: str) -> list[tuple[int, str]]:
        return named(self.black, columns, f"black at {{}} {when}") + named(self.white, columns, f"white at {{}} {when}")

    def read(self, model: Model, columns: int) -> tuple[str, ...]:
        return rows_of(
            "".join("X" if model[b] else "O" if model[w] else "." for b, w in zip(self.black, self.white, strict=True)), columns
        )


def _position(formula: Formula, cells: int) -> Position:
    made = Position(some(formula, cells), some(formula, cells), some(formula, cells))
    for black, white, stone in zip(*made, strict=True):
        formula.add(-black, -white)
        formula.add(-black, stone)
        formula.add(-white, stone)
        formula.add(-stone, black, white)
    return made


def _after(formula: Formula, before: Position, move: list[int], colour: int) -> Position:
    """The position once a stone was put; `colour` says that it is black."""
    made = _position(formula, len(move))
    for own, (earlier, later) in ((colour, (before.black, made.black)), (-colour, (before.white, made.white))):
        for there, now, put in zip(earlier, later, move, strict=True):
            formula.add(-there, now)
            formula.add(-put, -own, now)
            formula.add(-now, there, put)
            formula.add(-now, there, own)
    for put, there in zip(move, before.stone, strict=True):
        formula.add(-put, -there)
    return made


def _chain(formula: Formula, near: Near, position: Position, colour: int) -> list[int]:
    """A set of stones of one colour that has whatever stone of that colour is beside it; `colour` says that it is black."""
    members = some(formula, len(near))
    for cell, member in enumerate(members):
        formula.add(-member, -colour, position.black[cell])
        formula.add(-member, colour, position.white[cell])
        for beside in near[cell]:
            formula.add(-member, -colour, -position.black[beside], members[beside])
            formula.add(-member, colour, -position.white[beside], members[beside])
    return members


class Breath(NamedTuple):
    """How each stone comes to a liberty: by point a way for each neighbour, and the ranks that the ways go down."""

    ways: list[list[int]]
    rank: list[list[int]]


def _legal(formula: Formula, near: Near, position: Position) -> Breath:
    """Every stone has an empty point beside it, or a stone of its colour that is nearer to one."""
    rank = ranks(formula, len(near), len(near) - 1)
    ways = [some(formula, len(beside)) for beside in near]
    for cell, beside in enumerate(near):
        empty = [-position.stone[other] for other in beside]
        formula.add(-position.stone[cell], *empty, *ways[cell])  # a liberty, or a way
        for other, way in zip(beside, ways[cell], strict=True):
            formula.add(-way, -position.black[cell], position.black[other])
            formula.add(-way, -position.white[cell], position.white[other])
            below(formula, way, rank[other], rank[cell])
    return Breath(ways, rank)


def _permanence(rows: int, columns: int, dropped: bool) -> Symbolic:
    """A move by which some chain loses its last liberty, and a later position in which the same move leaves none without."""
    formula, near = Formula(), grid(rows, columns)
    cells = rows * columns
    earlier, later = _position(formula, cells), _position(formula, cells)
    move, colour = one_of(formula, cells), formula.new()
    if not dropped:
        for then, now in zip([*earlier.black, *earlier.white], [*later.black, *later.white], strict=True):
            formula.add(-then, now)
    illegal, legal = _after(formula, earlier, move, colour), _after(formula, later, move, colour)
    dead_is_black = formula.new()
    dead = _chain(formula, near, illegal, dead_is_black)
    formula.add(*dead)
    for cell, beside in enumerate(near):
        for other in beside:
            formula.add(-dead[cell], illegal.stone[other])
    breath = _legal(formula, near, legal)

    def script() -> Iterator[list[int]]:
        """No stone of the dead chain has a liberty later, its ways stay in it, so its ranks have no least one."""
        for own in ("black", "white", "stone"):
            for then, now in zip(getattr(illegal, own), getattr(legal, own), strict=True):
                yield [-then, now]
        for cell, (beside, ways) in enumerate(zip(near, breath.ways, strict=True)):
            for other, way in zip(beside, ways, strict=True):
                yield [-dead_is_black, -dead[cell], -way, dead[other]]
                yield [-dead[cell], -way, dead[other]]
            yield [-dead_is_black, -dead[cell], *ways]
            yield [-dead[cell], *ways]
        for least in range(cells - 1):
            for cell, ways in enumerate(breath.ways):
                for way in ways:
                    yield [-dead[cell], -way, breath.rank[cell][least]]
                yield [-dead[cell], breath.rank[cell][least]]
        for cell, ways in enumerate(breath.ways):
            for way in ways:
                yield [-dead[cell], -way]
            yield [-dead[cell]]
        yield []

    def decode(model: Model) -> Counterexample:
        told = {
            "later": later.read(model, columns),
            "move": divmod(chosen(model, move), columns),
            "colour": "X" if model[colour] else "O",
        }
        return Counterexample(earlier.read(model, columns), told)

    names = earlier.names(columns, "at first") + later.names(columns, "later")
    names += [*named(move, columns, "the move goes to {}"), (colour, "the move is black")]
    names += named(dead, columns, "the stone at {} is of a chain that the move leaves without a liberty at first")
    return Symbolic(formula, decode, script, names)


def _permanence_fails(found: Counterexample) -> str:
    (row, column), colour = found.told["move"], found.told["colour"]
    now, later = (_put(rows, row, column, colour) for rows in (found.rows, found.told["later"]))
    if not (now and later and _dead(now) and not _dead(later)):
        return ""
    return f"{colour} must not move to {row + 1},{column + 1} here, and may on {' / '.join(found.told['later'])}"


def _points(rows: tuple[str, ...]) -> dict[tuple[int, int], str]:
    return {(row, column): point for row, line in enumerate(rows) for column, point in enumerate(line)}


def _put(rows: tuple[str, ...], row: int, column: int, colour: str) -> dict[tuple[int, int], str]:
    """The points of the board with one more stone; none at all where the point is taken."""
    points = _points(rows)
    return points | {(row, column): colour} if points[row, column] == "." else {}


def _beside(points: dict[tuple[int, int], str], point: tuple[int, int]) -> list[tuple[int, int]]:
    row, column = point
    return [near for near in ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)) if near in points]


def _flood(points: dict[tuple[int, int], str], start: tuple[int, int]) -> list[tuple[int, int]]:
    """The chain of the stone."""
    chain = [start]
    for point in chain:
        chain += [near for near in _beside(points, point) if points[near] == points[start] and near not in chain]
    return chain


def _dead(points: dict[tuple[int, int], str]) -> bool:
    """Whether some chain has no liberty."""
    stones = [point for point, kind in points.items() if kind != "."]
    return any(all(points[near] != "." for member in _flood(points, stone) for near in _beside(points, member)) for stone in stones)


def _counted(rows: int, columns: int, dropped: bool, *, distinct: bool) -> Symbolic:
    """A chain, its liberties counted in some way, and a point where that count misleads on whether the chain would lose its last.

    The chain's stones beside the point are taken off its count, and what is left should be zero exactly where it has no
    empty point but this one.
    """
    formula, near = Formula(), grid(rows, columns)
    cells = rows * columns
    position, colour = _position(formula, cells), formula.new()
    chain, root, point = _chain(formula, near, position, colour), one_of(formula, cells), one_of(formula, cells)
    _connected(formula, near, chain, root)
    if not dropped:
        for there, at in zip(position.stone, point, strict=True):
            formula.add(-at, -there)
    pairs = [(cell, other) for cell, beside in enumerate(near) for other in beside]
    seen = [both(formula, chain[cell], -position.stone[other]) for cell, other in pairs]
    if distinct:
        around = {other: [edge for edge, (_, to) in zip(seen, pairs, strict=True) if to == other] for other in range(cells)}
        liberties = [either(formula, *edges) for edges in around.values() if edges]
    else:
        liberties = seen
    others = [both(formula, edge, -point[other]) for edge, (_, other) in zip(seen, pairs, strict=True)]
    other_liberty = either(formula, *others)
    taken: list[int] = []
    for down, right in ((-1, 0), (0, -1), (0, 1), (1, 0)):
        steps = [
            (row * columns + column, (row + down) * columns + column + right)
            for row, column in product(range(rows), range(columns))
            if 0 <= row + down < rows and 0 <= column + right < columns
        ]
        taken.append(either(formula, *(both(formula, point[at], chain[stone]) for at, stone in steps)))
    total, off = count(formula, liberties, 5), count(formula, taken, 4)
    alike: list[int] = []
    for k in range(max(len(total), len(off))):
        one, two = total[k : k + 1], off[k : k + 1]
        if one and two:
            differ = both(formula, one[0], -two[0]), both(formula, -one[0], two[0])
            alike += [-differ[0], -differ[1]]
        else:
            alike += [-literal for literal in one + two]
    zero = both(formula, *alike)
    formula.add(-zero, other_liberty)
    formula.add(zero, -other_liberty)

    def decode(model: Model) -> Counterexample:
        told = {"stone": divmod(chosen(model, root), columns), "point": divmod(chosen(model, point), columns)}
        return Counterexample(position.read(model, columns), told)

    names = [*position.names(columns, "before the move"), (colour, "the chain is black")]
    names += named(chain, columns, "the stone at {} is of the chain") + named(point, columns, "the point is {}")
    return Symbolic(formula, decode, names=names)


def _connected(formula: Formula, near: Near, members: list[int], root: list[int]) -> None:
    """The root is a member, and every other member has one beside it that is nearer to the root."""
    rank = ranks(formula, len(near), len(near) - 1)
    for cell, beside in enumerate(near):
        formula.add(-root[cell], members[cell])
        ways = some(formula, len(beside))
        formula.add(-members[cell], root[cell], *ways)
        for other, way in zip(beside, ways, strict=True):
            formula.add(-way, members[other])
            below(formula, way, rank[other], rank[cell])


def _counted_fails(found: Counterexample, *, distinct: bool) -> str:
    points = _points(found.rows)
    chain = _flood(points, found.told["stone"])
    edges = [near for stone in chain for near in _beside(points, stone) if points[near] == "."]
    liberties = len(set(edges)) if distinct else len(edges)
    taken = sum(found.told["point"] in _beside(points, stone) for stone in chain)
    last = set(edges) <= {found.told["point"]}
    if points[chain[0]] == "." or (liberties == taken) == last:
        return ""
    (row, column), (at, across) = chain[0], found.told["point"]
    left = "no liberty" if last else "a liberty"
    return f"the chain at {row + 1},{column + 1} counts {liberties}, less {taken} for {at + 1},{across + 1}, and is left {left}"


def _believed(board: NoGo) -> Game:
    """The game of somebody who counts liberties as distinct points and takes one off for each stone of the chain beside a move."""
    points = _points(tuple(board.lines()))
    moves: list[int] = []
    while True:
        colour = "XO"[len(moves) % 2]
        legal = (point for point, kind in points.items() if kind == "." and _seems_legal(points, point, colour))
        move = next(legal, None)
        if move is None:
            return Game(board, np.array(moves, np.int32))
        points[move] = colour
        moves.append(move[0] * board.columns + move[1])


def _seems_legal(points: dict[tuple[int, int], str], point: tuple[int, int], colour: str) -> bool:
    beside = _beside(points, point)
    lives = any(points[near] == "." for near in beside)
    for stone in beside:
        if points[stone] == ".":
            continue
        chain = _flood(points, stone)
        liberties = {near for member in chain for near in _beside(points, member) if points[near] == "."}
        left = len(liberties) - sum(near in chain for near in beside)
        if points[stone] != colour and left == 0:
            return False
        lives = lives or (points[stone] == colour and left != 0)
    return lives


def _positions(rows: int, columns: int) -> Formula:
    """The positions in which every chain has a liberty, without auxiliary variables.

    For each connected set of points and each colour: not all of the set is of that colour and all beside it of the other.
    """
    formula, near = Formula(), grid(rows, columns)
    colours = [(formula.new(), formula.new()) for _ in near]
    for black, white in colours:
        formula.add(-black, -white)
    found = {frozenset([cell]) for cell in range(len(near))}
    waiting = list(found)
    for points in waiting:
        edge = {beside for point in points for beside in near[point]} - points
        for own, other in ((0, 1), (1, 0)):
            formula.add(*(-colours[point][own] for point in points), *(-colours[point][other] for point in edge))
        larger = {points | {point} for point in edge} - found
        found |= larger
        waiting += larger
    return formula


LEMMAS: tuple[Claim, ...] = (
    Lemma(
        name="nogo-permanence",
        puzzle="nogo",
        statement="a move that is illegal once is illegal ever after",
        source=WRITE_UP,
        quote="如果一个位置上检查到不能放一种棋,那么以后也不能放这种棋",
        size=13,
        bar=13,
        state=_permanence,
        drops="no stone is ever taken off",
        fails=_permanence_fails,
    ),
    Lemma(
        name="nogo-liberties",
        puzzle="nogo",
        statement="counted once for each stone beside it, a chain's last liberty is told by the stones beside it",
        source=WRITE_UP,
        quote="一个联通块的气等于她每个棋子四周的空位数量之和",
        size=9,
        bar=9,
        state=partial(_counted, distinct=False),
        drops="the point is empty",
        fails=partial(_counted_fails, distinct=False),
    ),
    Lemma(
        name="nogo-distinct",
        puzzle="nogo",
        statement="liberties may as well be counted as distinct points, and one taken off for each stone beside a move",
        source=WRITE_UP,
        quote="如果棋子有两个方向上的相邻棋子属于同一个联通块,那么那个联通块的气-2",
        size=3,
        bar=3,
        holds=False,
        believed=_believed,
        state=partial(_counted, distinct=True),
        drops="the point is empty",
        fails=partial(_counted_fails, distinct=True),
    ),
    Count(
        name="nogo-positions",
        puzzle="nogo",
        statement="the positions in which every chain has a liberty are as many as published",
        source="J. Tromp and G. Farnebäck, Combinatorics of Go, 2006",
        quote="the number of legal positions",
        size=16,
        bar=16,
        published={
            (1, 1): 1,
            (2, 2): 57,
            (2, 3): 489,
            (2, 4): 4125,
            (3, 3): 12675,
            (3, 4): 321689,
            (4, 4): 24318165,
        },
        state=_positions,
    ),
)
