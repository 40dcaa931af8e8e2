"""What a model states of a board, as plain data.

An `encode` of somebody's own runs in a fork that is made for it. Only plain text comes back, and it
is examined again here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from compare.engine.isolate.outcome import Limits, Outcome
from compare.engine.work.contenders import BackendContender
from compare.engine.work.plain import from_plain, to_plain
from compare.engine.work.pool import Pool
from models.backend_encoding import (
    checked_name,
    encoding_of,
    examine_encoding,
    wrong_of,
)
from models.cnf import Formula
from models.cpsat import CpSatEncoding
from models.dimacs import Encoding
from puzzles.backend import Unsupported
from puzzles.declared_types import Malformed
from puzzles.dimacs_reader import FlatClauses
from puzzles.instance import Instance
from puzzles.text import UserError


class Unstated(NamedTuple):
    """Why a model states nothing of a board; `wrong`: it is a mistake in the model, not a board
    that it cannot take.
    """

    reason: str
    wrong: bool


class PlainFormula(NamedTuple):
    """A formula as it crosses between processes: `clauses` are the literals of all clauses, a zero
    behind each, and `soft` those of its soft clauses; `names` are variables and what they say;
    `rules` what the clauses from some number on state.
    """

    variables: int
    clauses: np.ndarray[Any, np.dtype[np.int64]]
    names: tuple[tuple[int, str], ...]
    rules: tuple[tuple[int, str], ...]
    weights: tuple[int, ...]
    soft: np.ndarray[Any, np.dtype[np.int64]]


class PlainCpSat(NamedTuple):
    """A CP-SAT model as text, and the numbers of its variables with what they say."""

    text: str
    names: tuple[tuple[int, str], ...]


PlainModel = Encoding | PlainCpSat | Unstated
"""What one model states of one board."""


_CLASSES = {each.__name__: each for each in (Unstated, PlainFormula, PlainCpSat)}


def foreign_statements(
    pool: Pool, contender: BackendContender, boards: Sequence[Instance], limits: Limits
) -> Outcome:
    """What a foreign contender states of the boards, asked in a child for foreign code; the value
    is a text for `read_statements`.
    """
    with pool.foreign_solver(contender, warm=False) as solver:
        if solver.ready is not None and not solver.ready.ok:
            return solver.ready
        return solver.call(_write, contender, boards, limits=limits)


def read_statements(contender: BackendContender, text: bytes, count: int) -> list[PlainModel]:
    """What `foreign_statements` has written of `count` boards, examined."""
    try:
        stated = from_plain(text, tuple[Unstated | PlainFormula | PlainCpSat, ...], _CLASSES)
        if len(stated) != count:
            raise Malformed(f"its process wrote of {len(stated)} boards, and not of {count}")
    except Malformed as error:
        return [
            Unstated(f"{contender.name}: encode returned what cannot be read: {error}", wrong=True)
        ] * count
    return [_examine(contender, each) for each in stated]


def _write(contender: BackendContender, boards: Sequence[Instance]) -> str:
    plain: list[PlainFormula | PlainCpSat | Unstated] = []
    for stated in (state_board(contender, board) for board in boards):
        if isinstance(stated, Encoding):
            formula = stated.formula
            plain.append(
                PlainFormula(
                    formula.variables,
                    _flat(formula.clauses),
                    tuple(stated.names),
                    tuple(formula.rules),
                    tuple(weight for weight, _ in formula.soft),
                    _flat(literals for _, literals in formula.soft),
                )
            )
        else:
            plain.append(stated)
    return to_plain(tuple(plain), _CLASSES)


def _flat(clauses: Iterable[Sequence[int]]) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.array([number for clause in clauses for number in (*clause, 0)], np.int64)


def _lists(flat: np.ndarray[Any, np.dtype[np.int64]]) -> list[list[int]]:
    return FlatClauses(flat, np.flatnonzero(flat == 0)).lists()


def state_board(contender: BackendContender, board: Instance) -> PlainModel:
    """What a backend states of a board, in this process."""
    try:
        encoding = encoding_of(contender.backend, board)
    except Unsupported as reason:
        return Unstated(str(reason), wrong=False)
    except UserError as error:
        return Unstated(str(error), wrong=True)
    if not isinstance(encoding, CpSatEncoding):
        return encoding
    from ortools.sat.python.cp_model import IntervalVar

    try:
        for variable, name in encoding.names:
            if isinstance(variable, IntervalVar):  # its number is that of a constraint
                raise TypeError(f"{name!r} names an interval, and not a variable")
        return PlainCpSat(
            str(encoding.cp.proto),
            tuple((int(variable.index), name) for variable, name in encoding.names),
        )
    except (AttributeError, TypeError, ValueError) as error:
        return Unstated(
            f"{contender.name}: encode returned a CpSatEncoding that cannot be read: {error}",
            wrong=True,
        )


def _examine(
    contender: BackendContender, plain: PlainFormula | PlainCpSat | Unstated
) -> PlainModel:
    """A statement of foreign code: a formula as it must be, or the refusal that says what is
    wrong.
    """
    try:
        if isinstance(plain, PlainFormula):
            formula = Formula.of(plain.variables, _lists(plain.clauses))
            formula.rules = [*plain.rules]
            formula.soft = [*zip(plain.weights, _lists(plain.soft), strict=True)]
            encoding = examine_encoding(contender.name, Encoding(formula, "", [*plain.names]))
            assert isinstance(encoding, Encoding)
            return encoding
        if isinstance(plain, PlainCpSat):
            with wrong_of(contender.name):
                for _, name in plain.names:
                    checked_name(name)
    except UserError as error:
        return Unstated(str(error), wrong=True)
    return plain
