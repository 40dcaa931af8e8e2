"""Answers of foreign code: written as plain text where it runs, read where it does not."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, reduce
from operator import or_
from typing import Any

from compare.work.foreign.plain import Malformed, from_plain, is_record, require, to_plain
from puzzles.answer import Answer, Effort
from puzzles.case_solution import CaseSolution
from puzzles.instance import Instance
from puzzles.solution import GridSolution


@dataclass(frozen=True)
class Refused:
    """Stands for a value that the plain format cannot say; the sentence is the reason."""

    sentence: str


def packed(board: Instance, answer: object) -> str:
    """What a backend returned, in the plain format; a `Refused` if that is impossible."""
    classes = _classes(type(board))
    try:
        return to_plain(answer, classes)
    except Malformed as error:
        return to_plain(Refused(str(error)), {"Refused": Refused})


def rebuilt(board: Instance, text: str | bytes) -> Answer:
    """The answer that `packed` wrote, built by our own classes from values of exact types.

    Raises:
        Malformed: it is no answer of this puzzle, or a part of it is of another type than the class declares.
    """
    classes = _classes(type(board))
    answer = from_plain(text, Any, {**classes, "Refused": Refused})
    if type(answer) is Refused:
        raise Malformed(answer.sentence)
    require(answer, reduce(or_, [each for each in classes.values() if issubclass(each, Answer)]))
    return answer


def rebuilt_size(text: str | bytes) -> tuple[int, int] | None:
    """The variables and clauses that a backend's `encode` states; None if it has none. Raises `Malformed`."""
    return from_plain(text, tuple[int, int] | None, {})


@cache
def _classes(instance: type[Instance]) -> Mapping[str, type]:
    """The records that the puzzle's statement defines, and those that every answer has."""
    module = instance.__module__
    package = module.rpartition(".")[0] or module
    stated = [each for each in vars(sys.modules[module]).values() if is_record(each) and each.__module__.startswith(package)]
    if not any(issubclass(each, Answer) for each in stated):
        stated += [GridSolution, CaseSolution]  # a puzzle of one's own may do without an answer of its own
    return {each.__name__: each for each in [*stated, Effort]}
