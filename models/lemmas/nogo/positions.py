"""Counts the positions in which every chain has a liberty."""

from __future__ import annotations

from models.cnf import Formula
from models.lemmas.lemma import CountingLemma, Lemma
from models.lemmas.logic import cells_beside


def legal_positions(rows: int, columns: int) -> Formula:
    """The positions in which every chain has a liberty, without auxiliary variables.

    For each connected set of points and each colour: the set is not a chain of this colour that the other colour surrounds.
    """
    formula, near = Formula(), cells_beside(rows, columns)
    colours = [(formula.new(), formula.new()) for _ in near]
    for black, white in colours:
        formula.add(-black, -white)
    connected_sets = {frozenset([cell]) for cell in range(len(near))}
    waiting = list(connected_sets)
    for points in waiting:
        edge = {beside for point in points for beside in near[point]} - points
        for own, other in ((0, 1), (1, 0)):
            formula.add(*(-colours[point][own] for point in points), *(-colours[point][other] for point in edge))
        larger = {points | {point} for point in edge} - connected_sets
        connected_sets |= larger
        waiting += larger
    return formula


LEMMAS: tuple[Lemma, ...] = (
    CountingLemma(
        name="nogo-positions",
        puzzle="nogo",
        statement="the positions in which every chain has a liberty are as many as published",
        source="J. Tromp and G. Farnebäck, Combinatorics of Go, 2006",
        quote="the number of legal positions",
        size=16,
        largest_size=16,
        published={
            (1, 1): 1,
            (2, 2): 57,
            (2, 3): 489,
            (2, 4): 4125,
            (3, 3): 12675,
            (3, 4): 321689,
            (4, 4): 24318165,
        },
        build=legal_positions,
    ),
)
