"""NoGo as clauses and constraints: each move is one search for the first point after which every chain has a liberty.

The rules are stated for a position and the player to move; nothing learnt from one position is taken over to the next but
clauses that hold in all of them. A chain must not keep itself alive: `cnf` forbids a chain without liberty once a model
shows it, `cpsat` ranks the stones of a chain by their way to a liberty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.cnf import DEFAULT_SOLVER, Formula, paused_collector, session
from models.stopwatch import Stopwatch
from puzzles.backend import backend
from puzzles.nogo.board import BLACK, EMPTY, WHITE, Game, NoGo
from puzzles.puzzle import Effort
from puzzles.text import Grid

_Near = list[list[int]]
_First = Callable[[Grid, int, int], int | None]
"""(flat position, own colour, the other's) -> the first legal point, None where there is none."""


@backend("nogo", "cnf", side="models", source="the rules of Luogu P4997 as clauses, liberties by lazy cuts", options=("solver",))
def solve_cnf(board: NoGo, *, certify: bool = False, solver: str = DEFAULT_SOLVER) -> Game:
    """One formula serves the whole game: the position, and how far the move may go, are assumptions.

    A model names a legal point; then an earlier one is asked for, until there is none.
    """
    watch = Stopwatch()
    with paused_collector():
        near, formula = _neighbours(board), Formula()
        names = _rules(near, formula)
        watch.built()
        with session(formula, solver) as opened:
            opened.phases(names.reached.tolist())

            def cuts(model: NDArray[np.bool_]) -> list[list[int]]:
                colours = (model[names.after] + 2 * model[names.other]).tolist()
                sides = {1: (names.after, names.other), 2: (names.other, names.after)}
                return [_breathing(*sides[colour], chain, edge) for colour, chain, edge in _dead_chains(colours, near)]

            def first(position: Grid, own: int, other: int) -> int | None:
                known = [np.where(position == own, names.own, -names.own), np.where(position == other, names.other, -names.other)]
                assumed, found = np.concatenate(known).tolist(), None
                while found != 0 and opened.solve_lazily(cuts, [*assumed, int(names.reached[-1 if found is None else found - 1])]):
                    found = int(np.flatnonzero(opened.model()[names.move])[0])
                return found

            moves = _play(board, first)
        effort = watch.effort(formula.variables, len(formula.clauses))
    return Game(board, moves, effort=effort)


@backend(
    "nogo",
    "cpsat",
    side="models",
    source="the rules of Luogu P4997 as CP-SAT constraints, stones ranked by their way to a liberty",
    limit=49,
    requires=("ortools",),
)
def solve_cpsat(board: NoGo, *, certify: bool = False) -> Game:
    """One model a move; the effort adds up their seconds and tells the size of the largest."""
    from models.cpsat import Model

    near = _neighbours(board)
    size, build_s, solve_s = (0, 0), 0.0, 0.0

    def first(position: Grid, own: int, other: int) -> int | None:
        nonlocal size, build_s, solve_s
        started = perf_counter()
        model = Model()
        cp, stone = model.cp, {colour: _literals(model, position, own, colour) for colour in (own, other)}
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
        cp.minimize(sum(cell * chosen for cell, chosen in move.items()))
        size, built = max(size, model.size), perf_counter()
        found = next(cell for cell, chosen in move.items() if model.value(chosen)) if model.solve() else None
        build_s, solve_s = build_s + built - started, solve_s + perf_counter() - built
        return found

    moves = _play(board, first)
    return Game(board, moves, effort=Effort(build_s, solve_s, *size))


def _literals(model: Any, position: Grid, own: int, colour: int) -> dict[int, Any]:
    """For each cell that may hold a stone of the colour after the move a literal that says whether it does."""
    stones = {cell: model.cp.new_constant(1) for cell in np.flatnonzero(position == colour).tolist()}
    if colour == own:
        stones |= {cell: model.cp.new_bool_var(f"move{cell}") for cell in np.flatnonzero(position == EMPTY).tolist()}
    return stones


def _play(board: NoGo, first: _First) -> NDArray[np.int32]:
    """The game in which each move is what `first` says."""
    position = board.grid.flatten()
    moves: list[int] = []
    own, other = BLACK, WHITE
    while (cell := first(position, own, other)) is not None:
        position[cell] = own
        moves.append(cell)
        own, other = other, own
    return np.array(moves, np.int32)


def _neighbours(board: NoGo) -> _Near:
    """The cells beside each cell."""
    cells = np.pad(np.arange(board.cells).reshape(board.grid.shape), 1, constant_values=-1)
    four = np.stack([cells[:-2, 1:-1], cells[1:-1, :-2], cells[1:-1, 2:], cells[2:, 1:-1]], axis=-1)
    return [[beside for beside in row if beside >= 0] for row in four.reshape(-1, 4).tolist()]


class _Names(NamedTuple):
    """The variables, one a cell each.

    Attributes:
        own, other: before the move a stone of the player to move, of the other one, is there.
        move: the move goes there.
        reached: the move goes there or to an earlier cell.
        after: after the move a stone of the player to move is there.
    """

    own: NDArray[np.int64]
    other: NDArray[np.int64]
    move: NDArray[np.int64]
    reached: NDArray[np.int64]
    after: NDArray[np.int64]


def _rules(near: _Near, formula: Formula) -> _Names:
    """Exactly one move, to an empty point; the position after it; no single stone without a liberty or a companion."""
    cells = len(near)
    names = _Names(*(np.arange(cells) + formula.new(cells) for _ in _Names._fields))
    own, other, move, reached, after = names
    formula.extend(np.column_stack([-move, -own]))
    formula.extend(np.column_stack([-move, -other]))
    formula.extend(np.column_stack([-own, after]))
    formula.extend(np.column_stack([-move, after]))
    formula.extend(np.column_stack([-after, own, move]))
    formula.extend(np.column_stack([-move, reached]))
    formula.extend(np.column_stack([-reached[:-1], reached[1:]]))
    formula.extend(np.column_stack([-reached[:-1], -move[1:]]))
    formula.extend(np.column_stack([-reached[1:], reached[:-1], move[1:]]))
    formula.add(-reached[0], move[0])
    formula.add(reached[-1])
    for cell, beside in enumerate(near):
        formula.add(*_breathing(after, other, [cell], beside))
        formula.add(*_breathing(other, after, [cell], beside))
    return names


def _breathing(ours: NDArray[np.int64], theirs: NDArray[np.int64], chain: Iterable[int], edge: Iterable[int]) -> list[int]:
    """The clause: unless one of these connected cells is not ours, some cell of all those beside them is not theirs.

    Stated for every connected set of cells this is the rule of liberties: a chain beside which all is the other's has none.
    """
    return [-int(ours[cell]) for cell in chain] + [-int(theirs[cell]) for cell in edge]


def _dead_chains(colours: list[int], near: _Near) -> list[tuple[int, list[int], set[int]]]:
    """The chains without liberty (colour, cells, cells beside them) of a position whose empty points are 0."""
    dead: list[tuple[int, list[int], set[int]]] = []
    seen = [colour == 0 for colour in colours]
    for start, colour in enumerate(colours):
        if seen[start]:
            continue
        seen[start] = True
        chain, edge = [start], set[int]()
        for cell in chain:
            for beside in near[cell]:
                if colours[beside] != colour:
                    edge.add(beside)
                elif not seen[beside]:
                    seen[beside] = True
                    chain.append(beside)
        if all(colours[cell] for cell in edge):
            dead.append((colour, chain, edge))
    return dead
