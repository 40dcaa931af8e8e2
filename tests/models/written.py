"""Boards written down as formulas, and what makes these right: they are read back, decided as the
board is, named and refuted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random

import numpy as np
import pytest
from pysat.solvers import Solver

import direct
import puzzles
from compare.engine.search.boards import boards
from models.cnf import Formula
from models.dimacs import encode, text
from models.proofs.refutation import refutation
from puzzles.answer import Claims
from puzzles.beams import Beams
from puzzles.dimacs_reader import DimacsReader
from puzzles.geography import Geography
from puzzles.grid import Board
from puzzles.minesweeper import Minesweeper
from puzzles.nogo.board import BLACK, EMPTY, WHITE, NoGo, without_liberty
from puzzles.text import UserError
from tests.models.propagation import PIGEONS, refutes
from tests.oracles import beams as rules
from tests.oracles.boards import Cell, characters_of, place

MAX_CELLS, MAX_CLAUSES = 16, 300
"""Larger boards are left out, and the proofs of larger formulas are not replayed."""

SOLVERS = ("cadical153", "glucose4", "lingeling")
"""Solvers that write proofs, in turn."""


_REFUSALS = {
    "beams": "nothing about a single cell",
    "minesweeper": "is not a covered one",
    "geography": "is a wall",
}
"""What is said of a cell that cannot be asked about. In nogo every cell can."""


@dataclass(frozen=True)
class Question:
    """A board, and the cell (row and column, from 1) that its formula asks about, or None."""

    board: Board
    cell: Cell | None
    number: int


def cases(seed: int, count: int) -> list[Question]:
    """Small boards of all puzzles in turn; of two boards of a puzzle one comes with a cell."""
    streams = {
        name: _small(name, seed, -(-count // len(puzzles.names()))) for name in puzzles.names()
    }
    rng, drawn = Random(seed), list[Question]()
    for k in range(-(-count // len(streams))):
        for stream in streams.values():
            board = stream[k]
            cell = (rng.randint(1, board.rows), rng.randint(1, board.columns)) if k % 2 else None
            drawn.append(Question(board, cell, len(drawn)))
    return drawn[:count]


def _small(name: str, seed: int, count: int) -> list[Board]:
    small: list[Board] = []
    index = 0
    while len(small) < count:
        small += [
            board
            for board in boards(puzzles.get(name), seed, index, 16, 4)
            if board.cells <= MAX_CELLS
        ]
        index += 1
    return small


def examine(case: Question) -> None:
    """Raise `AssertionError` unless the formula and all that is written of it are right."""
    board, cell = case.board, case.cell
    if case.number % 16 == 0:
        _examine_pigeons(SOLVERS[case.number // 16 % len(SOLVERS)])
    for row, column in ((0, 1), (1, 0), (board.rows + 1, 1), (1, board.columns + 1)):
        with pytest.raises(UserError, match="is not on the"):
            encode(board, (row, column))
    total = isinstance(board, Minesweeper) and board.mines is not None
    if cell is not None and not _can_be_asked(board, cell):
        with pytest.raises(UserError, match=_REFUSALS[board.puzzle]) as refusal:
            encode(board, cell)
        assert str(refusal.value).endswith("beside a clue") == (
            isinstance(board, Minesweeper) and not total
        )
        return
    encoding = encode(board, cell)
    assert ("the number of mines" in encoding.meaning) == total
    variables, clauses = DimacsReader(text(encoding)).formula(10**6)
    assert variables == encoding.formula.variables
    assert clauses.lists() == [list(clause) for clause in encoding.formula.clauses]
    claims = direct.solve(board).claims
    assert claims is not None
    solver_name = SOLVERS[case.number % len(SOLVERS)]
    with Solver(solver_name, bootstrap_with=clauses.lists()) as solver:
        satisfiable = solver.solve()
        true = {literal for literal in solver.get_model() or [] if literal > 0}
    assert satisfiable is not None
    expected = _expected(board, cell, claims)
    assert expected in (None, satisfiable)
    assert encoding.expected(claims) in ((None,) if expected is None else (expected,))
    assert (
        len({name for _, name in encoding.names})
        == len({variable for variable, _ in encoding.names})
        == len(encoding.names)
    )
    assert all(1 <= variable <= variables for variable, _ in encoding.names)
    if cell is not None:
        assert f"{cell[0]},{cell[1]}" in encoding.meaning.split()
        assert not isinstance(board, NoGo) or satisfiable == _may_play(board, cell)
    if isinstance(board, Geography):
        assert {name for _, name in encoding.names if "matched" in name} == _pairs(board)
    if satisfiable and (cell is None or isinstance(board, Minesweeper)):
        other = [-literal for literal in _settled(board, claims, encoding.names)]
        with Solver(solver_name, bootstrap_with=[*clauses.lists(), other]) as solver:
            assert solver.solve() is False
    if satisfiable:
        _examine_names(board, cell, {name for variable, name in encoding.names if variable in true})
    if len(clauses.ends) <= MAX_CLAUSES:
        steps = refutation(encoding.formula, solver_name)
        assert (steps is None) == satisfiable
        assert steps is None or (str(steps[-1]) == "0" and refutes(clauses.lists(), steps))


def _examine_pigeons(solver_name: str) -> None:
    """A proof has steps before the empty clause."""
    steps = refutation(Formula.of(6, PIGEONS), solver_name)
    assert steps is not None
    assert refutes(PIGEONS, steps)
    assert not refutes(PIGEONS, ["0"])


def _can_be_asked(board: Board, cell: Cell) -> bool:
    row, column = cell
    kind = chr(board.grid[row - 1, column - 1])
    if isinstance(board, Minesweeper):
        near = board.grid[max(0, row - 2) : row + 1, max(0, column - 2) : column + 1].tobytes()
        return kind == "#" and (board.mines is not None or bool(set(near) & set(b".012345678")))
    return isinstance(board, NoGo) or (isinstance(board, Geography) and kind == ".")


def _may_play(board: NoGo, cell: Cell) -> bool:
    """Whether black may play there; a chain without liberty shows that it may not."""
    row, column = cell
    grid = board.grid.copy()
    empty = grid[row - 1, column - 1] == EMPTY
    grid[row - 1, column - 1] = BLACK
    return bool(empty) and without_liberty(grid).size == 0


def _pairs(board: Geography) -> set[str]:
    """What the variable of each pair of neighbours says."""
    cells = np.argwhere(board.grid == ord(".")).tolist()
    return {
        f"{r + 1},{c + 1} is matched to {s + 1},{d + 1}"
        for (r, c), (s, d) in combinations(cells, 2)
        if abs(r - s) + abs(c - d) == 1
    }


def _expected(board: Board, cell: Cell | None, claims: Claims) -> bool | None:
    """Whether the formula is satisfiable, from the answer of an algorithm; None if the answer does
    not say.
    """
    at = None if cell is None else (cell[0] - 1) * board.columns + cell[1] - 1
    if isinstance(board, Beams):
        return bool(claims[0])
    if isinstance(board, Minesweeper):
        return bool(claims[0]) and (at is None or claims[1 + at] != 0)
    if at is None:
        return True
    if isinstance(board, Geography):
        return bool(claims[at])
    earlier = claims.size and claims[0] < at
    return None if earlier else bool(claims.size) and int(claims[0]) == at


def _settled(board: Board, claims: Claims, names: Sequence[tuple[int, str]]) -> list[int]:
    """The literals that an answer settles: every model has them."""
    variables = {name: variable for variable, name in names}
    values = enumerate(claims.tolist())
    if isinstance(board, Beams):
        return []
    if isinstance(board, NoGo):
        moves = {f"move {turn + 1} goes to {board.place(at)}" for turn, at in values}
        assert moves <= variables.keys()
        return [
            variable if name in moves else -variable
            for variable, name in names
            if name.startswith("move")
        ]
    if isinstance(board, Geography):
        said = "the first mover loses from {}"
        known = [(at, value) for at, value in values if board.grid.flat[at] == ord(".")]
    else:  # only the cells beside clues have variables
        said = "a mine at {}"
        known = [
            (at - 1, value)
            for at, value in values
            if at and value in (0, 1) and said.format(board.place(at - 1)) in variables
        ]
    return [variables[said.format(board.place(at))] * (1 if value else -1) for at, value in known]


def _examine_names(board: Board, cell: Cell | None, true: set[str]) -> None:
    """What the true variables of a model say, where the answer does not settle it."""

    def places(kind: int) -> list[str]:
        return [board.place(at) for at in np.flatnonzero(board.grid == kind).tolist()]

    if isinstance(board, Beams):
        assert {name for name in true if name.startswith("a beam")} == _beams(board, true)
    elif isinstance(board, Geography) and cell is None:
        matched = [name.split(" is matched to ") for name in true if "matched" in name]
        exposed = [name.removesuffix(" is exposed") for name in true if name.endswith("is exposed")]
        assert sorted([*exposed, *(one for pair in matched for one in pair)]) == sorted(
            places(ord("."))
        )
    elif isinstance(board, Geography):
        assert cell is not None
        assert f"{cell[0]},{cell[1]} is exposed" in true
    elif isinstance(board, NoGo) and cell is not None:
        move, black, white = f"{cell[0]},{cell[1]}", places(BLACK), places(WHITE)
        assert f"the move goes to {move}" in true
        assert {name for name in true if "black" in name or "white" in name} == {
            *(f"black at {each} before the move" for each in black),
            *(f"white at {each} after the move" for each in white),
            *(f"black at {each} after the move" for each in {*black, move}),
        }


def _beams(board: Beams, true: set[str]) -> set[str]:
    """The names of all cells that a beam enters, with its heading, if the turrets are turned as a
    model's true names say.
    """
    rows = board.lines()
    return {
        f"a beam enters {place(cell)} going {heading}"
        for turret in rules.cells(rows, "-|")
        for arm in rules.ARMS[
            "-" if f"the turret at {place(turret)} is horizontal" in true else "|"
        ]
        for cell, heading in rules.crossings(rows, turret, arm)
        if characters_of(rows)[cell] != "#"
    }
