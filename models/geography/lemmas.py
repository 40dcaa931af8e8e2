"""Who starts on a cell that some maximum matching leaves exposed loses, because every move has a
reply.

A formula states that a matching is maximum by a *tight cover*. That is a set of cells which holds
at least one end of every edge; each of its cells is matched, and no two of them to each other. By
König's theorem a matching of a grid has a tight cover if and only if it is maximum.
"""

from __future__ import annotations

from functools import cache
from itertools import permutations
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
    DetailReader,
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

WRITE_UP = (
    'TheLostWeak, "LOJ6033 棋盘游戏(二分图博弈)" (LOJ6033, Board Game: a game on a bipartite graph)'
)

MATCHINGS = (
    "direct:matching",
    "direct:hungarian",
    "models:cnf",
    "models:cnf-cover",
    "models:lp",
    "models:cpsat",
)

_Pair = tuple[BoardCell, BoardCell]


class Graph(SymbolicBoard):
    """A board whose open cells are unknown.

    Attributes:
        free: for each cell "it is open".
        one, other: the two cells of each pair of neighbours, in row-major order.
        pair: for each ordered pair of neighbours the index of its pair.
    """

    def __init__(self, rows: int, columns: int) -> None:
        super().__init__(rows, columns)
        self.free = self.variables("{} is open")
        ends = np.sort([self.here, self.there], axis=0)
        pairs, self.pair = np.unique(ends[0] * self.cells + ends[1], return_inverse=True)
        self.one, self.other = np.divmod(pairs, self.cells)

    def matching(self, free: Literals, suffix: str = "") -> Literals:
        """State a matching of the `free` cells: no cell is in two pairs.

        Returns for each pair "it is matched".
        """
        matched = self.new(len(self.one))
        self.formula.name(
            matched,
            f"{{}} and {{}} are matched{suffix}",
            np.stack([self.one, self.other], 1),
            auxiliary=True,
        )
        self.each(-matched, free[self.one])
        self.each(-matched, free[self.other])
        self.at_most_one(self.mates(matched))
        return matched

    def mates(self, matched: Literals) -> Literals:
        """For each cell the variables of the pairs that it is in."""
        return self.from_pairs(matched[self.pair])

    def tight_cover(self, free: Literals, matched: Literals) -> Literals:
        """State a tight cover, which proves the matching maximum.

        Returns for each cell "it is in the cover".
        """
        cover, one, other = self.new(self.cells), self.one, self.other
        self.each(-free[one], -free[other], cover[one], cover[other])
        self.each(-matched, -cover[one], -cover[other])
        self.each(-cover, self.mates(matched))
        return cover

    def read(self, model: Assignment) -> tuple[str, ...]:
        return rows_of(np.where(model[self.free], ".", "#").tolist(), self.columns)

    def pairs_of(self, matched: Literals) -> DetailReader:
        """Reads the matched pairs of cells."""
        return lambda model: [
            (divmod(one, self.columns), divmod(other, self.columns))
            for one, other in zip(
                self.one[model[matched]].tolist(), self.other[model[matched]].tolist(), strict=True
            )
        ]


def well_matched(rows: tuple[str, ...], mates: list[_Pair]) -> bool:
    """Whether the pairs are a matching: neighbours, both open, and no cell in two pairs."""
    ends = [cell for pair in mates for cell in pair]
    return (
        len(set(ends)) == len(ends)
        and all(other in around(one) for one, other in mates)
        and all(rows[r][c] == "." for r, c in ends)
    )


def wins_from(rows: tuple[str, ...], start: BoardCell) -> bool:
    """Whether the first mover wins, by searching the whole game."""
    free = frozenset(cell for cell, kind in characters_of(rows).items() if kind == ".")

    @cache
    def wins(piece: BoardCell, left: frozenset[BoardCell]) -> bool:
        return any(not wins(cell, left - {cell}) for cell in left.intersection(around(piece)))

    return wins(start, free - {start})


