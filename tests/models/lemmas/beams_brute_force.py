"""The counterexamples to the lemmas of beams on concrete boards, by looking at every cell, beam and orientation."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations, product

from models.cnf import Formula
from models.lemmas import beams_rules as rules
from models.lemmas import of
from models.lemmas.lemma import FormulaLemma, Shape

CLAIMS = {claim.name: claim for claim in of("beams") if isinstance(claim, FormulaLemma)}


TRUE = [name for name, claim in CLAIMS.items() if claim.expected_to_hold]


FALSE = [name for name, claim in CLAIMS.items() if not claim.expected_to_hold]


SMALLEST: dict[str, tuple[Shape, int]] = {
    "beams-opposite-illegal": ((1, 3), 3),
    "beams-two-illegal": ((2, 3), 5),
    "beams-three-illegal": ((3, 3), 4),
    "beams-own-turret": ((2, 2), 4),
    "beams-crosses-once": ((2, 3), 5),
    "beams-one-orientation": ((2, 2), 4),
    "beams-no-turrets": ((1, 1), 0),
    "beams-one-pass": ((2, 3), 5),
}
"""The shape of each refuted claim's smallest board, and up to how many cells every board is tried in turn here."""


Rows = tuple[str, ...]


@cache
def boards(rows: int, columns: int, kinds: str = ".#/\\-") -> list[Rows]:
    """All boards of a shape, every turret flat."""
    texts = ("".join(cells) for cells in product(kinds, repeat=rows * columns))
    return [tuple(text[start : start + columns] for start in range(0, rows * columns, columns)) for text in texts]


def twisted(count: int) -> list[Rows]:
    """Boards of 3x3 with many mirrors, so that beams are long."""
    chance = random.Random(9)
    return [tuple("".join(chance.choices(".#/\\-", [3, 1, 3, 3, 3], k=3)) for _ in range(3)) for _ in range(count)]


def as_board(formula: Formula, rows: Rows) -> list[int]:
    """A board as literals: each formula says in its names which variable is which kind of which cell."""
    words = {".": "open", "#": "a wall", "-": "a turret"}
    number = {text: variable for each in formula.meanings for variable, text in each.names(len(rows[0]))}
    return [
        number[f"the cell at {r + 1},{c + 1} is {words.get(kind, kind)}"]
        for r, row in enumerate(rows)
        for c, kind in enumerate(row)
    ]


def ways(rows: Rows, cell: rules.Cell, heading: str) -> list[rules.Beam]:
    return rules.crossing(rows, (cell, heading))


def meetings(rows: Rows, count: int, kinds: str = ".") -> Iterator[tuple[rules.Beam, ...]]:
    """So many beams, each by a direction of its own choice, that enter one cell."""
    for cell in rules.cells(rows, kinds):
        entering = [beam for heading in rules.STEP for beam in ways(rows, cell, heading)]
        yield from product(entering, repeat=count)


def literal(beam: rules.Beam) -> tuple[rules.Cell, str]:
    return beam.turret, beam.orientation


def legal(rows: Rows, beam: rules.Beam) -> bool:
    return rules.legal(rows, *literal(beam))


def head_on(rows: Rows, *, harmless: bool) -> bool:
    return any(
        ways(rows, cell, rules.BACK[heading])
        for cell in rules.cells(rows, ".")
        for heading in rules.STEP
        for beam in ways(rows, cell, heading)
        if beam.hits is None or not harmless
    )


def no_way_back(rows: Rows, *, same_way: bool) -> bool:
    return any(
        (beam.turret, rules.BACK[beam.heading]) not in rules.beam(rows, beam.hits, back).crossings
        for beam in rules.beams(rows)
        if beam.hits is not None
        for back in ([rules.BACK[beam.crossings[-1][1]]] if same_way else rules.STEP)
    )


def circle(rows: Rows, *, lit: bool) -> bool:
    """Whether light can enter a cell and come back to it, and (`lit`) some beam enters the cell so."""
    return any(
        rules.beam(rows, rules.beside(cell, rules.BACK[heading]), heading).circles
        for cell in rules.cells(rows, "./\\-")
        for heading in rules.STEP
        if rules.kind(rows, rules.beside(cell, rules.BACK[heading])) not in "#-"
        if ways(rows, cell, heading) or not lit
    )


def lights(rows: Rows, count: int, *, lawful: bool, kinds: str = ".") -> bool:
    """Whether so many literals enter one cell of these kinds."""
    return any(
        len({literal(beam) for heading in rules.STEP for beam in ways(rows, cell, heading) if legal(rows, beam) or not lawful})
        >= count
        for cell in rules.cells(rows, kinds)
    )


def crosses_twice(rows: Rows, *, lawful: bool) -> bool:
    return any(
        len([heading for cell, heading in beam.crossings if cell == crossed]) > 1
        for beam in rules.beams(rows)
        if legal(rows, beam) or not lawful
        for crossed in rules.cells(rows, ".")
    )


