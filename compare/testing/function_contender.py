"""A function of Python as a contender: it takes part as the backend of a plugin does, in forks of its own."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from compare.work.contenders import BackendContender
from puzzles.answer import Answer
from puzzles.backend import SIDES, Backend
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle


@dataclass(frozen=True, kw_only=True)
class FunctionContender(BackendContender):
    """A function; it gets what a program gets, so no board that tells more than the contest's format can.

    Attributes:
        entry: the function as a backend, which stands in no registry. So the contender is for this process and its forks alone.
    """

    ours: bool = False
    entry: Backend

    @property
    def backend(self) -> Backend:
        return self.entry

    @property
    def absent(self) -> str | None:
        return None

    def does_not_take(self, instance: Instance) -> str | None:
        return None if instance.in_contest_format else "the board tells more than the contest's format can"


def function_contender(puzzle: Puzzle[Any, Any], function: Callable[[Any], Any]) -> FunctionContender:
    """The contender that a function makes; it takes an instance and returns what `Puzzle.answer_from` takes."""
    known: dict[str, Answer] = {}

    def solve(instance: Instance, *, certify: bool = False) -> Answer:
        answer = known.pop(instance.digest, None) if certify else None
        if answer is None:
            answer = known[instance.digest] = puzzle.answer_from(instance, _value(function, instance))
        return answer

    name = name_of(function)
    entry = Backend(SIDES[0], puzzle.name, name, solve, source="")
    return FunctionContender(puzzle=puzzle.name, name=name, side=entry.side, backend_name=name, entry=entry)


def name_of(function: Callable[[Any], Any]) -> str:
    """What messages call a function."""
    return str(getattr(function, "__name__", type(function).__name__))


def _value(function: Callable[[Any], Any], instance: Instance) -> Any:
    """What a function returns; where it raises, its own lines are printed as Python prints them."""
    try:
        return function(instance)
    except Exception as error:
        traceback.print_exception(error.with_traceback(error.__traceback__ and error.__traceback__.tb_next))
        raise
