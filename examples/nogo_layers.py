"""NoGo by layers of distance.

`python -m compare run nogo -b cnf -b layers --plugin examples/nogo_layers.py` tries it.

A stone needs a way to a liberty. In layer 0 are the stones beside an empty point, in layer k those
beside a stone of layer k - 1. That reads well, and is far too large: each stone has a variable in
each layer.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from models.cnf import Formula
from models.session import session
from models.stopwatch import Stopwatch
from puzzles.answer import Effort
from puzzles.backend import backend
from puzzles.nogo import Game, NoGo

SWAPPED = str.maketrans("XO", "OX")


def encode(board: NoGo) -> tuple[int, list[list[int]], dict[int, str]]:
    """All legal moves of black: the number of variables, the clauses, and what the variables say,
    in the words of `cnf`.
    """
    formula, names = state("".join(board.lines()), board.columns)
    move = {variable: f"the move goes to {board.place(cell)}" for cell, variable in names.items()}
    return formula.variables, formula.clauses, move


def state(kinds: str, width: int) -> tuple[Formula, dict[int, int]]:
    """The moves of black from a position of these characters, and the variable of each point that a
    move may go to.
    """
    formula, cells = Formula(), range(len(kinds))
    near = [
        [q for q in cells if abs(q // width - p // width) + abs(q % width - p % width) == 1]
        for p in cells
    ]
    empty = {p: formula.new() for p in cells if kinds[p] == "."}  # it is empty after the move
    move = {p: formula.new() for p in empty}
    formula.add(*move.values())
    for pair in combinations(move.values(), 2):
        formula.add(*(-variable for variable in pair))
    for p in empty:
        formula.add(-empty[p], -move[p])
    for colour in "XO":
        stones = {
            p: move.get(p, 0) for p in cells if kinds[p] == colour or (colour == "X" and p in move)
        }
        before: dict[int, int] = {}
        for layer in range(len(stones)):
            now = {p: formula.new() for p in stones}
            for p in stones:
                ways = [before[p]] if layer else [empty[q] for q in near[p] if q in empty]
                formula.add(-now[p], *ways, *(before[q] for q in near[p] if q in before))
                if stones[p]:
                    formula.add(-now[p], stones[p])  # only a stone has a layer
            before = now
        for p, is_stone in stones.items():
            formula.add(before[p], *([-is_stone] if is_stone else []))
    return formula, move


@backend(
    "nogo",
    "layers",
    side="models",
    source="my own: each stone has its distance to a liberty",
    limit=25,
    encode=encode,
)
def solve(board: NoGo, *, certify: bool = False) -> Game:
    """A formula for each move. The points are tried in order."""
    del certify
    kinds, moves, effort = "".join(board.lines()), list[int](), Effort(0.0, 0.0, 0, 0)
    while True:
        watch = Stopwatch()
        formula, points = state(
            kinds.translate(SWAPPED) if len(moves) % 2 else kinds, board.columns
        )
        watch.start_solving()
        with session(formula, watch=watch) as opened:
            cell = next((p for p in sorted(points) if opened.solve([points[p]])), None)
        effort = together(effort, watch.effort(formula.variables, len(formula.clauses)))
        if cell is None:
            return Game(board, np.array(moves, np.int32), effort=effort)
        kinds = kinds[:cell] + "XO"[len(moves) % 2] + kinds[cell + 1 :]
        moves.append(cell)


def together(one: Effort, other: Effort) -> Effort:
    """The seconds of both, and the size of the larger formula."""
    seconds = ((one.build_s or 0) + (other.build_s or 0), (one.solve_s or 0) + (other.solve_s or 0))
    return Effort(
        *seconds,
        max(one.variables or 0, other.variables or 0),
        max(one.clauses or 0, other.clauses or 0),
    )
