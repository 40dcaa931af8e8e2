"""NoGo move by move, by CP-SAT: the rules of one move as constraints, and a rank for each stone."""

from __future__ import annotations

from typing import Any

import numpy as np

from models.cpsat import WORKERS, CpSatEncoding, CpSatModel
from models.nogo.legality import Near, neighbours
from models.stopwatch import Stopwatch
from puzzles.backend import backend
from puzzles.nogo.board import BLACK, EMPTY, WHITE, Game, NoGo
from puzzles.text import Grid


def encode(board: NoGo) -> CpSatEncoding:
    """A first move of black as the backend states it, without "the first one"."""
    model, move = _one_move(neighbours(board), board.grid.ravel(), BLACK, WHITE)
    return CpSatEncoding(
        model.cp,
        [(chosen, f"the move goes to {board.place(cell)}") for cell, chosen in move.items()],
    )


@backend(
    "nogo",
    "cpsat",
    side="models",
    source="the rules of Luogu P4997 as CP-SAT constraints, stones ranked by their way to a "
    "liberty",
    options={"workers": WORKERS},
    limit=49,
    requires=("ortools",),
    slow=True,
    encode=encode,
)
def solve(board: NoGo, *, certify: bool = False, workers: int = 1) -> Game:
    """It states the rules of one move as constraints, with a rank for each stone as in
    `cnf-ranked`. CP-SAT finds the first legal point. The stone is put there, and the next move is
    stated anew.

    The effort is the sum of the seconds of all moves, and the size of the largest model.
    """
    near, position, moves = neighbours(board), board.grid.flatten(), list[int]()
    watch, size, own, other = Stopwatch(), (0, 0), BLACK, WHITE
    while True:
        model, move = _one_move(near, position, own, other, workers)
        model.cp.minimize(sum(cell * chosen for cell, chosen in move.items()))
        size = max(size, model.size)
        watch.start_solving(*size)
        legal = model.solve()
        watch.add_steps(*model.steps)
        if not legal:
            return Game(board, np.array(moves, np.int32), effort=watch.effort(*size))
        moves.append(next(cell for cell, chosen in move.items() if model.value(chosen)))
        position[moves[-1]] = own
        own, other = other, own


def _one_move(
    near: Near, position: Grid, own: int, other: int, workers: int = 1
) -> tuple[CpSatModel, dict[int, Any]]:
    """A legal move from a flat position, and the variable of each point that the move may go to."""
    model = CpSatModel(workers=workers)
    cp, stone = (
        model.cp,
        {colour: _literals(model, position, own, colour) for colour in (own, other)},
    )
    move = {cell: stone[own][cell] for cell in np.flatnonzero(position == EMPTY).tolist()}
    cp.add_exactly_one(move.values())
    for colour, there in stone.items():
        rank = {cell: cp.new_int_var(0, len(there), f"rank{colour},{cell}") for cell in there}
        for cell, is_stone in there.items():
            ways: list[Any] = [~move[beside] for beside in near[cell] if beside in move]
            for beside in near[cell]:
                if beside in there:
                    way = cp.new_bool_var(f"way{colour},{cell},{beside}")
                    cp.add_implication(way, there[beside])
                    cp.add(rank[beside] < rank[cell]).only_enforce_if(way)
                    ways.append(way)
            cp.add_bool_or(ways).only_enforce_if(is_stone)
    return model, move


def _literals(model: Any, position: Grid, own: int, colour: int) -> dict[int, Any]:
    """For each cell that can hold a stone of this colour after the move: the literal that says
    so.
    """
    stones = {
        cell: model.cp.new_constant(1) for cell in np.flatnonzero(position == colour).tolist()
    }
    if colour == own:
        stones |= {
            cell: model.cp.new_bool_var(f"move{cell}")
            for cell in np.flatnonzero(position == EMPTY).tolist()
        }
    return stones
