"""The boards of a puzzle's fuzz stream, tried as `compare fuzz` tries them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain, count, islice, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import puzzles
from compare.commands.fuzz.batch import BLOCK, Batch
from compare.commands.fuzz.streams import bearing, bundled_boards, large_boards
from compare.commands.fuzz.trial import try_boards
from compare.engine.isolate.outcome import Limits
from compare.engine.search.boards import boards
from compare.engine.work.contenders import BackendContender, backends, of_backend
from compare.engine.work.solving import exact_options_of
from puzzles.grid import Board
from puzzles.puzzle import Puzzle
from tests.mutants.mutations import Mutant
from tests.mutants.planting import forget_solvers, renew_endings
from tests.mutants.reach import LONGEST_S, Reached, by_boards, in_a_child, subset
from tests.mutants.stream import BY_ITS_TIME, Hangs, Noticed, Stream, with_limit
from tests.pools import in_pool
from tests.thresholds import forced, import_thresholds

_SLOW_SHARE, _SLOW_CELLS = 4, 36
"""A slow backend meets one board in `_SLOW_SHARE`, of at most `_SLOW_CELLS` cells."""

_SLOW_LIMIT = 64
"""A backend that takes no more cells than this by default counts as slow."""

_FIRST = (8, 64, 512)
"""After these numbers of boards a mutant that was noticed is tried no further."""

_BLOCK = 64
"""Boards of one block: fewer than `compare fuzz` has, for blocks are not all of one kind."""

_LARGE, _LARGE_EVERY = 24, 8
"""Two blocks of so many large boards stand before the first block and after every eighth: those of
the contest's format, others.
"""

_MAX_CELLS = {"minesweeper": 400, "geography": 1600}
"""Cells of the largest boards of a puzzle on which plain Python takes minutes.

