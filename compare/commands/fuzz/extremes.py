"""The search for the board on which something is largest of one contender: how much longer it takes
than the others (`slowest`), or how far its solution is from the best (`worst`).

Rounds take turns: boards of the next block, then the most extreme board so far with a few cells
changed. What is measured, and how, is said by whoever searches.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from itertools import count, islice
from math import inf
from pathlib import Path
from time import time

import puzzles
from compare.commands.fuzz.batch import Batch, BatchKind
from compare.commands.fuzz.schedule import FIRST_LARGE
from compare.commands.fuzz.streams import LARGE_BLOCK, MAX_SMALL_SIZE
from compare.commands.fuzz.trial import all_boards_of, get_ready
from compare.engine.campaign.plan import Settings, executor
from compare.engine.campaign.ratios import the_called
from compare.engine.campaign.summaries import Headline
from compare.engine.isolate.outcome import Status
from compare.engine.search.search import Search
from compare.engine.work.contenders import Contender
from compare.engine.work.pool import Executor, Lost, Pool
from compare.engine.work.result import Result
from compare.show.conclusion import Conclusion, ContenderTally, FaultReport, blames
from compare.show.messages import LastLine, interruption
from compare.show.wording import progress_bar, run_until_interrupted
from puzzles.instance import Instance
from puzzles.shell.interruption import INTERRUPTED
from puzzles.space import space_of
from puzzles.text import count_noun

ROUND = 16
"""Boards of a round."""

DEFAULT_S = 60.0
"""Seconds that the search takes by default."""

Save = Callable[[str, Instance], Path]
"""Writes a board as an input file of this name; returns its path."""


@dataclass(frozen=True)
class Extreme:
    """A board, and what was measured there.

    Attributes:
        score: what is to be largest.
        own: the result of the contender in question.
        results: of all that answered, its own among them.
    """

    board: Instance
    score: float
    own: Result
    results: tuple[Result, ...]


Measure = Callable[
    [Pool, Batch, Contender, Sequence[Instance], float | None, float], Extreme | None
]
"""(pool, batch, contender, boards, beaten, until) -> the most extreme of some boards; None if none
has a larger score than `beaten`, the largest so far (None: there is none). `until`: when the search
ends, in seconds since the epoch.
"""


class ExtremeSearch(Search[Sequence[Instance], Extreme | None, Extreme, Extreme]):
    """One search. The next boards depend on what came of those before.

    Attributes:
        extreme: the most extreme board so far; None before any was measured.
        tried: how many boards were tried.
    """

    def __init__(
        self,
        batch: Batch,
        contender: Contender,
        measure: Measure,
        *,
        large: bool,
        cases: int | None,
        seconds: float,
        progress: Callable[[int, str], object],
    ) -> None:
        """For `seconds` and `progress` see `Search`.

        Args:
            batch: who takes part, and which boards are drawn.
            contender: the one that is measured; one of those of the batch.
            measure: gets one board of a round at a time if `large`, else a whole round.
            large: whether large boards come first, and of other blocks the largest; else boards
                come as they are drawn.
            cases: boards to try; None for any number.
        """
        super().__init__(seconds=seconds, progress=progress, discovered=lambda found: None)
        self.batch, self.contender, self.cases = batch, contender, cases
        self.measure, self.large = measure, large
        self.extreme: Extreme | None = None
        self.tried = 0
        self._boards: Iterator[Instance] = iter(())

    grace_s = inf  # a board under way is measured to its end

    @property
    def enough(self) -> bool:
        return super().enough or (self.cases is not None and self.tried >= self.cases)

    def get_ready(self, workers: Executor) -> None:
        workers.submit(get_ready, self.batch).result()
        self._boards = self._rounds(workers)

    def next_block(self, left_s: float) -> Sequence[Instance] | None:
        most = 1 if self.large else ROUND
        if self.cases is not None:
            most = min(most, self.cases - self.tried)
        return list(islice(self._boards, most)) or None

    def ask(
        self, workers: Executor, block: Sequence[Instance], left_s: float
    ) -> Future[Extreme | None]:
        beaten = None if self.extreme is None else self.extreme.score
        until = time() + left_s
        return workers.submit(self.measure, self.batch, self.contender, block, beaten, until)

    def lost(self, block: Sequence[Instance], error: Exception) -> Extreme | None:
        if isinstance(error, Lost):
            return None
        raise error

    def failures(self, block: Sequence[Instance], tried: Extreme | None) -> Iterator[Extreme]:
        self.tried += len(block)
        self.progress(len(block), "")
        if tried is not None:
            self.extreme = tried
            if tried.own.status is not Status.OK:  # it passed a limit, and nothing is slower
                yield tried

    def smaller(self, failure: Extreme, workers: Executor) -> Extreme:
        return failure

    def cut_short(self, failure: Extreme, why: BaseException, workers: Executor) -> Extreme:
        return failure

    def _rounds(self, workers: Executor) -> Iterator[Instance]:
        """The boards of each block, and after them the most extreme board so far with a few cells
        changed.
        """
        rng = random.Random(f"slowest {self.batch.seed}")
        space = space_of(puzzles.get(self.batch.puzzle))
        for block in self._blocks():
            if self.deadline.over:
                return
            drawn = workers.submit(all_boards_of, block).result()
            stream = [board for board in drawn if self.contender.does_not_take(board) is None]
            if self.large:
                stream = sorted(stream, key=lambda board: -board.size)[:ROUND]
            for start in range(0, len(stream), ROUND):
                yield from stream[start : start + ROUND]
                if self.extreme is not None:
                    board = self.extreme.board
                    variants = (space.vary(board, rng) for _ in range(ROUND))
                    yield from (each for each in variants if each is not None)

    def _blocks(self) -> Iterator[Batch]:
        """The blocks of large boards, unless the user has chosen the boards, or wants small ones;
        then the ordinary ones.
        """
        batch = self.batch
        chosen = batch.families or batch.generator or batch.size <= MAX_SMALL_SIZE
        if self.large and not chosen:
            large = replace(batch, kind=BatchKind.LARGE, count=LARGE_BLOCK)
            yield from (replace(large, index=k) for k in range(FIRST_LARGE // LARGE_BLOCK))
        yield from (replace(batch, index=index) for index in count())


def contender_named(batch: Batch, name: str, option: str) -> Contender:
    """The one contender that is called so, by the value of an option; raises `UserError`."""
    whole = the_called((each.name for each in batch.contenders), name, option)
    return next(each for each in batch.contenders if each.name == whole)


def searched(
    options: argparse.Namespace,
    batch: Batch,
    chosen: Settings,
    contender: Contender,
    measure: Measure,
    *,
    large: bool,
) -> tuple[ExtremeSearch, bool]:
    """The search at its end, and whether it was interrupted."""
    noun = puzzles.get(batch.puzzle).noun
    with progress_bar(quiet=options.quiet, unit=noun, total=options.cases) as shown_bar:
        search = ExtremeSearch(
            batch,
            contender,
            measure,
            large=large,
            cases=options.cases,
            seconds=options.seconds or DEFAULT_S,
            progress=lambda boards, doing: shown_bar.update(boards),
        )
        return search, run_until_interrupted(lambda: search.run(executor(chosen)))


def concluded(
    search: ExtremeSearch,
    part: str,
    line: str,
    facts: Sequence[str] = (),
    rows: Sequence[Mapping[str, object]] = (),
    faults: Sequence[FaultReport] = (),
    *,
    stopped: bool,
) -> Conclusion:
    """What a search came to.

    Args:
        part: the name of the table.
        line: what was found, or why nothing was; then the exit status is 1.
        rows: what each contender does on the most extreme board.
        stopped: whether Ctrl-C has ended it.
    """
    puzzle, extreme = puzzles.get(search.batch.puzzle), search.extreme
    did = "timed" if search.large and extreme is not None else "tried"
    blamed = [*blames(faults), *([interruption()] if stopped else [])]
    facts = [f"{count_noun(search.tried, puzzle.noun)} {did}", *facts]
    last_line = LastLine(Headline.NOTHING_COMPARED, blamed, line, facts)
    tally = ContenderTally(
        puzzle=puzzle.name,
        part=part,
        contender=search.contender.name,
        counts={did: search.tried},
        failed=len(faults),
    )
    return Conclusion(
        verdict=last_line.headline,
        last_line=str(last_line),
        exit_status=INTERRUPTED if stopped else int(extreme is None or bool(faults)),
        faults=faults,
        tallies=[tally] if extreme else [],
        tables={part: rows} if extreme else {},
        results=[]
        if extreme is None
        else [each.of_record(extreme.board) for each in extreme.results],
    )
