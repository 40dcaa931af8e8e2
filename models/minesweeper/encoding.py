"""The models of a board with names for the variables, and the question whether a cell can be a
mine.

The clues as totalizers are here too: unary counters, merged two by two. python-sat makes one for
each kind of clue.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from models.cnf import Formula, first_of_each
from models.cpsat import CpSatEncoding, CpSatModel
from models.dimacs import Encoding
from models.minesweeper.clues import (
    MINE_AT,
    Clues,
    add_total,
    clues_of_board,
    equations,
    formula_of,
    impossible_clue,
    name_mines,
)
from puzzles.minesweeper.board import Minesweeper
from puzzles.text import UserError


def totalizers_of(clues: Clues) -> Formula:
    """Each clue as "exactly n of k variables are true", with counters of its own (O. Bailleux, Y.

    Boufkhad: CP 2003).
    """
    from pysat.card import CardEnc, EncType

    formula = Formula()
    name_mines(formula, clues)
    met: set[int] = set()  # the literals that clues force by themselves
    once = first_of_each(np.column_stack([clues.asked, clues.beside]))
    for asked, count in np.unique(np.column_stack([clues.asked, clues.covered]), axis=0).tolist():
        beside = clues.beside[once & (clues.asked == asked) & (clues.covered == count), 8 - count :]
        if not 0 <= asked <= count:
            rule, contradiction = impossible_clue(formula, asked, count)
            formula.rule(rule)
            formula.extend_valid(contradiction)
            continue
        formula.rule(f"clues with {count} covered cells: {asked} of them are mines")
        if asked in (0, count):
            forced = set((beside if asked else -beside).ravel().tolist())
            formula.extend_valid([[literal] for literal in sorted(forced - met)])
            met |= forced
            continue
        pattern = CardEnc.equals(
            list(range(1, count + 1)), asked, top_id=count, encoding=EncType.totalizer
        )
        counters = max(0, pattern.nv - count)
        own = formula.new(len(beside) * counters) + np.arange(len(beside) * counters).reshape(
            len(beside), counters
        )
        formula.name(own, f"counter {{}} of clues that ask for {asked} of {count}", auxiliary=True)
        numbers = np.column_stack([np.zeros(len(beside), np.int64), beside, own])
        for clause in pattern.clauses:
            literals = np.array(clause, np.int64)
            formula.extend(np.sign(literals) * numbers[:, abs(literals)])
    if clues.total is not None:
        add_total(formula, clues.total, range(1, clues.variables.size + 1), EncType.totalizer)
    return formula


def encode(board: Minesweeper, cell: int | None = None) -> Encoding:
    """The formula of `cnf`, with the number of mines if the board gives it. With `cell`: that the
    cell is a mine as well.

    Raises:
        UserError: the cell is not covered, or it touches no clue and the number of mines is not
            given.
    """
    return _encoded(board, cell, formula_of)


def encode_totalizer(board: Minesweeper, cell: int | None = None) -> Encoding:
    """The same of `cnf-totalizer`."""
    return _encoded(board, cell, totalizers_of)


def encode_cpsat(board: Minesweeper) -> CpSatEncoding:
    """The equations of `cpsat`."""
    clues, model = clues_of_board(board), CpSatModel()
    mines = equations(clues, model)
    cells = clues.variables.tolist()
    return CpSatEncoding(
        model.cp,
        [
            (mine, MINE_AT.format(board.place(cell)))
            for mine, cell in zip(mines, cells, strict=True)
        ],
    )


def _encoded(board: Minesweeper, cell: int | None, build: Callable[[Clues], Formula]) -> Encoding:
    """The formula of a board, and of a question about a cell, with its names.

    Cells that touch no clue are interchangeable; one variable stands for all of them, and only if
    the number of mines is given.

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
