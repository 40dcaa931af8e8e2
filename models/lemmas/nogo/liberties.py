"""Two ways to count liberties: once for each stone beside them, as the write-up does; and as distinct points, which misleads."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np

from models.cnf import Formula
from models.lemmas.lemma import Assignment, Counterexample, CounterexampleFormula, FormulaLemma, Lemma
from models.lemmas.logic import (
    Near,
    all_of,
    any_of,
    cell_names,
    cells_beside,
    less_than,
    new_variables,
    one_hot,
    ranks,
    true_index,
    unary_count,
)
from models.lemmas.nogo.concrete import beside_of, flood, points_of
from models.lemmas.nogo.symbolic import WRITE_UP, chain_of, position_of
from puzzles.nogo.board import Game, NoGo


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
    points = points_of(example.rows)
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


LEMMAS: tuple[Lemma, ...] = (
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
