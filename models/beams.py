"""Beams as clauses and constraints.

`cnf` and `cpsat` state the rules: one variable for each turret ("it is horizontal") and one for each channel, that is each
cell and direction ("a beam enters the cell travelling so"). `cnf-traced` follows the beams first, as write-up 002 does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.cnf import DEFAULT_SOLVER, Formula, core, paused_collector, session
from models.dimacs import Encoding, named
from models.stack import Stack, stacks
from models.stopwatch import Stopwatch
from puzzles.backend import backend
from puzzles.beams.board import Beams, Layout
from puzzles.grid import grid_lines
from puzzles.text import Grid, UserError

_Build = Callable[[Grid, Formula], Formula]

_MOST_STACKED = 2**14
"""Cells of a stack of boards."""

_SHIFTS = ((0, 1), (1, 0), (0, -1), (-1, 0))
"""Steps (down, right) of the directions east, south, west, north: even ones are horizontal."""

_SLASH = (3, 2, 1, 0)
_BACKSLASH = (1, 0, 3, 2)
"""The direction into which each mirror turns each direction; both are their own inverse."""


def solve_rules_many(boards: Sequence[Beams], *, certify: bool = False, solver: str = DEFAULT_SOLVER) -> list[Layout]:
    """Many boards by `cnf`: the clauses of whole stacks of boards are made at once, and each board is solved by itself."""
    if certify:
        return [solve_rules(board, certify=True, solver=solver) for board in boards]
    return [layout for stack in stacks(boards, ord("#"), _MOST_STACKED) for layout in _solve_stack(stack, solver)]


@backend(
    "beams",
    "cnf",
    side="models",
    source="the rules of Code Jam 2017 Round 2 C, a clause each",
    options=("solver",),
    many=solve_rules_many,
)
def solve_rules(board: Beams, *, certify: bool = False, solver: str = DEFAULT_SOLVER) -> Layout:
    """Turrets and channels as variables; circular light is forbidden by a unit clause for each channel that has no beginning."""
    return _solve(board, _rules, certify, solver)


@backend(
    "beams",
    "cnf-traced",
    side="models",
    source="write-up 002 (kimiyuki): trace the beams, then one clause and one auxiliary variable for each open cell",
    assumes="the tracing of beams",
    options=("solver",),
)
def solve_traced(board: Beams, *, certify: bool = False, solver: str = DEFAULT_SOLVER) -> Layout:
    """Turrets as variables, and for each open cell w -> some beam crosses it, and w."""
    return _solve(board, _traced, certify, solver)


@backend(
    "beams",
    "cpsat",
    side="models",
    source="the rules of Code Jam 2017 Round 2 C as CP-SAT constraints",
    limit=2500,
    requires=("ortools",),
    slow=True,
)
def solve_cpsat(board: Beams, *, certify: bool = False) -> Layout:
    """The variables and rules of `cnf` as constraints."""
    from models.cpsat import Model

    def build(guarded: bool) -> tuple[Model, list[object]]:
        model, channels = Model(guarded=guarded), _channels(board.grid)
        horizontal = model.variables(channels.turrets.size, "h")
        beam = model.variables(channels.total, "b")
        cp = model.cp
        for channel in np.concatenate([channels.dark, channels.circular]).tolist():
            cp.add_bool_and(~beam[channel])
        for channel, before in channels.passed.tolist():
            cp.add(beam[channel] == beam[before])
        for channel, turret, level in channels.shot.tolist():
            cp.add(beam[channel] == (horizontal[turret] if level else ~horizontal[turret]))
        for cell, four in zip(channels.turrets.tolist(), channels.into_turret.tolist(), strict=True):
            model.demand(cell, cp.add_bool_and([~beam[channel] for channel in four]))
        for cell, four in zip(channels.open.tolist(), channels.into_open.tolist(), strict=True):
            model.demand(cell, cp.add_bool_or([beam[channel] for channel in four]))
        return model, horizontal

    watch = Stopwatch()
    model, horizontal = build(False)
    watch.built()
    if model.solve():
        values = np.array([False, *(model.value(turret) for turret in horizontal)], np.bool_)
        return Layout(True, _turned(board, values), effort=watch.effort(*model.size))
    effort = watch.effort(*model.size)
    if not certify:
        return Layout(False, effort=effort)
    guarded, _ = build(True)
    return Layout(False, certificate=None if guarded.solve() else guarded.core() or None, effort=effort)


def encode(board: Beams, cell: int | None) -> Encoding:
    """The formula of `cnf`."""
    if cell is not None:
        raise UserError("beams asks nothing about a single cell")
    formula, inside = _rules(board.grid, Formula()), np.flatnonzero(board.grid != ord("#"))
    turrets, channels = np.flatnonzero(_is_turret(board.grid)), np.arange(formula.variables + 1)
    names = named(channels[1:], turrets.tolist(), board.columns, "the turret at {} is horizontal")
    for direction, heading in enumerate(("east", "south", "west", "north")):
        beams = channels[turrets.size + 1 + direction :: 4]
        names += named(beams, inside.tolist(), board.columns, f"a beam enters {{}} going {heading}")
    return Encoding(formula, "satisfiable if and only if the turrets can be turned so that every open cell is lit", sorted(names))


def _solve_stack(stack: Stack[Beams], solver: str) -> list[Layout]:
    """The rules of all boards over one grid, a wall between any two of them; then each board's own clauses to a solver."""
    watch = Stopwatch()
    boards, grid = stack.boards, stack.grid
    with paused_collector():
        formula = _rules(grid, Formula())
        turrets = np.searchsorted(np.flatnonzero(_is_turret(grid)), stack.ends)
        inside = np.searchsorted(np.flatnonzero(grid != ord("#")), stack.ends) * 4
        parts = formula.split(np.array([turrets, inside]))
        watch.built()
        layouts: list[Layout] = []
        for board, part in zip(boards, parts, strict=True):
            effort = watch.effort(part.variables, len(part.clauses))
            effort = replace(effort, build_s=(effort.build_s or 0) / len(boards))
            started = perf_counter()
            with session(part, solver) as opened:
                possible = opened.solve()
                turned = _turned(board, opened.model()) if possible else None
            layouts.append(Layout(possible, turned, effort=replace(effort, solve_s=perf_counter() - started)))
    return layouts


