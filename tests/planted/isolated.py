"""Geography as a contest program, right but for isolated cells, which it counts as winning: they never get into its graph."""

from __future__ import annotations

import sys

Cell = tuple[int, int]

_, _, *field = sys.stdin.read().split()
graph: dict[Cell, list[Cell]] = {}
for r, line in enumerate(field):
    for c, kind in enumerate(line):
        for near in ((r + 1, c), (r, c + 1)):
            if near[0] < len(field) and near[1] < len(line) and kind == field[near[0]][near[1]] == ".":
                graph.setdefault((r, c), []).append(near)
                graph.setdefault(near, []).append((r, c))
mate: dict[Cell, Cell] = {}


def alternating(start: Cell) -> dict[Cell, Cell]:
    """The cells that an alternating path of even length leads to from an exposed one, each with the odd cell before it.

    Where it leads to another exposed cell, that path is turned over, and the result is empty.
    """
    before: dict[Cell, Cell] = {start: start}
    odd: dict[Cell, Cell] = {}
    waiting = [start]
    for cell in waiting:
        for near in graph[cell]:
            if near in odd:
                continue
            odd[near] = cell
            if near not in mate:
                while True:
                    cell = odd[near]
                    following = mate.get(cell)
                    mate[near], mate[cell] = cell, near
                    if following is None:
                        return {}
                    near = following
            before[mate[near]] = near
            waiting.append(mate[near])
    return before


for cell in graph:
    if cell not in mate:
        alternating(cell)
losing = sorted({reached for cell in graph if cell not in mate for reached in alternating(cell)})
print(len(losing))
for r, c in losing:
    print(r + 1, c + 1)
