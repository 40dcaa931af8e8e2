"""The strategy of the player who moves second: reply with the mate. One step of it from any position, and whole plays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from models.cnf import Formula
from models.lemmas.geography.plain import beside, well_matched
from models.lemmas.geography.symbolic import WRITE_UP, Drawn, Graph, board_of, matching, tight_cover
from models.lemmas.lemma import Claim, Counterexample, Lemma, Model, Symbolic
from models.lemmas.logic import at_most_one, both, chosen, either, named, one_of, some


def _strategy(rows: int, columns: int, dropped: bool) -> Symbolic:
    """A position of the loser's strategy in which the first player has a move that the strategy does not answer.

    The strategy holds a matching that leaves the start out. All cells visited but the start are matched to one another, and
    the piece stands outside the cover: so it is at the start. After a move and its answer by the mate so it is again, which
    is stated here of an arbitrary position, not only of those that come about.
    """
    formula = Formula()
    graph = board_of(formula, rows, columns)
    cells = len(graph.free)
    matched = matching(formula, graph, graph.free)
    cover = [] if dropped else tight_cover(formula, graph, graph.free, matched)
    visited, start, piece, move = some(formula, cells), one_of(formula, cells), one_of(formula, cells), one_of(formula, cells)
    stuck: list[int] = []
    for cell, around in enumerate(graph.near):
        formula.add(-visited[cell], graph.free[cell])
        formula.add(-start[cell], visited[cell])
        formula.add(-piece[cell], visited[cell])
        formula.add(-move[cell], graph.free[cell])
        formula.add(-move[cell], -visited[cell])
        formula.add(-move[cell], *(piece[other] for _, other in around))
        formula.add(-visited[cell], start[cell], *(matched[number] for number, _ in around))
        for number, other in around:
            formula.add(-start[cell], -matched[number])
            formula.add(-visited[cell], -matched[number], visited[other])
        if cover:
            formula.add(-piece[cell], -cover[cell])
        mates = [matched[number] for number, _ in around]
        stuck.append(both(formula, move[cell], *(-mate for mate in mates)))
        for number, other in around:
            stuck.append(both(formula, move[cell], matched[number], visited[other]))
            if cover:
                stuck.append(both(formula, move[cell], matched[number], cover[other]))
    formula.add(*stuck)
    drawn = Drawn(graph, columns)

    def decode(model: Model) -> Counterexample:
        told = {
            "mates": drawn.mates(model, matched),
            "visited": drawn.cells(model, visited),
            "piece": drawn.cell(model, piece),
            "moves": [drawn.cell(model, move)],
        }
        return Counterexample(drawn.rows(model), told)

    names = drawn.pairs(matched, "") + drawn.names(visited=visited, the_start=start, where_the_piece_is=piece, the_move=move)
    return Symbolic(formula, decode, names=names)


def _play(rows: int, columns: int, dropped: bool) -> Symbolic:
    """A whole play from a cell that the matching leaves out, up to a move that the strategy does not answer."""
    formula = Formula()
    graph = board_of(formula, rows, columns)
    cells = len(graph.free)
    matched = matching(formula, graph, graph.free)
    cover = [] if dropped else tight_cover(formula, graph, graph.free, matched)
    rounds = max(1, (cells + 1) // 2)
    last = one_of(formula, rounds)
    piece = visited = one_of(formula, cells)
    for cell, around in enumerate(graph.near):
        formula.add(-piece[cell], graph.free[cell])
        for number, _ in around:
            formula.add(-piece[cell], -matched[number])
    turns: list[Turn] = []
    for turn in range(rounds):
        going = either(formula, *last[turn:])
        now = Turn(going, last[turn], piece, visited, *(some(formula, cells) for _ in range(3)))
        _turn(formula, graph, matched, now)
        turns.append(now)
        piece, visited = now.answer, now.after
    drawn = Drawn(graph, columns)

    def decode(model: Model) -> Counterexample:
        start = drawn.cell(model, turns[0].piece)
        played = [drawn.cell(model, turn.move) for turn in turns[: chosen(model, last) + 1]]
        told = {"mates": drawn.mates(model, matched), "visited": [start], "piece": start, "moves": played}
        return Counterexample(drawn.rows(model), told)

    names = drawn.pairs(matched, "") + drawn.names(the_start=turns[0].piece)
    for number, turn in enumerate(turns, 1):
        names += named(turn.move, columns, f"move {number} goes to {{}}")
        names += named(turn.answer, columns, f"answer {number} goes to {{}}")
    return Symbolic(formula, decode, lambda: _replies(graph, matched, cover, turns), names)


class Turn(NamedTuple):
    """A move and its answer.

    Attributes:
        going: the play has come so far.
        last: it ends here, with a move that has no answer.
        piece, visited: by cell, before the move.
        move, answer: by cell, where the piece goes.
        after: by cell, what is visited then.
    """

    going: int
    last: int
    piece: list[int]
    visited: list[int]
    move: list[int]
    answer: list[int]
    after: list[int]


def _turn(formula: Formula, graph: Graph, matched: list[int], turn: Turn) -> None:
    at_most_one(formula, turn.move)
    formula.add(-turn.going, *turn.move)
    for cell, around in enumerate(graph.near):
        move, answer = turn.move[cell], turn.answer[cell]
        mates = [matched[number] for number, _ in around]
        formula.add(-move, turn.going)
        formula.add(-move, graph.free[cell])
        formula.add(-move, -turn.visited[cell])
        formula.add(-move, *(turn.piece[other] for _, other in around))
        formula.add(turn.last, -move, *mates)
        formula.add(-answer, *(turn.move[other] for _, other in around))
        formula.add(-answer, -turn.last)
        for mate, (_, other) in zip(mates, around, strict=True):
            formula.add(-turn.last, -move, -mate, turn.visited[other])
            formula.add(turn.last, -move, -mate, -turn.visited[other])
            formula.add(turn.last, -move, -mate, turn.answer[other])
            formula.add(-answer, -turn.move[other], mate)
        for part in (turn.visited[cell], move, answer):
            formula.add(-part, turn.after[cell])
        formula.add(-turn.after[cell], turn.visited[cell], move, answer)


def _replies(graph: Graph, matched: list[int], cover: list[int], turns: list[Turn]) -> Iterator[list[int]]:
    """Turn by turn: the piece is outside the cover, so the move goes into it and the answer out of it; and mates are visited
    together, so that the mate of a cell never visited was not visited either."""
    around = [[(matched[number], other) for number, other in row] for row in graph.near]
    cells = range(len(graph.free))
    for turn, now in enumerate(turns):
        for cell in cells:
            piece = now.piece[cell]
            if turn:
                before = turns[turn - 1]
                for _, other in around[cell]:
                    yield [-piece, -before.move[other], graph.free[cell]]
                    yield [-piece, -before.move[other], -cover[cell]]
                yield [-piece, graph.free[cell]]
            yield [-piece, -cover[cell]]
        for cell in cells:
            for mate, other in around[cell]:
                yield [-now.move[cell], -now.piece[other], cover[cell]]
                if turn:
                    yield [-turns[turn - 1].answer[cell], -mate, turns[turn - 1].move[other]]
                yield [-now.going, -now.visited[cell], -mate, now.visited[other]]
            yield [-now.move[cell], cover[cell]]
        for cell in cells:
            for mate, _ in around[cell]:
                yield [-now.last, -now.move[cell], -mate]
            yield [-now.last, -now.move[cell]]
        yield [-now.last]
        if turn + 1 < len(turns):
            yield [-turns[turn + 1].going, now.going]
    yield []


def _stuck(found: Counterexample) -> str:
    """The moves played on the board, each answered by the mate."""
    mates, visited, piece = found.told["mates"], set(found.told["visited"]), found.told["piece"]
    mate = dict(mates) | {other: one for one, other in mates}
    if not well_matched(found.rows, mates) or piece not in visited:
        return ""
    for row, column in found.told["moves"]:
        if found.rows[row][column] != "." or (row, column) in visited or not beside(piece, (row, column)):
            return ""
        piece = mate.get((row, column))
        if piece is None or piece in visited:
            why = "matched to nothing" if piece is None else "matched to a cell that was visited"
            return f"the move to {row + 1},{column + 1} has no answer, for the cell is {why}"
        visited |= {(row, column), piece}
    return ""


LEMMAS: tuple[Claim, ...] = (
    Lemma(
        name="geography-reply",
        puzzle="geography",
        statement="in every position of the pairing strategy each move has a reply, and the reply leads to another",
        source=WRITE_UP,
        quote="而另一端的点必然能够通过一条匹配边(必然存在,否则就不是最大匹配了)走回来",
        size=16,
        bar=16,
        state=_strategy,
        drops="the matching is maximum",
        fails=_stuck,
    ),
    Lemma(
        name="geography-play",
        puzzle="geography",
        statement="who starts on a cell that a maximum matching leaves out is the first to be stuck, however the play goes",
        source=WRITE_UP,
        quote="从这边不一定能找到一条边过去,但从那边却一定能找到一条边回来,显然某一刻无法再过去,那么就输了",
        size=8,
        bar=8,
        state=_play,
        drops="the matching is maximum",
        fails=_stuck,
    ),
)