def _solve(board: Beams, build: _Build, certify: bool, solver: str) -> Layout:
    watch = Stopwatch()
    with paused_collector():
        formula = build(board.grid, Formula())
        watch.built()
        with session(formula, solver) as opened:
            if opened.solve():
                return Layout(True, _turned(board, opened.model()), effort=watch.effort(formula.variables, len(formula.clauses)))
        effort = watch.effort(formula.variables, len(formula.clauses))
    return Layout(False, certificate=core(build(board.grid, Formula(guarded=True)), solver) if certify else None, effort=effort)


def _turned(board: Beams, horizontal: NDArray[np.bool_]) -> Beams:
    """The board with its turrets as variables 1.. of a model say."""
    turned = board.grid.copy()
    turrets = np.flatnonzero(_is_turret(board.grid))
    turned.flat[turrets] = np.where(horizontal[1 : turrets.size + 1], ord("-"), ord("|"))
    return Beams.from_valid_grid(turned)


def _is_turret(grid: Grid) -> NDArray[np.bool_]:
    return (grid == ord("-")) | (grid == ord("|"))


class _Channels(NamedTuple):
    """The channels 0..total-1 of a board, and how light comes into them; cells are flat indices, arrays int64.

    Attributes:
        turrets, open: the cells of each kind in ascending order.
        into_turret, into_open: (cells, 4), the channels that enter each of those cells.
        dark: channels whose cell before is a wall or the edge.
        passed: (n, 2), channels with the one that their light passed before.
        shot: (n, 3), channels with the index of the turret right before and 1 where they are horizontal.
        circular: channels whose light could only come from themselves.
    """

    total: int
    turrets: NDArray[np.int64]
    open: NDArray[np.int64]
    into_turret: NDArray[np.int64]
    into_open: NDArray[np.int64]
    dark: NDArray[np.int64]
    passed: NDArray[np.int64]
    shot: NDArray[np.int64]
    circular: NDArray[np.int64]


