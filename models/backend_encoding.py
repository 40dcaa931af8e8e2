"""What one backend states of one board: its `encode` is called, and what comes back is examined.

A backend says `@backend(..., encode=encode)`. `encode(board)` returns one of these:

- a tuple: the number of variables, the clauses, and what variables say as `{variable: name}`;
- an `Encoding`, which says what it means too; its formula may have soft clauses;
- a `CpSatEncoding`, an ortools model with named variables.

A literal is a variable, a number from 1 on, or a variable with a minus sign for "not". An
`encode(board, cell)` also answers questions about one cell, which is its flat index, or None for
the board as a whole. An `encode(board, *, card="totalizer")` gets the backend's option `card`.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from operator import index
from typing import Any

import numpy as np

import puzzles
from models import SIDE
from models.cnf import MAX_COST, MAX_VARIABLES, Formula
from models.cpsat import CpSatEncoding
from models.dimacs import Encoding, cell_on, encode_board, takes_cell
from models.solvers.opening import CallReached, record_solvers
from puzzles.backend import Backend, Unsupported
from puzzles.instance import Instance
from puzzles.text import UserError, exception_text

_Cell = tuple[int, int] | None
"""A cell that is asked about (row, column, counted from 1), or None for the board as a whole."""

MAX_LITERALS, MAX_NAME = 2**27, 200
"""Literals of a formula, and characters of a name."""

_SHOWN = 40
"""Characters of a wrong value that a message shows."""


class WrongEncoding(UserError):
    """What an `encode` returned or raised is no encoding; the message says what was expected."""


def encoding_of(backend: Backend, board: Instance, cell: _Cell = None) -> Encoding | CpSatEncoding:
    """What the backend states of the board, or with `cell` (row, column, counted from 1) of a
    question about that cell.

    Raises:
        UserError: the cell is not on the board, or the backend answers no question about it.
        Unsupported: the backend has no `encode`, cannot write this board down, or does not take it,
            as its `refuses` says.
        WrongEncoding: its `encode` raises, or returns something else.
    """
    if backend.encode is None:
        raise Unsupported(
            f"{backend.label} has no encoding that could be written down: give it `encode=` in "
            "its @backend"
        )
    about = [cell_on(board, cell)] if cell is not None else []
    if about and not takes_cell(backend):
        raise UserError(f"{backend.label} asks nothing about a single cell")
    reason = backend.refusal(board, **backend.defaults)
    if reason:
        raise Unsupported(reason)
    try:
        value = backend.encode(board, *about, **backend.encode_options)
    except (Unsupported, UserError, MemoryError):
        raise
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        raise WrongEncoding(
            f"{backend.label}: encode raised {exception_text(error)} "
            f"({frame.filename}:{frame.lineno}): mend that line"
        ) from None
    return examine_encoding(backend.label, value)


def written_encoding(
    board: Instance, cell: _Cell = None, *, backend: str | None = None
) -> Encoding:
    """The formula of a board that a command writes down.

    Args:
        cell: see `models.dimacs.encode_board`.
        backend: whose formula; None for the one that `models.dimacs.encode_board` takes, or for the
            first of a user's own puzzle.

    Raises:
        UserError: there is no such backend, or it has no formula.
        Unsupported: the board cannot be written down.
    """
    able = [each for each in SIDE.backends(board.puzzle).values() if each.encodes]
    if backend is None and (not able or SIDE.owns(able[0])):
        return encode_board(board, cell)
    backend = backend or able[0].name
    chosen = SIDE.get(board.puzzle, backend.removeprefix(f"{SIDE.name}:"))
    if chosen.encode is None:
        names = ", ".join(each.name for each in able) or "none"
        raise UserError(
            f"{chosen.label} has no encoding that could be written down; those of {board.puzzle} "
            f"that have: {names}"
        )
    with _refusals_of(chosen):
        encoding = encoding_of(chosen, board, cell)
    if isinstance(encoding, CpSatEncoding):
        raise UserError(f"{chosen.label} is a CP-SAT model, which is no formula")
    return encoding


def asked_formula(
    board: Instance, *, backend: str | None = None, solver: str | None = None
) -> Encoding:
    """What a backend asks its SAT solver first: all clauses that it holds then, and the assumptions
    as unit clauses.

    The call itself is not made, so the formula of a hard board is there at once. A backend that
    names no option `solver` has a solver of its own, which nobody can watch: of it this is the
    formula that its `encode` states. So it is of a backend of somebody's own with an `encode`: it
    may open its solver by itself.

    Args:
        backend: whose formula; None for the side's default.
        solver: the solver that it is to open.

    Raises:
        UserError: there is no such backend, or it calls no SAT solver and has no formula.
        Unsupported: it cannot take the board, or calls no solver on it.
    """
    chosen = SIDE.get(
        board.puzzle, None if backend is None else backend.removeprefix(f"{SIDE.name}:")
    )
    stated = chosen.encodes and not SIDE.owns(chosen)
    if stated or "solver" not in chosen.options:
        return written_encoding(board, backend=chosen.name)
    reason = chosen.available()
    if reason:
        raise Unsupported(f"{chosen.label}: {reason}")
    options: dict[str, Any] = {} if solver is None else {"solver": solver}
    chosen.refuse_unknown(options)
    try:
        with _refusals_of(chosen), record_solvers(stop=True):
            reason = chosen.refusal(board, **{**chosen.defaults, **options})
            if reason:
                raise Unsupported(reason)
            chosen.solve(board, **options)
    except CallReached as reached:
        return _encoding_of_call(f"the first call of the solver by {chosen.label}", board, reached)
    noun = puzzles.get(board.puzzle).noun
    if SIDE.owns(chosen):
        raise Unsupported(f"{chosen.label} calls no solver on this {noun}")
    raise UserError(
        f"{chosen.label} has called no solver of models.session on this {noun}, and calls of "
        "another one cannot be watched: open the solver with models.session.session, or give the "
        "backend `encode=`"
    )


@contextmanager
def _refusals_of(backend: Backend) -> Iterator[None]:
    """Say of whom a refusal is, in the words in which solving says it."""
    try:
        yield
    except Unsupported as reason:
        noun = puzzles.get(backend.puzzle).noun
        raise Unsupported(f"{backend.label} cannot take this {noun}: {reason}") from None


def _encoding_of_call(meaning: str, board: Instance, reached: CallReached) -> Encoding:
    """The formula of a call. Last variables that are not yet in use are left out."""
    recording, loaded = reached.recording, reached.recording.formula
    formula = Formula.of(0, (step.literals for step in recording.steps if not step.solves))
    formula.rules, formula.meanings = [*loaded.rules], [*loaded.meanings]
    if len(formula.clauses) > len(loaded.clauses):
        formula.rules.append((len(loaded.clauses), "added after the solver was opened"))
    if reached.assumptions:
        formula.rule("assumed in this call alone")
        formula.clauses += [[literal] for literal in reached.assumptions]
    formula.variables = max(map(abs, chain.from_iterable(formula.clauses)), default=0)
    for each in loaded.meanings:
        if not each.auxiliary:
            formula.variables = max(formula.variables, int(np.max(each.variables, initial=0)))
    return Encoding.of(formula, meaning, board)


def examine_encoding(label: str, value: Any) -> Encoding | CpSatEncoding:
    """The encoding that an `encode` has returned; raises `WrongEncoding` if it is none.

    `label`: whose it is.
    """
    if isinstance(value, CpSatEncoding):
        return value
    meaning, expected = f"the formula of {label}", Encoding._field_defaults["expected"]
    rules: Any = ()
    soft: Any = ()
    with wrong_of(label):
        if isinstance(value, Encoding):
            _refuse_wrong_parts(value.formula, value.meaning)
            meaning, expected, rules = value.meaning, value.expected, value.formula.rules
            soft = value.formula.soft
            value = (value.formula.variables, value.formula.clauses, value.names)
        if not isinstance(value, tuple) or len(value) != 3:
            raise WrongEncoding(
                f"returned {_quote(value)}: expected a tuple (number of variables, clauses, "
                "{variable: name}), an Encoding of models.dimacs, or a CpSatEncoding of "
                "models.cpsat"
            )
        variables = _number("the number of variables", value[0], 0, MAX_VARIABLES)
        formula = Formula.of(variables, _clauses(variables, value[1]))
        names = _names(variables, value[2])
        formula.rules = _checked_rules(rules)
        _add_soft(formula, soft)
    return Encoding(formula, " ".join(meaning.split()), names, expected)


def _refuse_wrong_parts(formula: Any, meaning: Any) -> None:
    """Raise `WrongEncoding` if an `Encoding` has these parts and they are of other types than it
    needs.
    """
    if not isinstance(formula, Formula):
        raise WrongEncoding(
            f"returned an Encoding with {_quote(formula)} as its formula: expected a Formula of "
            "models.cnf, as in Encoding(Formula.of(number of variables, clauses), meaning, names)"
        )
    if not isinstance(meaning, str):
        raise WrongEncoding(
            f"returned an Encoding with {_quote(meaning)} as its meaning: expected a text"
        )


@contextmanager
def wrong_of(label: str) -> Iterator[None]:
    """Say of a `WrongEncoding` whose `encode` it is about."""
    try:
        yield
    except WrongEncoding as wrong:
        raise WrongEncoding(f"{label}: encode {wrong}") from None


def _number(what: str, value: Any, least: int, most: int, expected: str = "") -> int:
    try:
        number = index(value)
    except TypeError:
        raise WrongEncoding(
            f"returned {what} as {_quote(value)}: expected a whole number"
        ) from None
    if not least <= number <= most:
        expected = expected or f"expected {least} to {most}"
        raise WrongEncoding(
            f"returned {what} as {number}: {expected if most else 'there are no variables'}"
        )
    return number


def _clauses(variables: int, clauses: Any) -> list[list[int]]:
    try:
        lists = [list(clause) for clause in clauses]
    except TypeError:
        raise WrongEncoding(
            f"returned clauses that are no lists of literals: {_quote(clauses)}"
        ) from None
    if sum(map(len, lists)) > MAX_LITERALS:
        raise WrongEncoding(f"returned more than {MAX_LITERALS} literals")
    if set(map(type, chain.from_iterable(lists))) <= {int}:
        highest = max(chain.from_iterable(lists), default=0)
        lowest = min(chain.from_iterable(lists), default=0)
        if max(highest, -lowest) <= variables and all(map(all, lists)):
            return lists
    expected = f"expected 1 to {variables}, or -{variables} to -1"
    for number, clause in enumerate(lists, 1):
        for at, literal in enumerate(clause):
            what = f"a literal of clause {number}"
            clause[at] = _number(what, literal, -variables, variables, expected)
            if clause[at] == 0:
                raise WrongEncoding(
                    f"returned clause {number} with a literal 0: variables count from 1"
                )
    return lists


def _add_soft(formula: Formula, soft: Any) -> None:
    """Add soft clauses, given as pairs of a weight and literals."""
    try:
        pairs = [(weight, literals) for weight, literals in soft]
    except (TypeError, ValueError):
        raise WrongEncoding(
            f"returned soft clauses as {_quote(soft)}: expected pairs (weight, literals)"
        ) from None
    clauses = _clauses(formula.variables, (literals for _, literals in pairs))
    for (weight, _), literals in zip(pairs, clauses, strict=True):
        number = _number("the weight of a soft clause", weight, 1, MAX_COST)
        try:
            formula.add_soft(number, *literals)
        except ValueError as error:
            raise WrongEncoding(f"returned soft clauses: {error}") from None


def _names(variables: int, names: Any) -> list[tuple[int, str]]:
    try:
        items: Iterable[Any] = names.items() if isinstance(names, Mapping) else names
        entries = [(variable, name) for variable, name in items]
    except (TypeError, ValueError):
        raise WrongEncoding(
            f"returned names as {_quote(names)}: expected {{variable: name}}"
        ) from None
    variable_of: dict[str, int] = {}
    for variable, name in entries:
        number = _number("a variable with a name", variable, 1, variables)
        if checked_name(name) in variable_of:
            raise WrongEncoding(f"gave two variables the name {_quote(name)}: give each its own")
        variable_of[name] = number
    return [(variable, name) for name, variable in variable_of.items()]


def checked_name(name: Any) -> str:
    """A name of a variable; raises `WrongEncoding` unless it is one line of text."""
    if type(name) is not str or not name.isprintable() or not 0 < len(name) <= MAX_NAME:
        raise WrongEncoding(
            f"returned {_quote(name)} as a name: expected one line of up to {MAX_NAME} characters"
        )
    return name


def _checked_rules(rules: Any) -> list[tuple[int, str]]:
    """What the clauses from some number on state; raises `WrongEncoding` unless each rule is one
    line of text.
    """
    try:
        checked = [(index(first), text) for first, text in rules]
    except (TypeError, ValueError):
        raise WrongEncoding(
            f"returned rules as {_quote(rules)}: expected pairs of a clause's number and a text"
        ) from None
    for _, text in checked:
        if type(text) is not str or not text.isprintable():
            raise WrongEncoding(f"returned {_quote(text)} as a rule: expected one line of text")
    return checked


def _quote(value: object) -> str:
    return (
        f"{value!r:.{_SHOWN}}"
        if type(value) in (str, int, float, bool)
        else f"a value of type {type(value).__name__}"
    )
