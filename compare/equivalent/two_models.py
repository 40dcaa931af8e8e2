"""Two models on one board: is each named solution of the one a named solution of the other?"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from itertools import cycle
from typing import NamedTuple

import numpy as np

from compare.equivalent.named_models import NamedModel, NamedSolution, contradicting_clauses, named_model
from compare.equivalent.plain_encodings import PlainCpSat, PlainFormula, Statement, Unstated
from puzzles.text import UserError

MOST_CLAUSES = 20_000
"""Clauses of a formula up to which those are named that refuse a solution."""


class Difference(NamedTuple):
    """A named solution of one model only.

    Attributes:
        admitting: which model has it: 0 or 1.
        solution: each shared name with its value.
        refused: the part of it that the other model already refuses.
        clauses: clauses of the other model that refuse that part; empty if they are not known. A variable without a name is `xN`.
    """

    admitting: int
    solution: tuple[tuple[str, bool], ...]
    refused: tuple[tuple[str, bool], ...]
    clauses: tuple[str, ...]


class OnBoard(NamedTuple):
    """What came of two models on one board.

    Attributes:
        refusals: for each model why it states nothing of the board; None if it does. Nothing else is known then.
        stopped: why the comparison was stopped, and by which limit; empty if it was not. Nothing else is known then.
        shared: how many names both have.
        names: for each model its first names, and how many it has.
        solutions: for each model the number of named solutions; if `cut`, so many were looked at.
        cut: for each model whether it may have more named solutions than those.
        difference: None if the models agree, as far as they were compared, or if only numbers were asked for.
    """

    refusals: tuple[Unstated | None, Unstated | None]
    stopped: str = ""
    shared: int = 0
    names: tuple[tuple[tuple[str, ...], int], ...] = ()
    solutions: tuple[int, int] = (0, 0)
    cut: tuple[bool, bool] = (False, False)
    difference: Difference | None = None

    @property
    def compared(self) -> bool:
        """Whether both models state something of the board, and were compared in time."""
        return self.refusals == (None, None) and not self.stopped


_NAMES_SHOWN = 4


def on_board(statements: tuple[Statement, Statement], most: int, *, count: bool = False) -> OnBoard:
    """Compare two statements of one board.

    Args:
        most: the named solutions of each model that are looked at.
        count: compare nothing, but count the named solutions.
    """
    one, other = statements
    if isinstance(one, Unstated) or isinstance(other, Unstated):
        return OnBoard((one if isinstance(one, Unstated) else None, other if isinstance(other, Unstated) else None))
    theirs = {name for _, name in other.names}
    shared = [name for _, name in one.names if name in theirs]
    shown = tuple((tuple(name for _, name in each.names[:_NAMES_SHOWN]), len(each.names)) for each in (one, other))
    compared = OnBoard((None, None), shared=len(shared), names=shown)
    with ExitStack() as stack:
        models: list[NamedModel] = []
        for place, statement in enumerate((one, other)):
            try:
                models.append(stack.enter_context(named_model(statement, shared)))
            except UserError as error:
                wrong = Unstated(str(error), wrong=True)
                return OnBoard((wrong, None) if place == 0 else (None, wrong))
        if count:
            counts = [_counted(model, most) for model in models]
            return compared._replace(solutions=(counts[0][0], counts[1][0]), cut=(counts[0][1], counts[1][1]))
        numbers, cut, witness = _compared(models, most)
        compared = compared._replace(solutions=(numbers, numbers), cut=(cut, cut))
        if witness is None:
            return compared
        admitting, solution = witness
        return compared._replace(difference=_difference(admitting, solution, shared, (other, one)[admitting]))


def _counted(model: NamedModel, most: int) -> tuple[int, bool]:
    """How many named solutions a model has, up to `most`, and whether it has more."""
    number = 0
    while (solution := model.next()) is not None:
        if number == most:
            return number, True
        model.block(solution)
        number += 1
    return number, False


def _compared(models: Sequence[NamedModel], most: int) -> tuple[int, bool, tuple[int, NamedSolution] | None]:
    """Look for named solutions of each model in the other, of the two in turn. What both have is blocked in both.

    Returns how many both have, up to `most`; whether both have more; and a named solution of one model only, with the number of
    that model.
    """
    number, left = 0, {0, 1}
    for turn in cycle((0, 1)):
        if turn not in left:
            continue
        solution = models[turn].next()
        if solution is None:
            left.remove(turn)
            if not left:
                break
            continue
        if not models[1 - turn].admits(solution):
            return number, False, (turn, solution)
        if number == most:
            return number, True, None
        for model in models:
            model.block(solution)
        number += 1
    return number, False, None


def _difference(admitting: int, solution: NamedSolution, shared: Sequence[str], refusing: PlainFormula | PlainCpSat) -> Difference:
    """The difference, with the reason why the other model refuses the solution if that is a formula of some size."""
    named = tuple(zip(shared, solution, strict=True))
    if isinstance(refusing, PlainCpSat):
        return Difference(admitting, named, named, ())
    with named_model(refusing, shared) as model:
        places = model.refused(solution)
    refused = tuple(named[place] for place in places)
    if np.count_nonzero(refusing.clauses == 0) > MOST_CLAUSES:
        return Difference(admitting, named, refused, ())
    variable_of = {name: variable for variable, name in refusing.names}
    name_of = dict(refusing.names)
    units = [variable_of[name] if value else -variable_of[name] for name, value in refused]
    clauses = [" or ".join(_literal(each, name_of) for each in clause) for clause in contradicting_clauses(refusing, units)]
    return Difference(admitting, named, refused, tuple(clauses))


def _literal(literal: int, name_of: dict[int, str]) -> str:
    name = name_of.get(abs(literal), f"x{abs(literal)}")
    return name if literal > 0 else f"not: {name}"
