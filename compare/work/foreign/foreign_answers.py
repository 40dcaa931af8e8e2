"""Foreign code: backends of plugins. Each run gets a fork of its own, and only plain text comes back.

The functions that begin with `_` and take a contender run in that fork. It has loaded the plugins, so nothing in it can be
trusted. `rebuilt` runs in a process that has loaded none.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, reduce
from operator import or_
from typing import Any

from compare.isolate.forking import muted
from compare.isolate.outcome import Limits, Outcome
from compare.isolate.sandbox import call_in_turn
from compare.work.contenders import BackendContender
from compare.work.foreign.plain import Malformed, from_plain, is_record, require, to_plain
from compare.work.foreign.plugins import LOAD_S, load_remembered
from compare.work.foreign.wire import PLAIN
from compare.work.solving import ENDINGS, certified_answer, solve_for_nothing, timed, warm_up_boards
from models.cpsat import CpSatEncoding
from puzzles.answer import Answer, Effort
from puzzles.case_solution import CaseSolution
from puzzles.instance import Instance
from puzzles.solution import GridSolution

TRIAL_S = 5.0
"""Seconds that a plugin's backend may take for a few small boards; a slower one is not warmed up."""

Step = tuple[Callable[..., str], Limits]
"""What a fork of foreign code does, and its limits; the result is in the plain format."""


def in_own_fork(steps: Sequence[Step], *args: Any) -> tuple[Outcome | None, list[Outcome]]:
    """Load the plugins in a new fork, then take the steps there.

    Returns the outcome of the loading if it did not end well, else None; and the outcomes of the steps, as `call_in_turn` does.
    """
    loading = Limits(LOAD_S, steps[0][1].memory)
    loaded, *ended = call_in_turn([(_load, loading), *steps], *args, endings=ENDINGS, foreign=PLAIN)
    return (None, ended) if loaded.ok else (loaded, [])


def _load(*args: object) -> str:
    del args
    with muted():  # where contenders are chosen it is shown, once
        load_remembered()
    return to_plain(None, {})


_warm: dict[BackendContender, bool] = {}
"""Whether a contender can be warmed up within `TRIAL_S` seconds."""


def solve_foreign(contender: BackendContender, board: Instance, limits: Limits, certified: Limits | None) -> list[Outcome]:
    """A timed run, then a run for the certificate if it has limits; outcomes as `call_in_turn` returns them.

    `rebuilt_timed` reads the value of the first, `rebuilt` that of the second. If all went well, there is one more,
    for the size of what the backend states, which `rebuilt_size` reads.
    """
    if contender not in _warm:
        failure, trial = in_own_fork([(_warm_up, replace(limits, seconds=TRIAL_S))], contender)
        _warm[contender] = failure is None and trial[0].ok
    steps: list[Step] = [(_warm_up, replace(limits, seconds=LOAD_S))] if _warm[contender] else []
    steps.append((_timed, limits))
    if certified is not None:
        steps.append((_certified, certified))
    steps.append((_size, limits))
    failure, ended = in_own_fork(steps, contender, board)
    if failure is not None:
        return [failure]
    return ended[1:] if _warm[contender] and ended[0].ok else ended


def certified_foreign(contender: BackendContender, board: Instance, limits: Limits) -> Outcome:
    """A run for the certificate alone; the outcome is the first that did not end well."""
    failure, ended = in_own_fork([(_certified, limits)], contender, board)
    return failure or ended[0]


def _warm_up(contender: BackendContender, board: Instance | None = None) -> str:
    del board
    boards = warm_up_boards(contender)
    with muted():
        solve_for_nothing(contender, boards[:1], certify=True)
        solve_for_nothing(contender, boards)
    return to_plain(None, {})


def _timed(contender: BackendContender, board: Instance) -> str:
    answer, wall_s = timed(contender, board)
    return to_plain((packed(board, answer), wall_s), {})


def _certified(contender: BackendContender, board: Instance) -> str:
    return packed(board, certified_answer(contender.backend, board, dict(contender.options), verify=contender.tests_solver))


def _size(contender: BackendContender, board: Instance) -> str:
    from models.backend_encoding import encoding_of

    if contender.backend.encode is None:
        return to_plain(None, {})
    encoding = encoding_of(contender.backend, board)
    if isinstance(encoding, CpSatEncoding):
        return to_plain((len(encoding.cp.proto.variables), len(encoding.cp.proto.constraints)), {})
    return to_plain((encoding.formula.variables, len(encoding.formula.clauses)), {})


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


def rebuilt(board: Instance, text: str) -> Answer:
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


def rebuilt_timed(board: Instance, text: str) -> tuple[Answer, float]:
    """The answer and the seconds of a timed run; raises `Malformed`."""
    packed_answer, wall_s = from_plain(text, tuple[str, float], {})
    return rebuilt(board, packed_answer), float(wall_s)


def rebuilt_size(text: str) -> tuple[int, int] | None:
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
