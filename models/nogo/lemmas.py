"""What the P4997 write-up rests on: a move that is illegal once stays illegal, and liberties may be
counted once for each stone.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from compare.commands.prove.lemma import (
    Assignment,
    CounterexampleFormula,
    CountingLemma,
    FormulaLemma,
)
from compare.commands.prove.symbolic import (
    BoardCell,
    Literals,
    Steps,
    SymbolicBoard,
    around,
    characters_of,
    clauses,
    place,
    rows_of,
)
from models.cnf import Formula
from puzzles.nogo.board import Game, NoGo

WRITE_UP = 'a write-up of Luogu P4997, "题解 P4997 【不围棋】" (Solution of P4997, NoGo)'


class Position(NamedTuple):
    """The variables of a position, in each array one for each point."""

    black: Literals
    white: Literals
    stone: Literals


class Points(SymbolicBoard):
    """Variables of positions on one board. `position` is the one of the counterexample."""

    def __init__(self, rows: int, columns: int, when: str) -> None:
        super().__init__(rows, columns)
        self.position = self.position_when(when)

    def position_when(self, when: str) -> Position:
        """State a position: each point is empty, black or white."""
        black, white = (
            self.variables(f"black at {{}} {when}"),
            self.variables(f"white at {{}} {when}"),
        )
        stone = self.new(self.cells)
        self.each(-black, -white)
        self.each(-black, stone)
        self.each(-white, stone)
        self.each(-stone, black, white)
        return Position(black, white, stone)

    def after_move(self, before: Position, move: Literals, colour: int, when: str) -> Position:
        """State the position after a move; the literal `colour` says that the move is black."""
        after = self.position_when(when)
        for own, then, now in (
            (colour, before.black, after.black),
            (-colour, before.white, after.white),
        ):
            self.each(-then, now)
            self.each(-move, -own, now)
            self.each(-now, then, move)
            self.each(-now, then, own)
        self.each(-move, -before.stone)
        return after

    def chains(self, position: Position, colour: int, text: str) -> Literals:
        """State a set of whole chains of one colour; the literal `colour` says that it is black."""
        members, here, there = self.variables(text), self.here, self.there
        for own, stones in ((colour, position.black), (-colour, position.white)):
            self.each(-members, -own, stones)
            self.each(-members[here], -own, -stones[there], members[there])
        return members

    def ways(self, members: Literals, ends: Literals) -> tuple[Literals, Literals]:
        """State that each member is next to an end or has a way to another cell beside, which is
        nearer to one.

        Args:
            ends: for each cell the literals of which one makes it an end.

        Returns:
            For each ordered pair of neighbours "there is a way from here to there"; for each cell
            its rank, which falls along ways.
        """
        rank, way = self.ranks(self.cells, self.cells - 1), self.new(len(self.here))
        self.each(-members, ends, self.from_pairs(way))
        self.less_than(way, rank[self.there], rank[self.here])
        return way, rank

    def read(self, model: Assignment) -> tuple[str, ...]:
        return self.read_position(self.position, model)

    def read_position(self, position: Position, model: Assignment) -> tuple[str, ...]:
        kinds = np.where(model[position.black], "X", np.where(model[position.white], "O", "."))
        return rows_of(kinds.tolist(), self.columns)


Characters = dict[BoardCell, str]
"""The points of a position."""


def put(rows: tuple[str, ...], point: BoardCell, colour: str) -> Characters:
    """The points of the board with one more stone; empty if the point is occupied."""
    points = characters_of(rows)
    return points | {point: colour} if points[point] == "." else {}


def beside_of(points: Characters, point: BoardCell) -> list[BoardCell]:
    """The points beside a point."""
    return [near for near in around(point) if near in points]


def flood(points: Characters, start: BoardCell) -> list[BoardCell]:
    """The chain of a stone."""
    chain = [start]
    for point in chain:
        chain += [
            near
            for near in beside_of(points, point)
            if points[near] == points[start] and near not in chain
        ]
    return chain


def liberties_of(points: Characters, chain: list[BoardCell]) -> list[BoardCell]:
    """The empty points beside a chain, each as often as stones of the chain are beside it."""
    return [near for stone in chain for near in beside_of(points, stone) if points[near] == "."]


def some_dead(points: Characters) -> bool:
    """Whether some chain has no liberty."""
    return any(
        kind != "." and not liberties_of(points, flood(points, stone))
        for stone, kind in points.items()
    )


def _permanence(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """A move that takes the last liberty of some chain, and a later position in which the same move
    is legal.
    """
    board = Points(rows, columns, "at first")
    earlier, later = board.position, board.position_when("later")
    move, (colour,) = board.choose("the move goes to {}"), board.new(1).tolist()
    board.formula.name([colour], "the move is black", auxiliary=True)
    if not without_hypothesis:
        board.each(-earlier.black, later.black)
        board.each(-earlier.white, later.white)
    illegal = board.after_move(earlier, move, colour, "after the move at first")
    legal = board.after_move(later, move, colour, "after the move later")
    here, there, (dead_is_black,) = board.here, board.there, board.new(1).tolist()
    dead = board.chains(
        illegal,
        dead_is_black,
        "the stone at {} is of a chain that the move leaves without a liberty at first",
    )
    board.some(dead)
    board.each(-dead[here], illegal.stone[there])
    way, rank = board.ways(legal.stone, -board.beside(legal.stone))
    for stones in (legal.black, legal.white):
        board.each(-way, -stones[here], stones[there])

    def script() -> Steps:
        """Later, no stone of the dead chain has a liberty.

        So all its ways stay in the chain, and its ranks have no least one.
        """
        for then, now in zip(illegal, legal, strict=True):
            yield from clauses(-then, now)
        yield from clauses(-dead_is_black, -dead[here], -way, dead[there])
        yield from clauses(-dead[here], -way, dead[there])
        yield from clauses(-dead_is_black, -dead, board.from_pairs(way))
        yield from clauses(-dead, board.from_pairs(way))
        for least in rank.T:
            yield from clauses(-dead[here], -way, least[here])
            yield from clauses(-dead, least)
        yield from clauses(-dead[here], -way)
        yield from clauses(-dead)
        yield []

    return board.counterexamples(
        script,
        later=partial(board.read_position, later),
        move=board.cell_of(move),
        colour=lambda model: "X" if model[colour] else "O",
    )


def _permanence_failure(
    rows: tuple[str, ...], later: tuple[str, ...], move: BoardCell, colour: str
) -> str:
    here, there = (put(position, move, colour) for position in (rows, later))
    if not (here and there and some_dead(here) and not some_dead(there)):
        return ""
    return f"{colour} must not move to {place(move)} here, and may on {' / '.join(later)}"


def _count_liberties(
    rows: int, columns: int, without_hypothesis: bool, *, distinct: bool
) -> CounterexampleFormula:
    """A chain, its liberties counted in one of the two ways, and a point at which the count
    misleads.

    The number of the chain's stones beside the point is subtracted from the count. The result
    should be zero if and only if the chain has no other liberty than this point.
    """
    board = Points(rows, columns, "before the move")
    stone, here, there, (colour,) = (
        board.position.stone,
        board.here,
        board.there,
        board.new(1).tolist(),
    )
    board.formula.name([colour], "the chain is black", auxiliary=True)
    chain = board.chains(board.position, colour, "the stone at {} is of the chain")
    root, point = board.choose("{} is the root"), board.choose("the point is {}")
    board.each(-root, chain)
    way, _ = board.ways(chain, root)  # every other member has a neighbour nearer to the root
    board.each(-way, chain[there])
    if not without_hypothesis:
        board.each(-point, -stone)
    seen = board.all_of(chain[here], -stone[there])
    liberties = (
        board.any_of(board.from_pairs(board.all_of(chain[there], -stone[here])))
        if distinct
        else seen
    )
    others = board.all_of(seen, -point[there])
    other_liberty = board.any_of(others[None])
    stones_beside = board.any_of(
        board.from_pairs(board.all_of(point[here], chain[there])).T
    )  # on each of its four sides
    total, off = board.unary_count(liberties, 5), board.unary_count(stones_beside, 4)
    both = min(len(total), len(off))
    more, less = board.all_of(total[:both], -off[:both]), board.all_of(-total[:both], off[:both])
    equal = -np.concatenate([more, less, total[both:], off[both:]])
    board.equal(board.all_of(equal[None]), other_liberty)
    return board.counterexamples(stone=board.cell_of(root), point=board.cell_of(point))


def _counted_failure(
    rows: tuple[str, ...], stone: BoardCell, point: BoardCell, *, distinct: bool
) -> str:
    points = characters_of(rows)
    chain = flood(points, stone)
    edges = liberties_of(points, chain)
    liberties = len(set(edges)) if distinct else len(edges)
    stones_beside = sum(point in beside_of(points, each) for each in chain)
    last = set(edges) <= {point}
    if points[chain[0]] == "." or (liberties == stones_beside) == last:
        return ""
    count = f"counts {liberties}, less {stones_beside} for {place(point)}"
    return f"the chain at {place(chain[0])} {count}, and is left {'no' if last else 'a'} liberty"


def _naive_game(board: NoGo) -> Game:
    """The game of a solver that counts liberties as distinct points and subtracts one for each
    stone of the chain next to a move.
    """
    points = characters_of(tuple(board.lines()))
    moves: list[int] = []
    while True:
        colour = "XO"[len(moves) % 2]
        move = next(
            (
                point
                for point, kind in points.items()
                if kind == "." and _seems_legal(points, point, colour)
            ),
            None,
        )
        if move is None:
            return Game(board, np.array(moves, np.int32))
        points[move] = colour
        moves.append(move[0] * board.columns + move[1])


def _seems_legal(points: Characters, point: BoardCell, colour: str) -> bool:
    beside = beside_of(points, point)
    lives = any(points[near] == "." for near in beside)
    for stone in beside:
        if points[stone] == ".":
            continue
        chain = flood(points, stone)
        left = len(set(liberties_of(points, chain))) - sum(near in chain for near in beside)
        if points[stone] != colour and left == 0:
            return False
        lives = lives or (points[stone] == colour and left != 0)
    return lives


def legal_positions(rows: int, columns: int) -> Formula:
    """The positions in which every chain has a liberty, without auxiliary variables.

    For each connected set of points and each colour: the set is not a chain of this colour that the
    other colour surrounds.
    """
    board = SymbolicBoard(rows, columns)
    colours = board.new(2 * board.cells).reshape(board.cells, 2)
    board.each(-colours)
    near = [set(beside) - {-1} for beside in board.near.tolist()]
    connected_sets = {frozenset([cell]) for cell in range(board.cells)}
    waiting = list(connected_sets)
    for points in waiting:
        edge = {beside for point in points for beside in near[point]} - points
        for own, other in (colours.T, colours.T[::-1]):
            board.some(-own[list(points)], -other[list(edge)])
        larger = {points | {point} for point in edge} - connected_sets
        connected_sets |= larger
        waiting += larger
    return board.formula


LEMMAS = (
    FormulaLemma(
        name="nogo-permanence",
        statement="a move that is illegal once is illegal ever after",
        source=WRITE_UP,
        quote="如果一个位置上检查到不能放一种棋,那么以后也不能放这种棋",
        translation="if a point is once found to be forbidden for a colour, that colour may "
        "never be played there later either",
        dependents=("direct:union-find", "models:cnf-monotone", "models:cnf-onecall"),
        size=13,
        build=_permanence,
        hypothesis="no stone is ever taken off",
        failure=_permanence_failure,
    ),
    FormulaLemma(
        name="nogo-liberties",
        statement="a chain has lost its last liberty when its count is 0; the count has each "
        "liberty once for each stone beside it",
        source=WRITE_UP,
        quote="一个联通块的气等于她每个棋子四周的空位数量之和",
        translation="the liberties of a chain are the sum of the empty points around each of "
        "its stones",
        dependents=("direct:union-find",),
        size=9,
        build=partial(_count_liberties, distinct=False),
        hypothesis="the point is empty",
        failure=partial(_counted_failure, distinct=False),
    ),
    FormulaLemma(
        name="nogo-distinct",
        statement="the same holds if the count has each liberty once, and a move takes off one "
        "for each stone beside it",
        source=WRITE_UP,
        quote="如果棋子有两个方向上的相邻棋子属于同一个联通块,那么那个联通块的气-2",
        translation="if a stone's neighbours in two directions belong to the same chain, that "
        "chain's liberties fall by 2",
        size=3,
        expected_to_hold=False,
        naive_answer=_naive_game,
        build=partial(_count_liberties, distinct=True),
        hypothesis="the point is empty",
        failure=partial(_counted_failure, distinct=True),
    ),
    CountingLemma(
        name="nogo-positions",
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
