"""The rules of beams on a concrete board, in the plainest way: they show that a counterexample
really is one.

Beams are followed cell by cell. Nothing here is shared with the formulas. A board is a sequence of
rows; `-` and `|` are turrets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from compare.commands.prove.symbolic import BoardCell, place

BoardRows = Sequence[str]
Crossing = tuple[BoardCell, str]
"""A cell and the direction in which it is entered: `north`, `east`, `south` or `west`."""

STEP = {"north": (-1, 0), "east": (0, 1), "south": (1, 0), "west": (0, -1)}
BACK = {"north": "south", "south": "north", "east": "west", "west": "east"}
MIRROR = {
    ".": {heading: heading for heading in STEP},
    "/": {"north": "east", "east": "north", "south": "west", "west": "south"},
    "\\": {"north": "west", "west": "north", "south": "east", "east": "south"},
}
TURRET_HEADINGS = {"-": ("east", "west"), "|": ("north", "south")}
ORIENTATION = {
    heading: orientation for orientation, arms in TURRET_HEADINGS.items() for heading in arms
}
TURRETS = "-|"
ALL_KINDS = "./\\#-|"
"""All kinds of cells."""


@dataclass(frozen=True)
class Beam:
    """The light that a turret sends out in one direction.

    Attributes:
        turret, heading: where it begins.
        crossings: the cells that it enters, in order. The last one is a wall, a turret, or the last
            cell before the edge.
        hits: the turret at which it ends, or None.
        circles: whether it comes back to a crossing.
    """

    turret: BoardCell
    heading: str
    crossings: tuple[Crossing, ...]
    hits: BoardCell | None
    circles: bool

    @property
    def orientation(self) -> str:
        return ORIENTATION[self.heading]

    def __str__(self) -> str:
        return f"the beam that leaves {place(self.turret)} {self.heading}wards"


def kind(rows: BoardRows, cell: BoardCell) -> str:
    """The character of a cell; beyond the edge everything is a wall."""
    row, column = cell
    return rows[row][column] if 0 <= row < len(rows) and 0 <= column < len(rows[0]) else "#"


def beside(cell: BoardCell, heading: str) -> BoardCell:
    return cell[0] + STEP[heading][0], cell[1] + STEP[heading][1]


def follow(rows: BoardRows, cell: BoardCell, heading: str) -> Iterator[Crossing]:
    """The crossings of light that leaves a cell in this direction, in order; without end if the
    light circles.
    """
    while True:
        cell = beside(cell, heading)
        if not (0 <= cell[0] < len(rows) and 0 <= cell[1] < len(rows[0])):
            return
        yield cell, heading
        here = kind(rows, cell)
        if here in "#-|":
            return
        heading = MIRROR[here][heading]


def beam(rows: BoardRows, turret: BoardCell, heading: str) -> Beam:
    """The beam that a turret sends out in this direction."""
    crossings: list[Crossing] = []
    for crossing in follow(rows, turret, heading):
        if crossing in crossings:
            return Beam(turret, heading, tuple(crossings), None, True)
        crossings.append(crossing)
    last = crossings[-1][0] if crossings else turret
    hits = last if crossings and kind(rows, last) in TURRETS else None
    return Beam(turret, heading, tuple(crossings), hits, False)


def cells(rows: BoardRows, kinds: str) -> list[BoardCell]:
    """The cells of these kinds, row by row."""
    return [(r, c) for r, row in enumerate(rows) for c, here in enumerate(row) if here in kinds]


def beams(rows: BoardRows) -> list[Beam]:
    """All beams that the turrets can send out: four for each turret."""
    return [beam(rows, turret, heading) for turret in cells(rows, TURRETS) for heading in STEP]


def beams_entering(rows: BoardRows, at: Crossing) -> list[Beam]:
    """The beams that enter a cell in a direction."""
    return [each for each in beams(rows) if at in each.crossings]


def legal(rows: BoardRows, turret: BoardCell, orientation: str) -> bool:
    """Whether a turret with this orientation hits no turret."""
    return all(beam(rows, turret, heading).hits is None for heading in TURRET_HEADINGS[orientation])


def lit(rows: BoardRows, turret: BoardCell, orientation: str) -> set[BoardCell]:
    """The open cells that a turret with this orientation lights."""
    ways = [beam(rows, turret, heading).crossings for heading in TURRET_HEADINGS[orientation]]
    return {cell for way in ways for cell, _ in way if kind(rows, cell) == "."}


def wrong(rows: BoardRows) -> str:
    """What is wrong with a board as its turrets stand, in words; empty if every open cell is lit
    and no turret is hit.
    """
    light: set[BoardCell] = set()
    for turret in cells(rows, TURRETS):
        orientation = kind(rows, turret)
        if not legal(rows, turret, orientation):
            return f"the turret at {place(turret)} hits one"
        light |= lit(rows, turret, orientation)
    for cell in cells(rows, "."):
        if cell not in light:
            return f"the open cell at {place(cell)} is dark"
    return ""


def turn(rows: BoardRows, orientations: Mapping[BoardCell, str]) -> tuple[str, ...]:
    """The board with some turrets turned."""
    return tuple(
        "".join(orientations.get((r, c), here) for c, here in enumerate(row))
        for r, row in enumerate(rows)
    )


def orientations(rows: BoardRows) -> Iterator[dict[BoardCell, str]]:
    """Every way to turn the turrets."""
    turrets = cells(rows, TURRETS)
    return (
        dict(zip(turrets, turned, strict=True)) for turned in product(TURRETS, repeat=len(turrets))
    )


def solutions(rows: BoardRows) -> Iterator[tuple[str, ...]]:
    """All solutions."""
    return (turned for each in orientations(rows) if not wrong(turned := turn(rows, each)))


def unharmed_turrets(rows: BoardRows) -> set[tuple[BoardCell, str]]:
    """The first rule: a turret that would hit another is turned the other way.

    Both orientations if it would hit one either way.
    """
    choices = product(cells(rows, TURRETS), ("-|", "|-"))
    return {
        (turret, other)
        for turret, (orientation, other) in choices
        if not legal(rows, turret, orientation)
    }


def needed_turrets(rows: BoardRows, already: Mapping[BoardCell, str]) -> set[tuple[BoardCell, str]]:
    """The second rule: if only one turret can light an open cell, in one orientation, it does.
    Turrets in `already` stay as they are set.
    """
    free = [(t, o) for t, o in product(cells(rows, TURRETS), TURRETS) if already.get(t, o) == o]
    light = {choice: lit(rows, *choice) for choice in free}
    lighting = [[choice for choice in free if cell in light[choice]] for cell in cells(rows, ".")]
    return {choice for choices in lighting if len(choices) == 1 for choice in choices}


def forced_turrets(rows: BoardRows, already: Mapping[BoardCell, str]) -> set[tuple[BoardCell, str]]:
    """The turrets that the rules set, with their orientation, given those that are `already` set.

    A turret may come with both.
    """
    return unharmed_turrets(rows) | needed_turrets(rows, already)


def one_pass(rows: BoardRows, rest: str = "-") -> tuple[str, ...]:
    """The greedy in one pass: the first rule once, then the second once; every other turret is
    turned as `rest`.
    """
    first = dict(unharmed_turrets(rows))
    return turn(
        rows, dict.fromkeys(cells(rows, TURRETS), rest) | first | dict(needed_turrets(rows, first))
    )
