"""Who starts on a cell that some maximum matching leaves exposed loses, because every move has a reply.

A formula states that a matching is maximum by a *tight cover*. That is a set of cells which holds at least one end of every edge;
each of its cells is matched, and no two of them to each other. By König's theorem a matching of a grid has a tight cover if and
only if it is maximum.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import NamedTuple

from models.cnf import Formula
from models.lemmas.lemma import Assignment, Counterexample, CounterexampleFormula, CountingLemma, FormulaLemma, Lemma
from models.lemmas.logic import (
    Cell,
    all_of,
    any_of,
    at_most_one,
    cell_names,
    cells_beside,
    characters_of,
    new_variables,
    one_hot,
    rows_of,
    true_index,
    unary_count,
)

WRITE_UP = 'TheLostWeak, "LOJ6033 棋盘游戏(二分图博弈)" (LOJ6033, Board Game: a game on a bipartite graph)'


class SymbolicGraph:
    """A board whose open cells are unknown, and the formula that speaks of it.

    Attributes:
        formula: the clauses so far; the methods add to it.
        columns: of the board.
        cells: how many cells it has.
        free: for each cell the variable "it is open".
        pairs: all pairs of neighbours.
        near: for each cell its neighbours, as (index of the pair, other cell).
    """

    def __init__(self, rows: int, columns: int) -> None:
        self.formula, self.columns, self.cells = Formula(), columns, rows * columns
        self.free = new_variables(self.formula, self.cells)
        beside = cells_beside(rows, columns)
        self.pairs = [(cell, other) for cell, others in enumerate(beside) for other in others if cell < other]
        self.near: list[list[tuple[int, int]]] = [[] for _ in beside]
        for number, (one, other) in enumerate(self.pairs):
            self.near[one].append((number, other))
            self.near[other].append((number, one))

    def around(self, matched: list[int]) -> Iterator[list[int]]:
        """For each cell the variables of a matching about its pairs."""
        return ([matched[number] for number, _ in near] for near in self.near)

    def matching(self, free: list[int]) -> list[int]:
        """State a matching of the `free` cells: no cell is in two pairs. Returns for each pair "it is matched"."""
        matched = new_variables(self.formula, len(self.pairs))
        for pair, ends in zip(matched, self.pairs, strict=True):
            for end in ends:
                self.formula.add(-pair, free[end])
        for mates in self.around(matched):
            at_most_one(self.formula, mates)
        return matched

    def tight_cover(self, free: list[int], matched: list[int]) -> list[int]:
        """State a tight cover, which proves the matching maximum. Returns for each cell "it is in the cover"."""
        cover = new_variables(self.formula, len(free))
        for (one, other), pair in zip(self.pairs, matched, strict=True):
            self.formula.add(-free[one], -free[other], cover[one], cover[other])
            self.formula.add(-pair, -cover[one], -cover[other])
        for covered, mates in zip(cover, self.around(matched), strict=True):
            self.formula.add(-covered, *mates)
        return cover

    def names(self, **choices: list[int]) -> list[tuple[int, str]]:
        """Names for the open cells, and for further choices: the keyword says what the chosen cells are."""
        names = cell_names(self.free, self.columns, "{} is open")
        for what, variables in choices.items():
            names += cell_names(variables, self.columns, f"{{}} is {what.replace('_', ' ')}")
        return names

    def pair_names(self, matched: list[int], suffix: str = "") -> list[tuple[int, str]]:
        """Names for the pairs of a matching."""
        places = [[f"{cell // self.columns + 1},{cell % self.columns + 1}" for cell in pair] for pair in self.pairs]
        return [(pair, f"{one} and {other} are matched{suffix}") for pair, (one, other) in zip(matched, places, strict=True)]

    def rows(self, model: Assignment) -> tuple[str, ...]:
        """The rows of a model's board."""
        return rows_of("".join(".#"[not model[cell]] for cell in self.free), self.columns)

    def chosen(self, model: Assignment, choice: list[int]) -> Cell:
        """The chosen cell."""
        return divmod(true_index(model, choice), self.columns)

    def members(self, model: Assignment, members: list[int]) -> list[Cell]:
        """The cells of a set."""
        return [divmod(cell, self.columns) for cell, member in enumerate(members) if model[member]]

    def mates(self, model: Assignment, matched: list[int]) -> list[tuple[Cell, Cell]]:
        """The matched pairs of cells."""
        return [
            (divmod(one, self.columns), divmod(other, self.columns))
            for (one, other), pair in zip(self.pairs, matched, strict=True)
            if model[pair]
        ]


