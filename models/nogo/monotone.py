"""NoGo by unit propagation.

A chain without liberty never gets one again, since no stone is captured. So a move is legal if and only if some legal
position has its stone and all those before it. The clauses say what such a position must not have: two stones at a point, a
chain beside which all is the other's. None has a positive literal, and the stones are facts; so unit propagation decides, and
its least model, the stones alone, is the position after the move.
"""

from __future__ import annotations

import numpy as np

from models.cnf import Formula, paused_collector, session
from models.nogo.rules import Ints, Near, breathing, neighbours
from models.stopwatch import Stopwatch
from puzzles.nogo.board import BLACK, EMPTY, WHITE, Game, NoGo


def solve(board: NoGo, solver: str) -> Game:
    """The game; the first point that a colour was not refused yet is tried, and a refusal is for ever."""
    watch = Stopwatch()
    with paused_collector():
        near, formula = neighbours(board), Formula()
        stones = _legal_positions(near, formula)
        position = board.grid.ravel().tolist()
        for cell, colour in enumerate(position):
            if colour != EMPTY:
                formula.add(int(stones[colour][cell]))
        watch.built()
        cuts, moves = 0, list[int]()
        with session(formula, solver) as opened:
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
                        opened.add(breathing(stones[colour], stones[own + other - colour], chain, edge))
                        cuts += 1
                    if consistent:
                        opened.add(move)
                        moves.append(cell)
                        break
                    position[cell] = EMPTY
                else:
                    break
                own, other = other, own
        effort = watch.effort(formula.variables, len(formula.clauses) + cuts)
    return Game(board, np.array(moves, np.int32), effort=effort)


def _legal_positions(near: Near, formula: Formula) -> dict[int, Ints]:
    """At most one stone at a point, and no stone alone without liberty; longer chains are cut lazily."""
    cells = len(near)
    black, white = (formula.new(cells) + np.arange(cells) for _ in range(2))
    formula.extend(-np.column_stack([black, white]))
    for cell, beside in enumerate(near):
        formula.add(*breathing(black, white, [cell], beside))
        formula.add(*breathing(white, black, [cell], beside))
    return {BLACK: black, WHITE: white}


def _dead_chain(position: list[int], near: Near, cell: int) -> tuple[int, list[int], set[int]] | None:
    """A chain without liberty (colour, cells, cells beside them) at or beside the last move, or None."""
    for start in (cell, *near[cell]):
        if position[start] != EMPTY:
            around = _without_liberty(position, near, start)
            if around is not None:
                return position[start], *around
    return None


def _without_liberty(position: list[int], near: Near, start: int) -> tuple[list[int], set[int]] | None:
    """The cells of the chain at a stone and those beside it, or None as soon as one of those is empty."""
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
