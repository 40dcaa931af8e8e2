"""Certificates of minesweeper: cores of the certain cells, and layouts that show both values of
every other cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from models.cnf import Formula
from models.minesweeper import thresholds
from models.minesweeper.clues import Backbone, Clues, formula_of_clues, statement_of
from models.session import Session, core_groups, session
from models.solvers.sat_solver import SolverFailure
from puzzles.minesweeper.board import MINE, Certificate, Core, Minesweeper


def certificate(
    board: Minesweeper, clues: Clues, backbone: Backbone | None, solver: str
) -> Certificate:
    """The certificate of an answer. `backbone` is None if the board is inconsistent."""
    if backbone is None:
        statement = statement_of(board)
        impossible = statement.impossible[:1].tolist()
        return Certificate(
            (_core(impossible or core_groups(statement.formula, solver), (), board),)
        )
    return Certificate(
        tuple(_cores(board, clues, backbone, solver)),
        tuple(dict.fromkeys(_layouts(board, clues, backbone))),
    )


def _core(groups: Iterable[int], cells: Iterable[int], board: Minesweeper) -> Core:
    """The core of these cells, from clause groups: clues, and perhaps the number of mines."""
    kept = tuple(sorted(groups))
    return Core(
        tuple(group for group in kept if group < board.cells), tuple(cells), board.cells in kept
    )


def _layouts(board: Minesweeper, clues: Clues, backbone: Backbone) -> Iterator[bytes]:
    """Layouts for the models of the backbone. The cells that touch no clue hold the mines that a
    model leaves over. Without a number of mines they have no mine in the first layout and a mine in
    all others; there are two at least if there are such cells.

    Where a model leaves some of those cells a mine but not all, one such model has more layouts:
    the mines move on until each of the cells has been shown with a mine and without.
    """
    free, models, moved = clues.free, backbone.models, False
    if clues.total is None and free.size and len(models) == 1:
        models = 2 * models
    for index, model in enumerate(models):
        layout = (board.grid == MINE).ravel()
        layout[clues.variables] = model
        layout[free] = False
        mines = free.size if index else 0
        if clues.total is not None:
            mines = clues.total.mines - int(layout[clues.variables].sum())
        starts = range(1)
        if 0 < mines < free.size and not moved:
            starts, moved = range(0, free.size, min(mines, free.size - mines)), True
        for start in starts:
            layout[free] = np.roll(np.arange(free.size) < mines, start)
            yield layout.tobytes()


def _cores(board: Minesweeper, clues: Clues, backbone: Backbone, solver: str) -> list[Core]:
    """Cores for all certain cells: one clue, or a few that force the cell. Cells share equal cores.

    A large board is searched block by block first, each with the clues around it. So the time is
    linear in the board, apart from cells whose cores reach beyond that.
    """
    statement = statement_of(board)
    certain = clues.variables[backbone.certain]
    values = dict(zip(certain.tolist(), backbone.values[backbone.certain].tolist(), strict=True))
    forced: dict[tuple[int, ...], list[int]] = {}
    missing: list[int] = []
    for cell in values:
        if cell in statement.alone:
            forced.setdefault((statement.alone[cell],), []).append(cell)
        else:
            missing.append(cell)
    if missing and not _is_one_block(board):
        missing = _find_in_blocks(board, clues, np.array(missing, np.int64), values, solver, forced)
    if missing:
        with session(statement.formula, solver) as opened:
            search = _CoreSearch(opened, clues, statement.formula, values, forced)
            missing = search.without_number(missing)
            if missing and (clues.total is None or search.with_number(missing)):
                raise SolverFailure(
                    solver,
                    "found that a cell has one value in all solutions, and then that no clues "
                    "force it",
                )
    if clues.total is not None and clues.free.size:
        for together in forced.values():
            if clues.free[0] in together:
                together += clues.free[1:].tolist()
    return [_core(groups, cells, board) for groups, cells in forced.items()]


def _is_one_block(board: Minesweeper) -> bool:
    return max(board.grid.shape) <= thresholds.CORE_BLOCK


def _find_in_blocks(
    board: Minesweeper,
    clues: Clues,
    wanted: NDArray[np.int64],
    values: dict[int, bool],
    solver: str,
    forced: dict[tuple[int, ...], list[int]],
) -> list[int]:
    """Search for cores block by block, without the number of mines.

    Returns the cells without a core there.
    """
    row, column = np.divmod(clues.cells, board.columns)
    side, margin = thresholds.CORE_BLOCK, thresholds.CORE_MARGIN
    block = (
        wanted // board.columns // side * (board.columns // side + 1)
        + wanted % board.columns // side
    )
    missing: list[int] = []
    for each in np.unique(block).tolist():
        top, left = np.array(divmod(each, board.columns // side + 1)) * side
        near = (row >= top - margin) & (row < top + side + margin)
        near &= (column >= left - margin) & (column < left + side + margin)
        here = _only(clues, near)
        formula = formula_of_clues(here, grouped=True)
        with session(formula, solver) as opened:
            missing += _CoreSearch(opened, here, formula, values, forced).without_number(
                wanted[block == each].tolist()
            )
    return missing


def _only(clues: Clues, chosen: NDArray[np.bool_]) -> Clues:
    """The chosen clues, with the variables beside them numbered anew."""
    beside = clues.beside[chosen]
    used = np.unique(beside[beside > 0])
    renumbered = np.where(beside > 0, np.searchsorted(used, beside) + 1, 0)
    return Clues(
        clues.variables[used - 1],
        clues.cells[chosen],
        clues.need[chosen],
        renumbered,
        clues.covered[chosen],
        clues.free,
    )


class _CoreSearch:
    """The search for cores of certain cells that no clue forces alone, among some clues, in a
    session that holds these.
    """

    def __init__(
        self,
        opened: Session,
        clues: Clues,
        formula: Formula,
        values: dict[int, bool],
        forced: dict[tuple[int, ...], list[int]],
    ) -> None:
        """What it finds goes to `forced`: core -> cells.

        `values`: for each certain cell whether it is a mine.
        """
        self.opened, self.forced = opened, forced
        self.selectors = [formula.selectors[cell] for cell in clues.cells.tolist()]
        self.number = [] if clues.total is None else [formula.selectors[clues.total.group]]
        self.groups = {selector: group for group, selector in formula.selectors.items()}
        variables = zip(clues.variables.tolist(), range(1, clues.variables.size + 1), strict=True)
        self.against = {
            cell: -variable if values[cell] else variable
            for cell, variable in variables
            if cell in values
        }
        opened.phases([-selector for selector in (*self.selectors, *self.number)])

    def without_number(self, cells: list[int]) -> list[int]:
        """Search among the clues here, but not the number of mines.

        Returns the cells without a core here.
        """
        return [
            cell for cell in cells if cell not in self.against or not self._is_forced(cell, least=2)
        ]

    def with_number(self, cells: list[int]) -> list[int]:
        """Search among all clues and the number of mines. Returns the cells without a core."""
        return [cell for cell in cells if not self._is_forced(cell, self.number)]

    def _is_forced(self, cell: int, number: Sequence[int] = (), least: int = 0) -> bool:
        """Whether the clues, with the selector of the number of mines if it is given, force the
        cell.

        If so, the core goes to `forced`. `least`: what is known of the number of clues in a core.
        """
        always = [self.against[cell], *number]
        if self.opened.solve([*self.selectors, *always]):
            return False
        kept = self.opened.smaller(self.opened.core(), always=always, least=least)
        self.forced.setdefault(
            tuple(sorted(self.groups[literal] for literal in (*kept, *number))), []
        ).append(cell)
        return True