Forced thresholds reach the same algorithms.
"""

_SIZE = 14
"""Rows and columns of the larger boards, as `compare fuzz` has them by default."""


class _Concerned(NamedTuple):
    """A contender that executes a mutated statement, and the boards on which it does."""

    contender: BackendContender
    boards: NDArray[np.intp]


class BoardStream(Stream):
    """The bundled boards of a puzzle, then its fuzz stream; more boards begin with the same ones.

    Large boards come first. Some boards are solved with thresholds forced low
    (`tests.mutants.reach.forced`).
    """

    def __init__(
        self, puzzle: str, modules: Sequence[str], seed: int, count: int, glance: int | None = None
    ) -> None:
        super().__init__(modules, seed, count, glance)
        self.puzzle = puzzle
        every = [
            bearing(of_backend(each, {}), _SIZE)
            for each in backends(puzzle)
            if each.available() is None
        ]
        self.contenders = [each for each in every if isinstance(each, BackendContender)]
        rules = puzzles.get(puzzle)
        stream = chain(bundled_boards(rules), _blocks(rules, seed))
        small = (board for board in stream if board.cells <= _MAX_CELLS.get(puzzle, board.cells))
        self.boards = list(islice(small, count))

    def prepare(self) -> None:
        assert len(self.reached) == len(self.contenders)

    @cached_property
    def reached(self) -> list[Reached]:
        """What each contender executes on its boards, or on the first of them."""
        contenders = [
            (each, [(self.boards[k], subset(k)) for k in self._looked_at(each)])
            for each in self.contenders
        ]
        return in_a_child(by_boards, self.modules, contenders, self.seed, seconds=LONGEST_S)

    def _boards_of(self, contender: BackendContender) -> list[int]:
        """The boards that a contender meets: all, or the small ones of one in `_SLOW_SHARE`."""
        if not _slow(contender):
            return list(range(len(self.boards)))
        return [
            k
            for k in range(0, len(self.boards), _SLOW_SHARE)
            if self.boards[k].cells <= _SLOW_CELLS
        ]

    def _looked_at(self, contender: BackendContender) -> list[int]:
        """The boards of a contender on which it is found out what it executes."""
        every = self._boards_of(contender)
        if self.glance is None:
            return every
        return every[: self.glance // _SLOW_SHARE if _slow(contender) else self.glance]

    def _concerned(self, mutant: Mutant) -> list[_Concerned]:
        """The contenders that execute the mutated statement, each with the boards on which it does.

        After a glance: the contenders that execute anything of the module, each with all its
        boards.
        """
        concerned: list[_Concerned] = []
        for contender, reached in zip(self.contenders, self.reached, strict=True):
            at = np.array(self._boards_of(contender), np.intp)
            if not mutant.at_import and self.glance is None:
                at = at[reached.cases(mutant.module, mutant.statement)]
            if at.size and mutant.module in reached.executed:
                concerned.append(_Concerned(contender, at))
        return concerned

    def reaches(self, mutant: Mutant) -> int:
        return sum(each.boards.size for each in self._concerned(mutant))

    def noticed(self, mutant: Mutant) -> Noticed | None:
        return self._noticed(self._concerned(mutant))

    def unchanged(self) -> Noticed | None:
        everybody = [
            _Concerned(each, np.array(self._looked_at(each), np.intp)) for each in self.contenders
        ]
        return in_a_child(self._imported_anew, everybody, seconds=LONGEST_S)

    def _imported_anew(self, concerned: list[_Concerned]) -> Noticed | None:
        forget_solvers()  # as where a mutant is planted
        renew_endings()
        return self._noticed(concerned)

    def _noticed(self, concerned: list[_Concerned]) -> Noticed | None:
        """The first fault that contenders show.

        They solve their boards with certificates and all exact claims, and each answer is checked;
        a few boards come first. Then they solve whole blocks as a plain `compare fuzz` does, and
        each block once more with thresholds forced low. One that is not concerned joins them to
        disagree: one that gives exact claims if there is any.
        """
        names = {each.contender.name for each in concerned}
        others = [
            each
            for each in self.contenders
            if each.name not in names and each.complete and not _slow(each)
        ]
        others.sort(key=lambda each: -len(exact_options_of(each.backend)))
        tried = 0
        for slow in (False, True):
            group = [each for each in concerned if _slow(each.contender) == slow]
            if not group:
                continue
            contenders = (*others[:1], *(each.contender for each in group))
            at = np.unique(np.concatenate([each.boards for each in group])).tolist()
            thorough = [
                at[start:end]
                for start, end in pairwise([0, *(end for end in _FIRST if end < len(at)), len(at)])
            ]
            every = at if slow else list(range(len(self.boards)))
            plain = [every[start : start + BLOCK] for start in range(0, len(every), BLOCK)]
            ways = [
                *((part, True, None) for part in thorough),
                *(
                    (part, False, each)
                    for number, part in enumerate(plain)
                    for each in (None, number)
                ),
            ]
            for part, certified, number in ways:
                tried += len(part)
                try:
                    kind = self._shown(contenders, part, number, thorough=certified)
                except Hangs:
                    kind = BY_ITS_TIME
                if kind:
                    return Noticed(kind, tried)
        return None

    def _shown(
        self,
        contenders: tuple[BackendContender, ...],
        part: list[int],
        all_with: int | None,
        *,
        thorough: bool,
    ) -> str:
        """The kind of the first fault on some boards, or empty; raises `Hangs`.

        In the thorough way a board is solved with its subset of the thresholds forced low, else all
        boards with that of `all_with`.
        """
        ways: defaultdict[int | None, list[Board]] = defaultdict(list)
        for k in part:
            ways[subset(k) if thorough else all_with].append(self.boards[k])
        with_limit(self._seconds[part].sum())
        import_thresholds()
        for number, tried in ways.items():
            batch = Batch(
                puzzle=self.puzzle,
                contenders=contenders,
                seed=self.seed,
                count=len(tried),
                size=_SIZE,
                limits=Limits(LONGEST_S),
                thorough=thorough,
            )
            with forced(self.seed, number):
                failing = in_pool(try_boards, batch, tried)
            for fault in (fault for each in failing for fault in each.faults):
                return fault.kind
        return ""

    @cached_property
    def _seconds(self) -> NDArray[np.float64]:
        """What each board takes all contenders; what nobody has measured counts as much as the
        longest.
        """
        seconds = np.zeros(len(self.boards))
        for contender, reached in zip(self.contenders, self.reached, strict=True):
            looked_at = self._looked_at(contender)
            seconds[looked_at] += reached.seconds
            seconds[[k for k in self._boards_of(contender) if k not in set(looked_at)]] += (
                reached.seconds.max(initial=0)
            )
        return seconds


def _blocks(puzzle: Puzzle, seed: int) -> Iterator[Board]:
    """The boards of the fuzz stream without end, large ones among them."""
    for index in count():
        if index % _LARGE_EVERY == 0:
            for extended in (0, 1):
                yield from large_boards(
                    puzzle, seed, 2 * (index // _LARGE_EVERY) + extended, _LARGE, _SIZE
                )
        yield from boards(puzzle, seed, index, _BLOCK, _SIZE)


def _slow(contender: BackendContender) -> bool:
    return contender.backend.slow or (
        contender.limit is not None and contender.limit <= _SLOW_LIMIT
    )
