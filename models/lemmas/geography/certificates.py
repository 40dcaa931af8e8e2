"""The two certificates, "the first mover wins" and "loses", exclude each other; and one cell less costs at most one pair."""

from __future__ import annotations

from models.cnf import Formula
from models.lemmas.geography.concrete import well_matched, wins_from
from models.lemmas.geography.symbolic import WRITE_UP, Decoder, graph_of, matching, tight_cover
from models.lemmas.lemma import Assignment, Counterexample, CounterexampleFormula, FormulaLemma, Lemma
from models.lemmas.logic import all_of, new_variables, one_hot, unary_count


def _exclusive(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """A start cell with two certificates: one that the first mover loses from it, and one that the first mover wins.

    "Loses": a matching that leaves the start exposed, with a tight cover. "Wins": another matching, and a set of cells that does
    not contain the start. The set contains all exposed cells of that matching, and the mates of all neighbours of its members.
    """
    formula = Formula()
    graph = graph_of(formula, rows, columns)
    free, cells = graph.free, rows * columns
    loses, wins = matching(formula, graph, free), matching(formula, graph, free)
    if not without_hypothesis:
        tight_cover(formula, graph, free, loses)
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
    decoder = Decoder(graph, columns)

    def decode(model: Assignment) -> Counterexample:
        details = {
            "start": decoder.cell(model, start),
            "loses": decoder.mates(model, loses),
            "wins": decoder.mates(model, wins),
            "members": decoder.cells(model, members),
        }
        return Counterexample(decoder.rows(model), details)

    names = decoder.names(the_start=start, of_the_set=members)
    names += decoder.pairs(loses, ", and the start is left out") + decoder.pairs(wins, " by who wins")
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
    formula = Formula()
    graph = graph_of(formula, rows, columns)
    free, cells = graph.free, rows * columns
    removed = one_hot(formula, cells)
    left = [all_of(formula, cell, -taken) for cell, taken in zip(free, removed, strict=True)]
    for cell, taken in zip(free, removed, strict=True):
        formula.add(-taken, cell)
    before, after = matching(formula, graph, free), matching(formula, graph, left)
    tight_cover(formula, graph, free, before)
    if not without_hypothesis:
        tight_cover(formula, graph, left, after)
    many, few = unary_count(formula, before, cells // 2), unary_count(formula, after, cells // 2)
    formula.add(*(all_of(formula, many[k + 1], -few[k]) for k in range(len(many) - 1)))
    decoder = Decoder(graph, columns)

    def decode(model: Assignment) -> Counterexample:
        details = {
            "removed": decoder.cell(model, removed),
            "before": decoder.mates(model, before),
            "after": decoder.mates(model, after),
        }
        return Counterexample(decoder.rows(model), details)

    names = decoder.names(taken_away=removed) + decoder.pairs(before, " before") + decoder.pairs(after, " after")
    return CounterexampleFormula(formula, decode, names=names)


def _two_less(example: Counterexample) -> str:
    (row, column), before, after = example.details["removed"], example.details["before"], example.details["after"]
    without = tuple(line[:column] + "#" + line[column + 1 :] if r == row else line for r, line in enumerate(example.rows))
    if not well_matched(example.rows, before) or not well_matched(without, after) or len(after) >= len(before) - 1:
        return ""
    return f"{len(before)} pairs, and {len(after)} without the cell at {row + 1},{column + 1}"


LEMMAS: tuple[Lemma, ...] = (
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
