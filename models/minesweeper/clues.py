"""The clues of a board as sums of variables, their clauses, and what models say about the
variables.

Each covered cell that touches a clue is a variable: "a mine is there". If the board gives its
number of mines, so is the first of the free cells, which touch no clue (`MineTotal`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.cnf import Formula
from models.dimacs import Encoding
from puzzles.minesweeper.board import BLANK, COVERED, MINE, Minesweeper
from puzzles.text import UserError

MINE_AT = "a mine at {}"
"""What the variable of a cell says."""


class Clues(NamedTuple):
    """The clues that have a covered neighbour or can never hold. Their covered neighbours are the
    variables 1, 2, ...; the last variable is that of a free cell if there is a `total` with some.

    Attributes:
        variables: int64, the cell of each variable. Ascending, but for that of a free cell.
        cells: int64, the cell of each clue, ascending.
        need: int64, for each clue how many of its covered neighbours must be mines.
        beside: int64 (clues, 8), the variables around each clue in ascending order, padded with
            zeros at the left.
        covered: int64, for each clue the number of those variables.
        free: int64, the covered cells that touch no clue, ascending.
        total: what the number of mines on the board says about the variables; None if that number
            is not given.
    """

    variables: NDArray[np.int64]
    cells: NDArray[np.int64]
    need: NDArray[np.int64]
    beside: NDArray[np.int64]
    covered: NDArray[np.int64]
    free: NDArray[np.int64]
    total: MineTotal | None = None

    def by_kind(self) -> list[tuple[tuple[int, int], list[int]]]:
        """The indices of the clues with the same `need` and `covered`, after these two numbers;
        ascending.
        """
        of_kind: dict[tuple[int, int], list[int]] = {}
        for k, kind in enumerate(zip(self.need.tolist(), self.covered.tolist(), strict=True)):
            of_kind.setdefault(kind, []).append(k)
        return sorted(of_kind.items())

    def variable_of(self, cell: int) -> int | None:
        """The variable that speaks of a cell, one for all free cells; None if there is none."""
        if self.total is not None and cell in self.free:
            cell = int(self.free[0])
        indices = np.flatnonzero(self.variables == cell)
        return int(indices[0]) + 1 if indices.size else None


class MineTotal(NamedTuple):
    """At least `low` and at most `mines` of the variables are mines.

    Free cells touch no clue, so each can stand for every other one. One variable stands for all of
    them. The free cells without a variable take the mines that the variables leave over.

    Attributes:
        group: the clause group of these bounds. It is the number of cells, which is no cell's
            index.
        low: the mines that do not fit on the free cells without a variable.
        mines: the number of mines on the variables and on those other cells together.
    """

    group: int
    low: int
    mines: int


_ASKS = np.full(256, -1, np.int8)
"""For each kind of cell the number of mines around it; -1 if it is no clue."""
_ASKS[ord("0") : ord("9")] = range(9)
_ASKS[BLANK] = 0


def clues_of_board(board: Minesweeper) -> Clues:
    """Number the variables and read off the clues, in time linear in the board."""
    rows, columns = board.grid.shape
    width = columns + 2
    padded = np.zeros((rows + 2, width), np.uint8)
    padded[1:-1, 1:-1] = board.grid
    kind = padded.ravel()
    asks = _ASKS[kind]
    clue = np.flatnonzero(asks >= 0)
    near = clue[:, None] + np.array(
        [-width - 1, -width, -width + 1, -1, 1, width - 1, width, width + 1]
    )
    around = kind[near]
    is_covered = around == COVERED
    number = np.zeros(kind.size, np.int64)
    number[near[is_covered]] = 1
    places = np.flatnonzero(number)
    number[places] = np.arange(1, places.size + 1)
    need = asks[clue].astype(np.int64) - np.count_nonzero(around == MINE, axis=1)
    covered = np.count_nonzero(is_covered, axis=1)
    kept = (covered > 0) | (need != 0)
    cells, variables = ((at // width - 1) * columns + at % width - 1 for at in (clue[kept], places))
    beside_none = (board.grid == COVERED).ravel()
    beside_none[variables] = False
    free = np.flatnonzero(beside_none)
    beside = np.sort(number[near[kept]], axis=1)
    clues = Clues(variables, cells, need[kept], beside, covered[kept], free)
    if board.mines is None:
        return clues
    mines = board.mines - int((board.grid == MINE).sum())
    total = MineTotal(board.cells, mines - max(free.size - 1, 0), mines)
    return clues._replace(variables=np.concatenate([variables, free[:1]]), total=total)


def formula_of_clues(clues: Clues, *, grouped: bool = False) -> Formula:
    """The clues, by subsets (see `state_clues`), and the number of mines.

    With `grouped` each of them is a clause group.
    """
    formula = Formula(grouped=grouped)
    name_mines(formula, clues)
    state_clues(formula, clues)
    if clues.total is not None:
        add_total(formula, clues.total, range(1, clues.variables.size + 1))
    return formula


def name_mines(formula: Formula, clues: Clues) -> None:
    """Make the variables of the clues, the first of an empty formula."""
    formula.new(clues.variables.size)
    formula.name(range(1, clues.variables.size + 1), MINE_AT, clues.variables)


class Statement:
    """The clues of a board. Its cores and its smallest cores are asked of one formula, in turn."""

    def __init__(self, clues: Clues) -> None:
        self.clues = clues

    @cached_property
    def formula(self) -> Formula:
        """The clues and the number of mines, each with its clause group."""
        return formula_of_clues(self.clues, grouped=True)

    @cached_property
    def impossible(self) -> NDArray[np.int64]:
        """The clues that cannot hold, whatever the others say."""
        return self.clues.cells[(self.clues.need < 0) | (self.clues.need > self.clues.covered)]

    @cached_property
    def alone(self) -> dict[int, int]:
        """For each cell that one clue forces such a clue, the one beside most cells.

        All cells beside the clue are mines, or none is. Any other clue that can hold leaves each of
        its cells open.
        """
        clues = self.clues
        forcing = np.flatnonzero((clues.need == 0) | (clues.need == clues.covered))
        forcing = forcing[np.argsort(clues.covered[forcing], kind="stable")]
        clue, place = np.nonzero(clues.beside[forcing])
        variables = clues.beside[forcing[clue], place]
        return dict(
            zip(
                clues.variables[variables - 1].tolist(),
                clues.cells[forcing[clue]].tolist(),
                strict=True,
            )
        )


@lru_cache(1)
def statement_of(board: Minesweeper) -> Statement:
    """The statement of a board. The last one is kept."""
    return Statement(clues_of_board(board))


def state_clues(formula: Formula, clues: Clues) -> None:
    """State each clue as "exactly n of k variables are true", by subsets; each clue is a clause
    group.

    Among any n + 1 of the k variables one is false; among any k - n + 1 one is true. Clues with the
    same n and k are stated together.

    Raises:
        ValueError: the formula lacks a variable of the clues.
    """
    if clues.beside.max(initial=0) > formula.variables:
        raise ValueError(f"the clues have more than {formula.variables} variables")
    literals = {1: clues.beside.tolist(), -1: (-clues.beside).tolist()}
    cells = clues.cells.tolist()
    # Without groups clues that share cells say some things twice. These are stated once.
    clauses: dict[tuple[int, ...], None] = {}
    for (need, count), alike in clues.by_kind():
        if not 0 <= need <= count and not formula.grouped:
            rule, contradiction = impossible_clue(formula, need, count)
            formula.rules.append((len(clauses), rule))
            clauses |= dict.fromkeys(map(tuple, contradiction))
            continue
        if not 0 <= need <= count:
            clauses |= dict.fromkeys((-formula.selector(cells[k]),) for k in alike)
            continue
        for bound, size, sign in (("at most", need + 1, -1), ("at least", count - need + 1, 1)):
            if size > count:
                continue
            rule = f"clues with {count} covered cells: {bound} {need} of them are mines"
            formula.rules.append((len(clauses), rule))
            for k in alike:
                off = (-formula.selector(cells[k]),) if formula.grouped else ()
                for subset in combinations(literals[sign][k][8 - count :], size):
                    clauses[subset + off] = None
    formula.extend_valid([*map(list, clauses)])


def impossible_clue(formula: Formula, need: int, count: int) -> tuple[str, list[list[int]]]:
    """What is to be stated where a clue can never hold: its rule in words, and two clauses that
    contradict each other.
    """
    impossible = formula.new()
    formula.name([impossible], "some clue can never hold", auxiliary=True)
    rule = f"clues with {count} covered cells and {need} mines left for them, which cannot be"
    return rule, [[impossible], [-impossible]]


def add_total(
    formula: Formula, total: MineTotal, variables: Sequence[int], encoding: int | None = None
) -> None:
    """State the bounds on the number of mines on these variables as a clause group.

    Args:
        encoding: one of python-sat's; by default its k-modulo totalizers, which stay small if a
            bound is near 0 or near the number of variables.
    """
    from pysat.card import CardEnc, EncType

    kind = EncType.kmtotalizer if encoding is None else encoding
    count, before = len(variables), formula.variables
    low, high = max(total.low, 0), min(total.mines, count)
    last, clauses = before, list[list[int]]()
    if low > high:
        last, clauses = before + 1, [[before + 1], [-before - 1]]
    else:
        for encode, bound, trivial in ((CardEnc.atleast, low, 0), (CardEnc.atmost, high, count)):
            if bound != trivial:
                bounded = encode([*variables], bound, top_id=last, encoding=kind)
                last = max(bounded.nv, last)
                clauses += bounded.clauses
    own = formula.new(last - before)
    formula.name(range(own, own + last - before), "counter {} of all mines", auxiliary=True)
    formula.rule("the number of mines")
    if formula.grouped:
        off = -formula.selector(total.group)
        clauses = [[*clause, off] for clause in clauses]
    formula.extend_valid(clauses)


def encode_clues(
    board: Minesweeper, cell: int | None, build: Callable[[Clues], Formula]
) -> Encoding:
    """The formula of a board, and of a question about a cell, with its names.

    One variable stands for all free cells, which touch no clue, and only if the number of mines is
    given.

    Raises:
        UserError: the cell is not covered, or it touches no clue and the number of mines is not
            given.
    """
    clues = clues_of_board(board)
    formula = build(clues)
    meaning = "satisfiable if and only if some layout of mines fits the clues"
    if clues.total is not None:
        meaning += f" and the number of mines, {board.mines}"
    if cell is not None:
        variable = clues.variable_of(cell)
        if variable is None:
            beside = "" if clues.total is not None else " beside a clue"
            raise UserError(f"the cell {board.place(cell)} is not a covered one{beside}")
        formula.rule("the question about the cell")
        formula.add(variable)
        meaning += f" and has a mine at {board.place(cell)}"
    return Encoding.of(
        formula,
        meaning,
        board,
        lambda claims: bool(claims[0] and (cell is None or claims[1 + cell] != 0)),
    )


class Backbone(NamedTuple):
    """The variables that have had one value in all models so far, and models that show both values
    of every other variable. `backbone` finds it, and `certificate`, which that calls, reads it.

    Attributes:
        values: bool, each variable's value in the first model.
        certain: bool, whether the variable has had that value in all models.
        models: the first model, and each one that gave some variable its second value.
    """

    values: NDArray[np.bool_]
    certain: NDArray[np.bool_]
    models: list[NDArray[np.bool_]]

    def with_model(self, model: NDArray[np.bool_]) -> Backbone:
        """The backbone after one more model."""
        return Backbone(self.values, self.certain & (model == self.values), [*self.models, model])
