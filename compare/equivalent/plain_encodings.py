"""What models state of some boards, as plain data: our own models directly, those of plugins and
own puzzles from a fork.

An `encode` of somebody's own runs in a fork that is made for it. Only plain text comes back, and it
is examined again here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from compare.isolate.outcome import Limits, Outcome
from compare.work.contenders import BackendContender
from compare.work.foreign.plain import Malformed, from_plain, to_plain
from compare.work.pool import Pool
from models.backend_encoding import checked_name, encoding_of, examined
from models.cpsat import CpSatEncoding
from models.dimacs import Encoding
from puzzles.backend import Unsupported
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
    behind each; `names` are variables and what they say.
    """

    variables: int
    clauses: np.ndarray[Any, np.dtype[np.int64]]
    names: tuple[tuple[int, str], ...]


class PlainCpSat(NamedTuple):
    """A CP-SAT model as text, and the numbers of its variables with what they say."""

    text: str
    names: tuple[tuple[int, str], ...]


Statement = Encoding | PlainCpSat | Unstated
"""What one model states of one board."""

_CLASSES = {each.__name__: each for each in (Unstated, PlainFormula, PlainCpSat)}


def statements(contender: BackendContender, boards: Sequence[Instance]) -> list[Statement]:
    """What a backend states of each board, in this process."""
    return [_statement(contender, board) for board in boards]


def foreign_statements(
    pool: Pool, contender: BackendContender, boards: Sequence[Instance], limits: Limits
) -> Outcome:
    """The same in a child for foreign code; the value is a text for `read_statements`."""
    with pool.foreign_solver(contender, warm=False) as solver:
        if solver.ready is not None and not solver.ready.ok:
            return solver.ready
        return solver.call(_written, contender, boards, limits=limits)


def read_statements(contender: BackendContender, text: bytes, count: int) -> list[Statement]:
    """What `foreign_statements` has written of `count` boards, examined."""
    try:
        stated = from_plain(text, tuple[Unstated | PlainFormula | PlainCpSat, ...], _CLASSES)
        if len(stated) != count:
            raise Malformed(f"its process wrote of {len(stated)} boards, and not of {count}")
    except Malformed as error:
        return [
            Unstated(f"{contender.name}: encode returned what cannot be read: {error}", wrong=True)
        ] * count
    return [_examined(contender, each) for each in stated]


def _written(contender: BackendContender, boards: Sequence[Instance]) -> str:
    plain: list[PlainFormula | PlainCpSat | Unstated] = []
    for stated in statements(contender, boards):
        if isinstance(stated, Encoding):
            formula = stated.formula
            numbers = [number for clause in formula.clauses for number in (*clause, 0)]
            clauses = np.array(numbers, np.int64)
            plain.append(PlainFormula(formula.variables, clauses, tuple(stated.names)))
        else:
            plain.append(stated)
    return to_plain(tuple(plain), _CLASSES)


def _statement(contender: BackendContender, board: Instance) -> Statement:
    try:
        encoding = encoding_of(contender.backend, board)
    except Unsupported as reason:
        return Unstated(str(reason), wrong=False)
    except UserError as error:
        return Unstated(str(error), wrong=True)
    if not isinstance(encoding, CpSatEncoding):
        return encoding
    try:
        return PlainCpSat(
            str(encoding.cp.proto),
            tuple((int(variable.index), name) for variable, name in encoding.names),
        )
    except (AttributeError, TypeError, ValueError) as error:
        return Unstated(
            f"{contender.name}: encode returned a CpSatEncoding that cannot be read: {error}",
            wrong=True,
        )


def _examined(
    contender: BackendContender, plain: PlainFormula | PlainCpSat | Unstated
) -> Statement:
    """A statement of foreign code: a formula as it must be, or the refusal that says what is
    wrong.
    """
    try:
        if isinstance(plain, PlainFormula):
            flat = FlatClauses(plain.clauses, np.flatnonzero(plain.clauses == 0))
            encoding = examined(contender.name, (plain.variables, flat.lists(), plain.names))
            assert isinstance(encoding, Encoding)
            return encoding
        if isinstance(plain, PlainCpSat):
            for _, name in plain.names:
                checked_name(contender.name, name)
    except UserError as error:
        return Unstated(str(error), wrong=True)
    return plain
