"""`compare fuzz`: search for a board on which something fails, and shrink it."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryFile
from time import monotonic
from typing import NoReturn

from tqdm import tqdm

import puzzles
from compare.campaign.running import executor
from compare.commands.run import at_least_one, at_least_zero, contenders, positive, settings, shared_arguments
from compare.fuzz.shrinking import Shrunk, shrink
from compare.fuzz.trial import Batch, Failure, Found, Tried, try_batch
from compare.show.table import brief
from compare.work.contenders import Contender
from compare.work.executors import Executor
from compare.work.worker import solve_for_show
from puzzles.puzzle import Puzzle
from puzzles.text import UserError, counted

BLOCK, LARGE_BLOCK = 512, 32
"""Boards in a block; fewer where boards are large."""

MOST_BLOCKS, BRIEF_S = 8, 0.5
"""Blocks in a batch, twice as many after each batch that took less than so many seconds: a sandbox costs some 20 ms."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("puzzle", metavar="PUZZLE", help=", ".join(puzzles.names()))
    shared_arguments(parser)
    parser.add_argument(
        "--cases", type=at_least_one, metavar="N", help="boards to try (default: 10,000, or as many as --seconds allow)"
    )
    parser.add_argument("--seconds", type=positive, metavar="S", help="stop after about S seconds")
    parser.add_argument(
        "--seed", type=at_least_zero, default=1, metavar="N", help="the same seed gives the same boards (default: 1)"
    )
    parser.add_argument(
        "--size", type=at_least_one, default=14, metavar="K", help="rows and columns of the larger boards (default: 14)"
    )
    parser.add_argument("--jobs", type=at_least_one, metavar="N", help="workers (default: one a core)")
    parser.add_argument(
        "--keep-going", action="store_true", help="collect one failure of each kind instead of stopping at the first"
    )
    parser.add_argument(
        "--extended",
        action="store_true",
        help="give programs also boards that tell more than the contest's format can say, such as a number of mines",
    )
    parser.add_argument(
        "--save", metavar="DIR", help="where failing boards go (default: tests/regressions/PUZZLE in a checkout, else here)"
    )


def main(options: argparse.Namespace) -> int:
    puzzle = puzzles.get(options.puzzle)
    taking_part = tuple(c for c in contenders(puzzle, options) if c.absent is None and (options.backend or not _too_slow(c)))
    if not taking_part:
        raise UserError("nobody takes part")
    limits = settings(options).limits
    batch = Batch(
        puzzle.name, taking_part, options.seed, 0, BLOCK, options.size, limits, options.answers, extended=options.extended
    )
    hunt = Hunt(options, _folder(options.save, puzzle))
    print(f"fuzzing {puzzle.name}, seed {options.seed}: {', '.join(c.name for c in taking_part)}", flush=True)
    chosen = replace(settings(options), jobs=options.jobs or os.cpu_count() or 1)
    status = 0
    started = monotonic()
    try:
        with executor(chosen) as workers, tqdm(unit="board", disable=None, leave=False, total=options.cases) as bar:
            waiting: deque[tuple[Batch, Future[Tried]]] = deque()
            for each in _batches(batch, options.cases or (None if options.seconds else 10_000), hunt):
                waiting.append((each, workers.submit(try_batch, each)))
                if len(waiting) > workers.width // 4:
                    hunt.take(*waiting.popleft(), workers, bar)
                if hunt.over or (options.seconds and monotonic() - started > options.seconds):
                    break
            while waiting and not hunt.over:
                hunt.take(*waiting.popleft(), workers, bar)
            workers.stop()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        status = 130
    seconds = monotonic() - started
    failures = hunt.stories
    outcome = counted(failures, "failure") if failures else "nothing found"
    tried = counted(hunt.tried, "board")
    print(f"{outcome}; {tried} in {seconds:.1f} s, {hunt.tried / seconds:.0f} boards a second; seed {options.seed}")
    if hunt.tried == 0 and not status:
        raise UserError("no board was tried")
    return status or (1 if failures else 0)


def _too_slow(contender: Contender) -> bool:
    """CP-SAT takes part only where `-b` names it: some tens of milliseconds a board are too much for a search."""
    return contender.side is not None and "ortools" in contender.resolve().requires


