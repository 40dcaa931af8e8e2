"""What write-up 004 rests on: who starts on a cell that a maximum matching leaves out loses, for every move has a reply.

That a matching is maximum is stated by a tight cover: a set of cells with one end of every edge, each of them matched, no two to
each other. By König's theorem a matching of a grid has such a cover exactly where no other is larger.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import NamedTuple

from models.cnf import Formula
from models.lemmas.lemma import Claim, Count, Counterexample, Lemma, Model, Symbolic
from models.lemmas.logic import at_most_one, both, chosen, count, either, grid, named, one_of, rows_of, some

WRITE_UP = "write-up 004 (LOJ6033)"

Cell = tuple[int, int]


class Graph(NamedTuple):
    """A symbolic board: whether each cell is open; the pairs of neighbours, and by cell (pair, other cell)."""

    free: list[int]
    pairs: list[Cell]
    near: list[list[Cell]]


def _board(formula: Formula, rows: int, columns: int) -> Graph:
    beside = grid(rows, columns)
    pairs = [(cell, other) for cell, others in enumerate(beside) for other in others if cell < other]
    near: list[list[Cell]] = [[] for _ in beside]
    for number, (one, other) in enumerate(pairs):
        near[one].append((number, other))
        near[other].append((number, one))
    return Graph(some(formula, rows * columns), pairs, near)


def _matching(formula: Formula, graph: Graph, free: list[int]) -> list[int]:
    """For each pair whether it is matched: both open, no cell in two pairs."""
    matched = some(formula, len(graph.pairs))
    for pair, ends in zip(matched, graph.pairs, strict=True):
        for end in ends:
            formula.add(-pair, free[end])
    for around in graph.near:
        at_most_one(formula, [matched[number] for number, _ in around])
    return matched


def _cover(formula: Formula, graph: Graph, free: list[int], matched: list[int]) -> list[int]:
    """For each cell whether it is in a tight cover, which proves the matching maximum."""
    cover = some(formula, len(free))
    for (one, other), pair in zip(graph.pairs, matched, strict=True):
        formula.add(-free[one], -free[other], cover[one], cover[other])
        formula.add(-pair, -cover[one], -cover[other])
    for cell, around in enumerate(graph.near):
        formula.add(-cover[cell], *(matched[number] for number, _ in around))
    return cover


class Drawn(NamedTuple):
    """How a model is read."""

    graph: Graph
    columns: int

    def names(self, **choices: list[int]) -> list[tuple[int, str]]:
        """Names for the open cells, and for what else is said of each cell."""
        made = named(self.graph.free, self.columns, "{} is open")
        for what, variables in choices.items():
            made += named(variables, self.columns, f"{{}} is {what.replace('_', ' ')}")
        return made

    def pairs(self, matched: list[int], what: str) -> list[tuple[int, str]]:
        """Names for a matching's pairs."""
        places = [[f"{cell // self.columns + 1},{cell % self.columns + 1}" for cell in pair] for pair in self.graph.pairs]
        return [(pair, f"{one} and {other} are matched{what}") for pair, (one, other) in zip(matched, places, strict=True)]

    def rows(self, model: Model) -> tuple[str, ...]:
        return rows_of("".join(".#"[not model[cell]] for cell in self.graph.free), self.columns)

    def cell(self, model: Model, choice: list[int]) -> Cell:
        return divmod(chosen(model, choice), self.columns)

    def cells(self, model: Model, members: list[int]) -> list[Cell]:
        return [divmod(cell, self.columns) for cell, member in enumerate(members) if model[member]]

    def mates(self, model: Model, matched: list[int]) -> list[tuple[Cell, Cell]]:
        return [
            (divmod(one, self.columns), divmod(other, self.columns))
            for (one, other), pair in zip(self.graph.pairs, matched, strict=True)
            if model[pair]
        ]


