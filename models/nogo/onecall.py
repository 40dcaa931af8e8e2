"""A whole game of NoGo as one formula.

Since a move that is illegal once stays illegal, it is enough that the last position is legal: then all before it were. And a
point that was passed over needs its reason but once: at some turn a chain of the other player beside it had no liberty but
this one, or it had no empty point beside it and no chain of its own colour there had another liberty.

That a chain has two liberties is forced, never chosen: each empty point tells its number, bit by bit, to the stones beside
it, they tell those beside them of their colour, and a chain that hears both values of a bit has two liberties.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from models.cnf import Formula, paused_collector, session
from models.nogo.rules import Bools, Ints, Near, breathing, cuts, neighbours
from models.stopwatch import Stopwatch
from puzzles.backend import Unsupported
from puzzles.nogo.board import BLACK, EMPTY, Game, NoGo
from puzzles.text import Grid

MOST_CELLS = 200
"""The formula grows faster than the cube of the side: with this many cells it has some ten million clauses."""


class Literals(NamedTuple):
    """The variables of a whole game; turns are numbered from 0, the moves of black are at even ones.

    Attributes:
        black, white: (cells,), in the last position a stone of that colour is there.
        alike: (pairs,), the stones at two neighbouring points are of one colour.
        occupied: (turns + 1, cells), after that many moves a stone is there.
        move: (turns, cells), the move of the turn goes there.
        reached: (turns, cells), it goes there or to an earlier point.
        banned: (turns, cells), the player to move must not go there.
    """

    black: Ints
    white: Ints
    alike: Ints
    occupied: Ints
    move: Ints
    reached: Ints
    banned: Ints


def solve(board: NoGo, solver: str) -> Game:
    """The game that the only kind of model tells; liberties of its last position are cut lazily."""
    watch = Stopwatch()
    with paused_collector():
        near, formula = neighbours(board), Formula()
        names = whole_game(near, board.grid, formula)
        watch.built()
        with session(formula, solver) as opened:

            def broken(model: Bools) -> list[list[int]]:
                black, white = (model[stones].reshape(board.grid.shape) for stones in (names.black, names.white))
                return cuts(black, white, (names.black, names.white), near)

            if not opened.solve_lazily(broken):
                raise RuntimeError("every position has a game, but the solver found none")
            moves = np.nonzero(opened.model()[names.move])[1]
        effort = watch.effort(formula.variables, len(formula.clauses))
    return Game(board, moves.astype(np.int32), effort=effort)


def whole_game(near: Near, grid: Grid, formula: Formula) -> Literals:
    """State the game, but for the liberties of chains of more than one stone in the last position.

    Raises:
        Unsupported: the board has more than `MOST_CELLS` cells.
    """
    start = grid.ravel()
    if start.size > MOST_CELLS:
        raise Unsupported(f"a whole game as one formula is for boards up to {MOST_CELLS} cells, and this one has {start.size}")
    cells, turns = start.size, int((start == EMPTY).sum())
    cell = np.array([cell for cell, beside in enumerate(near) for _ in beside], np.int64)
    other = np.array([other for beside in near for other in beside], np.int64)
    bits = max(1, (cells - 1).bit_length())

    black, white, alike = (formula.new(count) + np.arange(count) for count in (cells, cells, cell.size))
    widths = (cells, cells, cells, cells, cell.size, cells, cells, cell.size, 2 * bits * cells)
    first = formula.new((turns + 1) * sum(widths))  # numbered by time
    rows = first + np.arange((turns + 1) * sum(widths)).reshape(turns + 1, -1)
    occupied, move, reached, banned, choked, suicide, two, joined, told = np.split(rows, np.cumsum(widths)[:-1], axis=1)
    heard = told.reshape(turns + 1, cells, bits, 2)
    names = Literals(black, white, alike, occupied, move[:-1], reached[:-1], banned[:-1])
    move, reached, banned, choked, suicide = move[:-1], reached[:-1], banned[:-1], choked[:-1], suicide[:-1]
    before, after = occupied[:-1], occupied[1:]

    def state(*literals: Ints) -> None:
        """A clause for each entry of these arrays, spread to one shape."""
        spread = np.broadcast_arrays(*literals)
        formula.extend(np.stack(spread, axis=-1).reshape(-1, len(spread)))

    for point, kind in enumerate(start.tolist()):
        formula.add(int(occupied[0, point]) * (-1 if kind == EMPTY else 1))
        if kind != EMPTY:
            formula.add(int((black if kind == BLACK else white)[point]))
    # A stone has one colour; it is there once its move was made, and stays.
    state(-black, -white)
    for colour in (black, white):
        state(-colour, occupied[-1])
    state(-before, after)
    state(-move, after)
    state(-move, -before)
    state(-after, before, move)
    state(-move[::2], black)
    state(-move[1::2], white)
    # At most one move a turn, and none after a turn without.
    state(-move, reached)
    state(-reached[:, :-1], reached[:, 1:])
    state(-reached[:, :-1], -move[:, 1:])
    state(-reached[:, 1:], reached[:, :-1], move[:, 1:])
    state(-reached[:, 0], move[:, 0])
    state(-reached[1:, -1], reached[:-1, -1])
    # A point is passed over where it is occupied or banned; so are all when the game ends.
    state(reached[:1], before[:1], banned[:1])
    state(-reached[:-1, -1:], reached[1:], before[1:], banned[1:])
    # The reasons.
    mine = np.where(np.arange(turns)[:, None] % 2 == 0, black, white)
    theirs = np.where(np.arange(turns)[:, None] % 2 == 0, white, black)
    at = 0
    for point, beside in enumerate(near):
        links = range(at, at + len(beside))
        at += len(beside)
        state(-banned[:2, point], suicide[:2, point], *(choked[:2, link] for link in links))
        state(-banned[2:, point], banned[:-2, point], suicide[2:, point], *(choked[2:, link] for link in links))
    state(-choked, before[:, other])
    state(-choked, theirs[:, other])
    state(-choked, -two[:-1, other])
    state(-suicide[:, cell], before[:, other])
    state(-suicide[:, cell], -mine[:, other], -two[:-1, other])
    # Liberties are told.
    for colour in (black, white):
        state(-colour[cell], -colour[other], alike)
    numbers = (np.arange(cells)[:, None] >> np.arange(bits)) & 1
    own_bits = heard[:, other[:, None], np.arange(bits), numbers[cell]]
    state(occupied[:, cell, None], own_bits)
    state(-alike, -occupied[:, cell], -occupied[:, other], joined)
    state(-joined[:, :, None, None], -heard[:, cell], heard[:, other])
    state(-heard[..., 0], -heard[..., 1], two[:, :, None])
    for point, beside in enumerate(near):
        formula.add(*breathing(black, white, [point], beside))
        formula.add(*breathing(white, black, [point], beside))
    return names
