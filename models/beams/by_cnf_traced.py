"""Beams by tracing: the smallest encoding here. Begin with this module, and copy it for a problem
of your own.

An encoding has four steps. A *formula* is a list of clauses, and all clauses must hold. A clause is
a list of literals, and at least one of them must hold. A literal is a variable (a number from 1 on)
or its negation (the number with a minus sign). Each step below has a function of its own.

1. State the problem as a formula: `build`.
2. Let a solver look for a model, that is for values of the variables that satisfy all clauses:
   `solve`.
3. If there is a model, read the answer off it: `read_answer`.
4. If there is none, ask for a core: places of the board whose clauses contradict each other. It is
   the certificate.

`encode` names the variables. With names, a formula can be written to a file and compared with
another one.

The idea is that of kimiyuki's write-up: a turret's beams do not depend on how the other turrets are
turned, so they can be traced beforehand.

`cnf` comes to the same clauses where equal variables become one: each of its channels is equal to a
turret's literal, or dark.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from models.beams.geometry import (
    BACKSLASH_TURNS,
    HORIZONTAL,
    MEANING,
    SLASH_TURNS,
    STEPS,
    turn_turrets,
)
from models.cnf import Formula, paused_collector
from models.dimacs import Encoding
from models.session import core_groups, session
from models.solvers.solver_names import DEFAULT_SOLVER
from models.stopwatch import Stopwatch
from puzzles.backend import backend
from puzzles.beams.board import Beams, Layout
from puzzles.grid import grid_lines
from puzzles.text import Grid


def encode(board: Beams) -> Encoding:
    """The formula with a name for each variable.

    The same names stand in other models, so that they can be compared.
    """
    return Encoding.of(build(board.grid, Formula()), MEANING, board)


@backend(
    "beams",
    "cnf-traced",
    side="models",
    source="kimiyuki's write-up, without its auxiliary variables: trace the beams, then one "
    "clause for each open cell",
    assumes="the tracing of beams",
    options=("solver",),
    encode=encode,
)
def solve(board: Beams, *, certify: bool = False, solver: str = DEFAULT_SOLVER) -> Layout:
    """It follows the beams of each turret beforehand, so that one variable a turret is enough. One
    clause for each open cell says that one of the beams that can cross it does. A SAT solver finds
    values, or says that there are none.
    """
    watch = Stopwatch()
    with paused_collector():
        formula = build(board.grid, Formula())
        watch.start_solving()
        with session(formula, solver, watch) as opened:
            satisfiable = opened.solve()
            solution = read_answer(board, opened.model()) if satisfiable else None
        effort = watch.effort(formula.variables, len(formula.clauses))
    if satisfiable:
        return Layout(True, solution, effort=effort)
    # The certificate of a "no". Only a grouped formula has cores, and it costs time, so it is built
    # on request.
    core = core_groups(build(board.grid, Formula(grouped=True)), solver) if certify else None
    return Layout(False, certificate=core, effort=effort)


def build(grid: Grid, formula: Formula) -> Formula:
    """State the puzzle. Each cell of the board names a clause group: what must hold at this
    cell.
    """
    cells, columns = grid_lines(grid), grid.shape[1]
    turrets = turrets_of(cells)

    # Variable t of a turret: "this turret is horizontal". So -t says that it is vertical.
    first_turret = formula.new(len(turrets))
    places = [row * columns + column for row, column in turrets]
    formula.name(range(first_turret, first_turret + len(turrets)), HORIZONTAL, places)

    # For each open cell, the literals that light it: "this turret is turned so that its beam
    # crosses the cell".
    lit_by: dict[int, list[int]] = {
        row * columns + column: []
        for row, line in enumerate(cells)
        for column, kind in enumerate(line)
        if kind == "."
    }
    hits: dict[tuple[int, int], None] = {}  # the cell of a turret and a literal that lets it be hit
    for turret, start in enumerate(turrets, first_turret):
        for direction in range(4):
            literal = turret if direction % 2 == 0 else -turret
            crossed, hit = trace(cells, start, direction)
            for row, column in crossed:
                lit_by[row * columns + column].append(literal)
            if hit is not None:
                hits[hit[0] * columns + hit[1], literal] = None

    # If a beam would enter a turret's cell, the turret it comes from is turned the other way.
    # Without groups it does not matter
    # which cell it enters.
    formula.rule("no turret is hit")
    for cell, literal in (
        hits if formula.grouped else {literal: (cell, literal) for cell, literal in hits}.values()
    ):
        formula.extend_groups([cell], np.array([[-literal]]))

    # One of the literals of an open cell holds. If no beam can cross the cell, two clauses
    # contradict each other. If a turret
    # lights it either way, nothing is asked.
    formula.rule("every open cell is lit")
    asked: set[tuple[int, ...]] = {(-literal,) for _, literal in hits}
    for cell, lit in lit_by.items():
        literals = tuple(sorted(set(lit)))
        if any(-literal in literals for literal in literals) or (
            literals in asked and not formula.grouped
        ):
            continue
        asked.add(literals)
        if literals:
            formula.extend_groups([cell], np.array([literals]))
        else:
            impossible = formula.new()
            formula.name([impossible], "no beam can cross {}", [cell], auxiliary=True)
            formula.extend_groups([cell, cell], np.array([[impossible], [-impossible]]))
    return formula


def trace(
    cells: list[str], start: tuple[int, int], direction: int
) -> tuple[list[tuple[int, int]], tuple[int, int] | None]:
    """Follow the beam that leaves a turret in this direction: the open cells that it crosses, and
    the turret that it hits, or None.

    A beam that comes from a turret never runs in circles, so this ends.
    """
    (row, column), crossed = start, []
    while True:
        row, column = row + STEPS[direction][0], column + STEPS[direction][1]
        kind = cells[row][column] if 0 <= row < len(cells) and 0 <= column < len(cells[0]) else "#"
        if kind == ".":
            crossed.append((row, column))
        elif kind == "/":
            direction = SLASH_TURNS[direction]
        elif kind == "\\":
            direction = BACKSLASH_TURNS[direction]
        else:
            return crossed, (row, column) if kind in "-|" else None


def turrets_of(cells: list[str]) -> list[tuple[int, int]]:
    """The turrets in row-major order. The k-th one, from 1, is variable k."""
    return [
        (row, column)
        for row, line in enumerate(cells)
        for column, kind in enumerate(line)
        if kind in "-|"
    ]


def read_answer(board: Beams, model: NDArray[np.bool_]) -> Beams:
    """The solution that a model describes.

    The value of variable k stands at index k; index 0 is not used.
    """
    turrets = len(turrets_of(grid_lines(board.grid)))
    return turn_turrets(board, model[1 : turrets + 1])
