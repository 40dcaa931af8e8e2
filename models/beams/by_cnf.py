"""Beams by the rules alone, nothing traced beforehand: one clause for each rule and place.

A variable for each turret says that it is horizontal. A variable for each channel says that a beam
enters its cell in its direction.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from models.beams import thresholds
from models.beams.geometry import ENTERS, HORIZONTAL, MEANING, channels_of, is_turret, turn_turrets
from models.cnf import Formula, paused_collector
from models.dimacs import Encoding
from models.session import core_groups, session
from models.solvers.solver_names import DEFAULT_SOLVER, called_once
from models.stacked import Stack, StackedFormula, models_of_boards, stacks
from models.stopwatch import Stopwatch
from puzzles.backend import backend
from puzzles.beams.board import Beams, Layout
from puzzles.text import Grid


def solve_many(
    boards: Sequence[Beams], *, certify: bool = False, solver: str = DEFAULT_SOLVER
) -> list[Layout]:
    """Many boards by `cnf`: a stack of boards is one formula, with a selector for each board."""
    if certify or called_once(solver=solver):
        return [solve(board, certify=certify, solver=solver) for board in boards]
    return [
        layout
        for stack in stacks(boards, ord("#"), thresholds.STACKED_CELLS)
        for layout in _solve_stack(stack, solver)
    ]


def encode(board: Beams) -> Encoding:
    """The formula with names for all variables."""
    return Encoding.of(
        _build(board.grid, Formula()), MEANING, board, lambda claims: bool(claims[0])
    )


@backend(
    "beams",
    "cnf",
    side="models",
    default=True,
    source="the rules of Code Jam 2017 Round 2 C, a clause each",
    options=("solver",),
    many=solve_many,
    encode=encode,
)
def solve(board: Beams, *, certify: bool = False, solver: str = DEFAULT_SOLVER) -> Layout:
    """A variable says which way each turret stands, and one for each channel whether light goes
    through it. Clauses state the rules: light goes on until it ends, no turret is hit, each open
    cell is lit. A SAT solver finds values, or says that there are none.

    A unit clause keeps light out of each channel whose light could only come from itself.
    """
    watch = Stopwatch()
    with paused_collector():
        formula, turrets = _build(board.grid, Formula()), int(is_turret(board.grid).sum())
        watch.start_solving()
        with session(formula, solver, watch) as opened:
            satisfiable = opened.solve()
            solution = turn_turrets(board, opened.model()[1 : turrets + 1]) if satisfiable else None
        effort = watch.effort(formula.variables, len(formula.clauses))
    if satisfiable:
        return Layout(True, solution, effort=effort)
    core = core_groups(_build(board.grid, Formula(grouped=True)), solver) if certify else None
    return Layout(False, certificate=core, effort=effort)


def _build(grid: Grid, formula: Formula) -> Formula:
    """State the rules. Each turret and each open cell is a clause group."""
    channels = channels_of(grid)
    turret, beam = formula.new(channels.turrets.size), formula.new(channels.total)
    inside, beams = (
        np.flatnonzero(grid != ord("#")),
        beam + np.arange(channels.total).reshape(-1, 4),
    )
    formula.name(range(turret, turret + channels.turrets.size), HORIZONTAL, channels.turrets)
    for direction, name in enumerate(ENTERS):
        formula.name(beams[:, direction], name, inside)

    formula.rule("no light comes out of a wall, over the edge, or from itself")
    unlit = np.concatenate([channels.dark, channels.circular])
    formula.state(-(beam + unlit))
    formula.rule("light passes open cells and mirrors")
    _equal(formula, *(beam + channels.passed.T))
    formula.rule("a turret shoots along its axis")
    axis = (turret + channels.shot[:, 1]) * np.where(channels.shot[:, 2], 1, -1)
    _equal(formula, beam + channels.shot[:, 0], axis)
    formula.rule("no turret is hit")
    may_be_lit = np.ones(channels.total, np.bool_)
    may_be_lit[unlit] = False
    hit = may_be_lit[channels.into_turret]
    cells = channels.turrets.repeat(4).reshape(-1, 4)[hit]
    formula.extend_groups(cells, -(beam + channels.into_turret[hit])[:, None])
    formula.rule("every open cell is lit")
    formula.extend_groups(channels.open, beam + channels.into_open)
    return formula


def _equal(formula: Formula, ones: NDArray[np.int64], others: NDArray[np.int64]) -> None:
    """State that each literal is equal to the one at the same place of the other array."""
    formula.state(-ones, others)
    formula.state(ones, -others)


def _solve_stack(stack: Stack[Beams], solver: str) -> list[Layout]:
    """State the rules of all boards at once, on one grid with walls between them, and solve them as
    one formula.
    """
    watch, count = Stopwatch(), len(stack.boards)
    with paused_collector():
        formula, turret_here = _build(stack.grid, StackedFormula(stack)), is_turret(stack.grid)
        question = formula.new()
        watch.start_solving()
        with session(formula, solver, watch) as opened:
            models = models_of_boards(opened, formula.selectors, question)
        effort = watch.effort(formula.variables, len(formula.clauses)).share(count)
        turrets = np.searchsorted(np.flatnonzero(turret_here), stack.ends).tolist()
        horizontal = np.zeros(turrets[-1], np.bool_)
        for board, model in models.items():
            own = slice(turrets[board - 1] if board else 0, turrets[board])
            horizontal[own] = model[1:][own]
        solved = stack.grid.copy()
        solved[turret_here] = np.where(horizontal, ord("-"), ord("|"))
        # A board of mirrors and walls alone has no clause that belongs to a group, and is solved as
        # it is.
        possible = [board in models or board not in formula.selectors for board in range(count)]
        return [
            Layout.unchecked(
                possible=yes,
                board=Beams.from_valid_grid(grid) if yes else None,
                certificate=None,
                effort=effort,
            )
            for yes, grid in zip(possible, stack.grids(solved), strict=True)
        ]