def _channels(grid: Grid) -> _Channels:
    """Number the channels of the cells that are no wall, four a cell, and link each to what is before it."""
    rows, columns = grid.shape
    kind = np.full((rows + 2, columns + 2), ord("#"), np.uint8)
    kind[1:-1, 1:-1] = grid
    inside, is_turret, is_open = grid != ord("#"), _is_turret(grid), grid == ord(".")
    number = np.full(kind.shape, -1, np.int64)
    number[1:-1, 1:-1][inside] = np.arange(int(inside.sum())) * 4
    turret_number = np.full(kind.shape, -1, np.int64)
    turret_number[1:-1, 1:-1][is_turret] = np.arange(int(is_turret.sum()))
    dark, passed, shot = [], [], []
    for direction, (down, right) in enumerate(_SHIFTS):
        before = (slice(1 - down, 1 - down + rows), slice(1 - right, 1 - right + columns))
        channel = number[1:-1, 1:-1][inside] + direction
        origin, place, turret = kind[before][inside], number[before][inside], turret_number[before][inside]
        dark.append(channel[origin == ord("#")])
        for code, entered in ((".", direction), ("/", _SLASH[direction]), ("\\", _BACKSLASH[direction])):
            here = origin == ord(code)
            passed.append(np.column_stack([channel[here], place[here] + entered]))
        here = turret >= 0
        shot.append(np.column_stack([channel[here], turret[here], np.full(int(here.sum()), 1 - direction % 2)]))
    count = 4 * int(inside.sum())
    links = np.concatenate(passed)
    fan = np.arange(4)
    return _Channels(
        count,
        np.flatnonzero(is_turret),
        np.flatnonzero(is_open),
        number[1:-1, 1:-1][is_turret][:, None] + fan,
        number[1:-1, 1:-1][is_open][:, None] + fan,
        np.concatenate(dark),
        links,
        np.concatenate(shot),
        _endless(count, links),
    )


def _endless(count: int, links: NDArray[np.int64]) -> NDArray[np.int64]:
    """The channels from which the way back never ends, by pointer doubling in time n log n."""
    before = np.full(count + 1, count, np.int64)
    before[links[:, 0]] = links[:, 1]
    for _ in range(int(count).bit_length()):
        before = before[before]
    return np.flatnonzero(before[:count] != count)


def _rules(grid: Grid, formula: Formula) -> Formula:
    channels = _channels(grid)
    turret, beam = formula.new(channels.turrets.size), formula.new(channels.total)
    formula.extend(-(beam + np.concatenate([channels.dark, channels.circular]))[:, None])
    later, earlier = beam + channels.passed.T
    shot, level = beam + channels.shot[:, 0], (turret + channels.shot[:, 1]) * np.where(channels.shot[:, 2], 1, -1)
    for light, origin in ((later, earlier), (shot, level)):
        formula.extend(np.column_stack([-light, origin]))
        formula.extend(np.column_stack([light, -origin]))
    formula.demand(channels.turrets, -(beam + channels.into_turret.reshape(-1, 1)))
    formula.demand(channels.open, beam + channels.into_open)
    return formula


def _traced(grid: Grid, formula: Formula) -> Formula:
    rows, columns = grid.shape
    cells = grid_lines(grid)
    turrets = [(row, column) for row, line in enumerate(cells) for column, kind in enumerate(line) if kind in "-|"]
    first = formula.new(len(turrets))
    lit: dict[int, list[int]] = {
        row * columns + column: [] for row, line in enumerate(cells) for column, kind in enumerate(line) if kind == "."
    }
    for turret, (top, left) in enumerate(turrets, first):
        for direction in range(4):
            literal = turret if direction % 2 == 0 else -turret
            row, column, heading = top, left, direction
            while True:
                row, column = row + _SHIFTS[heading][0], column + _SHIFTS[heading][1]
                kind = cells[row][column] if 0 <= row < rows and 0 <= column < columns else "#"
                if kind == ".":
                    lit[row * columns + column].append(literal)
                elif kind == "/":
                    heading = _SLASH[heading]
                elif kind == "\\":
                    heading = _BACKSLASH[heading]
                else:
                    break
            if kind != "#":
                formula.demand([row * columns + column], np.array([[-literal]]))
    crossed = formula.new(len(lit))
    for cell, literals in lit.items():
        formula.add(*literals, -crossed)
        formula.demand([cell], np.array([[crossed]]))
        crossed += 1
    return formula
