"""Beams: light is walked cell by cell, every orientation of every turret is tried."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from tests.oracles.boards import Cell, characters_of

STEP = {"north": (-1, 0), "east": (0, 1), "south": (1, 0), "west": (0, -1)}
ARMS = {"-": ("east", "west"), "|": ("north", "south")}
MIRROR = {
    "/": {"north": "east", "east": "north", "south": "west", "west": "south"},
    "\\": {"north": "west", "west": "north", "south": "east", "east": "south"},
}


def cells(rows: Sequence[str], kinds: str) -> list[Cell]:
    """The cells of these kinds, row by row."""
    return [cell for cell, kind in characters_of(rows).items() if kind in kinds]


def crossings(rows: Sequence[str], turret: Cell, heading: str) -> list[tuple[Cell, str]]:
    """The cells that the light of a turret enters, in order, each with the direction in which it is
    entered. The last one may be a wall or a turret.
    """
    kinds, (row, column) = characters_of(rows), turret
    entered: list[tuple[Cell, str]] = []
    while True:
        row, column = row + STEP[heading][0], column + STEP[heading][1]
        crossing = (row, column), heading
        kind = kinds.get((row, column))
        if kind is None or crossing in entered:
            return entered
        entered.append(crossing)
        if kind in "#-|":
            return entered
        heading = MIRROR.get(kind, {}).get(heading, heading)


def legal(rows: Sequence[str], turret: Cell, orientation: str) -> bool:
    """Whether a turret with this orientation hits no turret."""
    kinds = characters_of(rows)
    return not any(
        kinds[cell] in "-|"
        for heading in ARMS[orientation]
        for cell, _ in crossings(rows, turret, heading)
    )


def lit(rows: Sequence[str], turret: Cell, orientation: str) -> set[Cell]:
    """The open cells that a turret with this orientation lights."""
    kinds = characters_of(rows)
    return {
        cell
        for heading in ARMS[orientation]
        for cell, _ in crossings(rows, turret, heading)
        if kinds[cell] == "."
    }


def solved(rows: Sequence[str]) -> bool:
    """Whether every open cell is lit and no turret is hit, as the turrets stand."""
    kinds, turrets = characters_of(rows), cells(rows, "-|")
    light = [lit(rows, turret, kinds[turret]) for turret in turrets]
    return all(legal(rows, turret, kinds[turret]) for turret in turrets) and (
        set().union(*light) == set(cells(rows, "."))
    )


def possible(rows: Sequence[str]) -> bool:
    """Whether some way to turn the turrets lights every open cell and hits no turret."""
    choices = [
        [lit(rows, turret, kind) for kind in "-|" if legal(rows, turret, kind)]
        for turret in cells(rows, "-|")
    ]
    dark = set(cells(rows, "."))
    return any(dark <= set().union(*chosen) for chosen in product(*choices))
