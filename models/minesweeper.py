"""Minesweeper as clauses and constraints: a variable for each covered cell beside a clue, each clue an exact sum of them.

What is certain is the backbone: the cells that have one value in all solutions.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.cnf import DEFAULT_SOLVER, Formula, Session, core, paused_collector, session, solver_name
from models.stopwatch import Stopwatch
from puzzles.backend import Unsupported, backend
from puzzles.minesweeper.board import BLANK, COVERED, MINE, SAFE, Certificate, Core, Deduction, Minesweeper
from puzzles.puzzle import Effort

FIRST_REGION = 4
"""Clues near a cell among which its core is searched at first; four times as many each time that they do not suffice."""

BLOCK, MARGIN = 16, 6
"""Rows and columns of a block whose cells' cores are searched together, and how far around it clues are taken along."""

_ONCE = ("kissat404",)
"""Solvers that abort when they are asked a second time."""


class _Clues(NamedTuple):
    """The clues that have a covered neighbour or cannot hold, and their covered neighbours as variables from 1 on.

    Attributes:
        variables: int64, the cell of each variable, ascending.
        cells: int64, the cell of each clue, ascending.
        asked: int64, how many of its covered neighbours are mines.
        beside: int64 (clues, 8), their variables in ascending order, zeros first.
        covered: int64, how many they are.
    """

    variables: NDArray[np.int64]
    cells: NDArray[np.int64]
    asked: NDArray[np.int64]
    beside: NDArray[np.int64]
    covered: NDArray[np.int64]