def _strategy(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """A position of the strategy in which the first player has a move without a reply, or a reply
    that leaves the strategy.

    The strategy has a matching that leaves the start exposed. In its positions, all visited cells
    but the start are matched to each other, and the piece is outside the tight cover. This
    holds at the start. It holds again after a move and the reply by the mate: that is claimed for
    every such position, not only for those that can be reached.
    """
    board = Graph(rows, columns)
    free, here, there = board.free, board.here, board.there
    matched = board.matching(free)
    move, piece = board.choose("{} is the move"), board.choose("{} is where the piece is")
    start, visited = board.choose("{} is the start"), board.variables("{} is visited")
    mates, mate = board.mates(matched), matched[board.pair]
    board.each(-visited, free)
    board.each(-start, visited)
    board.each(-piece, visited)
    board.each(-move, free)
    board.each(-move, -visited)
    board.each(-move, board.beside(piece))
    board.each(-visited, start, mates)
    board.each(-start[here], -mate)
    board.each(-visited[here], -mate, visited[there])
    bad = visited[there]
    if not without_hypothesis:
        cover = board.tight_cover(free, matched)
        board.each(-piece, -cover)
        bad = board.any_of(visited[there], cover[there])
    stuck = board.all_of(move, -mates), board.all_of(move[here], mate, bad)
    board.some(*stuck)
    return board.counterexamples(
        mates=board.pairs_of(matched),
        visited=board.cells_of(visited),
        piece=board.cell_of(piece),
        moves=lambda model: [board.cell_of(move)(model)],
    )


class Turn(NamedTuple):
    """A move and its reply. The arrays have one variable for each cell.

    Attributes:
        going: the play has come to this turn.
        last: the play ends at this turn, with a move that has no reply.
        piece, visited: before the move, the piece is on the cell; the cell has been visited.
        move, answer: the move goes to the cell; the reply goes to the cell.
        after: after the reply, the cell has been visited.
    """

    going: int
    last: int
    piece: Literals
    visited: Literals
    move: Literals
    answer: Literals
    after: Literals


def _play(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """A whole play from an exposed cell, up to a move that has no reply."""
    board = Graph(rows, columns)
    matched = board.matching(board.free)
    cover = board.new(0) if without_hypothesis else board.tight_cover(board.free, matched)
    last = board.exactly_one(board.new(max(1, (board.cells + 1) // 2)))
    start = piece = visited = board.choose("{} is the start")
    board.each(-start, board.free)
    board.each(-start[board.here], -matched[board.pair])
    turns: list[Turn] = []
    for number, ends in enumerate(last.tolist(), 1):
        (going,) = board.any_of(last[None, number - 1 :]).tolist()
        move, answer = (
            board.variables(f"{who} {number} goes to {{}}") for who in ("move", "answer")
        )
        turns.append(Turn(going, ends, piece, visited, move, answer, board.new(board.cells)))
        _turn(board, matched, turns[-1])
        piece, visited = answer, turns[-1].after

    def moves(model: Assignment) -> list[BoardCell]:
        return [board.cell_of(turn.move)(model) for turn in turns[: int(model[last].argmax()) + 1]]

    return board.counterexamples(
        lambda: _replies(board, matched, cover, turns),
        mates=board.pairs_of(matched),
        visited=board.cells_of(start),
        piece=board.cell_of(start),
        moves=moves,
    )


def _turn(board: Graph, matched: Literals, turn: Turn) -> None:
    """State one turn of the play."""
    going, last, piece, visited, move, answer, after = turn
    here, there, mates, mate = board.here, board.there, board.mates(matched), matched[board.pair]
    board.exactly_one(np.append(-going, move))
    board.each(-move, board.free)
    board.each(-move, -visited)
    board.each(-move, board.beside(piece))
    board.each(last, -move, mates)
    board.each(-answer, board.beside(move))
    board.each(-answer, -last)
    board.each(-last, -move[here], -mate, visited[there])
    board.each(last, -move[here], -mate, -visited[there])
    board.each(last, -move[here], -mate, answer[there])
    board.each(-answer[here], -move[there], mate)
    for part in (visited, move, answer):
        board.each(-part, after)
    board.each(-after, visited, move, answer)


def _replies(board: Graph, matched: Literals, cover: Literals, turns: list[Turn]) -> Steps:
    """The proof, turn by turn.

    The piece is outside the cover, so the move goes into the cover and the reply leaves it. Mates
    are visited together, so the mate of an unvisited cell is unvisited too.
    """
    here, there, mate = board.here, board.there, matched[board.pair]
    for before, now in zip([None, *turns], turns, strict=False):
        if before is not None:
            yield from clauses(-before.going, now.going)
            yield from clauses(-now.piece[here], -before.move[there], board.free[here])
            yield from clauses(-now.piece[here], -before.move[there], -cover[here])
            yield from clauses(-now.piece, board.free)
            yield from clauses(-before.answer[here], -mate, before.move[there])
        yield from clauses(-now.piece, -cover)
        yield from clauses(-now.move[here], -now.piece[there], cover[here])
        yield from clauses(-now.going, -now.visited[here], -mate, now.visited[there])
        yield from clauses(-now.move, cover)
        yield from clauses(-now.last, -now.move[here], -mate)
        yield from clauses(-now.last, -now.move)
        yield [-now.last]
    yield []


def _play_until_stuck(
    rows: tuple[str, ...],
    mates: list[_Pair],
    visited: list[BoardCell],
    piece: BoardCell,
    moves: list[BoardCell],
) -> str:
    """Play the moves on the board, with the mate as reply, and say which move has none."""
    mate, met = dict(mates) | {other: one for one, other in mates}, set(visited)
    if not well_matched(rows, mates) or piece not in met:
        return ""
    for move in moves:
        if rows[move[0]][move[1]] != "." or move in met or move not in around(piece):
            return ""
        if move not in mate or mate[move] in met:
            why = "a cell that was visited" if move in mate else "nothing"
            return f"the move to {place(move)} has no answer, for the cell is matched to {why}"
        piece = mate[move]
        met |= {move, piece}
    return ""


def _exclusive(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """A start cell with two certificates: one that the first mover loses from it, and one that the
    first mover wins.

    "Loses": a matching that leaves the start exposed, with a tight cover. "Wins": another matching,
    and a set of cells that does not contain the start. The set contains all exposed cells of that
    matching, and the mates of all neighbours of its members.
    """
    board = Graph(rows, columns)
    free, here, there = board.free, board.here, board.there
    loses, wins = (
        board.matching(free, ", and the start is left out"),
        board.matching(free, " by who wins"),
    )
    if not without_hypothesis:
        board.tight_cover(free, loses)
    members, start, mates = (
        board.variables("{} is of the set"),
        board.choose("{} is the start"),
        board.mates(wins),
    )
    board.each(-start, free)
    board.each(-start, -members)
    board.each(-members, free)
    board.each(-free, members, mates)
    board.each(-start[here], -loses[board.pair])
    board.each(-members[there], -free[here], mates[here])
    for one, other in permutations(range(4), 2):
        members_one, members_other = (board.beside(members)[:, side] for side in (one, other))
        board.each(
            -members_one,
            -mates[:, other],
            members_other,
            where=(members_one != 0) & (members_other != 0),
        )
    return board.counterexamples(
        start=board.cell_of(start),
        loses=board.pairs_of(loses),
        wins=board.pairs_of(wins),
        members=board.cells_of(members),
    )


def _both_certificates(
    rows: tuple[str, ...], start: BoardCell, loses: list[_Pair], **wins: object
) -> str:
    """Test the winning certificate by playing the game to its end, the losing one by whether the
    start is exposed.
    """
    if (
        not well_matched(rows, loses)
        or any(start in pair for pair in loses)
        or not wins_from(rows, start)
    ):
        return ""
    return (
        f"who starts at {place(start)} wins, and a matching that leaves the cell out says the "
        "opposite"
    )


def _one_less(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """A maximum matching of the board, and one of the board without some cell that is smaller by
    two pairs or more.
    """
    board = Graph(rows, columns)
    removed = board.choose("{} is taken away")
    board.each(-removed, board.free)
    left = board.all_of(board.free, -removed)
    before, after = board.matching(board.free, " before"), board.matching(left, " after")
    board.tight_cover(board.free, before)
    if not without_hypothesis:
        board.tight_cover(left, after)
    many, few = (board.unary_count(matched, board.cells // 2) for matched in (before, after))
    board.some(board.all_of(many[1:], -few[:-1]))
    return board.counterexamples(
        removed=board.cell_of(removed), before=board.pairs_of(before), after=board.pairs_of(after)
    )


def _two_less(
    rows: tuple[str, ...], removed: BoardCell, before: list[_Pair], after: list[_Pair]
) -> str:
    without = rows_of((characters_of(rows) | {removed: "#"}).values(), len(rows[0]))
    if (
        not well_matched(rows, before)
        or not well_matched(without, after)
        or len(after) >= len(before) - 1
    ):
        return ""
    return f"{len(before)} pairs, and {len(after)} without the cell at {place(removed)}"


def all_matchings(rows: int, columns: int) -> Formula:
    """A formula whose models are the matchings of a board without walls."""
    board = Graph(rows, columns)
    board.each(board.free)
    board.matching(board.free)
    return board.formula


LEMMAS = (
    FormulaLemma(
        name="geography-reply",
        statement="in every position of the pairing strategy each move has a reply, and the "
        "reply leads to another",
        source=WRITE_UP,
        quote="而另一端的点必然能够通过一条匹配边(必然存在,否则就不是最大匹配了)走回来",
        translation=(
            "and from the vertex at the other end one can always walk back along a matching edge "
            "(there must be one, or the matching would not be maximum)"
        ),
        dependents=MATCHINGS,
        size=16,
        build=_strategy,
        hypothesis="the matching is maximum",
        failure=_play_until_stuck,
    ),
    FormulaLemma(
        name="geography-play",
        statement="who starts on a cell that a maximum matching leaves out is the first to be "
        "stuck, however the play goes",
        source=WRITE_UP,
        quote="从这边不一定能找到一条边过去,但从那边却一定能找到一条边回来,显然某一刻无法再过去,那么就输了",
        translation=(
            "from this side there may be no edge to cross by, but from the other side there is "
            "always an edge back; clearly, at some moment one can no longer cross, and has lost"
        ),
        dependents=MATCHINGS,
        size=8,
        build=_play,
        hypothesis="the matching is maximum",
        failure=_play_until_stuck,
    ),
    FormulaLemma(
        name="geography-exclusive",
        statement="no cell has both a certificate that one loses from it and one that one wins",
        source=WRITE_UP,
        quote="一个点是必胜点,当且仅当去掉它之后二分图最大匹配数量会减少",
        translation="a cell is a winning one if and only if the size of the maximum bipartite "
        "matching falls when it is taken away",
        dependents=MATCHINGS,
        size=4,
        build=_exclusive,
        hypothesis="the matching that leaves the cell out is maximum",
        failure=_both_certificates,
    ),
    FormulaLemma(
        name="geography-one-less",
        statement="a cell taken away costs a maximum matching at most one pair",
        source=WRITE_UP,
        quote="显然减少的话只会减1",
        translation="if it falls, it clearly falls by just 1",
        size=4,
        build=_one_less,
        hypothesis="the matching of the smaller board is maximum",
        failure=_two_less,
    ),
    CountingLemma(
        name="geography-matchings",
        statement="the matchings of a grid are as many as in OEIS A028420",
        source="OEIS A028420",
        quote="Number of matchings in n X n grid graph: 1, 7, 131, 10012",
        size=16,
        largest_size=16,
        published={(1, 1): 1, (2, 2): 7, (3, 3): 131, (4, 4): 10012},
        build=all_matchings,
    ),
)
