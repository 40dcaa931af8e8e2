"""Minesweeper as linear equations for CP-SAT."""

from __future__ import annotations

from typing import Any

import numpy as np

from models.cpsat import WORKERS, CpSatEncoding, CpSatModel
from models.minesweeper.backbone import SolvedBoard
from models.minesweeper.clues import MINE_AT, Backbone, Clues, clues_of_board
from models.stopwatch import Stopwatch
from puzzles.backend import backend
from puzzles.minesweeper.board import Deduction, Minesweeper


def encode(board: Minesweeper) -> CpSatEncoding:
    """The equations, with names for their variables."""
    clues, model = clues_of_board(board), CpSatModel()
    mines = equations(clues, model)
    cells = clues.variables.tolist()
    return CpSatEncoding(
        model.cp,
        [
            (mine, MINE_AT.format(board.place(cell)))
            for mine, cell in zip(mines, cells, strict=True)
        ],
    )


@backend(
    "minesweeper",
    "cpsat",
    side="models",
    source="each clue a linear equation; CP-SAT asked for a solution that differs from all before, "
    "until there is none",
    options={"workers": WORKERS},
    limit=600,
    requires=("ortools",),
    slow=True,
    encode=encode,
)
def solve(board: Minesweeper, *, certify: bool = False, workers: int = 1) -> Deduction:
    """Each clue is a linear equation. CP-SAT searches for one solution after the other. Each must
    differ from all before in some cell that has had one value so far, until there is none.
    """
    model = CpSatModel(workers=workers)
    watch = Stopwatch()
    clues = clues_of_board(board)
    mines = equations(clues, model)
    watch.start_solving(*model.size)
    backbone = None
    while model.solve():
        solution = np.array([model.value(mine) for mine in mines], np.bool_)
        if backbone is None:
            backbone = Backbone(solution, np.ones(solution.size, np.bool_), [solution])
        else:
            backbone = backbone.with_model(solution)
        model.cp.clear_hints()
        candidates = np.flatnonzero(backbone.certain).tolist()
        for k in candidates:
            model.cp.add_hint(mines[k], not backbone.values[k])
        model.cp.add_bool_or([~mines[k] if backbone.values[k] else mines[k] for k in candidates])
    watch.add_steps(*model.steps)
    return SolvedBoard(board, clues, backbone, watch.effort(*model.size)).to_deduction(certify)


def equations(clues: Clues, model: CpSatModel) -> list[Any]:
    """State the clues, and the bounds on the number of mines, in an empty CP-SAT model; returns its
    variables.
    """
    mines = model.variables(clues.variables.size, "m")
    for need, beside in zip(clues.need.tolist(), clues.beside.tolist(), strict=True):
        model.cp.add(sum(mines[variable - 1] for variable in beside if variable) == need)
    if clues.total is not None:
        total = sum(mines)
        model.cp.add(total >= clues.total.low)
        model.cp.add(total <= clues.total.mines)
    return mines
