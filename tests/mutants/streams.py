"""The streams that a mutant meets: boards, tried as `compare fuzz` tries them, or the cases of a general solver."""

from __future__ import annotations

import signal
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import puzzles
from compare.fuzz.search import BLOCK
from compare.fuzz.trial import Batch, boards_of, try_boards
from compare.isolate.outcome import Limits
from compare.work import worker
from compare.work.contenders import BackendContender, backends, of_backend
from compare.work.solving import exact_options_of
from tests.mutants.mutations import Mutant
from tests.mutants.planting import SOLVERS
from tests.mutants.reach import Reached, by_boards, by_cases, in_a_child
from tests.places import ROOT

GENERAL = {
    "two_sat": "tests.direct.formulas",
    "matching": "tests.direct.graphs",
    "union_find": "tests.direct.pairs",
}
"""By general solver, the module that has its stream: `cases(seed, count)`, and `examine(case)`, which raises for a wrong answer."""

OF_GENERAL = {
    "direct.two_sat": "two_sat",
    "direct.matching": "matching",
    "direct.bipartite": "matching",
    "direct.union_find": "union_find",
}
"""By module, the general solver that it belongs to."""

_SLOW_SHARE, _SLOW_CELLS = 16, 36
"""A slow backend meets one board in `_SLOW_SHARE`, of at most `_SLOW_CELLS` cells."""

_SLOW_LIMIT = 64
"""A backend that takes no more cells than this by default counts as slow."""

_FIRST = (8, 64, 512)
"""After these numbers of boards a mutant that was noticed is tried no further."""

_BLOCKS = 8
"""The boards come from this many blocks of the stream, smaller ones than `compare fuzz` has, for blocks are not all of one kind."""

_SIZE = 14
"""Rows and columns of the larger boards, as `compare fuzz` has them by default."""

_GRACE_S, _SLOWER = 5.0, 10.0
"""A mutant hangs if some boards take `_SLOWER` times the time that they take otherwise, and `_GRACE_S` more."""

_LONGEST_S = 3600.0


class Hangs(Exception):
    """A mutant takes far longer than the unchanged code."""


class _Concerned(NamedTuple):
    """A contender that executes a mutated statement, and the boards on which it does."""

    contender: BackendContender
    boards: NDArray[np.intp]


class Stream(ABC):
    """Boards or cases, and how they are put to mutants.

    Args:
        modules: those that are mutated.
        count: the number of boards or cases.
    """

    def __init__(self, modules: Sequence[str], seed: int, count: int) -> None:
        self.modules, self.seed, self.count = modules, seed, count

    @abstractmethod
    def prepare(self) -> None:
        """Find out what executes which statement; without it that happens when it is first needed."""

    @abstractmethod
    def reaches(self, mutant: Mutant) -> int:
        """The number of boards or cases that execute the mutated statement; a statement outside of functions is always executed."""

    @abstractmethod
    def unchanged(self) -> str:
        """How the unchanged code shows that it is wrong, which it should not: the measure would mean nothing."""

    @abstractmethod
    def fault(self, mutant: Mutant) -> str:
        """How a mutant shows that it is wrong; empty if it does not. Called in a child in which the mutant is planted."""


