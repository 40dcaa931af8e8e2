"""Two colours: give each open cell a colour, so that cells beside each other have different ones.

In a board `.` is an open cell, `#` a wall, and `B` and `W` are cells that are black or white
already. A solution shows the colour of each open cell.

REPLACE this text by the rules of your puzzle. `python -m compare rules` prints it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from pysat.solvers import Cadical153

from puzzles.backend import backend
from puzzles.grid import Board, GridSolution, SolutionPuzzle, grid_of
from puzzles.puzzle import Family


class Template(Board[GridSolution]):
    """REPLACE the alphabet: the characters of a board, first the one that constrains least.

    Shrinking prefers it.
    """

    puzzle: ClassVar[str] = "template"
    alphabet: ClassVar[bytes] = b".#BW"


class TemplatePuzzle(SolutionPuzzle[Template, GridSolution]):
    """The rules, and boards to try.

    No solver may use what is here: its answers are judged by it.
    """

    name = "template"
    board_type = Template

    def broken_rule(self, board: Template, solution: Board, /) -> str:
        """REPLACE: the first rule that a solution breaks, in words for people; an empty text if it
        breaks none.
        """
        before, after = board.grid, solution.grid
        for row in range(board.rows):
            for column in range(board.columns):
                cell = board.place(row * board.columns + column)
                if before[row, column] != ord(".") and after[row, column] != before[row, column]:
                    return f"the cell at {cell} has changed"
                if before[row, column] == ord(".") and chr(after[row, column]) not in "BW":
                    return f"the cell at {cell} has no colour"
                for near in ((row + 1, column), (row, column + 1)):
                    if (
                        near[0] < board.rows
                        and near[1] < board.columns
                        and after[near] == after[row, column] != ord("#")
                    ):
                        return f"the cell at {cell} has the colour of the one beside it"
        return ""

    def core_fault(self, board: Template, core: Any, /) -> str:
        """REPLACE: why a core does not prove that there is no solution; an empty text if it does. A
        core may be any value.

        Here it is a tuple of cells that hang together. Their colours alternate, so two given ones
        must not disagree.
        """
        if (
            not isinstance(core, tuple)
            or not core
            or not all(isinstance(each, int) and 0 <= each < board.cells for each in core)
        ):
            return f"the core {core!r:.60} is no tuple of cells"
        cells = {divmod(each, board.columns) for each in core}
        together, before = {min(cells)}, 0
        while len(together) > before:
            before = len(together)
            together |= {
                cell
                for cell in cells
                if any(abs(cell[0] - r) + abs(cell[1] - c) == 1 for r, c in together)
            }
        kinds = {cell: chr(board.grid[cell]) for cell in cells}
        if together != cells or "#" in kinds.values():
            return "the cells of the core do not hang together"
        sides = {(r + c + (kind == "B")) % 2 for (r, c), kind in kinds.items() if kind in "BW"}
        return "" if len(sides) == 2 else "the colours given in the core fit together"

    @property
    def families(self) -> Mapping[str, Family[Template]]:
        """REPLACE or add: boards to try."""
        return {"random": Family(random_board, "some walls, and a few cells that have a colour")}


def random_board(size: int, seed: int) -> Template:
    """REPLACE: a board of `size` rows. A size and a seed always give the same board."""
    rng = np.random.default_rng(seed)
    return Template(
        rng.choice(np.frombuffer(b".#BW", np.uint8), (size, size), p=[0.6, 0.2, 0.1, 0.1])
    )


@backend("template", "search", side="direct", source="breadth-first search", certifies=True)
def search(board: Template, *, certify: bool = False) -> GridSolution:
    """REPLACE by your algorithm.

    From each given cell the colours spread; two that meet must alternate.
    """
    lines = board.lines()
    colour: dict[tuple[int, int], str] = {}
    came_from: dict[tuple[int, int], tuple[int, int] | None] = {}
    given = [(r, c) for r, line in enumerate(lines) for c, kind in enumerate(line) if kind in "BW"]
    open_cells = [
        (r, c) for r, line in enumerate(lines) for c, kind in enumerate(line) if kind == "."
    ]
    for start in [*given, *open_cells]:
        if start in colour:
            continue
        colour[start], came_from[start] = (
            (lines[start[0]][start[1]] if start in given else "B"),
            None,
        )
        queue = [start]
        for r, c in queue:
            other = "W" if colour[r, c] == "B" else "B"
            for near in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)):
                if (
                    not (0 <= near[0] < board.rows and 0 <= near[1] < board.columns)
                    or lines[near[0]][near[1]] == "#"
                ):
                    continue
                if near not in colour:
                    colour[near], came_from[near] = other, (r, c)
                    queue.append(near)
                    if lines[near[0]][near[1]] not in (".", other):
                        core: list[int] = []
                        step: tuple[int, int] | None = near
                        while step is not None:
                            core.append(step[0] * board.columns + step[1])
                            step = came_from[step]
                        return GridSolution(False, certificate=tuple(core))
    rows = [
        "".join(colour.get((r, c), "#") for c in range(board.columns)) for r in range(board.rows)
    ]
    return GridSolution(True, Template(grid_of(rows)))


@backend(
    "template",
    "cnf",
    side="models",
    source="two clauses for each pair of neighbours",
    certifies=True,
)
def by_clauses(board: Template, *, certify: bool = False) -> GridSolution:
    """REPLACE by your model. Variable k: cell k - 1 is black.

    A selector for each cell turns its clauses on.
    """
    grid, cells = board.grid.ravel(), board.cells
    with Cadical153() as solver:
        for cell in np.flatnonzero(grid != ord("#")).tolist():
            selector, black = cells + 1 + cell, cell + 1
            if grid[cell] != ord("."):
                solver.add_clause([-selector, black if grid[cell] == ord("B") else -black])
            right, below = cell + 1, cell + board.columns
            for near in ((right,) if right % board.columns else ()) + (
                (below,) if below < cells else ()
            ):
                if grid[near] != ord("#"):
                    both = [-selector, -(cells + 1 + near)]
                    solver.add_clause([*both, black, near + 1])
                    solver.add_clause([*both, -black, -(near + 1)])
        selectors = list(range(cells + 1, 2 * cells + 1))
        if solver.solve(selectors):
            blacks = set(solver.get_model() or [])
            colours = [
                "#" if kind == ord("#") else "B" if cell + 1 in blacks else "W"
                for cell, kind in enumerate(grid)
            ]
            return GridSolution(
                True,
                Template(np.array([ord(each) for each in colours], np.uint8).reshape(board.shape)),
            )
        core = solver.get_core() or []
        for selector in core if certify else ():  # leave out what the contradiction does not need
            fewer = [other for other in core if other != selector]
            if len(fewer) < len(core) and not solver.solve(fewer):
                core = solver.get_core() or []
    return GridSolution(False, certificate=tuple(selector - cells - 1 for selector in core))


PUZZLE = TemplatePuzzle()
