"""Which boards of a stream make a contender execute a statement, and how long each takes it, some
with thresholds forced low.
"""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from time import perf_counter
from traceback import print_exc
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from compare.engine.isolate.child import call
from compare.engine.isolate.outcome import Limits, Status
from compare.engine.isolate.serving import Ended
from compare.engine.work.contenders import BackendContender
from compare.engine.work.solving import certified_answer, exact_options_of
from models.solvers.solver_names import solvers
from puzzles.grid import Board
from tests.mutants.planting import Marks
from tests.thresholds import forced

LONGEST_S = 3600.0
"""Seconds that the unchanged solvers may take for a stream."""

_TOGETHER = 64
"""Boards that a backend gets in one call, if it takes lists."""


class NotMeasurable(Exception):
    """Without any mutant something is wrong or missing; the message says what."""


@dataclass
class Reached:
    """What one contender does on some cases.

    Attributes:
        seconds: float array, by case.
        executed: by module a bool array of shape (cases, statements).
    """

    seconds: NDArray[np.float64]
    executed: dict[str, NDArray[np.bool_]] = field(default_factory=dict)

    def add(self, cases: list[int], marks: dict[str, bytes]) -> None:
        """Note what was executed on these cases."""
        for module, each in marks.items():
            if module not in self.executed:
                self.executed[module] = np.zeros((self.seconds.size, len(each)), np.bool_)
            self.executed[module][cases] |= np.frombuffer(each, np.bool_)

    def cases(self, module: str, statement: int) -> NDArray[np.intp]:
        """The cases on which the statement is executed, ascending."""
        executed = self.executed.get(module)
        return np.empty(0, np.intp) if executed is None else np.flatnonzero(executed[:, statement])


def in_a_child(function: Callable[..., Any], *arguments: Any, seconds: float) -> Any:
    """What a function returns in a process of its own, which may change its modules.

    Raises:
        NotMeasurable: it does not end well.
    """
    outcome = call(function, *arguments, limits=Limits(seconds))
    if outcome.status is Status.SKIPPED:
        raise NotMeasurable(f"the measure needs what is not here: {outcome.detail}")
    if not outcome.ok:
        raise NotMeasurable(
            f"the unchanged solvers do not end well: {outcome.status} "
            f"{outcome.detail}\n{outcome.printed}".rstrip()
        )
    return outcome.value


def by_boards(
    modules: Sequence[str],
    contenders: Sequence[tuple[BackendContender, Sequence[tuple[Board, int | None]]]],
    seed: int,
) -> list[Reached]:
    """What each contender executes on each of its boards when it solves it alone, with certificate,
    exactly, and with others.

    Beside each board stands the number of the thresholds that are forced low for it (see `forced`).
    """
    marks = Marks(modules)
    return [_of_contender(marks, contender, boards, seed) for contender, boards in contenders]


def _of_contender(
    marks: Marks, contender: BackendContender, cases: Sequence[tuple[Board, int | None]], seed: int
) -> Reached:
    boards = [board for board, _ in cases]
    backend, options = contender.backend, dict(contender.options)
    reached = Reached(np.zeros(len(boards)))
    taken = [not contender.does_not_take(board) for board in boards]
    marks.taken()
    for k, (board, subset) in enumerate(cases):
        if taken[k]:
            started = perf_counter()
            for solve in (
                lambda board=board: backend.solve(board, **options),
                lambda board=board: backend.solve(board, **options | exact_options_of(backend)),
                lambda board=board: certified_answer(backend, board, options),
            ):
                with (
                    suppress(Exception),
                    forced(seed, subset),
                ):  # what the unchanged solver refuses is no concern of its mutants
                    solve()
            reached.seconds[k] = perf_counter() - started
            reached.add([k], marks.taken())
    for part in _together(cases) if backend.many is not None else []:
        with suppress(Exception), forced(seed, cases[part[0]][1]):
            backend.solve_many([boards[k] for k in part if taken[k]], **options)
        reached.add(part, marks.taken())
    return reached


def _together(cases: Sequence[tuple[Board, int | None]]) -> list[list[int]]:
    """The cases in parts of at most `_TOGETHER` boards for which the same thresholds are forced
    low.
    """
    parts: list[list[int]] = []
    for start in range(0, len(cases), _TOGETHER):
        of_subset: defaultdict[int | None, list[int]] = defaultdict(list)
        for k in range(start, min(start + _TOGETHER, len(cases))):
            of_subset[cases[k][1]].append(k)
        parts += of_subset.values()
    return parts


def refuse_if_lacking(examiner: str) -> None:
    """Raise `Ended` if a program of `PROGRAMS` or a solver of `SOLVERS`, which the cases' module
    may name, is missing; its words say how to install it.
    """
    stream = import_module(examiner)
    for program, package in getattr(stream, "PROGRAMS", {}).items():
        if shutil.which(program) is None:
            raise Ended(
                Status.SKIPPED,
                f"{examiner} starts the program {program}; on Debian `apt-get install {package}` "
                "installs it",
            )
    for solver in getattr(stream, "SOLVERS", ()):
        if solver not in solvers():
            raise Ended(
                Status.SKIPPED,
                f"{examiner} calls the SAT solver {solver}, which this python-sat cannot open; "
                "`pip install --upgrade --force-reinstall python-sat` installs one that can",
            )


def by_cases(modules: Sequence[str], examiner: str, seed: int, count: int) -> Reached:
    """What is executed on each case of a job's stream; see `tests.mutants.streams`."""
    marks = Marks(modules)
    stream = import_module(examiner)
    reached = Reached(np.zeros(count))
    for k, case in enumerate(stream.cases(seed, count)):
        started = perf_counter()
        try:
            stream.examine(case)
        except pytest.skip.Exception as lacking:
            raise Ended(Status.SKIPPED, f"{examiner}: {lacking}") from None
        except Exception as error:
            print_exc(limit=-2)  # where it is wrong
            raise Ended(
                Status.ERROR, f"case {k} of {examiner}: {type(error).__name__} {error}".rstrip()
            ) from None
        reached.seconds[k] = perf_counter() - started
        reached.add([k], marks.taken())
    return reached


_EVERY, _FORCED = 8, 3
"""Of `_EVERY` boards in turn the last `_FORCED` are solved with forced thresholds, each with its
own subset.
"""

_SAME = 256
"""After this many boards the subsets change."""


def subset(k: int) -> int | None:
    """The number of the subset of the thresholds that is forced low for the k-th board; None for no
    threshold at all.
    """
    return k // _SAME * _EVERY + k % _EVERY if k % _EVERY >= _EVERY - _FORCED else None
