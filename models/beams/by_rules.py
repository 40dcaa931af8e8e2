"""Beams by the rules alone, nothing traced beforehand: one clause for each rule and place.

A variable for each turret says that it is horizontal. A variable for each channel says that a beam enters its cell in its
direction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from models import model_thresholds
from models.beams.channels import channels_of
from models.beams.encoding import MEANING, names_of
from models.beams.geometry import is_turret, turned
from models.cnf import Formula, paused_collector
from models.dimacs import Encoding
from models.session import core_groups, session
from models.solvers.solver_names import DEFAULT_SOLVER
from models.stack import Stack, stacks
from models.stopwatch import Stopwatch
from puzzles.backend import backend
from puzzles.beams.board import Beams, Layout
from puzzles.text import Grid, UserError


def solve_rules_many(boards: Sequence[Beams], *, certify: bool = False, solver: str = DEFAULT_SOLVER) -> list[Layout]:
    """Many boards by `cnf`: the clauses of a whole stack of boards are made at once, then each board is solved by itself."""
    if certify:
        return [solve_rules(board, certify=True, solver=solver) for board in boards]
    return [layout for stack in stacks(boards, ord("#"), model_thresholds.STACKED_BEAMS) for layout in _solve_stack(stack, solver)]


def encode(board: Beams, cell: int | None = None) -> Encoding:
    """The formula of `cnf`, with names for all variables; raises `UserError` for a question about a single cell."""
    if cell is not None:
        raise UserError("beams asks nothing about a single cell")
    formula, turrets = build(board.grid, Formula()), int(is_turret(board.grid).sum())
    variables = np.arange(1, formula.variables + 1)
    return Encoding(formula, MEANING, names_of(board, variables[:turrets], variables[turrets:]), lambda claims: bool(claims[0]))


@backend(
    "beams",
    "cnf",
    side="models",
    source="the rules of Code Jam 2017 Round 2 C, a clause each",
    options=("solver",),
    many=solve_rules_many,
    encode=encode,
)
def solve_rules(board: Beams, *, certify: bool = False, solver: str = DEFAULT_SOLVER) -> Layout:
    """A variable says which way each turret stands, and one for each channel whether light goes through it. Clauses state the
    rules: light goes on until it ends, no turret is hit, each open cell is lit. A SAT solver finds values, or says that there
    are none.

    A unit clause keeps light out of each channel whose light could only come from itself.
    """
    watch = Stopwatch()
    with paused_collector():
        formula = build(board.grid, Formula())
        watch.built()
        with session(formula, solver) as opened:
            satisfiable = opened.solve()
            solution = _solution(board, opened.model()) if satisfiable else None
        effort = watch.effort(formula.variables, len(formula.clauses))
    if satisfiable:
        return Layout(True, solution, effort=effort)
    core = core_groups(build(board.grid, Formula(grouped=True)), solver) if certify else None
    return Layout(False, certificate=core, effort=effort)


def build(grid: Grid, formula: Formula) -> Formula:
    """State the rules. Each turret and each open cell is a clause group."""
    channels = channels_of(grid)
    turret, beam = formula.new(channels.turrets.size), formula.new(channels.total)
    # No light comes out of a wall, over the edge, or from itself.
    formula.extend(-(beam + np.concatenate([channels.dark, channels.circular]))[:, None])
    # Light passes open cells and mirrors; a turret shoots along its axis.
    later, earlier = beam + channels.passed.T
    shot, axis = beam + channels.shot[:, 0], (turret + channels.shot[:, 1]) * np.where(channels.shot[:, 2], 1, -1)
    for light, source in ((later, earlier), (shot, axis)):
        formula.extend(np.column_stack([-light, source]))
        formula.extend(np.column_stack([light, -source]))
    # No turret is hit.
    formula.extend_groups(channels.turrets, -(beam + channels.into_turret.reshape(-1, 1)))
    # Every open cell is lit.
    formula.extend_groups(channels.open, beam + channels.into_open)
    return formula


def _solution(board: Beams, model: NDArray[np.bool_]) -> Beams:
    """The solution that a model describes: the first variables are those of the turrets."""
    return turned(board, model[1 : int(is_turret(board.grid).sum()) + 1])


def _solve_stack(stack: Stack[Beams], solver: str) -> list[Layout]:
    """State the rules of all boards at once, on one grid with walls between them; then solve each board's own clauses."""
    watch = Stopwatch()
    boards, grid = stack.boards, stack.grid
    with paused_collector():
        formula = build(grid, Formula())
        turrets = np.searchsorted(np.flatnonzero(is_turret(grid)), stack.ends)
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
                solution = _solution(board, opened.model()) if possible else None
            layouts.append(Layout(possible, solution, effort=replace(effort, solve_s=perf_counter() - started)))
    return layouts
