"""Certificates of minesweeper: cores of the certain cells, and layouts that show both values of every other cell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from models import model_thresholds
from models.minesweeper.clues import Backbone, Clues, formula_of
from models.session import core_groups, session
from models.solvers.solver_failure import SolverFailure
from puzzles.minesweeper.board import COVERED, MINE, Certificate, Core, Minesweeper


def certificate(board: Minesweeper, clues: Clues, backbone: Backbone | None, solver: str) -> Certificate:
    """The certificate of an answer. `backbone` is None if the board is inconsistent."""
    if backbone is None:
        return Certificate((_core(core_groups(formula_of(clues, grouped=True), solver), (), board),))
    if clues.total is not None:
        return Certificate(tuple(_cores(board, clues, backbone, solver)), tuple(_counted_layouts(board, clues, backbone)))
    return Certificate(tuple(_cores(board, clues, backbone, solver)), tuple(_layouts(board, clues, backbone)))


def _core(groups: Iterable[int], cells: Iterable[int], board: Minesweeper) -> Core:
    """The core of these cells, from clause groups: clues, and perhaps the number of mines."""
    kept = tuple(sorted(groups))
    return Core(tuple(group for group in kept if group < board.cells), tuple(cells), board.cells in kept)


def _counted_layouts(board: Minesweeper, clues: Clues, backbone: Backbone) -> Iterator[bytes]:
    """A layout for each model of the backbone. The interchangeable cells hold the mines that the model leaves over.

    If a model leaves some of those cells a mine but not all, the mines move round among them from layout to layout, until every one
    of these cells has been shown with a mine and without.
    """
    assert clues.total is not None
    free = clues.total.interchangeable
    shown = np.zeros((2, board.cells), np.bool_)
    for model in backbone.models:
        layout = (board.grid == MINE).ravel()
        layout[clues.variables] = model
        layout[free] = False
        mines = clues.total.mines - int(layout[clues.variables].sum()) if free.size else 0
        step = 0
        while step < max(free.size, 1):
            layout[free] = np.roll(np.arange(free.size) < mines, step)
            if step and not (~shown[0, free] & layout[free] | ~shown[1, free] & ~layout[free]).any():
                break
            shown[0] |= layout
            shown[1] |= ~layout
            step += max(min(mines, free.size - mines), 1)
            yield layout.tobytes()
            if mines in (0, free.size):
                break


def _layouts(board: Minesweeper, clues: Clues, backbone: Backbone) -> Iterator[bytes]:
    """A few layouts that combine the backbone's models.

    Parts of the board that no uncertain cell connects are independent, so each part goes on to its own next model. The cells that
    touch no clue have no mine in the first layout and a mine in all others.
    """
    parts = parts_of(clues, backbone.certain)
    turns: list[list[int]] = [[0] for _ in range(int(parts.max(initial=-1)) + 1)]
    certain = np.ones(backbone.values.size, np.bool_)
    for k, model in enumerate(backbone.models):
        for part in np.unique(parts[certain & (model != backbone.values)]).tolist():
            turns[part].append(k)
        certain &= model == backbone.values
    free = (board.grid == COVERED).ravel()
    free[clues.variables] = False
    models = np.array(backbone.models).reshape(len(backbone.models), -1)
    variables = np.arange(parts.size)
    for step in range(max([len(turn) for turn in turns] + [1 + int(free.any())])):
        turn = np.array([own[min(step, len(own) - 1)] for own in turns], np.int64)
        layout = (board.grid == MINE).ravel()
        layout[free] = step > 0
        layout[clues.variables] = models[turn[parts], variables] if parts.size else False
        yield layout.tobytes()


def parts_of(clues: Clues, certain: NDArray[np.bool_]) -> NDArray[np.int64]:
    """A part number for each variable. Uncertain variables that clues connect, directly or through others, are in one part."""
    open_only = np.concatenate([[False], ~certain])[clues.beside]
    cells_of, clues_of = _neighbours(clues._replace(beside=np.where(open_only, clues.beside, 0)))
    parts = [-1] * clues.variables.size
    count = 0
    for first in range(len(parts)):
        if parts[first] >= 0:
            continue
        parts[first] = count
        queue = [first + 1]
        for variable in queue:
            for clue in clues_of[variable]:
                for near in cells_of[clue]:
                    if parts[near - 1] < 0:
                        parts[near - 1] = count
                        queue.append(near)
                cells_of[clue] = []
        count += 1
    return np.array(parts, np.int64)


def _neighbours(clues: Clues) -> tuple[list[list[int]], list[list[int]]]:
    """The variables beside each clue, and the clues beside each variable; variables count from 1, so entry 0 is empty."""
    cells_of = [[variable for variable in beside if variable] for beside in clues.beside.tolist()]
    clues_of: list[list[int]] = [[] for _ in range(clues.variables.size + 1)]
    for clue, beside in enumerate(cells_of):
        for variable in beside:
            clues_of[variable].append(clue)
    return cells_of, clues_of


def _cores(board: Minesweeper, clues: Clues, backbone: Backbone, solver: str) -> list[Core]:
    """Cores for all certain cells: a few clues that force the cell, searched among the nearest. Cells with the same core share it.

    The board is searched block by block, each with the clues around it. So the time is linear in the board, apart from cells whose
    cores reach beyond that.
    """
    certain = clues.variables[backbone.certain]
    values = dict(zip(certain.tolist(), backbone.values[backbone.certain].tolist(), strict=True))
    forced: dict[tuple[int, ...], list[int]] = {}
    row, column = np.divmod(clues.cells, board.columns)
    side, margin = model_thresholds.CORE_BLOCK, model_thresholds.CORE_MARGIN
    block = certain // board.columns // side * (board.columns // side + 1) + certain % board.columns // side
    missing: list[int] = []
    for each in np.unique(block).tolist():
        top, left = np.array(divmod(each, board.columns // side + 1)) * side
        near = (row >= top - margin) & (row < top + side + margin)
        near &= (column >= left - margin) & (column < left + side + margin)
        missing += _find_cores(_only(clues, near), certain[block == each].tolist(), values, solver, forced)
    missing = _find_cores(clues._replace(total=None), missing, values, solver, forced) if missing else []
    if missing and (clues.total is None or _find_cores(clues, missing, values, solver, forced)):
        raise SolverFailure(solver, "found that a cell has one value in all solutions, and then that no clues force it")
    if clues.total is not None and clues.total.interchangeable.size:
        for together in forced.values():
            if clues.total.interchangeable[0] in together:
                together += clues.total.interchangeable[1:].tolist()
    return [_core(groups, cells, board) for groups, cells in forced.items()]


def _only(clues: Clues, chosen: NDArray[np.bool_]) -> Clues:
    """The chosen clues, with the variables beside them numbered anew."""
    beside = clues.beside[chosen]
    used = np.unique(beside[beside > 0])
    renumbered = np.where(beside > 0, np.searchsorted(used, beside) + 1, 0)
    return Clues(clues.variables[used - 1], clues.cells[chosen], clues.asked[chosen], renumbered, clues.covered[chosen])


def _find_cores(
    clues: Clues, cells: list[int], values: dict[int, bool], solver: str, forced: dict[tuple[int, ...], list[int]]
) -> list[int]:
    """Search among these clues for cores of the cells, and add them to `forced`: core -> cells. Returns the cells without a core
    here.

    Args:
        values: for each certain cell whether it is a mine.
    """
    formula = formula_of(clues, grouped=True)
    whole = [] if clues.total is None else [formula.selector(clues.total.group)]
    selectors = [formula.selectors[cell] for cell in clues.cells.tolist()]
    groups = {selector: group for group, selector in formula.selectors.items()}
    cells_of, clues_of = _neighbours(clues)
    missing: list[int] = []
    with session(formula, solver) as opened:
        opened.phases([-selector for selector in selectors])
        numbered = dict(zip(clues.variables.tolist(), range(1, clues.variables.size + 1), strict=True))
        for cell in cells:
            variable = numbered.get(cell, 0)
            if not variable:
                missing.append(cell)
                continue
            against = -variable if values[cell] else variable
            most = len(selectors) if whole else model_thresholds.FIRST_REGION
            while True:
                region = _nearest(variable, most, cells_of, clues_of)
                chosen = selectors if whole else [selectors[clue] for clue in region]
                if not opened.solve([*chosen, *whole, against]):
                    kept = opened.smaller(opened.core())
                    core = tuple(sorted(groups[literal] for literal in kept if literal in groups))
                    forced.setdefault(core, []).append(cell)
                    break
                if whole or len(region) < most:  # no clue is left to add
                    missing.append(cell)
                    break
                most *= 4
    return missing


def _nearest(variable: int, most: int, cells_of: list[list[int]], clues_of: list[list[int]]) -> list[int]:
    """At least `most` clues nearest to a cell, or all that reach it, by breadth-first search from cell to clue to cell."""
    queue, known = [variable], {variable}
    region: dict[int, None] = {}
    for cell in queue:
        for clue in clues_of[cell]:
            if clue not in region:
                region[clue] = None
                for near in cells_of[clue]:
                    if near not in known:
                        known.add(near)
                        queue.append(near)
        if len(region) >= most:
            break
    return list(region)
