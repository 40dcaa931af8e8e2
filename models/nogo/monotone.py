"""NoGo by unit propagation.

A chain without liberty never gets one again, because no stone is captured. So a move is legal if
and only if some legal position holds its stone and all stones before it. The clauses forbid what a
legal position cannot have: two stones at a point, and a chain that is surrounded by the other
player. They have no positive literal, and the stones are unit clauses. So unit propagation decides
without search, and its least model, the stones alone, is the position after the move.
"""

from __future__ import annotations

import numpy as np

from models.cnf import Formula, paused_collector
from models.nogo.legality import Ints, Near, liberty_clause, neighbours, state_single_liberties
from models.session import session
from models.solvers.sat_solver import SolverFailure
from models.stopwatch import Stopwatch
from puzzles.nogo.board import BLACK, EMPTY, WHITE, Game, NoGo


def solve(board: NoGo, solver: str) -> Game:
    """Play the game. Each colour tries each point at most once, in order: a move that is illegal
    once stays illegal.
    """
    watch = Stopwatch()
    with paused_collector():
        near, formula = neighbours(board), Formula()
        stones = _legal_positions(near, formula)
        position = board.grid.ravel().tolist()
        formula.rule("the stones of the board")
        for cell, colour in enumerate(position):
            if colour != EMPTY:
                formula.add(int(stones[colour][cell]))
        watch.built()
        cuts, moves = set[tuple[int, ...]](), list[int]()
        with session(formula, solver, watch) as opened:
            points = {colour: iter(range(board.cells)) for colour in (BLACK, WHITE)}
            own, other = BLACK, WHITE
            while True:
                for cell in points[own]:
                    if position[cell] != EMPTY:
                        continue
                    move, position[cell] = [int(stones[own][cell])], own
                    while consistent := opened.consistent(move):
                        dead = _dead_chain(position, near, cell)
                        if dead is None:
                            break
                        colour, chain, edge = dead
                        cut = liberty_clause(
                            stones[colour], stones[own + other - colour], chain, edge
                        )
                        if tuple(cut) in cuts:
                            raise SolverFailure(
                                opened.solver,
                                f"propagates no contradiction from a clause that was added: {cut}",
                            )
                        opened.add(cut)
                        cuts.add(tuple(cut))
                    if consistent:
                        opened.add(move)
                        moves.append(cell)
                        break
                    position[cell] = EMPTY
                else:
                    break
                own, other = other, own
        effort = watch.effort(formula.variables, len(formula.clauses) + len(cuts))
    return Game(board, np.array(moves, np.int32), effort=effort)


def _legal_positions(near: Near, formula: Formula) -> dict[int, Ints]:
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
    return {BLACK: black, WHITE: white}


def _dead_chain(
    position: list[int], near: Near, cell: int
) -> tuple[int, list[int], set[int]] | None:
    """A chain without liberty at or beside the last move: its colour, its cells, the cells beside
    it. None if there is none.
    """
    for start in (cell, *near[cell]):
        if position[start] != EMPTY:
            around = _without_liberty(position, near, start)
            if around is not None:
                return position[start], *around
    return None


def _without_liberty(
    position: list[int], near: Near, start: int
) -> tuple[list[int], set[int]] | None:
    """The cells of the chain of a stone, and the cells beside it; None if it has a liberty."""
    chain, edge, seen = [start], set[int](), {start}
    for stone in chain:
        for beside in near[stone]:
            if position[beside] == EMPTY:
                return None
            if position[beside] != position[start]:
                edge.add(beside)
            elif beside not in seen:
                seen.add(beside)
                chain.append(beside)
    return chain, edge