def _clues(board: Minesweeper) -> _Clues:
    rows, columns = board.grid.shape
    kind = np.zeros((rows + 2, columns + 2), np.uint8)
    kind[1:-1, 1:-1] = board.grid
    shifted = [slice(None, -2), slice(1, -1), slice(2, None)]
    around = [(down, right) for down in shifted for right in shifted if (down, right) != (shifted[1], shifted[1])]
    is_clue = (board.grid == BLANK) | ((board.grid >= ord("0")) & (board.grid <= ord("8")))
    clue = np.zeros(kind.shape, np.bool_)
    clue[1:-1, 1:-1] = is_clue
    beside_clue = np.zeros((rows, columns), np.bool_)
    flags = np.zeros((rows, columns), np.int64)
    for place in around:
        beside_clue |= clue[place]
        flags += kind[place] == MINE
    variables = np.flatnonzero(beside_clue & (board.grid == COVERED))
    number = np.zeros(kind.shape, np.int64)
    number[1 + variables // columns, 1 + variables % columns] = np.arange(1, variables.size + 1)
    asked = np.where(board.grid == BLANK, 0, board.grid.astype(np.int64) - ord("0"))[is_clue] - flags[is_clue]
    beside = np.sort(np.column_stack([number[place][is_clue] for place in around]), axis=1)
    covered = np.count_nonzero(beside, axis=1)
    kept = (covered > 0) | (asked != 0)
    return _Clues(variables, np.flatnonzero(is_clue)[kept], asked[kept], beside[kept], covered[kept])


@backend(
    "minesweeper",
    "cnf",
    side="models",
    source="exactly n of k by enumeration of subsets; the backbone on one incremental solver",
    options=("solver",),
)
def solve_cnf(board: Minesweeper, *, certify: bool = False, solver: str = DEFAULT_SOLVER) -> Deduction:
    """One clause for each subset of a clue's cells that has a mine too many or room for one too few.

    Raises:
        Unsupported: the number of mines is given, or the solver cannot be asked twice.
    """
    _refuse_count(board)
    name = solver_name(solver)
    if name in _ONCE:
        raise Unsupported(f"{name} cannot be asked a second time, which a backbone takes")
    watch = Stopwatch()
    with paused_collector():
        clues = _clues(board)
        formula = _formula(clues, guarded=False)
        watch.built()
        with session(formula, name) as opened:
            backbone = _backbone(opened, clues.variables.size)
        effort = watch.effort(formula.variables, len(formula.clauses))
    return _deduction(board, clues, backbone, effort, name if certify else None)


@backend(
    "minesweeper",
    "cpsat",
    side="models",
    source="each clue a linear equation; CP-SAT asked for a solution that differs from all before, until there is none",
    limit=600,
    requires=("ortools",),
)
def solve_cpsat(board: Minesweeper, *, certify: bool = False) -> Deduction:
    """The backbone by solutions that must differ from every one before in a cell that had one value so far.

    Raises:
        Unsupported: the number of mines is given.
    """
    from models.cpsat import Model

    _refuse_count(board)
    watch = Stopwatch()
    clues = _clues(board)
    model = Model()
    mines = model.variables(clues.variables.size, "m")
    for asked, beside in zip(clues.asked.tolist(), clues.beside.tolist(), strict=True):
        model.cp.add(sum(mines[variable - 1] for variable in beside if variable) == asked)
    watch.built()
    backbone = None
    while model.solve():
        found = np.array([model.value(mine) for mine in mines], np.bool_)
        backbone = _Backbone(found, np.ones(found.size, np.bool_), [found]) if backbone is None else backbone.after(found)
        model.cp.clear_hints()
        candidates = np.flatnonzero(backbone.certain).tolist()
        for k in candidates:
            model.cp.add_hint(mines[k], not backbone.values[k])
        model.cp.add_bool_or([~mines[k] if backbone.values[k] else mines[k] for k in candidates])
    return _deduction(board, clues, backbone, watch.effort(*model.size), DEFAULT_SOLVER if certify else None)


def _refuse_count(board: Minesweeper) -> None:
    if board.mines is not None:
        raise Unsupported("the number of mines is given, which this backend cannot use")


def _formula(clues: _Clues, *, guarded: bool) -> Formula:
    """Exactly n of k by subsets: of n + 1 cells one has no mine, of k - n + 1 one has a mine; alike clues in one go."""
    formula = Formula(guarded=guarded)
    formula.new(clues.variables.size)
    for asked, count in np.unique(np.column_stack([clues.asked, clues.covered]), axis=0).tolist():
        chosen = (clues.asked == asked) & (clues.covered == count)
        cells, beside = clues.cells[chosen], clues.beside[chosen, 8 - count :]
        if not 0 <= asked <= count:
            void = formula.new()
            for cell in cells.tolist():
                formula.demand([cell, cell], np.array([[void], [-void]]))
            continue
        for sign, size in ((-1, asked + 1), (1, count - asked + 1)):
            subsets = np.array(list(combinations(range(count), size)), np.int64)
            if subsets.size:
                formula.demand(np.repeat(cells, len(subsets)), sign * beside[:, subsets].reshape(-1, size))
    return formula


class _Backbone(NamedTuple):
    """The variables that had one value in all models so far, and models that between them show the others' both values.

    Attributes:
        values: bool, each variable's value in the first model.
        certain: bool, whether it had that value in all.
        models: those that differed where none before had.
    """

    values: NDArray[np.bool_]
    certain: NDArray[np.bool_]
    models: list[NDArray[np.bool_]]

    def after(self, model: NDArray[np.bool_]) -> _Backbone:
        """With one more model."""
        return _Backbone(self.values, self.certain & (model == self.values), [*self.models, model])


def _backbone(opened: Session, variables: int) -> _Backbone | None:
    """Flip one candidate at a time: a model drops every candidate that it flips, a contradiction makes a unit clause."""
    if not opened.solve():
        return None
    first = opened.model()[1 : variables + 1]
    found = _Backbone(first, np.ones(variables, np.bool_), [first])
    literals = (np.where(first, 1, -1) * np.arange(1, variables + 1)).tolist()
    opened.phases([-literal for literal in literals])
    for k, literal in enumerate(literals):
        if not found.certain[k]:
            continue
        if opened.solve([-literal]):
            found = found.after(opened.model()[1 : variables + 1])
        else:
            opened.add([literal])
            opened.phases([literal])
    return found


def _deduction(board: Minesweeper, clues: _Clues, backbone: _Backbone | None, effort: Effort, certifier: str | None) -> Deduction:
    """The answer; with a certificate where a solver is named to find the cores."""
    if backbone is None:
        proof = None
        if certifier is not None:
            proof = Certificate((Core(core(_formula(clues, guarded=True), certifier)),))
        return Deduction(False, board, certificate=proof, effort=effort)
    grid = board.grid.copy()
    marks = np.where(backbone.values, MINE, SAFE).astype(np.uint8)
    grid.ravel()[clues.variables] = np.where(backbone.certain, marks, COVERED)
    proof = None
    if certifier is not None:
        proof = Certificate(tuple(_cores(board, clues, backbone, certifier)), tuple(_layouts(board, clues, backbone)))
    return Deduction(True, Minesweeper(grid), certificate=proof, effort=effort)


def _layouts(board: Minesweeper, clues: _Clues, backbone: _Backbone) -> Iterator[bytes]:
    """Few layouts from the backbone's models: parts of the board that no uncertain cell
    connects go on to their next model on their own.

    The cells beside no clue have no mine in the first layout and one in the others.
    """
    parts = _parts(clues, backbone.certain)
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


def _parts(clues: _Clues, certain: NDArray[np.bool_]) -> NDArray[np.int64]:
    """A number for each variable, the same where uncertain ones are connected through clues and one another."""
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


def _neighbours(clues: _Clues) -> tuple[list[list[int]], list[list[int]]]:
    """The variables beside each clue, and the clues beside each variable (of which there is none 0)."""
    cells_of = [[variable for variable in beside if variable] for beside in clues.beside.tolist()]
    clues_of: list[list[int]] = [[] for _ in range(clues.variables.size + 1)]
    for clue, beside in enumerate(cells_of):
        for variable in beside:
            clues_of[variable].append(clue)
    return cells_of, clues_of


def _cores(board: Minesweeper, clues: _Clues, backbone: _Backbone, solver: str) -> list[Core]:
    """For each certain cell few clues that force it, searched among the nearest; cells with the same core together.

    The board is taken block by block, each with the clues around it, so that the time is linear in the board but for the
    cells whose cores do not fit there.
    """
    certain = clues.variables[backbone.certain]
    values = dict(zip(certain.tolist(), backbone.values[backbone.certain].tolist(), strict=True))
    forced: dict[tuple[int, ...], list[int]] = {}
    row, column = np.divmod(clues.cells, board.columns)
    block = certain // board.columns // BLOCK * (board.columns // BLOCK + 1) + certain % board.columns // BLOCK
    missing: list[int] = []
    for each in np.unique(block).tolist():
        top, left = np.array(divmod(each, board.columns // BLOCK + 1)) * BLOCK
        near = (row >= top - MARGIN) & (row < top + BLOCK + MARGIN)
        near &= (column >= left - MARGIN) & (column < left + BLOCK + MARGIN)
        missing += _find_cores(_only(clues, near), certain[block == each].tolist(), values, solver, forced)
    if missing and _find_cores(clues, missing, values, solver, forced):
        raise RuntimeError("the clues do not force a cell that has one value in all solutions")
    return [Core(found, tuple(cells)) for found, cells in forced.items()]


def _only(clues: _Clues, chosen: NDArray[np.bool_]) -> _Clues:
    """Some of the clues, with the variables beside them numbered anew."""
    beside = clues.beside[chosen]
    used = np.unique(beside[beside > 0])
    renumbered = np.where(beside > 0, np.searchsorted(used, beside) + 1, 0)
    return _Clues(clues.variables[used - 1], clues.cells[chosen], clues.asked[chosen], renumbered, clues.covered[chosen])


def _find_cores(
    clues: _Clues, cells: list[int], values: dict[int, bool], solver: str, forced: dict[tuple[int, ...], list[int]]
) -> list[int]:
    """Add to `forced` the cores of these cells, each claimed to have its value; returns the cells that have none here."""
    formula = _formula(clues, guarded=True)
    selectors = [formula.selectors[cell] for cell in clues.cells.tolist()]
    origins = {selector: cell for cell, selector in formula.selectors.items()}
    cells_of, clues_of = _neighbours(clues)
    missing: list[int] = []
    with session(formula, solver) as opened:
        opened.phases([-selector for selector in selectors])
        for cell, variable in zip(cells, (np.searchsorted(clues.variables, cells) + 1).tolist(), strict=True):
            against = -variable if values[cell] else variable
            most, tried = FIRST_REGION, 0
            while True:
                region = _nearest(variable, most, cells_of, clues_of)
                if not opened.solve([*(selectors[clue] for clue in region), against]):
                    kept = opened.smaller(opened.core())
                    found = tuple(sorted(origins[literal] for literal in kept if literal in origins))
                    forced.setdefault(found, []).append(cell)
                    break
                if len(region) == tried:
                    missing.append(cell)
                    break
                most, tried = 4 * most, len(region)
    return missing


def _nearest(variable: int, most: int, cells_of: list[list[int]], clues_of: list[list[int]]) -> list[int]:
    """About `most` clues nearest to a cell, going from cell to clue to cell."""
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
