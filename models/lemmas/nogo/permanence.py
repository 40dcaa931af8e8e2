"""A move that is illegal once stays illegal: a liberty that is taken never comes back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from models.cnf import Formula
from models.lemmas.lemma import Assignment, Counterexample, CounterexampleFormula, FormulaLemma, Lemma
from models.lemmas.logic import Near, cell_names, cells_beside, less_than, new_variables, one_hot, ranks, true_index
from models.lemmas.nogo.concrete import put, some_dead
from models.lemmas.nogo.symbolic import WRITE_UP, SymbolicPosition, after_move, chain_of, position_of


class Support(NamedTuple):
    """How each stone is connected to a liberty.

    Attributes:
        ways: for each point and neighbour, "the way to a liberty goes over this neighbour".
        rank: for each point a number that falls along the ways.
    """

    ways: list[list[int]]
    rank: list[list[int]]


def _legal(formula: Formula, near: Near, position: SymbolicPosition) -> Support:
    """State that every stone has an empty point beside it, or a stone of its colour that is nearer to one."""
    rank = ranks(formula, len(near), len(near) - 1)
    ways = [new_variables(formula, len(beside)) for beside in near]
    for cell, beside in enumerate(near):
        empty = [-position.stone[other] for other in beside]
        formula.add(-position.stone[cell], *empty, *ways[cell])
        for other, way in zip(beside, ways[cell], strict=True):
            formula.add(-way, -position.black[cell], position.black[other])
            formula.add(-way, -position.white[cell], position.white[other])
            less_than(formula, way, rank[other], rank[cell])
    return Support(ways, rank)


def _permanence(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """A move that takes the last liberty of some chain, and a later position in which the same move is legal."""
    formula, near = Formula(), cells_beside(rows, columns)
    cells = rows * columns
    earlier, later = position_of(formula, cells), position_of(formula, cells)
    move, colour = one_hot(formula, cells), formula.new()
    if not without_hypothesis:
        for then, now in zip([*earlier.black, *earlier.white], [*later.black, *later.white], strict=True):
            formula.add(-then, now)
    illegal, legal = after_move(formula, earlier, move, colour), after_move(formula, later, move, colour)
    dead_is_black = formula.new()
    dead = chain_of(formula, near, illegal, dead_is_black)
    formula.add(*dead)
    for cell, beside in enumerate(near):
        for other in beside:
            formula.add(-dead[cell], illegal.stone[other])
    support = _legal(formula, near, legal)

    def script() -> Iterator[list[int]]:
        """Later, no stone of the dead chain has a liberty. So all its ways stay in the chain, and its ranks have no least one."""
        for own in ("black", "white", "stone"):
            for then, now in zip(getattr(illegal, own), getattr(legal, own), strict=True):
                yield [-then, now]
        for cell, (beside, ways) in enumerate(zip(near, support.ways, strict=True)):
            for other, way in zip(beside, ways, strict=True):
                yield [-dead_is_black, -dead[cell], -way, dead[other]]
                yield [-dead[cell], -way, dead[other]]
            yield [-dead_is_black, -dead[cell], *ways]
            yield [-dead[cell], *ways]
        for least in range(cells - 1):
            for cell, ways in enumerate(support.ways):
                for way in ways:
                    yield [-dead[cell], -way, support.rank[cell][least]]
                yield [-dead[cell], support.rank[cell][least]]
        for cell, ways in enumerate(support.ways):
            for way in ways:
                yield [-dead[cell], -way]
            yield [-dead[cell]]
        yield []

    def decode(model: Assignment) -> Counterexample:
        details = {
            "later": later.read(model, columns),
            "move": divmod(true_index(model, move), columns),
            "colour": "X" if model[colour] else "O",
        }
        return Counterexample(earlier.read(model, columns), details)

    names = earlier.names(columns, "at first") + later.names(columns, "later")
    names += [*cell_names(move, columns, "the move goes to {}"), (colour, "the move is black")]
    names += cell_names(dead, columns, "the stone at {} is of a chain that the move leaves without a liberty at first")
    return CounterexampleFormula(formula, decode, script, names)


def _permanence_failure(example: Counterexample) -> str:
    (row, column), colour = example.details["move"], example.details["colour"]
    now, later = (put(rows, row, column, colour) for rows in (example.rows, example.details["later"]))
    if not (now and later and some_dead(now) and not some_dead(later)):
        return ""
    return f"{colour} must not move to {row + 1},{column + 1} here, and may on {' / '.join(example.details['later'])}"


LEMMAS: tuple[Lemma, ...] = (
    FormulaLemma(
        name="nogo-permanence",
        puzzle="nogo",
        statement="a move that is illegal once is illegal ever after",
        source=WRITE_UP,
        quote="如果一个位置上检查到不能放一种棋,那么以后也不能放这种棋",
        translation="if a point is once found to be forbidden for a colour, that colour may never be played there later either",
        size=13,
        build=_permanence,
        hypothesis="no stone is ever taken off",
        failure_on=_permanence_failure,
    ),
)