def _strategy(rows: int, columns: int, dropped: bool) -> Symbolic:
    """A position of the loser's strategy in which the first player has a move that the strategy does not answer.

    The strategy holds a matching that leaves the start out. All cells visited but the start are matched to one another, and
    the piece stands outside the cover: so it is at the start. After a move and its answer by the mate so it is again, which
    is stated here of an arbitrary position, not only of those that come about.
    """
    formula = Formula()
    graph = _board(formula, rows, columns)
    cells = len(graph.free)
    matched = _matching(formula, graph, graph.free)
    cover = [] if dropped else _cover(formula, graph, graph.free, matched)
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
    graph = _board(formula, rows, columns)
    cells = len(graph.free)
    matched = _matching(formula, graph, graph.free)
    cover = [] if dropped else _cover(formula, graph, graph.free, matched)
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


def _beside(one: Cell, other: Cell) -> bool:
    return abs(one[0] - other[0]) + abs(one[1] - other[1]) == 1


def _well_matched(rows: tuple[str, ...], mates: list[tuple[Cell, Cell]]) -> bool:
    """Whether the pairs are open neighbours and no cell is in two of them."""
    ends = [cell for pair in mates for cell in pair]
    return len(set(ends)) == len(ends) and all(_beside(*pair) for pair in mates) and all(rows[r][c] == "." for r, c in ends)


def _stuck(found: Counterexample) -> str:
    """The moves played on the board, each answered by the mate."""
    mates, visited, piece = found.told["mates"], set(found.told["visited"]), found.told["piece"]
    mate = dict(mates) | {other: one for one, other in mates}
    if not _well_matched(found.rows, mates) or piece not in visited:
        return ""
    for row, column in found.told["moves"]:
        if found.rows[row][column] != "." or (row, column) in visited or not _beside(piece, (row, column)):
            return ""
        piece = mate.get((row, column))
        if piece is None or piece in visited:
            why = "matched to nothing" if piece is None else "matched to a cell that was visited"
            return f"the move to {row + 1},{column + 1} has no answer, for the cell is {why}"
        visited |= {(row, column), piece}
    return ""


def _exclusive(rows: int, columns: int, dropped: bool) -> Symbolic:
    """A cell with a certificate that one loses there, and one that one wins.

    It loses: a matching that leaves it out, with a tight cover. It wins: another matching and a set of cells without it, which
    holds all cells that this matching leaves out, and whatever the neighbours of its members are matched to.
    """
    formula = Formula()
    graph = _board(formula, rows, columns)
    free, cells = graph.free, rows * columns
    loses, wins = _matching(formula, graph, free), _matching(formula, graph, free)
    if not dropped:
        _cover(formula, graph, free, loses)
    members, start = some(formula, cells), one_of(formula, cells)
    for cell, around in enumerate(graph.near):
        mates = [wins[number] for number, _ in around]
        formula.add(-start[cell], free[cell])
        formula.add(-start[cell], -members[cell])
        formula.add(-members[cell], free[cell])
        formula.add(-free[cell], members[cell], *mates)
        for number, other in around:
            formula.add(-start[cell], -loses[number])
            formula.add(-members[other], -free[cell], *mates)
            for beyond, far in around:
                if far != other:
                    formula.add(-members[other], -wins[beyond], members[far])
    drawn = Drawn(graph, columns)

    def decode(model: Model) -> Counterexample:
        told = {
            "start": drawn.cell(model, start),
            "loses": drawn.mates(model, loses),
            "wins": drawn.mates(model, wins),
            "members": drawn.cells(model, members),
        }
        return Counterexample(drawn.rows(model), told)

    names = drawn.names(the_start=start, of_the_set=members)
    names += drawn.pairs(loses, ", and the start is left out") + drawn.pairs(wins, " by who wins")
    return Symbolic(formula, decode, names=names)


def _both(found: Counterexample) -> str:
    """The winning certificate judged by playing the game to its end, the losing one by what it leaves out."""
    start, told = found.told["start"], found.told
    if not _well_matched(found.rows, told["loses"]) or any(start in pair for pair in told["loses"]):
        return ""
    if not _wins(found.rows, start):
        return ""
    return f"who starts at {start[0] + 1},{start[1] + 1} wins, and a matching that leaves the cell out says the opposite"


