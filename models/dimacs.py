"""Formulas as DIMACS text, with comment lines that name the variables."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.cnf import Formula
from models.external import header, lines
from puzzles.backend import Unsupported
from puzzles.grid import Board
from puzzles.text import UserError


class Encoding(NamedTuple):
    """A formula that needs no help: neither cuts nor assumptions.

    Attributes:
        asks: what it means that it is satisfiable.
        names: what each named variable says; the others are auxiliary.
    """

    formula: Formula
    asks: str
    names: list[tuple[int, str]]


def encode(board: Board, cell: tuple[int, int] | None = None) -> Encoding:
    """The board as a self-contained formula; with a cell (row, column, counted from 1) a question about it.

    A puzzle takes part by a function `encode(board, cell)` in its module of `models`, the cell as a flat index.

    Raises:
        UserError: the cell is not on the board, or cannot be asked about.
        Unsupported: there is no such formula of this puzzle or board.
    """
    module = import_module(f"models.{board.puzzle}") if find_spec(f"models.{board.puzzle}") else None
    made = getattr(module, "encode", None)
    if made is None:
        raise Unsupported(f"{board.puzzle} has no encoding that could be written down")
    if cell is not None and not (1 <= cell[0] <= board.rows and 1 <= cell[1] <= board.columns):
        raise UserError(f"the cell {cell[0]},{cell[1]} is not on the {board.rows}x{board.columns} board")
    return made(board, None if cell is None else (cell[0] - 1) * board.columns + cell[1] - 1)


def named(variables: NDArray[np.int64], cells: Sequence[int], columns: int, saying: str) -> list[tuple[int, str]]:
    """Names for variables that say the same of one cell each, in order; `{}` is the place, row and column from 1."""
    return [
        (variable, saying.format(f"{cell // columns + 1},{cell % columns + 1}"))
        for cell, variable in zip(cells, variables.tolist(), strict=False)
    ]


def text(encoding: Encoding) -> str:
    """The DIMACS text, comments first."""
    comments = [encoding.asks, *(f"{variable} {name}" for variable, name in encoding.names)]
    head = "".join(f"c {line}\n" for line in comments)
    return head + header(encoding.formula.variables, len(encoding.formula.clauses)) + "".join(lines(encoding.formula.clauses))
