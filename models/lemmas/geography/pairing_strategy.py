"""The strategy of the second player: reply with the mate. One lemma about one step from any position, one about whole plays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from models.cnf import Formula
from models.lemmas.geography.concrete import beside, well_matched
from models.lemmas.geography.symbolic import WRITE_UP, Decoder, SymbolicGraph, graph_of, matching, tight_cover
from models.lemmas.lemma import Assignment, Counterexample, CounterexampleFormula, FormulaLemma, Lemma
from models.lemmas.logic import all_of, any_of, at_most_one, cell_names, new_variables, one_hot, true_index


def _strategy(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """A position of the strategy in which the first player has a move without a reply, or a reply that leaves the strategy.

    The strategy has a matching that leaves the start exposed. In its positions, all visited cells but the start are matched to each
    other, and the piece stands outside the tight cover. This holds at the start. It holds again after a move and the reply by the
    mate: that is claimed for every such position, not only for those that can be reached.
    """
    formula = Formula()
    graph = graph_of(formula, rows, columns)
    cells = len(graph.free)
    matched = matching(formula, graph, graph.free)
    cover = [] if without_hypothesis else tight_cover(formula, graph, graph.free, matched)
    visited, start, piece, move = (
        new_variables(formula, cells),
        one_hot(formula, cells),
        one_hot(formula, cells),
        one_hot(formula, cells),
    )
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
        stuck.append(all_of(formula, move[cell], *(-mate for mate in mates)))
        for number, other in around:
            stuck.append(all_of(formula, move[cell], matched[number], visited[other]))
            if cover:
                stuck.append(all_of(formula, move[cell], matched[number], cover[other]))
    formula.add(*stuck)
    decoder = Decoder(graph, columns)

    def decode(model: Assignment) -> Counterexample:
        details = {
            "mates": decoder.mates(model, matched),
            "visited": decoder.cells(model, visited),
            "piece": decoder.cell(model, piece),
            "moves": [decoder.cell(model, move)],
        }
        return Counterexample(decoder.rows(model), details)

    names = decoder.pairs(matched, "") + decoder.names(visited=visited, the_start=start, where_the_piece_is=piece, the_move=move)
    return CounterexampleFormula(formula, decode, names=names)


def _play(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """A whole play from an exposed cell, up to a move that has no reply."""
    formula = Formula()
    graph = graph_of(formula, rows, columns)
    cells = len(graph.free)
    matched = matching(formula, graph, graph.free)
    cover = [] if without_hypothesis else tight_cover(formula, graph, graph.free, matched)
    rounds = max(1, (cells + 1) // 2)
    last = one_hot(formula, rounds)
    piece = visited = one_hot(formula, cells)
    for cell, around in enumerate(graph.near):
        formula.add(-piece[cell], graph.free[cell])
        for number, _ in around:
            formula.add(-piece[cell], -matched[number])
    turns: list[Turn] = []
    for turn in range(rounds):
        going = any_of(formula, *last[turn:])
        now = Turn(going, last[turn], piece, visited, *(new_variables(formula, cells) for _ in range(3)))
        _turn(formula, graph, matched, now)
        turns.append(now)
        piece, visited = now.answer, now.after
    decoder = Decoder(graph, columns)

    def decode(model: Assignment) -> Counterexample:
        start = decoder.cell(model, turns[0].piece)
        played = [decoder.cell(model, turn.move) for turn in turns[: true_index(model, last) + 1]]
        details = {"mates": decoder.mates(model, matched), "visited": [start], "piece": start, "moves": played}
        return Counterexample(decoder.rows(model), details)

    names = decoder.pairs(matched, "") + decoder.names(the_start=turns[0].piece)
    for number, turn in enumerate(turns, 1):
        names += cell_names(turn.move, columns, f"move {number} goes to {{}}")
        names += cell_names(turn.answer, columns, f"answer {number} goes to {{}}")
    return CounterexampleFormula(formula, decode, lambda: _replies(graph, matched, cover, turns), names)


class Turn(NamedTuple):
    """A move and its reply. The lists have one variable for each cell.

    Attributes:
        going: the play has come to this turn.
        last: the play ends at this turn, with a move that has no reply.
        piece, visited: before the move, the piece is on the cell; the cell has been visited.
        move, answer: the move goes to the cell; the reply goes to the cell.
        after: after the reply, the cell has been visited.
    """

    going: int
    last: int
    piece: list[int]
    visited: list[int]
    move: list[int]
    answer: list[int]
    after: list[int]


def _turn(formula: Formula, graph: SymbolicGraph, matched: list[int], turn: Turn) -> None:
    """State one turn of the play."""
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


def _replies(graph: SymbolicGraph, matched: list[int], cover: list[int], turns: list[Turn]) -> Iterator[list[int]]:
    """The proof, turn by turn.

    The piece is outside the cover, so the move goes into the cover and the reply leaves it. Mates are visited together, so the mate
    of an unvisited cell is unvisited too.
    """
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


def _stuck(example: Counterexample) -> str:
    """Play the moves on the board, with the mate as reply, and say which move has none."""
    mates, visited, piece = example.details["mates"], set(example.details["visited"]), example.details["piece"]
    mate = dict(mates) | {other: one for one, other in mates}
    if not well_matched(example.rows, mates) or piece not in visited:
        return ""
    for row, column in example.details["moves"]:
        if example.rows[row][column] != "." or (row, column) in visited or not beside(piece, (row, column)):
            return ""
        piece = mate.get((row, column))
        if piece is None or piece in visited:
            why = "matched to nothing" if piece is None else "matched to a cell that was visited"
            return f"the move to {row + 1},{column + 1} has no answer, for the cell is {why}"
        visited |= {(row, column), piece}
    return ""


LEMMAS: tuple[Lemma, ...] = (
    FormulaLemma(
        name="geography-reply",
        puzzle="geography",
        statement="in every position of the pairing strategy each move has a reply, and the reply leads to another",
        source=WRITE_UP,
        quote="而另一端的点必然能够通过一条匹配边(必然存在,否则就不是最大匹配了)走回来",
        translation=(
            "and from the vertex at the other end one can always walk back along a matching edge (there must be one, or the "
            "matching would not be maximum)"
        ),
        size=16,
        build=_strategy,
        hypothesis="the matching is maximum",
        failure_on=_stuck,
    ),
    FormulaLemma(
        name="geography-play",
        puzzle="geography",
        statement="who starts on a cell that a maximum matching leaves out is the first to be stuck, however the play goes",
        source=WRITE_UP,
        quote="从这边不一定能找到一条边过去,但从那边却一定能找到一条边回来,显然某一刻无法再过去,那么就输了",
        translation=(
            "from this side there may be no edge to cross by, but from the other side there is always an edge back; "
            "clearly, at some moment one can no longer cross, and has lost"
        ),
        size=8,
        build=_play,
        hypothesis="the matching is maximum",
        failure_on=_stuck,
    ),
)