def _wins(rows: tuple[str, ...], start: Cell) -> bool:
    """Whether the first mover wins, by looking through the game."""
    free = frozenset((r, c) for r, line in enumerate(rows) for c, kind in enumerate(line) if kind == ".")

    @cache
    def wins(piece: Cell, left: frozenset[Cell]) -> bool:
        return any(not wins(cell, left - {cell}) for cell in left if _beside(piece, cell))

    return wins(start, free - {start})


def _one_less(rows: int, columns: int, dropped: bool) -> Symbolic:
    """A maximum matching, and one of the board without some cell that is smaller by two or more and maximum there."""
    formula = Formula()
    graph = _board(formula, rows, columns)
    free, cells = graph.free, rows * columns
    gone = one_of(formula, cells)
    left = [both(formula, cell, -taken) for cell, taken in zip(free, gone, strict=True)]
    for cell, taken in zip(free, gone, strict=True):
        formula.add(-taken, cell)
    before, after = _matching(formula, graph, free), _matching(formula, graph, left)
    _cover(formula, graph, free, before)
    if not dropped:
        _cover(formula, graph, left, after)
    many, few = count(formula, before, cells // 2), count(formula, after, cells // 2)
    formula.add(*(both(formula, many[k + 1], -few[k]) for k in range(len(many) - 1)))
    drawn = Drawn(graph, columns)

    def decode(model: Model) -> Counterexample:
        told = {"gone": drawn.cell(model, gone), "before": drawn.mates(model, before), "after": drawn.mates(model, after)}
        return Counterexample(drawn.rows(model), told)

    names = drawn.names(taken_away=gone) + drawn.pairs(before, " before") + drawn.pairs(after, " after")
    return Symbolic(formula, decode, names=names)


def _two_less(found: Counterexample) -> str:
    (row, column), before, after = found.told["gone"], found.told["before"], found.told["after"]
    without = tuple(line[:column] + "#" + line[column + 1 :] if r == row else line for r, line in enumerate(found.rows))
    if not _well_matched(found.rows, before) or not _well_matched(without, after) or len(after) >= len(before) - 1:
        return ""
    return f"{len(before)} pairs, and {len(after)} without the cell at {row + 1},{column + 1}"


def _matchings(rows: int, columns: int) -> Formula:
    """The matchings of a board without walls."""
    formula = Formula()
    pairs = sorted((cell, other) for cell, beside in enumerate(grid(rows, columns)) for other in beside if cell < other)
    matched = some(formula, len(pairs))
    for first, second in combinations(range(len(pairs)), 2):
        if set(pairs[first]) & set(pairs[second]):
            formula.add(-matched[first], -matched[second])
    return formula


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
    Lemma(
        name="geography-exclusive",
        puzzle="geography",
        statement="no cell has both a certificate that one loses from it and one that one wins",
        source=WRITE_UP,
        quote="一个点是必胜点,当且仅当去掉它之后二分图最大匹配数量会减少",
        size=4,
        bar=4,
        state=_exclusive,
        drops="the matching that leaves the cell out is maximum",
        fails=_both,
    ),
    Lemma(
        name="geography-one-less",
        puzzle="geography",
        statement="a cell taken away costs a maximum matching at most one pair",
        source=WRITE_UP,
        quote="显然减少的话只会减1",
        size=4,
        bar=4,
        state=_one_less,
        drops="the matching of the smaller board is maximum",
        fails=_two_less,
    ),
    Count(
        name="geography-matchings",
        puzzle="geography",
        statement="the matchings of a grid are as many as published",
        source="OEIS A028420",
        quote="Number of matchings in n X n grid graph: 1, 7, 131, 10012",
        size=16,
        bar=16,
        published={(1, 1): 1, (2, 2): 7, (3, 3): 131, (4, 4): 10012},
        state=_matchings,
    ),
)
