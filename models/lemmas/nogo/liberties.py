"""Liberties counted once for each stone beside them, as the write-up does, and as distinct points, as it must not."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np

from models.cnf import Formula
from models.lemmas.lemma import Claim, Counterexample, Lemma, Model, Symbolic
from models.lemmas.logic import Near, below, both, chosen, count, either, grid, named, one_of, ranks, some
from models.lemmas.nogo.plain import beside_of, flood, points_of
from models.lemmas.nogo.symbolic import WRITE_UP, chain_of, position_of
from puzzles.nogo.board import Game, NoGo


def _counted(rows: int, columns: int, dropped: bool, *, distinct: bool) -> Symbolic:
    """A chain, its liberties counted in some way, and a point where that count misleads on whether the chain would lose its last.

    The chain's stones beside the point are taken off its count, and what is left should be zero exactly where it has no
    empty point but this one.
    """
    formula, near = Formula(), grid(rows, columns)
    cells = rows * columns
    position, colour = position_of(formula, cells), formula.new()
    chain, root, point = chain_of(formula, near, position, colour), one_of(formula, cells), one_of(formula, cells)
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
    points = points_of(found.rows)
    chain = flood(points, found.told["stone"])
    edges = [near for stone in chain for near in beside_of(points, stone) if points[near] == "."]
    liberties = len(set(edges)) if distinct else len(edges)
    taken = sum(found.told["point"] in beside_of(points, stone) for stone in chain)
    last = set(edges) <= {found.told["point"]}
    if points[chain[0]] == "." or (liberties == taken) == last:
        return ""
    (row, column), (at, across) = chain[0], found.told["point"]
    left = "no liberty" if last else "a liberty"
    return f"the chain at {row + 1},{column + 1} counts {liberties}, less {taken} for {at + 1},{across + 1}, and is left {left}"


def _believed(board: NoGo) -> Game:
    """The game of somebody who counts liberties as distinct points and takes one off for each stone of the chain beside a move."""
    points = points_of(tuple(board.lines()))
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


LEMMAS: tuple[Claim, ...] = (
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
)
