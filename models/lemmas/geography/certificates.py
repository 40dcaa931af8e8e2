"""Certificates of who wins exclude each other, and a cell taken away costs a matching at most one pair."""

from __future__ import annotations

from models.cnf import Formula
from models.lemmas.geography.plain import well_matched, wins_from
from models.lemmas.geography.symbolic import WRITE_UP, Drawn, board_of, matching, tight_cover
from models.lemmas.lemma import Claim, Counterexample, Lemma, Model, Symbolic
from models.lemmas.logic import both, count, one_of, some


def _exclusive(rows: int, columns: int, dropped: bool) -> Symbolic:
    """A cell with a certificate that one loses there, and one that one wins.

    It loses: a matching that leaves it out, with a tight cover. It wins: another matching and a set of cells without it, which
    holds all cells that this matching leaves out, and whatever the neighbours of its members are matched to.
    """
    formula = Formula()
    graph = board_of(formula, rows, columns)
    free, cells = graph.free, rows * columns
    loses, wins = matching(formula, graph, free), matching(formula, graph, free)
    if not dropped:
        tight_cover(formula, graph, free, loses)
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
    if not well_matched(found.rows, told["loses"]) or any(start in pair for pair in told["loses"]):
        return ""
    if not wins_from(found.rows, start):
        return ""
    return f"who starts at {start[0] + 1},{start[1] + 1} wins, and a matching that leaves the cell out says the opposite"


def _one_less(rows: int, columns: int, dropped: bool) -> Symbolic:
    """A maximum matching, and one of the board without some cell that is smaller by two or more and maximum there."""
    formula = Formula()
    graph = board_of(formula, rows, columns)
    free, cells = graph.free, rows * columns
    gone = one_of(formula, cells)
    left = [both(formula, cell, -taken) for cell, taken in zip(free, gone, strict=True)]
    for cell, taken in zip(free, gone, strict=True):
        formula.add(-taken, cell)
    before, after = matching(formula, graph, free), matching(formula, graph, left)
    tight_cover(formula, graph, free, before)
    if not dropped:
        tight_cover(formula, graph, left, after)
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
    if not well_matched(found.rows, before) or not well_matched(without, after) or len(after) >= len(before) - 1:
        return ""
    return f"{len(before)} pairs, and {len(after)} without the cell at {row + 1},{column + 1}"


LEMMAS: tuple[Claim, ...] = (
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
)