def both_orientations(rows: Rows, *, lawful: bool) -> bool:
    return any(
        rules.lit(rows, turret, "-") & rules.lit(rows, turret, "|")
        for turret in rules.cells(rows, "-")
        if not lawful or (rules.legal(rows, turret, "-") and rules.legal(rows, turret, "|"))
    )


def dark(rows: Rows) -> bool:
    return any(not ways(rows, cell, heading) for cell in rules.cells(rows, ".") for heading in rules.STEP) and any(
        not any(ways(rows, cell, heading) for heading in rules.STEP) for cell in rules.cells(rows, ".")
    )


def settings_of(rows: Rows, solution: Rows) -> Iterator[dict[rules.Cell, str]]:
    """Every part of a solution."""
    turrets = rules.cells(rows, rules.TURRETS)
    for count in range(len(turrets) + 1):
        for some in combinations(turrets, count):
            yield {turret: rules.kind(solution, turret) for turret in some}


def any_settings(rows: Rows) -> Iterator[dict[rules.Cell, str]]:
    turrets = rules.cells(rows, rules.TURRETS)
    for orientations in product(("", "-", "|"), repeat=len(turrets)):
        yield {turret: orientation for turret, orientation in zip(turrets, orientations, strict=True) if orientation}


def misforced(rows: Rows, *, agreeing: bool) -> bool:
    return any(
        rules.kind(solution, turret) != orientation
        for solution in rules.solutions(rows)
        for already in (settings_of(rows, solution) if agreeing else any_settings(rows))
        for turret, orientation in rules.forced(rows, already)
    )


def ill_ended(rows: Rows, *, finished: bool) -> bool:
    turrets = rules.cells(rows, rules.TURRETS)
    return any(
        rules.wrong(rules.turn(rows, dict.fromkeys(turrets, rest) | already))
        for solution in rules.solutions(rows)
        for already in settings_of(rows, solution)
        if not finished or rules.forced(rows, already) <= set(already.items())
        for rest in rules.TURRETS
    )


def one_pass_fails(rows: Rows, *, forcing: bool) -> bool:
    turrets = rules.cells(rows, rules.TURRETS)
    return any(True for _ in rules.solutions(rows)) and any(
        rules.wrong(rules.one_pass(rows, rest) if forcing else rules.turn(rows, dict.fromkeys(turrets, rest)))
        for rest in rules.TURRETS
    )


COUNTEREXAMPLE: dict[str, Callable[[Rows, bool], bool]] = {
    "beams-same-direction": lambda rows, without_hypothesis: any(
        one != other and (without_hypothesis or any(at in other.crossings for at in one.crossings))
        for one, other in meetings(rows, 2, ".#/\\-")
    ),
    "beams-opposite": lambda rows, without_hypothesis: head_on(rows, harmless=not without_hypothesis),
    "beams-reversible": lambda rows, without_hypothesis: no_way_back(rows, same_way=not without_hypothesis),
    "beams-no-loop": lambda rows, without_hypothesis: circle(rows, lit=not without_hypothesis),
    "beams-two-literals": lambda rows, without_hypothesis: lights(rows, 3, lawful=not without_hypothesis),
    "beams-opposite-illegal": lambda rows, without_hypothesis: (
        any(len([heading for heading in rules.STEP if ways(rows, cell, heading)]) > 1 for cell in rules.cells(rows, "."))
        if without_hypothesis
        else head_on(rows, harmless=False)
    ),
    "beams-two-illegal": lambda rows, without_hypothesis: lights(
        rows, 3, lawful=False, kinds=".#/\\-" if without_hypothesis else "."
    ),
    "beams-three-illegal": lambda rows, without_hypothesis: lights(
        rows, 4, lawful=False, kinds=".#/\\-" if without_hypothesis else "."
    ),
    "beams-own-turret": lambda rows, without_hypothesis: any(
        beam.hits is not None and (without_hypothesis or beam.hits == beam.turret) for beam in rules.beams(rows)
    ),
    "beams-crosses-once": lambda rows, without_hypothesis: crosses_twice(rows, lawful=not without_hypothesis),
    "beams-one-orientation": lambda rows, without_hypothesis: both_orientations(rows, lawful=not without_hypothesis),
    "beams-no-turrets": lambda rows, without_hypothesis: dark(rows) and (without_hypothesis or not rules.cells(rows, "-")),
    "beams-forced": lambda rows, without_hypothesis: misforced(rows, agreeing=not without_hypothesis),
    "beams-greedy": lambda rows, without_hypothesis: ill_ended(rows, finished=not without_hypothesis),
    "beams-one-pass": lambda rows, without_hypothesis: one_pass_fails(rows, forcing=not without_hypothesis),
}
"""Whether a board is a counterexample to a claim, or without its hypothesis, by looking at every cell, beam and orientation."""


STRAIGHT = ("beams-forced", "beams-greedy", "beams-one-pass")
