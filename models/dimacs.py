"""A board's formula as DIMACS text, with comment lines that say what the variables mean; one with
soft clauses as WCNF, in the format of the MaxSAT Evaluations since 2022.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from inspect import signature
from itertools import pairwise
from typing import NamedTuple

from models import SIDE
from models.cnf import Formula
from puzzles.answer import Claims
from puzzles.backend import Backend, Unsupported
from puzzles.instance import Instance
from puzzles.text import UserError


class Encoding(NamedTuple):
    """A formula that is complete by itself: it needs no lazily added clauses and no assumptions.

    Attributes:
        meaning: what it means if the formula is satisfiable.
        names: what each variable says that another model may have too; all other variables are
            auxiliary.
        expected: from the claims of a complete answer, whether the formula is satisfiable; None if
            they do not tell.
        columns: of the board, for the names of the auxiliary variables.
    """

    formula: Formula
    meaning: str
    names: list[tuple[int, str]]
    expected: Callable[[Claims], bool | None] = lambda claims: None
    columns: int = 1

    @classmethod
    def of(
        cls,
        formula: Formula,
        meaning: str,
        board: Instance,
        expected: Callable[[Claims], bool | None] = lambda claims: None,
    ) -> Encoding:
        """A formula about a board, with the names that the formula itself notes."""
        columns = 1 if board.shape is None else board.shape[1]
        names = [
            pair for each in formula.meanings if not each.auxiliary for pair in each.names(columns)
        ]
        return cls(formula, meaning, sorted(names), expected, columns)


def encode_board(board: Instance, cell: tuple[int, int] | None = None) -> Encoding:
    """The formula of a board, or with `cell` (row, column, counted from 1) the formula of a
    question about that cell.

    It is that of a backend of ours, of the first with `encodes_first`, if it answers the question.

    Raises:
        UserError: the cell is not on the board, or there is no question about it.
        Unsupported: this puzzle or this board has no such formula.
    """
    ours = [each for each in SIDE.backends(board.puzzle).values() if SIDE.owns(each)]
    able = sorted((each for each in ours if each.encodes), key=lambda each: not each.encodes_first)
    if not able:
        raise Unsupported(f"{board.puzzle} has no encoding that could be written down")
    about = [] if cell is None else [cell_on(board, cell)]
    backend = next((each for each in able if not about or takes_cell(each)), None)
    if backend is None:
        raise UserError(f"{board.puzzle} asks nothing about a single cell")
    assert backend.encode is not None, "it encodes"
    encoding = backend.encode(board, *about, **backend.encode_options)
    if not isinstance(encoding, Encoding):
        raise UserError(f"{backend.label} is a CP-SAT model, which is no formula")
    return encoding


def takes_cell(backend: Backend) -> bool:
    """Whether the backend's `encode` also answers questions about a single cell."""
    assert backend.encode is not None
    try:
        signature(backend.encode).bind("the board", "a cell", **backend.encode_options)
    except TypeError:
        return False
    return True


def cell_on(board: Instance, cell: tuple[int, int]) -> int:
    """The flat index of a cell (row, column, counted from 1); raises `UserError` if there is
    none.
    """
    if board.shape is None:
        raise UserError(f"{board.puzzle} has no board, and so no cell {cell[0]},{cell[1]}")
    rows, columns = board.shape
    if not (1 <= cell[0] <= rows and 1 <= cell[1] <= columns):
        raise UserError(f"the cell {cell[0]},{cell[1]} is not on the {rows}x{columns} board")
    return (cell[0] - 1) * columns + cell[1] - 1


def text(encoding: Encoding) -> str:
    """The DIMACS text, comments first: what the formula means, what each variable says, which
    clauses state which rule. With soft clauses it is a WCNF text: a line begins with `h` if its
    clause is hard, else with its weight.
    """
    formula, columns = encoding.formula, encoding.columns
    auxiliary = [
        pair for each in formula.meanings if each.auxiliary for pair in each.names(columns)
    ]
    names = sorted({**dict(auxiliary), **dict(encoding.names)}.items())
    comments = [
        encoding.meaning,
        *(f"{variable} {name}" for variable, name in names if variable <= formula.variables),
    ]
    for (first, rule), (end, _) in pairwise([*formula.rules, (len(formula.clauses), "")]):
        if end == first + 1:
            comments.append(f"clause {end}: {rule}")
        elif end > first:
            comments.append(f"clauses {first + 1} to {end}: {rule}")
    head = "".join(f"c {line}\n" for line in comments)
    if formula.soft:
        hard = (f"h {line}" for line in clause_lines(formula.clauses))
        soft = clause_lines([weight, *clause] for weight, clause in formula.soft)
        return "".join([head, *hard, *soft])
    return (
        head
        + header(formula.variables, len(formula.clauses))
        + "".join(clause_lines(formula.clauses))
    )


def header(variables: int, clauses: int) -> str:
    """The line with which a DIMACS formula begins."""
    return f"p cnf {variables} {clauses}\n"


def clause_lines(clauses: Iterable[Sequence[int]]) -> Iterator[str]:
    """One line of DIMACS for each clause."""
    return (" ".join(map(str, [*clause, 0])) + "\n" for clause in clauses)
