"""Dominoes: all open cells of a board (`.`) are covered by dominoes of two cells; `#` is a wall.

A solution shows in each open cell where the other half of its domino lies: `<`, `>`, `^` or `v`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from pysat.solvers import Cadical153

from puzzles.backend import backend
from puzzles.grid import Board, GridSolution, SolutionPuzzle, grid_of
from puzzles.puzzle import Family

Cell = tuple[int, int]


class Room(Board[GridSolution]):
    puzzle: ClassVar[str] = "dominoes"
    alphabet: ClassVar[bytes] = b".#"


class Tiling(Board[GridSolution]):
    puzzle: ClassVar[str] = "dominoes"
    alphabet: ClassVar[bytes] = b".#<>^v"


class DominoesPuzzle(SolutionPuzzle[Room, GridSolution]):
    name = "dominoes"
    board_type = Room
    solution_type = Tiling

    def broken_rule(self, board: Room, solution: Board, /) -> str:
        rows, halves = board.lines(), solution.lines()
        others = {"<": (0, -1, ">"), ">": (0, 1, "<"), "^": (-1, 0, "v"), "v": (1, 0, "^")}
        for row, column in np.ndindex(board.shape):
            place, half = board.place(row * board.columns + column), halves[row][column]
            if (rows[row][column] == "#") != (half == "#"):
                return f"the cell at {place} is a wall in one of the boards only"
            if half == "#":
                continue
            if half not in others:
                return f"the cell at {place} is not covered"
            down, right, back = others[half]
            near = row + down, column + right
            inside = 0 <= near[0] < board.rows and 0 <= near[1] < board.columns
            if not inside or halves[near[0]][near[1]] != back:
                return f"the domino at {place} has one half only"
        return ""

    def core_fault(self, board: Room, core: Any, /) -> str:
        """Cells of one colour of a chessboard that have fewer neighbours than they are."""
        if not isinstance(core, tuple) or not all(
            isinstance(cell, int) and 0 <= cell < board.cells for cell in core
        ):
            return "the core is no tuple of cells"
        cells = {divmod(cell, board.columns) for cell in core}
        if any(board.grid[cell] == ord("#") for cell in cells):
            return "a cell of the core is a wall"
        if len({(row + column) % 2 for row, column in cells}) != 1:
            return "the cells of the core have two colours"
        near = {
            cell
            for cell in np.ndindex(board.shape)
            if board.grid[cell] == ord(".")
            and any(abs(cell[0] - row) + abs(cell[1] - column) == 1 for row, column in cells)
        }
        return "" if len(near) < len(cells) else "the cells of the core have enough neighbours"

    @property
    def families(self) -> Mapping[str, Family[Room]]:
        return {"random": Family(random_room, "a tenth of the cells are walls")}


def random_room(size: int, seed: int) -> Room:
    rng = np.random.default_rng(seed)
    return Room(np.where(rng.random((size, size)) < 0.1, ord("#"), ord(".")).astype(np.uint8))


@backend("dominoes", "matching", side="direct", source="augmenting paths", certifies=True)
def by_matching(board: Room, *, certify: bool = False) -> GridSolution:
    opened = {cell for cell in np.ndindex(board.shape) if board.grid[cell] == ord(".")}
    other_half: dict[Cell, Cell] = {}

    def pair(cell: Cell, passed: set[Cell]) -> bool:
        """Find a half for a cell, perhaps that of another one, which then gets a new one."""
        row, column = cell
        for near in ((row, column - 1), (row, column + 1), (row - 1, column), (row + 1, column)):
            if near not in opened or near in passed:
                continue
            passed.add(near)
            if near not in other_half or pair(other_half[near], passed):
                other_half[near], other_half[cell] = cell, near
                return True
        return False

    for colour in (0, 1):
        for cell in sorted(opened):
            passed: set[Cell] = set()
            if sum(cell) % 2 != colour or cell in other_half or pair(cell, passed):
                continue
            reached = [cell, *(other_half[each] for each in passed)]
            core = tuple(row * board.columns + column for row, column in reached)
            return GridSolution(False, certificate=core)
    return _tiling(board, list(other_half.items()))


@backend("dominoes", "cnf", side="models", source="a variable for each domino")
def by_clauses(board: Room, *, certify: bool = False) -> GridSolution:
    opened = [cell for cell in np.ndindex(board.shape) if board.grid[cell] == ord(".")]
    dominoes = [
        (one, other)
        for one in opened
        for other in ((one[0], one[1] + 1), (one[0] + 1, one[1]))
        if other in opened
    ]
    with Cadical153() as solver:
        for cell in opened:
            covering = [k for k, domino in enumerate(dominoes, 1) if cell in domino]
            solver.add_clause(covering)
            for place, one in enumerate(covering):
                for other in covering[:place]:
                    solver.add_clause([-one, -other])
        if not solver.solve():
            return GridSolution(False)
        chosen = [dominoes[k - 1] for k in solver.get_model() or [] if k > 0]
    return _tiling(board, [*chosen, *((other, one) for one, other in chosen)])


def _tiling(board: Room, halves: list[tuple[Cell, Cell]]) -> GridSolution:
    """The answer that shows each half of these dominoes, given with its other half."""
    signs = {(0, -1): "<", (0, 1): ">", (-1, 0): "^", (1, 0): "v"}
    rows = [list(line) for line in board.lines()]
    for (row, column), other in halves:
        rows[row][column] = signs[other[0] - row, other[1] - column]
    return GridSolution(True, Tiling(grid_of(["".join(row) for row in rows])))


PUZZLE = DominoesPuzzle()
