"""Why a cell is certain: a smallest core by implicit hitting sets (Chandrasekaran, Karp, Moreno-Centeno, Vempala: SODA 2011).

A set of clues that does not force the cell leaves a layout in which it is otherwise; whatever forces it holds a clue that this
layout breaks. So a smallest set that meets all broken sets seen so far, found by python-sat's Hitman, is either not enough, and
shows one more, or a smallest core.
"""

from __future__ import annotations

from time import monotonic

import numpy as np
from numpy.typing import NDArray

from models.minesweeper.clues import Clues, statement_of
from models.session import Session, session
from models.solvers.solver_failure import SolverFailure
from puzzles.minesweeper.board import MINE, Cause, Certificate, Core, Deduction, Minesweeper


def fewest(board: Minesweeper, answer: Deduction, cell: int | None, seconds: float, solver: str) -> Cause:
    """A smallest set of clues that forces a certain cell of a certified answer; without a cell, that has no layout.

    The number of mines takes part only where the clues do not suffice. After `seconds` the certificate's core has to do.
    """
    from pysat.examples.hitman import Hitman

    until = monotonic() + seconds
    assert isinstance(answer.certificate, Certificate)
    core = next((each for each in answer.certificate.cores if cell is None or cell in each.cells), Core(()))
    statement = statement_of(board)
    clues = statement.clues
    if not core.counted:
        alone = statement.impossible[:1].tolist() if cell is None else [statement.alone[cell]] if cell in statement.alone else []
        if alone or len(core.clues) == 2:  # nothing is certain without clues
            return Cause(cell, tuple(alone) or core.clues, False, True)
    formula = statement.formula
    selector = {clue: formula.selectors[clue] for clue in clues.cells.tolist()}
    claim = [] if cell is None else [_against(clues, cell, bool(answer.board.grid.flat[cell] == MINE))]
    with session(formula, solver) as opened, Hitman(solver="m22", htype="sorted") as hitman:
        opened.phases(_as_laid_out(clues, answer))
        counted = clues.total is not None and opened.solve([*selector.values(), *claim])
        always = [*claim, formula.selectors[clues.total.group]] if counted and clues.total is not None else claim
        while monotonic() < until:
            chosen = hitman.get() or []
            if len(chosen) == len(core.clues) and counted == core.counted:
                return Cause(cell, core.clues, counted, True)  # no core has fewer clues than a smallest set that meets all
            if not opened.solve([*(selector[clue] for clue in chosen), *always]):
                return Cause(cell, tuple(sorted(chosen)), counted, True)
            broken = _broken(opened, clues, selector, always, until)
            if not broken:
                raise SolverFailure(opened.solver, "gave a model of clues that have none")
            hitman.hit(broken)
    return Cause(cell, core.clues, core.counted, False)


def _against(clues: Clues, cell: int, mine: bool) -> int:
    """The literal that the cell is not what it is."""
    return -_variable(clues, cell) if mine else _variable(clues, cell)


def _variable(clues: Clues, cell: int) -> int:
    """The variable of a cell; that of one cell beside no clue stands for all."""
    if clues.total is not None and cell in clues.total.interchangeable:
        cell = int(clues.total.interchangeable[0])
    return int(np.flatnonzero(clues.variables == cell)[0]) + 1


def _as_laid_out(clues: Clues, answer: Deduction) -> list[int]:
    """The variables as in a layout of the certificate, so that models break few clues."""
    proof = answer.certificate
    mines = (answer.board.grid == MINE).ravel()
    if answer.consistent and isinstance(proof, Certificate) and proof.layouts:
        mines = np.frombuffer(proof.layouts[0], np.uint8) > 0
    return (np.where(mines[clues.variables], 1, -1) * np.arange(1, clues.variables.size + 1)).tolist()


def _broken(opened: Session, clues: Clues, selector: dict[int, int], always: list[int], until: float) -> list[int]:
    """The clues that the last model breaks, made fewer while a model can keep one more of them."""
    kept = _held(opened, clues)
    for k in np.flatnonzero(~kept).tolist():
        if kept[k] or monotonic() > until:
            continue
        held = [selector[clue] for clue in clues.cells[kept].tolist()]
        if opened.solve([*held, selector[int(clues.cells[k])], *always]):
            kept = _held(opened, clues)
    return clues.cells[~kept].tolist()


def _held(opened: Session, clues: Clues) -> NDArray[np.bool_]:
    """Which clues hold in the last model."""
    return opened.model()[: clues.variables.size + 1][clues.beside].sum(axis=1) == clues.asked