def _batches(batch: Batch, cases: int | None, hunt: Hunt) -> Iterator[Batch]:
    """Batches of consecutive blocks, together of `cases` boards (None: without end)."""
    block = BLOCK if batch.size <= 20 else LARGE_BLOCK
    index, left = 0, cases
    while left is None or left >= block:
        blocks = hunt.blocks if left is None else min(hunt.blocks, left // block)
        yield replace(batch, index=index, count=block, blocks=blocks)
        index += blocks
        left = None if left is None else left - blocks * block
    if left:
        yield replace(batch, index=index, count=left)


class Hunt:
    """What a fuzzing run has found so far, and how many blocks are worth trying in one batch."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.options = options
        self.folder = folder
        self.tried = 0
        self.blocks = 1
        self.stories = 0
        self.shown: list[Failure] = []

    @property
    def over(self) -> bool:
        return bool(self.shown) and not self.options.keep_going

    def take(self, batch: Batch, pending: Future[Tried], workers: Executor, bar: tqdm[NoReturn]) -> None:
        """Take in a batch: each failure of a kind not seen before is shrunk, saved and shown."""
        tried = pending.result()
        bar.update(tried.number)
        self.tried += tried.number
        if tried.seconds < BRIEF_S * batch.blocks / self.blocks:
            self.blocks = min(2 * self.blocks, MOST_BLOCKS)
        for each in tried.found:
            for failure in each.failures:
                if self.over or any(failure.same(known) for known in self.shown):
                    continue
                shrunk: Shrunk = workers.submit(shrink, batch, each.board, failure).result()
                board = shrunk.found.board
                said = workers.submit(solve_for_show, batch.contenders, board, batch.limits, batch.format).result()
                self.stories += 1
                self.shown.append(failure)
                self.shown += [other for other in shrunk.found.failures if not any(other.same(known) for known in self.shown)]
                tqdm.write(_story(each, shrunk, said, _replay(_save(self.folder, shrunk), self.options)))


def _story(original: Found, shrunk: Shrunk, said: dict[str, str], replay: str) -> str:
    """The smallest board first, who says what of it, what the check refutes, and the line that replays it."""
    board = shrunk.found.board
    failure = next((each for each in shrunk.found.failures if each.same(shrunk.failure)), shrunk.failure)
    claims: dict[str, list[str]] = {}
    for name, answer in said.items():
        claims.setdefault(answer, []).append(name)
    lines = ["", str(board) if board.in_contest_format else board.text().rstrip(), ""]
    if failure.kind in ("CONFLICT", "REFUTED"):
        sayings = [f"{' and '.join(names)} say{'s' * (len(names) == 1)} {brief(answer)}" for answer, names in claims.items()]
        headline = ", ".join(sayings)
        if failure.kind == "CONFLICT" and failure.detail:
            headline += f"; they differ in their {failure.detail}"
    else:
        headline = f"{failure.names[0]}: {failure.detail}"
    before, after = f"{original.board.rows}x{original.board.columns}", f"{board.rows}x{board.columns}"
    lines.append(f"{failure.kind}: {headline}; shrunk {before} to {after} in {counted(shrunk.tries, 'run')}")
    if failure.kind in ("CONFLICT", "REFUTED"):
        for answer, names in claims.items():
            lines.append(f"{', '.join(names)}:")
            lines += [f"    {line}" for line in answer.rstrip().splitlines()]
    lines += [f"REFUTED: {other.names[0]}: {other.detail}" for other in shrunk.found.failures if other.kind == "REFUTED"]
    lines.append(f"replay: {replay}")
    return "\n".join(lines)


def _replay(path: Path, options: argparse.Namespace) -> str:
    words = ["python", "-m", "compare", "run", options.puzzle, str(path)]
    for flag, values in (
        ("-b", options.backend),
        ("--program", options.program),
        ("--partial", options.partial),
        ("--plugin", options.plugin),
    ):
        for value in values:
            words += [flag, value]
    for flag, value in (("--answers", options.answers), ("--solver", options.solver)):
        if value:
            words += [flag, value]
    return shlex.join(words)


def _save(folder: Path, shrunk: Shrunk) -> Path:
    board = shrunk.found.board
    path = folder / f"{shrunk.failure.kind.lower()}-{board.digest}.in"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(puzzles.get(board.puzzle).print_instances([board]))
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}\n{board.text()}") from None
    return path


def _folder(save: str | None, puzzle: Puzzle) -> Path:
    """Where failing boards go, made with the first; what forbids to write there is better said before the search than after it."""
    inside = Path("tests").is_dir() and Path("puzzles", puzzle.name).is_dir()
    folder = Path(save if save is not None else Path("tests", "regressions", puzzle.name) if inside else "")
    try:
        with TemporaryFile(dir=next(each for each in (folder, *folder.parents) if each.exists())):
            pass
    except OSError as error:
        no_folder = isinstance(error, NotADirectoryError) and folder.exists()
        wrong = " is not a folder" if no_folder else f": {error.strerror or error}"
        raise UserError(f"--save {folder}{wrong}") from None
    return folder
