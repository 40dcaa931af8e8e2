"""Why a cell is certain: a core with the fewest clues, by implicit hitting sets.

A set of clues that does not force the cell leaves a layout in which the cell is otherwise. Whatever
forces the cell holds a clue that this layout breaks. So python-sat's Hitman gives a smallest set
that meets all broken sets seen so far. Either this set does not force the cell, and shows one more
broken set; or it does, and no core has fewer clues.

Source: K. Chandrasekaran, R. Karp, E. Moreno-Centeno, S. Vempala, "Algorithms for implicit hitting
set problems", SODA 2011. The problem is hard: each smallest set is itself NP-hard to find.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from models.minesweeper.clues import Clues, statement_of
from models.session import Session, session
from models.solvers.sat_solver import SolverFailure
from puzzles.minesweeper.board import MINE, Core, Deduction, Minesweeper
from puzzles.shell.time_limits import Deadline


def smallest_core(
    board: Minesweeper, answer: Deduction, core: Core, seconds: float, solver: str
) -> Core:
    """A core of the same cell with the fewest clues. The number of mines takes part only where the
    clues do not suffice. After `seconds` the given core has to do.
    """
    from pysat.examples.hitman import Hitman

    if len(core.clues) + core.counted <= 1:  # nothing is certain without clues
        return core._replace(fewest=True)
    deadline, statement = Deadline(seconds), statement_of(board)
    clues, formula = statement.clues, statement.formula
    selector = {clue: formula.selectors[clue] for clue in clues.cells.tolist()}
    always: list[int] = []  # that the cell is not what it is
    if core.cell is not None:
        variable = clues.variable_of(core.cell)
        assert variable is not None, "nothing is certain of a cell that no clue speaks of"
        always = [-variable if answer.board.grid.flat[core.cell] == MINE else variable]
    with session(formula, solver) as opened, Hitman(solver="m22", htype="sorted") as hitman:
        counted = core.counted and opened.solve([*selector.values(), *always])
        if counted and clues.total is not None:
            always.append(formula.selectors[clues.total.group])
        while not deadline.over:
            chosen = hitman.get() or []
            if len(chosen) == len(core.clues) and counted == core.counted:
                return core._replace(fewest=True)
            if not opened.solve([*(selector[clue] for clue in chosen), *always]):
                return Core(tuple(sorted(chosen)), core.cells, counted, True)
            broken = _broken_clues(opened, clues, selector, always, deadline)
            if not broken:
                raise SolverFailure(opened.solver, "gave a model of clues that have none")
            hitman.hit(broken)
    return core


def _broken_clues(
    opened: Session, clues: Clues, selector: dict[int, int], always: list[int], deadline: Deadline
) -> list[int]:
    """The clues that the last model breaks, made fewer while a model can keep one more of them:
    a smaller set to meet says more.
    """
    kept = _clues_that_hold(opened, clues)
    for k in np.flatnonzero(~kept).tolist():
        if kept[k] or deadline.over:
            continue
        held = [selector[clue] for clue in clues.cells[kept].tolist()]
        if opened.solve([*held, selector[int(clues.cells[k])], *always]):
            kept = _clues_that_hold(opened, clues)
    return clues.cells[~kept].tolist()


def _clues_that_hold(opened: Session, clues: Clues) -> NDArray[np.bool_]:
    """Which clues hold in the last model."""
    return opened.model()[: clues.variables.size + 1][clues.beside].sum(axis=1) == clues.need
