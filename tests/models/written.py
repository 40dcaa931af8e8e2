"""Boards written down as formulas, and what makes these right: they are read back, decided as the
board is, named and refuted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from random import Random
from typing import Any

import numpy as np
import pytest
from pysat.solvers import Solver

import direct
import puzzles
from compare.engine.search.boards import boards
from models.cnf import Formula
from models.dimacs import encode_board, text
from models.proofs.refutation import refutation
from puzzles.answer import Claims
from puzzles.backend import Unsupported
from puzzles.dimacs_reader import DimacsReader
from puzzles.grid import Board
from puzzles.nogo.board import BLACK, EMPTY, WHITE, without_liberty
from puzzles.text import UserError
from tests.models.propagation import PIGEONS, refutes
from tests.oracles import beams as rules
from tests.oracles.boards import Cell, characters_of, place

MAX_CELLS, MAX_CLAUSES = 16, 300
"""Larger boards are left out, and the proofs of larger formulas are not replayed."""

SOLVERS = ("cadical153", "glucose4", "lingeling")
"""Solvers that write proofs, in turn."""


@dataclass(frozen=True)
class Question:
    """A board, and the cell (row and column, from 1) that its formula asks about, or None."""

    board: Board
    cell: Cell | None
    number: int


@cache
def names() -> list[str]:
    """The puzzles whose boards can be written down as a formula."""
    return [name for name in puzzles.names() if _is_written(name)]


def _is_written(name: str) -> bool:
    try:
        encode_board(puzzles.get(name).parse(puzzles.get(name).example)[0])
    except Unsupported:
        return False
    return True


def cases(seed: int, count: int) -> list[Question]:
    """Small boards of all puzzles in turn; of two boards of a puzzle one comes with a cell."""
    streams = {name: _small(name, seed, -(-count // len(names()))) for name in names()}
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
    says = SAYS.get(board.puzzle, Says)(board)
    if case.number % 16 == 0:
        _examine_pigeons(SOLVERS[case.number // 16 % len(SOLVERS)])
    for row, column in ((0, 1), (1, 0), (board.rows + 1, 1), (1, board.columns + 1)):
        with pytest.raises(UserError, match="is not on the"):
            encode_board(board, (row, column))
    if cell is not None and not says.can_be_asked(cell):
        with pytest.raises(UserError, match=says.refusal):
            encode_board(board, cell)
        return
    encoding = encode_board(board, cell)
    assert ("the number of mines" in encoding.meaning) == says.counts
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
    expected = says.expected(cell, claims)
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
    says.examine(cell, satisfiable, {name for _, name in encoding.names})
    if satisfiable and (cell is None or says.settles_questions):
        other = [-literal for literal in says.settled(claims, encoding.names)]
        with Solver(solver_name, bootstrap_with=[*clauses.lists(), other]) as solver:
            assert solver.solve() is False
    if satisfiable:
        says.examine_model(cell, {name for variable, name in encoding.names if variable in true})
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


class Says:
    """What the formula of a board has to say, as far as it holds for every puzzle whose formula is
    satisfiable exactly if the first claim is 1; a puzzle may know more.

    Attributes:
        refusal: what is said of a cell that cannot be asked about.
        counts: whether the formula counts mines.
        settles_questions: whether an answer settles literals of a question about a cell, too.
    """

    refusal = "nothing about a single cell"
    settles_questions = False

    def __init__(self, board: Any) -> None:
        self.board = board
        self.counts = False

    def can_be_asked(self, cell: Cell) -> bool:
        return False

    def expected(self, cell: Cell | None, claims: Claims) -> bool | None:
        """Whether the formula is satisfiable, from the answer of an algorithm; None if the answer
        does not say.
        """
        return bool(claims[0])

    def settled(self, claims: Claims, names: Sequence[tuple[int, str]]) -> list[int]:
        """The literals that an answer settles: every model has them."""
        return []

    def examine(self, cell: Cell | None, satisfiable: bool, names: set[str]) -> None:
        """Look at all names."""

    def examine_model(self, cell: Cell | None, true: set[str]) -> None:
        """What the true variables of a model say, where the answer does not settle it."""

    def kind(self, cell: Cell) -> str:
        return chr(self.board.grid[cell[0] - 1, cell[1] - 1])

    def at(self, cell: Cell) -> int:
        """The flat index of a cell."""
        return (cell[0] - 1) * self.board.columns + cell[1] - 1

    def places(self, kind: int) -> list[str]:
        """The cells of a kind."""
        return [self.board.place(at) for at in np.flatnonzero(self.board.grid == kind).tolist()]


class BeamsSays(Says):
    def examine_model(self, cell: Cell | None, true: set[str]) -> None:
        assert {name for name in true if name.startswith("a beam")} == self._beams(true)

    def _beams(self, true: set[str]) -> set[str]:
        """The names of all cells that a beam enters, with its heading, if the turrets are turned as
        a model's true names say.
        """
        rows = self.board.lines()
        return {
            f"a beam enters {place(cell)} going {heading}"
            for turret in rules.cells(rows, "-|")
            for arm in rules.ARMS[
                "-" if f"the turret at {place(turret)} is horizontal" in true else "|"
            ]
            for cell, heading in rules.crossings(rows, turret, arm)
            if characters_of(rows)[cell] != "#"
        }


class MinesweeperSays(Says):
    settles_questions = True

    def __init__(self, board: Any) -> None:
        super().__init__(board)
        self.counts = board.mines is not None
        self.refusal = "is not a covered one" + ("$" if self.counts else ".* beside a clue$")

    def can_be_asked(self, cell: Cell) -> bool:
        row, column = cell
        near = self.board.grid[max(0, row - 2) : row + 1, max(0, column - 2) : column + 1].tobytes()
        beside_clue = bool(set(near) & set(b".012345678"))
        return self.kind(cell) == "#" and (self.counts or beside_clue)

    def expected(self, cell: Cell | None, claims: Claims) -> bool | None:
        return bool(claims[0]) and (cell is None or claims[1 + self.at(cell)] != 0)

    def settled(self, claims: Claims, names: Sequence[tuple[int, str]]) -> list[int]:
        """Only the cells beside clues have variables."""
        variables = {name: variable for variable, name in names}
        known = {f"a mine at {self.board.place(at)}": v for at, v in enumerate(claims[1:].tolist())}
        return [
            variables[name] * (1 if value else -1)
            for name, value in known.items()
            if value in (0, 1) and name in variables
        ]


class NoGoSays(Says):
    """Every cell can be asked about: whether the first move goes there."""

    def can_be_asked(self, cell: Cell) -> bool:
        return True

    def expected(self, cell: Cell | None, claims: Claims) -> bool | None:
        if cell is None:
            return True
        earlier = claims.size and claims[0] < self.at(cell)
        return None if earlier else bool(claims.size) and int(claims[0]) == self.at(cell)

    def settled(self, claims: Claims, names: Sequence[tuple[int, str]]) -> list[int]:
        moves = {
            f"move {turn} goes to {self.board.place(at)}"
            for turn, at in enumerate(claims.tolist(), 1)
        }
        assert moves <= {name for _, name in names}
        return [
            variable if name in moves else -variable
            for variable, name in names
            if name.startswith("move")
        ]

    def examine(self, cell: Cell | None, satisfiable: bool, names: set[str]) -> None:
        assert cell is None or satisfiable == self._may_play(cell)

    def _may_play(self, cell: Cell) -> bool:
        """Whether black may play there; a chain without liberty shows that it may not."""
        grid = self.board.grid.copy()
        grid[cell[0] - 1, cell[1] - 1] = BLACK
        return self.kind(cell) == chr(EMPTY) and without_liberty(grid).size == 0

    def examine_model(self, cell: Cell | None, true: set[str]) -> None:
        if cell is None:
            return
        move, black, white = f"{cell[0]},{cell[1]}", self.places(BLACK), self.places(WHITE)
        assert f"the move goes to {move}" in true
        assert {name for name in true if "black" in name or "white" in name} == {
            *(f"black at {each} before the move" for each in black),
            *(f"white at {each} after the move" for each in white),
            *(f"black at {each} after the move" for each in {*black, move}),
        }


class GeographySays(Says):
    refusal = "is a wall"

    def can_be_asked(self, cell: Cell) -> bool:
        return self.kind(cell) == "."

    def expected(self, cell: Cell | None, claims: Claims) -> bool | None:
        return True if cell is None else bool(claims[self.at(cell)])

    def settled(self, claims: Claims, names: Sequence[tuple[int, str]]) -> list[int]:
        variables = {name: variable for variable, name in names}
        return [
            variables[f"the first mover loses from {self.board.place(at)}"] * (1 if value else -1)
            for at, value in enumerate(claims.tolist())
            if self.board.grid.flat[at] == ord(".")
        ]

    def examine(self, cell: Cell | None, satisfiable: bool, names: set[str]) -> None:
        assert {name for name in names if "matched" in name} == self._pairs()

    def _pairs(self) -> set[str]:
        """What the variable of each pair of neighbours says."""
        cells = np.argwhere(self.board.grid == ord(".")).tolist()
        return {
            f"{r + 1},{c + 1} is matched to {s + 1},{d + 1}"
            for (r, c), (s, d) in combinations(cells, 2)
            if abs(r - s) + abs(c - d) == 1
        }

    def examine_model(self, cell: Cell | None, true: set[str]) -> None:
        if cell is not None:
            assert f"{cell[0]},{cell[1]} is exposed" in true
            return
        matched = [name.split(" is matched to ") for name in true if "matched" in name]
        exposed = [name.removesuffix(" is exposed") for name in true if name.endswith("is exposed")]
        assert sorted([*exposed, *(one for pair in matched for one in pair)]) == sorted(
            self.places(ord("."))
        )


SAYS: dict[str, type[Says]] = {
    "beams": BeamsSays,
    "geography": GeographySays,
    "minesweeper": MinesweeperSays,
    "nogo": NoGoSays,
}
"""What is known of a puzzle's formulas; of a puzzle that is not here, what holds for every one."""