def beside(one: Cell, other: Cell) -> bool:
    """Whether two cells are neighbours."""
    return abs(one[0] - other[0]) + abs(one[1] - other[1]) == 1


def well_matched(rows: tuple[str, ...], mates: list[tuple[Cell, Cell]]) -> bool:
    """Whether the pairs are a matching: neighbours, both open, and no cell in two pairs."""
    ends = [cell for pair in mates for cell in pair]
    return len(set(ends)) == len(ends) and all(beside(*pair) for pair in mates) and all(rows[r][c] == "." for r, c in ends)


def wins_from(rows: tuple[str, ...], start: Cell) -> bool:
    """Whether the first mover wins, by searching the whole game."""
    free = frozenset(cell for cell, kind in characters_of(rows).items() if kind == ".")

    @cache
    def wins(piece: Cell, left: frozenset[Cell]) -> bool:
        return any(not wins(cell, left - {cell}) for cell in left if beside(piece, cell))

    return wins(start, free - {start})


def _exclusive(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """A start cell with two certificates: one that the first mover loses from it, and one that the first mover wins.

    "Loses": a matching that leaves the start exposed, with a tight cover. "Wins": another matching, and a set of cells that does
    not contain the start. The set contains all exposed cells of that matching, and the mates of all neighbours of its members.
    """
    graph = SymbolicGraph(rows, columns)
    formula, free, cells = graph.formula, graph.free, graph.cells
    loses, wins = graph.matching(free), graph.matching(free)
    if not without_hypothesis:
        graph.tight_cover(free, loses)
    members, start = new_variables(formula, cells), one_hot(formula, cells)
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

    def decode(model: Assignment) -> Counterexample:
        details = {
            "start": graph.chosen(model, start),
            "loses": graph.mates(model, loses),
            "wins": graph.mates(model, wins),
            "members": graph.members(model, members),
        }
        return Counterexample(graph.rows(model), details)

    names = graph.names(the_start=start, of_the_set=members)
    names += graph.pair_names(loses, ", and the start is left out") + graph.pair_names(wins, " by who wins")
    return CounterexampleFormula(formula, decode, names=names)


def _both_certificates(example: Counterexample) -> str:
    """Test the winning certificate by playing the game to its end, the losing one by whether the start is exposed."""
    start, details = example.details["start"], example.details
    if not well_matched(example.rows, details["loses"]) or any(start in pair for pair in details["loses"]):
        return ""
    if not wins_from(example.rows, start):
        return ""
    return f"who starts at {start[0] + 1},{start[1] + 1} wins, and a matching that leaves the cell out says the opposite"


def _one_less(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """A maximum matching of the board, and one of the board without some cell that is smaller by two pairs or more."""
    graph = SymbolicGraph(rows, columns)
    formula, free, cells = graph.formula, graph.free, graph.cells
    removed = one_hot(formula, cells)
    left = [all_of(formula, cell, -taken) for cell, taken in zip(free, removed, strict=True)]
    for cell, taken in zip(free, removed, strict=True):
        formula.add(-taken, cell)
    before, after = graph.matching(free), graph.matching(left)
    graph.tight_cover(free, before)
    if not without_hypothesis:
        graph.tight_cover(left, after)
    many, few = unary_count(formula, before, cells // 2), unary_count(formula, after, cells // 2)
    formula.add(*(all_of(formula, many[k + 1], -few[k]) for k in range(len(many) - 1)))

    def decode(model: Assignment) -> Counterexample:
        details = {
            "removed": graph.chosen(model, removed),
            "before": graph.mates(model, before),
            "after": graph.mates(model, after),
        }
        return Counterexample(graph.rows(model), details)

    names = graph.names(taken_away=removed) + graph.pair_names(before, " before") + graph.pair_names(after, " after")
    return CounterexampleFormula(formula, decode, names=names)


def _two_less(example: Counterexample) -> str:
    (row, column), before, after = example.details["removed"], example.details["before"], example.details["after"]
    without = tuple(line[:column] + "#" + line[column + 1 :] if r == row else line for r, line in enumerate(example.rows))
    if not well_matched(example.rows, before) or not well_matched(without, after) or len(after) >= len(before) - 1:
        return ""
    return f"{len(before)} pairs, and {len(after)} without the cell at {row + 1},{column + 1}"


_CERTIFICATES: tuple[Lemma, ...] = (
    FormulaLemma(
        name="geography-exclusive",
        puzzle="geography",
        statement="no cell has both a certificate that one loses from it and one that one wins",
        source=WRITE_UP,
        quote="一个点是必胜点,当且仅当去掉它之后二分图最大匹配数量会减少",
        translation="a cell is a winning one if and only if the size of the maximum bipartite matching falls when it is taken away",
        size=4,
        build=_exclusive,
        hypothesis="the matching that leaves the cell out is maximum",
        failure_on=_both_certificates,
    ),
    FormulaLemma(
        name="geography-one-less",
        puzzle="geography",
        statement="a cell taken away costs a maximum matching at most one pair",
        source=WRITE_UP,
        quote="显然减少的话只会减1",
        translation="if it falls, it clearly falls by just 1",
        size=4,
        build=_one_less,
        hypothesis="the matching of the smaller board is maximum",
        failure_on=_two_less,
    ),
)


def _strategy(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """A position of the strategy in which the first player has a move without a reply, or a reply that leaves the strategy.

    The strategy has a matching that leaves the start exposed. In its positions, all visited cells but the start are matched to each
    other, and the piece stands outside the tight cover. This holds at the start. It holds again after a move and the reply by the
    mate: that is claimed for every such position, not only for those that can be reached.
    """
    graph = SymbolicGraph(rows, columns)
    formula, cells = graph.formula, graph.cells
    matched = graph.matching(graph.free)
    cover = [] if without_hypothesis else graph.tight_cover(graph.free, matched)
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

    def decode(model: Assignment) -> Counterexample:
        details = {
            "mates": graph.mates(model, matched),
            "visited": graph.members(model, visited),
            "piece": graph.chosen(model, piece),
            "moves": [graph.chosen(model, move)],
        }
        return Counterexample(graph.rows(model), details)

    names = graph.pair_names(matched) + graph.names(visited=visited, the_start=start, where_the_piece_is=piece, the_move=move)
    return CounterexampleFormula(formula, decode, names=names)


def _play(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """A whole play from an exposed cell, up to a move that has no reply."""
    graph = SymbolicGraph(rows, columns)
    formula, cells = graph.formula, graph.cells
    matched = graph.matching(graph.free)
    cover = [] if without_hypothesis else graph.tight_cover(graph.free, matched)
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
        _turn(graph, matched, now)
        turns.append(now)
        piece, visited = now.answer, now.after

    def decode(model: Assignment) -> Counterexample:
        start = graph.chosen(model, turns[0].piece)
        played = [graph.chosen(model, turn.move) for turn in turns[: true_index(model, last) + 1]]
        details = {"mates": graph.mates(model, matched), "visited": [start], "piece": start, "moves": played}
        return Counterexample(graph.rows(model), details)

    names = graph.pair_names(matched) + graph.names(the_start=turns[0].piece)
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


def _turn(graph: SymbolicGraph, matched: list[int], turn: Turn) -> None:
    """State one turn of the play."""
    formula = graph.formula
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


_PAIRING: tuple[Lemma, ...] = (
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


def all_matchings(rows: int, columns: int) -> Formula:
    """A formula whose models are the matchings of a board without walls; one variable for each pair of neighbours."""
    formula = Formula()
    pairs = sorted((cell, other) for cell, beside in enumerate(cells_beside(rows, columns)) for other in beside if cell < other)
    matched = new_variables(formula, len(pairs))
    for first, second in combinations(range(len(pairs)), 2):
        if set(pairs[first]) & set(pairs[second]):
            formula.add(-matched[first], -matched[second])
    return formula


_MATCHINGS: tuple[Lemma, ...] = (
    CountingLemma(
        name="geography-matchings",
        puzzle="geography",
        statement="the matchings of a grid are as many as published",
        source="OEIS A028420",
        quote="Number of matchings in n X n grid graph: 1, 7, 131, 10012",
        size=16,
        largest_size=16,
        published={(1, 1): 1, (2, 2): 7, (3, 3): 131, (4, 4): 10012},
        build=all_matchings,
    ),
)

LEMMAS = _PAIRING + _CERTIFICATES + _MATCHINGS
