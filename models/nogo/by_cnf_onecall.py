"""A whole game of NoGo as one formula.

A move that is illegal once stays illegal. So only the last position must be stated to be legal:
then all positions before it are legal too. Its chains' liberties are cut lazily. And a point that
is passed over needs only one reason, at one turn:

- a chain of the other player beside it has no other liberty; or
- it has no empty point beside it, and no chain of its own colour beside it has another liberty.

Whether a chain has two liberties is forced, never chosen. Each empty point has a number, and sends
its bits to the stones beside it. They send them on to the stones of their colour beside them. A
chain that receives both values of some bit has two liberties.
"""

from __future__ import annotations

import numpy as np

from models.cnf import Formula, Ints, Numbers, paused_collector
from models.dimacs import Encoding
from models.nogo.legality import (
    Near,
    cuts,
    neighbours,
    pairs_of,
    starts_of,
    state_ranks,
    state_single_liberties,
)
from models.session import session
from models.solvers.sat_solver import SolverFailure
from models.solvers.solver_names import DEFAULT_SOLVER, called_once
from models.stopwatch import Stopwatch
from puzzles.backend import Unsupported, backend
from puzzles.nogo.board import BLACK, EMPTY, WHITE, Game, NoGo
from puzzles.text import Grid

_MAX_CELLS = 200
"""The largest board. At this size the formula has some ten million clauses."""


def encode(board: NoGo) -> Encoding:
    """The formula with ranks in place of cuts.

    Raises:
        Unsupported: the board is too large for a whole game as one formula.
    """
    near, formula = neighbours(board), Formula()
    black, white, _ = whole_game(near, board.grid, formula)
    state_ranks(near, formula, black, white)
    return Encoding.of(formula, "satisfiable; the model is the game", board, lambda claims: True)


@backend(
    "nogo",
    "cnf-onecall",
    side="models",
    source="the whole game as one formula: moves by time, the points passed over with their "
    "reasons; liberties by lazy cuts",
    assumes="a move that is illegal once stays illegal, so a position is legal where a later "
    "one is",
    options=("solver",),
    refuses=called_once,
    limit=36,
    encode=encode,
    encodes_first=True,
)
def solve(board: NoGo, *, certify: bool = False, solver: str = DEFAULT_SOLVER) -> Game:
    """One formula states the whole game: which move comes when, and why each point before it was
    passed over. A SAT solver finds a model, and that is the game. Clauses about the liberties of
    the last position are added when a model breaks them.
    """
    watch = Stopwatch()
    with paused_collector():
        near, formula = neighbours(board), Formula()
        black, white, move = whole_game(near, board.grid, formula)
        watch.start_solving()
        with session(formula, solver, watch) as opened:

            def broken_clauses() -> list[list[int]]:
                model = opened.model()
                position = np.where(model[black], BLACK, np.where(model[white], WHITE, EMPTY))
                return cuts(position.tolist(), (black, white), near)

            if not opened.solve_lazily(broken_clauses):
                raise SolverFailure(opened.solver, "found no game, and every position has one")
            moves = np.nonzero(opened.model()[move])[1]
        effort = watch.effort(formula.variables, len(formula.clauses))
    return Game(board, moves.astype(np.int32), effort=effort)


