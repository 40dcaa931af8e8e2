"""The search for a board on which the chosen contenders differ, or one of them fails: `fuzz`, for
one tab, as lines of JSON.

At most one search runs on a server. It has a thread and children of its own, beside the workers, so
it costs other tabs a share of the processor, but never their turn. A second search waits until the
first one has ended, and says so.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from compare.commands.fuzz.batch import BLOCK, Batch, FailingBoard
from compare.commands.fuzz.command import batches_of
from compare.commands.fuzz.fuzz_search import Discovery, FuzzSearch
from compare.commands.fuzz.shrinking import BestSoFar, Shrunk
from compare.commands.fuzz.streams import bearing
from compare.commands.fuzz.words import headline, noticed_line, spared_all
from compare.commands.page.bounds import SOLVE, RefusedRequest, SearchRequest
from compare.commands.page.questions import as_seen
from compare.commands.page.workers import Workers, in_judge
from compare.engine.work.contenders import Contender
from compare.engine.work.pool import Local, local
from compare.engine.work.result import Fault
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle
from puzzles.text import UserError

BOARD_SIZE = 14
"""Rows and columns of the larger boards, as in `fuzz`."""

SearchLine = dict[str, Any]
"""What is said of a search, as JSON. A line with a board has it as an `Instance` until it is
written."""


async def search_lines(
    turn: asyncio.Lock,
    workers: Workers,
    puzzle: Puzzle,
    contenders: Sequence[Contender],
    wanted: SearchRequest,
    plugins: Sequence[str],
) -> AsyncGenerator[SearchLine, None]:
    """What a search says. If nobody wants to hear it any more, it ends.

    Args:
        turn: of this search among those of all tabs.
        workers: see to it that the boards that are said can be shown.
    """
    if turn.locked():
        yield {"type": "waiting"}
    async with turn:
        loop, lines = asyncio.get_running_loop(), asyncio.Queue[SearchLine | None]()

        def say(line: SearchLine | None) -> None:
            loop.call_soon_threadsafe(lines.put_nowait, line)

        search = DifferenceSearch(puzzle, contenders, wanted, plugins, say)
        ended = loop.run_in_executor(None, search.run)
        try:
            while (line := await lines.get()) is not None:
                yield await _written(line, workers, puzzle)
        finally:
            search.stop()
            await asyncio.shield(ended)


async def _written(line: SearchLine, workers: Workers, puzzle: Puzzle) -> SearchLine:
    """The line with its board as the page knows it; without it if the page cannot show that: then
    the last line says why.
    """
    board = line.pop("board", None)
    if board is None:
        return line
    try:
        return {**line, "board": await workers.call(in_judge, as_seen, puzzle.name, board)}
    except RefusedRequest as refusal:
        is_last = line["type"] == "end"
        return {**line, "sentence": f"{line['sentence']} {refusal}."} if is_last else line


class DifferenceSearch:
    """One search. `run` is the work of a thread; any thread may call `stop`."""

    def __init__(
        self,
        puzzle: Puzzle,
        contenders: Sequence[Contender],
        wanted: SearchRequest,
        plugins: Sequence[str],
        say: Callable[[SearchLine | None], object],
    ) -> None:
        """`say` gets each line, and at last None."""
        self._puzzle, self._plugins, self._say = puzzle, plugins, say
        self._seconds, self._names = wanted.seconds, [each.name for each in contenders]
        self._local: Local | None = None
        self._stopped = self._found = False
        batch = Batch(
            puzzle=puzzle.name,
            contenders=tuple(bearing(each, BOARD_SIZE) for each in contenders),
            seed=wanted.seed,
            count=BLOCK,
            size=BOARD_SIZE,
            limits=SOLVE,
            thorough=puzzle.compares_solvers or len(contenders) == 1,
        )
        self._search = FuzzSearch(
            batches_of(batch),
            cases=None,
            seconds=wanted.seconds,
            keep_going=False,
            noticed=self._noticed,
            discovered=self._discovered,
            progress=self._progress,
            first_large=0,  # on a small board one sees what is wrong
            best_so_far=lambda shrunk: _SaidBest(shrunk, self._smaller),
        )

    def run(self) -> None:
        """Search until a fault is found, the seconds are over, or it is stopped."""
        try:
            self._search.run(self._executor())
            if not self._found:
                self._say({"type": "end", "sentence": self._nothing_found()})
        except UserError as error:
            self._say({"type": "end", "sentence": str(error)})
        except Exception as error:  # what ends badly since it was stopped is no news
            if not self._stopped:
                self._say({"type": "end", "sentence": f"The search failed: {error}"})
        finally:
            self._say(None)

    def stop(self) -> None:
        """Kill whatever runs for it. Nothing more is said."""
        self._stopped = True
        if self._local is not None:
            self._local.stop()

    @contextmanager
    def _executor(self) -> Iterator[Local]:
        with local(1, self._plugins) as workers:
            self._local = workers
            if self._stopped:
                workers.stop()
            yield workers

    def _progress(self, boards: int, doing: str) -> None:
        del boards
        search = self._search
        self._say({"type": "tried", "boards": search.boards, "rate": search.rate, "doing": doing})

    def _noticed(self, failing: FailingBoard, fault: Fault, proved: frozenset[str]) -> None:
        sentence = noticed_line(self._puzzle, failing.board, fault, proved)
        self._say({"type": "found", "sentence": sentence, "board": failing.board})

    def _smaller(self, board: Instance) -> None:
        self._say({"type": "smaller", "board": board})

    def _discovered(self, discovery: Discovery) -> None:
        self._found = True
        shrunk = discovery.shrunk
        before, after = discovery.original.board.shown_size, shrunk.smallest.board.shown_size
        size = f"Shrunk from {before} to {after}" if before != after else f"Of {after}"
        tried = self._tried()
        self._say(
            {
                "type": "end",
                "sentence": f"{headline(discovery)}. {size}, found after {tried}.",
                "board": shrunk.smallest.board,
            }
        )

    def _tried(self) -> str:
        boards = self._search.boards
        return f"{boards:,} {self._puzzle.noun}{'' if boards == 1 else 's'}"

    def _nothing_found(self) -> str:
        """That all agree, or why one cannot say so."""
        search, tried = self._search, f"{self._tried()} tried"
        if search.broken:
            return f"{tried}, and then the search broke: {search.broken[0]}"
        for name, broken in spared_all(search).items():
            return (
                f"{name} was given no {self._puzzle.noun}: its contest promises none of these "
                f"({', '.join(broken)}). `page --extended` gives it all {self._puzzle.noun}s."
            )
        if not search.boards:
            return f"No {self._puzzle.noun} was tried to its end: give it more seconds."
        if search.open_names:
            return (
                f"{tried}: no fault. But {' and '.join(search.open_names)} came to no end on some "
                "of them."
            )
        unproved = "".join(f"; {count} not proved: {why}" for why, count in search.unproved.items())
        if len(self._names) == 1:
            return f"{tried}: no fault of {self._names[0]}{unproved}."
        return f"{tried}: all agree{unproved}."


@dataclass
class _SaidBest(BestSoFar):
    """Says each smaller board."""

    say: Callable[[Instance], object]

    def reach(self, shrunk: Shrunk) -> None:
        is_new = shrunk.smallest.board.digest != self.shrunk.smallest.board.digest
        super().reach(shrunk)
        if is_new:
            self.say(shrunk.smallest.board)
