"""Minesweeper as clauses: each clue by the subsets of its cells."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from models.dimacs import Encoding
from models.minesweeper.backbone import solve_by_backbone
from models.minesweeper.clues import encode_clues, formula_of_clues
from models.minesweeper.many import MAX_CELLS_IN_STACK, solve_together
from models.minesweeper.smallest_core import smallest_core
from models.solvers.solver_names import DEFAULT_SOLVER, called_once, core_solver, solver_name
from puzzles.backend import backend
from puzzles.minesweeper.board import Deduction, Minesweeper


def solve_many(
    boards: Sequence[Minesweeper],
    *,
    certify: bool = False,
    solver: str = DEFAULT_SOLVER,
) -> list[Deduction]:
    """Many boards by `cnf`: small boards without their number of mines are stacked to one
    formula.
    """
    small = (
        []
        if certify or called_once(solver=solver)
        else [
            k
            for k, board in enumerate(boards)
            if board.cells <= MAX_CELLS_IN_STACK and board.mines is None
        ]
    )
    answers = dict(zip(small, solve_together([boards[k] for k in small], solver), strict=True))
    return [
        answers[k] if k in answers else solve(board, certify=certify, solver=solver)
        for k, board in enumerate(boards)
    ]


def encode(board: Minesweeper, cell: int | None = None) -> Encoding:
    """The formula, with the number of mines if the board gives it. With `cell`: that the
    cell is a mine as well.

    Raises:
        UserError: the cell is not covered, or it touches no clue and the number of mines is not
            given.
    """
    return encode_clues(board, cell, formula_of_clues)


@backend(
    "minesweeper",
    "cnf",
    side="models",
    default=True,
    quick=600,
    source="exactly n of k by enumeration of subsets; the backbone on one incremental solver",
    assumes="python-sat's k-modulo totalizers, where the number of mines is given",
    options=("solver",),
    refuses=called_once,
    many=solve_many,
    encode=encode,
)
def solve(board: Minesweeper, *, certify: bool = False, solver: str = DEFAULT_SOLVER) -> Deduction:
    """A variable for each covered cell says whether it is a mine. There is a clause for each subset
    of a clue's cells that would hold one mine too many, or leave one too few. One SAT solver then
    asks of each cell whether its other value is possible.

    A certified answer can be asked why a cell is certain: by the fewest clues.

    Raises:
        Unsupported: the solver can be called only once.
    """
    solved = solve_by_backbone(board, formula_of_clues, solver)
    search = partial(smallest_core, solver=core_solver(solver_name(solver)))

    def certify_answer() -> Deduction:
        return solved.certified_answer(solver).knowing(smallest_core_search=search)

    return certify_answer() if certify else solved.answer.later(certify_answer)
