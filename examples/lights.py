"""Lights Out with walls: press cells so that all lights go out.

Pressing a cell switches its own light and those of the open cells next to it. In a board `*` is a
light that is on, `.` one that is off, and `#` a wall, which is never lit nor pressed. A solution
shows the cells to press as `*`.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pysat.solvers import Cadical153

from puzzles.backend import backend
from puzzles.grid import Board, GridSolution, SolutionPuzzle, grid_of
from puzzles.puzzle import Family


class Lights(Board):
    """A board of lights.

    The alphabet begins with the character that constrains least; shrinking prefers it.
    """

    puzzle: ClassVar[str] = "lights"
    alphabet: ClassVar[bytes] = b".#*"


class LightsPuzzle(SolutionPuzzle[Lights, GridSolution]):
    """The rules, and boards to try.

    Nothing here may be used by a backend: then agreement would prove nothing.
    """

    name = "lights"
    board_type = Lights

    def broken_rule(self, board: Lights, solution: Board, /) -> str:
        """POSSIBLE is right if no wall has moved, and no light is on after all presses."""
        moved = (board.grid == ord("#")) != (solution.grid == ord("#"))
        on = (board.grid == ord("*")) ^ (switched(solution.grid == ord("*")) % 2 == 1)
        if moved.any():
            place = board.place(int(moved.argmax()))
            return f"the cell at {place} is a wall in one of the boards only"
        still = on & (board.grid != ord("#"))
        return f"the light at {board.place(int(still.argmax()))} stays on" if still.any() else ""

    def core_fault(self, board: Lights, core: Any, /) -> str:
        """IMPOSSIBLE is right: an odd number of the core's lights are on.

        But each press switches an even number of them.
        """
        if not isinstance(core, tuple) or not all(
            isinstance(cell, int) and 0 <= cell < board.cells for cell in core
        ):
            return f"the core {core!r:.60} is no tuple of cells"
        is_open = board.grid != ord("#")
        chosen = np.isin(np.arange(board.cells), core).reshape(board.shape) & is_open
        if (switched(chosen)[is_open] % 2).any():
            return "some press switches an odd number of the core's lights"
        odd = (chosen & (board.grid == ord("*"))).sum() % 2
        return "" if odd else "an even number of the core's lights are on"

    @property
    def families(self) -> Mapping[str, Family[Lights]]:
        return {"random": Family(random_lights, "half of the lights are on; more or fewer walls")}


def switched(pressed: NDArray[np.bool_]) -> NDArray[np.int64]:
    """How often each cell is switched."""
    p = np.pad(pressed.astype(np.int64), 1)
    return p[1:-1, 1:-1] + p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:]


def random_lights(size: int, seed: int) -> Lights:
    """A size and a seed always give the same board."""
    rng = np.random.default_rng(seed)
    walls = rng.random() / 3
    shares = [walls, (1 - walls) / 2, (1 - walls) / 2]
    return Lights(rng.choice(np.frombuffer(b"#.*", np.uint8), (size, size), p=shares))


@backend(
    "lights", "elimination", side="direct", source="Gaussian elimination over GF(2)", certifies=True
)
def eliminate(board: Lights, *, certify: bool = False) -> GridSolution:
    """An equation for each open cell: the presses around it, as bits, add up to its light.

    `used` says which were added up.
    """
    bit = {
        (r, c): 1 << (r * board.columns + c)
        for r, line in enumerate(board.lines())
        for c, kind in enumerate(line)
        if kind != "#"
    }
    pivots: dict[int, tuple[int, int, int]] = {}
    for (r, c), used in bit.items():
        near = ((r, c), (r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1))
        presses = sum(bit.get(cell, 0) for cell in near)
        light = int(board.lines()[r][c] == "*")
        while presses and (top := presses.bit_length()) in pivots:
            other = pivots[top]
            presses, light, used = presses ^ other[0], light ^ other[1], used ^ other[2]
        if presses:
            pivots[presses.bit_length()] = (presses, light, used)
        elif light:
            core = tuple(k for k in range(board.cells) if used >> k & 1)
            return GridSolution(False, certificate=core)
    pressed = 0
    for top, (presses, light, _) in sorted(pivots.items()):
        pressed |= ((presses & pressed).bit_count() % 2 ^ light) << (top - 1)
    rows = [
        "".join(
            "#" if (r, c) not in bit else ".*"[bool(bit[r, c] & pressed)]
            for c in range(board.columns)
        )
        for r in range(board.rows)
    ]
    return GridSolution(True, Lights(grid_of(rows)))


@backend(
    "lights",
    "cnf",
    side="models",
    source="a clause for each wrong choice of presses",
    certifies=True,
    limit=64,
)
def by_clauses(board: Lights, *, certify: bool = False) -> GridSolution:
    """Variable k + 1: cell k is pressed.

    A light's clauses hold if its selector does; a minimal core adds up to 0 = 1.
    """
    is_open, (row, column) = board.grid != ord("#"), np.indices(board.shape)
    with Cadical153() as solver:
        selectors = [board.cells + 1 + int(cell) for cell in np.flatnonzero(is_open)]
        for selector in selectors:
            r, c = divmod(selector - board.cells - 1, board.columns)
            near = np.flatnonzero(is_open & (abs(row - r) + abs(column - c) <= 1)) + 1
            for signs in product((1, -1), repeat=near.size):
                if (signs.count(-1) + (board.grid[r, c] == ord("*"))) % 2:
                    solver.add_clause([-selector, *(near * signs).tolist()])
        if solver.solve(selectors):
            pressed = np.isin(np.arange(1, board.cells + 1), solver.get_model() or [])
            shown = np.where(pressed.reshape(board.shape), ord("*"), ord("."))
            return GridSolution(True, Lights(np.where(is_open, shown, board.grid).astype(np.uint8)))
        core = solver.get_core() or []
        for selector in core if certify else ():
            if not solver.solve([other for other in core if other != selector]):
                core = solver.get_core() or []
    return GridSolution(False, certificate=tuple(selector - board.cells - 1 for selector in core))


PUZZLE = LightsPuzzle()
