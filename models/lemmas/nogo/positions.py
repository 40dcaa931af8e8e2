"""The positions in which every chain has a liberty, counted."""

from __future__ import annotations

from models.cnf import Formula
from models.lemmas.lemma import Claim, Count
from models.lemmas.logic import grid


def legal_positions(rows: int, columns: int) -> Formula:
    """The positions in which every chain has a liberty, without auxiliary variables.

    For each connected set of points and each colour: not all of the set is of that colour and all beside it of the other.
    """
    formula, near = Formula(), grid(rows, columns)
    colours = [(formula.new(), formula.new()) for _ in near]
    for black, white in colours:
        formula.add(-black, -white)
    found = {frozenset([cell]) for cell in range(len(near))}
    waiting = list(found)
    for points in waiting:
        edge = {beside for point in points for beside in near[point]} - points
        for own, other in ((0, 1), (1, 0)):
            formula.add(*(-colours[point][own] for point in points), *(-colours[point][other] for point in edge))
        larger = {points | {point} for point in edge} - found
        found |= larger
        waiting += larger
    return formula


LEMMAS: tuple[Claim, ...] = (
    Count(
        name="nogo-positions",
        puzzle="nogo",
        statement="the positions in which every chain has a liberty are as many as published",
        source="J. Tromp and G. Farnebäck, Combinatorics of Go, 2006",
        quote="the number of legal positions",
        size=16,
        bar=16,
        most=16,
        published={
            (1, 1): 1,
            (2, 2): 57,
            (2, 3): 489,
            (2, 4): 4125,
            (3, 3): 12675,
            (3, 4): 321689,
            (4, 4): 24318165,
        },
        state=legal_positions,
    ),
)
