"""NoGo by unit propagation.

A chain without liberty never gets one again, because no stone is captured. So a move is legal if
and only if some legal position holds its stone and all stones before it. The clauses forbid what a
legal position cannot have: two stones at a point, and a chain that is surrounded by the other
player. They have no positive literal, and the stones are unit clauses. So unit propagation decides
without search, and its least model, the stones alone, is the position after the move.
"""

from __future__ import annotations

import numpy as np

from models.cnf import Formula, Ints, paused_collector
from models.nogo.legality import Near, cuts, neighbours, state_single_liberties
from models.session import session
from models.solvers.solver_names import DEFAULT_SOLVER, called_once
from models.stopwatch import Stopwatch
from puzzles.backend import backend
from puzzles.nogo.board import BLACK, EMPTY, WHITE, Game, NoGo


@backend(
    "nogo",
    "cnf-monotone",
    side="models",
    quick=400,
    source="the final position's liberties as clauses without positive literals, the moves as "
    "facts, unit propagation",
    assumes="a move that is illegal once stays illegal, so a position is legal where a later "
    "one is",
    options=("solver",),
    refuses=called_once,
)
def solve(board: NoGo, *, certify: bool = False, solver: str = DEFAULT_SOLVER) -> Game:
    """A move that is illegal once stays illegal, so a position is legal if a later one is. Clauses
    state the liberties of the last position, and unit propagation says whether a move is legal.
    Nothing is searched, and each colour tries each point at most once.
    """
    watch = Stopwatch()
    with paused_collector():
        near, formula = neighbours(board), Formula()
        names = _legal_positions(near, formula)
        stones = dict(zip((BLACK, WHITE), names, strict=True))
        position = board.grid.ravel().tolist()
        formula.rule("the stones of the board")
        for cell, colour in enumerate(position):
            if colour != EMPTY:
                formula.add(int(stones[colour][cell]))
        watch.start_solving()
        moves: list[int] = []
        with session(formula, solver, watch) as opened:
            points = {colour: iter(range(board.cells)) for colour in (BLACK, WHITE)}
            own, other = BLACK, WHITE
            while True:
                for cell in points[own]:
                    if position[cell] != EMPTY:
                        continue
                    move, position[cell] = [int(stones[own][cell])], own
                    while consistent := opened.consistent(move):
                        violated = cuts(position, names, near, cell)
                        if not violated:
                            break
                        opened.add_cuts(
                            violated, "propagates no contradiction from a clause that was added"
                        )
                    if consistent:
                        opened.add(move)
                        moves.append(cell)
                        break
                    position[cell] = EMPTY
                else:
                    break
                own, other = other, own
        effort = watch.effort(formula.variables, len(formula.clauses) + len(opened.cuts))
    return Game(board, np.array(moves, np.int32), effort=effort)


def _legal_positions(near: Near, formula: Formula) -> tuple[Ints, Ints]:
    """State legal positions: at most one stone at a point, and the rule of liberties for single
    stones. Longer chains are cut lazily.
    """
    cells = len(near)
    black, white = (formula.array(cells) for _ in range(2))
    formula.name(black, "black at {}", range(cells))
    formula.name(white, "white at {}", range(cells))
    formula.rule("a stone has one colour")
    formula.state(-black, -white)
    state_single_liberties(near, formula, black, white)
    return black, white
