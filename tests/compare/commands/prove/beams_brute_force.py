"""The counterexamples to the lemmas of beams on concrete boards, by looking at every cell, beam and
orientation.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations, product

from compare.commands.prove.lemma import FormulaLemma, Shape, lemmas_of
from models.beams import lemma_rules as rules
from models.cnf import Formula
from tests.compare.commands.prove import brute_force

CLAIMS = {claim.name: claim for claim in lemmas_of("beams") if isinstance(claim, FormulaLemma)}


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
"""The shape of each refuted claim's smallest board, and up to how many cells every board is tried
in turn here.
"""


Rows = tuple[str, ...]


@cache
def boards(rows: int, columns: int, kinds: str = ".#/\\-") -> list[Rows]:
    """All boards of a shape, every turret flat."""
    return list(brute_force.boards(rows, columns, kinds))


def twisted(count: int) -> list[Rows]:
    """Boards of 3x3 with many mirrors, so that beams are long."""
    chance = random.Random(9)
    return [
        tuple("".join(chance.choices(".#/\\-", [3, 1, 3, 3, 3], k=3)) for _ in range(3))
        for _ in range(count)
    ]


def as_board(formula: Formula, rows: Rows) -> list[int]:
    """A board as literals: each formula says in its names which variable is which kind of which
    cell.
    """
    words = {".": "open", "#": "a wall", "-": "a turret"}
    number = {
        text: variable for each in formula.meanings for variable, text in each.names(len(rows[0]))
    }
    return [
        number[f"the cell at {r + 1},{c + 1} is {words.get(kind, kind)}"]
        for r, row in enumerate(rows)
        for c, kind in enumerate(row)
    ]


def ways(rows: Rows, cell: rules.BoardCell, heading: str) -> list[rules.Beam]:
    return rules.beams_entering(rows, (cell, heading))


def meetings(rows: Rows, count: int, kinds: str = ".") -> Iterator[tuple[rules.Beam, ...]]:
    """So many beams, each by a direction of its own choice, that enter one cell."""
    for cell in rules.cells(rows, kinds):
        entering = [beam for heading in rules.STEP for beam in ways(rows, cell, heading)]
        yield from product(entering, repeat=count)


def literal(beam: rules.Beam) -> tuple[rules.BoardCell, str]:
    return beam.turret, beam.orientation


def legal(rows: Rows, beam: rules.Beam) -> bool:
    return rules.legal(rows, *literal(beam))


def head_on(rows: Rows, held: bool) -> bool:
    return any(
        ways(rows, cell, rules.BACK[heading])
        for cell in rules.cells(rows, ".")
        for heading in rules.STEP
        for beam in ways(rows, cell, heading)
        if beam.hits is None or not held
    )


def no_way_back(rows: Rows, held: bool) -> bool:
    return any(
        (beam.turret, rules.BACK[beam.heading]) not in rules.beam(rows, beam.hits, back).crossings
        for beam in rules.beams(rows)
        if beam.hits is not None
        for back in ([rules.BACK[beam.crossings[-1][1]]] if held else rules.STEP)
    )


def circle(rows: Rows, held: bool) -> bool:
    """Whether light can enter a cell and come back to it, and (`held`) some beam enters the cell
    so.
    """
    return any(
        rules.beam(rows, rules.beside(cell, rules.BACK[heading]), heading).circles
        for cell in rules.cells(rows, "./\\-")
        for heading in rules.STEP
        if rules.kind(rows, rules.beside(cell, rules.BACK[heading])) not in "#-"
        if ways(rows, cell, heading) or not held
    )


def lights(rows: Rows, held: bool) -> bool:
    """Whether three literals enter one open cell, legal ones if the hypothesis is held."""
    return enter(rows, 3, lawful=held)


def enter(rows: Rows, count: int, *, lawful: bool = False, kinds: str = ".") -> bool:
    """Whether so many literals enter one cell of these kinds."""
    return any(
        len(
            {
                literal(beam)
                for heading in rules.STEP
                for beam in ways(rows, cell, heading)
                if legal(rows, beam) or not lawful
            }
        )
        >= count
        for cell in rules.cells(rows, kinds)
    )


def crosses_twice(rows: Rows, held: bool) -> bool:
    return any(
        len([heading for cell, heading in beam.crossings if cell == crossed]) > 1
        for beam in rules.beams(rows)
        if legal(rows, beam) or not held
        for crossed in rules.cells(rows, ".")
    )


def both_orientations(rows: Rows, held: bool) -> bool:
    return any(
        rules.lit(rows, turret, "-") & rules.lit(rows, turret, "|")
        for turret in rules.cells(rows, "-")
        if not held or (rules.legal(rows, turret, "-") and rules.legal(rows, turret, "|"))
    )


def dark(rows: Rows, held: bool) -> bool:
    return not (held and rules.cells(rows, "-")) and any(
        not any(ways(rows, cell, heading) for heading in rules.STEP)
        for cell in rules.cells(rows, ".")
    )


def settings_of(rows: Rows, solution: Rows) -> Iterator[dict[rules.BoardCell, str]]:
    """Every part of a solution."""
    turrets = rules.cells(rows, rules.TURRETS)
    for count in range(len(turrets) + 1):
        for some in combinations(turrets, count):
            yield {turret: rules.kind(solution, turret) for turret in some}


def any_settings(rows: Rows) -> Iterator[dict[rules.BoardCell, str]]:
    turrets = rules.cells(rows, rules.TURRETS)
    for orientations in product(("", "-", "|"), repeat=len(turrets)):
        yield {
            turret: orientation
            for turret, orientation in zip(turrets, orientations, strict=True)
            if orientation
        }


def misforced(rows: Rows, held: bool) -> bool:
    return any(
        rules.kind(solution, turret) != orientation
        for solution in rules.solutions(rows)
        for already in (settings_of(rows, solution) if held else any_settings(rows))
        for turret, orientation in rules.forced_turrets(rows, already)
    )


def ill_ended(rows: Rows, held: bool) -> bool:
    turrets = rules.cells(rows, rules.TURRETS)
    return any(
        rules.wrong(rules.turn(rows, dict.fromkeys(turrets, rest) | already))
        for solution in rules.solutions(rows)
        for already in settings_of(rows, solution)
        if not held or rules.forced_turrets(rows, already) <= set(already.items())
        for rest in rules.TURRETS
    )


def one_pass_fails(rows: Rows, held: bool) -> bool:
    turrets = rules.cells(rows, rules.TURRETS)
    return any(True for _ in rules.solutions(rows)) and any(
        rules.wrong(
            rules.one_pass(rows, rest) if held else rules.turn(rows, dict.fromkeys(turrets, rest))
        )
        for rest in rules.TURRETS
    )


COUNTEREXAMPLE: dict[str, Callable[[Rows, bool], bool]] = {
    "beams-same-direction": lambda rows, held: any(
        one != other and (not held or any(at in other.crossings for at in one.crossings))
        for one, other in meetings(rows, 2, ".#/\\-")
    ),
    "beams-opposite": head_on,
    "beams-reversible": no_way_back,
    "beams-no-loop": circle,
    "beams-two-literals": lights,
    "beams-opposite-illegal": lambda rows, held: (
        head_on(rows, False)
        if held
        else any(
            len([heading for heading in rules.STEP if ways(rows, cell, heading)]) > 1
            for cell in rules.cells(rows, ".")
        )
    ),
    "beams-two-illegal": lambda rows, held: enter(rows, 3, kinds="." if held else ".#/\\-"),
    "beams-three-illegal": lambda rows, held: enter(rows, 4, kinds="." if held else ".#/\\-"),
    "beams-own-turret": lambda rows, held: any(
        beam.hits is not None and (not held or beam.hits == beam.turret)
        for beam in rules.beams(rows)
    ),
    "beams-crosses-once": crosses_twice,
    "beams-one-orientation": both_orientations,
    "beams-no-turrets": dark,
    "beams-forced": misforced,
    "beams-greedy": ill_ended,
    "beams-one-pass": one_pass_fails,
}
"""Whether a board is a counterexample to a claim if its hypothesis is held, or without it, by
looking at every cell, beam and orientation."""


STRAIGHT = ("beams-forced", "beams-greedy", "beams-one-pass")