def whole_game(near: Near, grid: Grid, formula: Formula) -> tuple[Ints, Ints, Ints]:
    """State the game, except for the liberties of chains of more than one stone in the last
    position.

    Returns the variables of black and of white stones on each cell in the last position, and those
    of moves, shape (turns, cells). Turns are numbered from 0; black moves at even turns.

    Raises:
        Unsupported: the board has more than `_MAX_CELLS` cells.
    """
    start = grid.ravel()
    if start.size > _MAX_CELLS:
        raise Unsupported(
            f"a whole game as one formula is for boards up to {_MAX_CELLS} cells, and this one "
            f"has {start.size}"
        )
    cells, turns = start.size, int((start == EMPTY).sum())
    cell, other = pairs_of(near)
    bits = max(1, (cells - 1).bit_length())

    black, white, same_colour = (formula.array(count) for count in (cells, cells, cell.size))
    widths = (cells, cells, cells, cells, cell.size, cells, cells, cell.size, 2 * bits * cells)
    rows = formula.array(turns + 1, sum(widths))  # numbered by time
    occupied, *of_turns, two, joined, bit_values = np.split(rows, np.cumsum(widths)[:-1], axis=1)
    move, reached, banned, choked, suicide = (each[:-1] for each in of_turns)
    # the chain at this cell has received this value of this bit
    received = bit_values.reshape(turns + 1, cells, bits, 2)
    # After the last turn only some are in use, and get a better name here.
    formula.name(rows[-1], "not in use", range(sum(widths)), auxiliary=True)
    every, pairs = range(cells), np.column_stack([cell, other])
    formula.name(black, "black at {} in the last position", every)
    formula.name(white, "white at {} in the last position", every)
    formula.name(
        same_colour, "{} and {} have the same colour in the last position", pairs, auxiliary=True
    )
    for turn in range(turns):
        formula.name(move[turn], f"move {turn + 1} goes to {{}}", every)
        text = f"move {turn + 1} goes to {{}} or to a point before it"
        formula.name(reached[turn], text, every, auxiliary=True)
    by_time: list[tuple[Ints, str, Numbers]] = [
        (occupied, "{} is occupied", every),
        (banned, "{} is banned", every),
        (choked, "a move to {} would choke the chain at {}", pairs),
        (suicide, "a move to {} would be suicide", every),
        (two, "the chain at {} has two liberties", every),
        (joined, "{} and {} are joined", pairs),
    ]
    for bit, value in np.ndindex(bits, 2):
        text = f"the chain at {{}} has received {value} for bit {bit}"
        by_time.append((received[:, :, bit, value], text, every))
    for variables, text, places in by_time:
        for time, at_once in enumerate(variables):
            when = f"before move {time + 1}" if time < turns else "in the end"
            formula.name(at_once, f"{text} {when}", places, auxiliary=True)
    before, after = occupied[:-1], occupied[1:]

    formula.rule("the stones of the board")
    for point, kind in enumerate(start.tolist()):
        formula.add(int(occupied[0, point]) * (-1 if kind == EMPTY else 1))
        if kind != EMPTY:
            formula.add(int((black if kind == BLACK else white)[point]))
    formula.rule("a stone has one colour; it is there once its move is made, and it stays")
    formula.state(-black, -white)
    for colour in (black, white):
        formula.state(-colour, occupied[-1])
    formula.state(-before, after)
    formula.state(-move, after)
    formula.state(-move, -before)
    formula.state(-after, before, move)
    formula.state(-move[::2], black)
    formula.state(-move[1::2], white)
    formula.rule("at most one move at a turn, and none after a turn without a move")
    formula.state(-move, reached)
    formula.state(-reached[:, :-1], reached[:, 1:])
    formula.state(-reached[:, :-1], -move[:, 1:])
    formula.state(-reached[:, 1:], reached[:, :-1], move[:, 1:])
    formula.state(-reached[:, 0], move[:, 0])
    formula.state(-reached[1:, -1], reached[:-1, -1])
    # Banned: the player must not move there. When the game ends, all points are occupied or banned.
    formula.rule("a point is passed over only if it is occupied or banned")
    formula.state(reached[:1], before[:1], banned[:1])
    formula.state(-reached[:-1, -1:], reached[1:], before[1:], banned[1:])
    # `choked`: a chain of the other player beside it has no other liberty. A ban stays, so a later
    # turn may refer to the player's
    # turn before.
    formula.rule("a banned point has a reason: the move would choke a chain, or be suicide")
    mine = np.where(np.arange(turns)[:, None] % 2 == 0, black, white)
    theirs = np.where(np.arange(turns)[:, None] % 2 == 0, white, black)
    for point, chokes in enumerate(np.split(choked, starts_of(near), axis=1)):
        formula.state(-banned[:2, point], suicide[:2, point], *chokes[:2].T)
        formula.state(-banned[2:, point], banned[:-2, point], suicide[2:, point], *chokes[2:].T)
    formula.state(-choked, before[:, other])
    formula.state(-choked, theirs[:, other])
    formula.state(-choked, -two[:-1, other])
    formula.state(-suicide[:, cell], before[:, other])
    formula.state(-suicide[:, cell], -mine[:, other], -two[:-1, other])
    # A chain that has received both values of a bit has `two` liberties.
    formula.rule(
        "empty points send the bits of their numbers to the stones beside them, and joined "
        "stones send them on"
    )
    for colour in (black, white):
        formula.state(-colour[cell], -colour[other], same_colour)
    numbers = (np.arange(cells)[:, None] >> np.arange(bits)) & 1
    own_bits = received[:, other[:, None], np.arange(bits), numbers[cell]]
    formula.state(occupied[:, cell, None], own_bits)
    formula.state(-same_colour, -occupied[:, cell], -occupied[:, other], joined)
    formula.state(-joined[:, :, None, None], -received[:, cell], received[:, other])
    formula.state(-received[..., 0], -received[..., 1], two[:, :, None])
    state_single_liberties(near, formula, black, white)
    return black, white, move
