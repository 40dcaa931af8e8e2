"""A move that is illegal stays so: what a stone more takes away never comes back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from models.cnf import Formula
from models.lemmas.lemma import Claim, Counterexample, Lemma, Model, Symbolic
from models.lemmas.logic import Near, below, chosen, grid, named, one_of, ranks, some
from models.lemmas.nogo.plain import put, some_dead
from models.lemmas.nogo.symbolic import WRITE_UP, Position, after_move, chain_of, position_of


class Breath(NamedTuple):
    """How each stone comes to a liberty: by point a way for each neighbour, and the ranks that the ways go down."""

    ways: list[list[int]]
    rank: list[list[int]]


def _legal(formula: Formula, near: Near, position: Position) -> Breath:
    """Every stone has an empty point beside it, or a stone of its colour that is nearer to one."""
    rank = ranks(formula, len(near), len(near) - 1)
    ways = [some(formula, len(beside)) for beside in near]
    for cell, beside in enumerate(near):
        empty = [-position.stone[other] for other in beside]
        formula.add(-position.stone[cell], *empty, *ways[cell])  # a liberty, or a way
        for other, way in zip(beside, ways[cell], strict=True):
            formula.add(-way, -position.black[cell], position.black[other])
            formula.add(-way, -position.white[cell], position.white[other])
            below(formula, way, rank[other], rank[cell])
    return Breath(ways, rank)


def _permanence(rows: int, columns: int, dropped: bool) -> Symbolic:
    """A move by which some chain loses its last liberty, and a later position in which the same move leaves none without."""
    formula, near = Formula(), grid(rows, columns)
    cells = rows * columns
    earlier, later = position_of(formula, cells), position_of(formula, cells)
    move, colour = one_of(formula, cells), formula.new()
    if not dropped:
        for then, now in zip([*earlier.black, *earlier.white], [*later.black, *later.white], strict=True):
            formula.add(-then, now)
    illegal, legal = after_move(formula, earlier, move, colour), after_move(formula, later, move, colour)
    dead_is_black = formula.new()
    dead = chain_of(formula, near, illegal, dead_is_black)
    formula.add(*dead)
    for cell, beside in enumerate(near):
        for other in beside:
            formula.add(-dead[cell], illegal.stone[other])
    breath = _legal(formula, near, legal)

    def script() -> Iterator[list[int]]:
        """No stone of the dead chain has a liberty later, its ways stay in it, so its ranks have no least one."""
        for own in ("black", "white", "stone"):
            for then, now in zip(getattr(illegal, own), getattr(legal, own), strict=True):
                yield [-then, now]
        for cell, (beside, ways) in enumerate(zip(near, breath.ways, strict=True)):
            for other, way in zip(beside, ways, strict=True):
                yield [-dead_is_black, -dead[cell], -way, dead[other]]
                yield [-dead[cell], -way, dead[other]]
            yield [-dead_is_black, -dead[cell], *ways]
            yield [-dead[cell], *ways]
        for least in range(cells - 1):
            for cell, ways in enumerate(breath.ways):
                for way in ways:
                    yield [-dead[cell], -way, breath.rank[cell][least]]
                yield [-dead[cell], breath.rank[cell][least]]
        for cell, ways in enumerate(breath.ways):
            for way in ways:
                yield [-dead[cell], -way]
            yield [-dead[cell]]
        yield []

    def decode(model: Model) -> Counterexample:
        told = {
            "later": later.read(model, columns),
            "move": divmod(chosen(model, move), columns),
            "colour": "X" if model[colour] else "O",
        }
        return Counterexample(earlier.read(model, columns), told)

    names = earlier.names(columns, "at first") + later.names(columns, "later")
    names += [*named(move, columns, "the move goes to {}"), (colour, "the move is black")]
    names += named(dead, columns, "the stone at {} is of a chain that the move leaves without a liberty at first")
    return Symbolic(formula, decode, script, names)


def _permanence_fails(found: Counterexample) -> str:
    (row, column), colour = found.told["move"], found.told["colour"]
    now, later = (put(rows, row, column, colour) for rows in (found.rows, found.told["later"]))
    if not (now and later and some_dead(now) and not some_dead(later)):
        return ""
    return f"{colour} must not move to {row + 1},{column + 1} here, and may on {' / '.join(found.told['later'])}"


LEMMAS: tuple[Claim, ...] = (
    Lemma(
        name="nogo-permanence",
        puzzle="nogo",
        statement="a move that is illegal once is illegal ever after",
        source=WRITE_UP,
        quote="如果一个位置上检查到不能放一种棋,那么以后也不能放这种棋",
        size=13,
        bar=13,
        state=_permanence,
        drops="no stone is ever taken off",
        fails=_permanence_fails,
    ),
)