class BoardStream(Stream):
    """The first boards of the fuzz stream of a puzzle."""

    def __init__(self, puzzle: str, modules: Sequence[str], seed: int, count: int) -> None:
        super().__init__(modules, seed, count)
        self.puzzle = puzzle
        self.contenders = [of_backend(each, {}) for each in backends(puzzle) if each.available() is None]
        batch = Batch(
            puzzle=puzzle,
            contenders=(),
            seed=seed,
            count=-(-count // _BLOCKS),
            size=_SIZE,
            limits=Limits(_LONGEST_S),
            blocks=_BLOCKS,
        )
        self.boards = boards_of(batch)[:count]

    def prepare(self) -> None:
        assert len(self.reached) == len(self.contenders)

    @cached_property
    def reached(self) -> list[Reached]:
        """What each contender executes on its boards."""
        contenders = [(each, [self.boards[k] for k in self._boards_of(each)]) for each in self.contenders]
        return in_a_child(by_boards, self.modules, contenders, seconds=_LONGEST_S)

    def _boards_of(self, contender: BackendContender) -> list[int]:
        """The boards that a contender meets: all, or the small ones of one in `_SLOW_SHARE`."""
        if not _slow(contender):
            return list(range(len(self.boards)))
        return [k for k in range(0, len(self.boards), _SLOW_SHARE) if self.boards[k].cells <= _SLOW_CELLS]

    def _concerned(self, mutant: Mutant) -> list[_Concerned]:
        """The contenders that execute the mutated statement, each with the boards on which it does."""
        concerned: list[_Concerned] = []
        for contender, reached in zip(self.contenders, self.reached, strict=True):
            boards = np.array(self._boards_of(contender), np.intp)
            at = boards if mutant.at_import else boards[reached.cases(mutant.module, mutant.statement)]
            if at.size and mutant.module in reached.executed:
                concerned.append(_Concerned(contender, at))
        return concerned

    def reaches(self, mutant: Mutant) -> int:
        return sum(each.boards.size for each in self._concerned(mutant))

    def fault(self, mutant: Mutant) -> str:
        return self._fault(self._concerned(mutant))

    def unchanged(self) -> str:
        everybody = [_Concerned(each, np.array(self._boards_of(each), np.intp)) for each in self.contenders]
        return in_a_child(self._fault, everybody, seconds=_LONGEST_S)

    def _fault(self, concerned: list[_Concerned]) -> str:
        """The kind of the first fault that contenders show.

        They solve their boards with certificates and all exact claims, and each answer is checked; a few boards come first. Then
        they solve whole blocks as a plain `compare fuzz` does. One that is not concerned joins them to disagree: one that gives
        exact claims if there is any.
        """
        names = {each.contender.name for each in concerned}
        others = [each for each in self.contenders if each.name not in names and each.complete and not _slow(each)]
        others.sort(key=lambda each: -len(exact_options_of(each.backend)))
        for slow in (False, True):
            group = [each for each in concerned if _slow(each.contender) == slow]
            if not group:
                continue
            contenders = (*others[:1], *(each.contender for each in group))
            worker._warm.update(dict.fromkeys(contenders, False))
            at = np.unique(np.concatenate([each.boards for each in group])).tolist()
            thorough = [at[start:end] for start, end in pairwise([0, *(end for end in _FIRST if end < len(at)), len(at)])]
            every = at if slow else list(range(len(self.boards)))
            plain = [every[start : start + BLOCK] for start in range(0, len(every), BLOCK)]
            for parts in (thorough, plain):
                for part in parts:
                    fault = self._shown(contenders, part, thorough=parts is thorough)
                    if fault:
                        return fault
        return ""

    def _shown(self, contenders: tuple[BackendContender, ...], part: list[int], *, thorough: bool) -> str:
        """The kind of the first fault on some boards; raises `Hangs`."""
        with_limit(self._seconds[part].sum())
        batch = Batch(
            puzzle=self.puzzle,
            contenders=contenders,
            seed=self.seed,
            count=len(part),
            size=_SIZE,
            limits=Limits(_LONGEST_S),
            thorough=thorough,
        )
        failing = try_boards(batch, [self.boards[k] for k in part])
        return failing[0].faults[0].kind if failing else ""

    @cached_property
    def _seconds(self) -> NDArray[np.float64]:
        """What each board takes all contenders."""
        seconds = np.zeros(len(self.boards))
        for contender, reached in zip(self.contenders, self.reached, strict=True):
            seconds[self._boards_of(contender)] += reached.seconds
        return seconds


class CaseStream(Stream):
    """The cases of a general solver."""

    def __init__(self, solver: str, modules: Sequence[str], seed: int, count: int) -> None:
        super().__init__(modules, seed, count)
        self.examiner = GENERAL[solver]

    def prepare(self) -> None:
        assert self.reached.seconds.size == self.count

    @cached_property
    def reached(self) -> Reached:
        """What is executed on each case."""
        return in_a_child(by_cases, self.modules, self.examiner, self.seed, self.count, seconds=_LONGEST_S)

    def _cases(self, mutant: Mutant) -> list[int]:
        return list(range(self.count)) if mutant.at_import else self.reached.cases(mutant.module, mutant.statement).tolist()

    def reaches(self, mutant: Mutant) -> int:
        return len(self._cases(mutant))

    def fault(self, mutant: Mutant) -> str:
        return self._fault(self._cases(mutant))

    def unchanged(self) -> str:
        return ""  # to find out what it executes, every case was examined

    def _fault(self, chosen: list[int]) -> str:
        sys.modules.pop(self.examiner, None)
        stream = import_module(self.examiner)
        cases = list(stream.cases(self.seed, self.count))
        for k in chosen:
            with_limit(self.reached.seconds[k])
            try:
                stream.examine(cases[k])
            except Hangs:
                raise
            except AssertionError:
                return "WRONG"
            except Exception:
                return "CRASH"
        return ""


def _slow(contender: BackendContender) -> bool:
    return contender.backend.slow or (contender.limit is not None and contender.limit <= _SLOW_LIMIT)


def with_limit(seconds: float) -> None:
    """Raise `Hangs` unless this is called again before far more than these seconds have passed."""
    signal.signal(signal.SIGALRM, _hangs)
    signal.setitimer(signal.ITIMER_REAL, _GRACE_S + _SLOWER * seconds)


def _hangs(number: int, frame: object) -> None:
    raise Hangs


def modules() -> list[str]:
    """The modules that are mutated: all of `direct` and `models` that have code, but for the lemmas and the commands."""
    paths = [path for side in SOLVERS for path in sorted((ROOT / side).rglob("*.py"))]
    names = [_name(path) for path in paths if "lemmas" not in path.parts and path.stem != "__main__"]
    return [name for name in names if name not in SOLVERS]


def _name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def streams(chosen: Sequence[str], seed: int, count: int) -> dict[str, list[Stream]]:
    """By module the streams that its mutants meet: those of its puzzle, or of each puzzle, after that of the general solver."""
    of_puzzle = {name: BoardStream(name, chosen, seed, count) for name in puzzles.names() if _met(name, chosen)}
    of_solver = {
        name: CaseStream(name, chosen, seed, count) for name in GENERAL if any(OF_GENERAL.get(module) == name for module in chosen)
    }
    return {
        module: [
            *([of_solver[OF_GENERAL[module]]] if module in OF_GENERAL else []),
            *(stream for name, stream in of_puzzle.items() if _met(name, [module])),
        ]
        for module in chosen
    }


def _met(puzzle: str, chosen: Sequence[str]) -> bool:
    """Whether one of the modules is of this puzzle, or of none."""
    return any(puzzle in module.split(".") or not set(module.split(".")) & set(puzzles.names()) for module in chosen)
