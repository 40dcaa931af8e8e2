"""`compare fuzz`: search for a board on which something is wrong, and shrink it."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryFile
from time import monotonic

from tqdm import tqdm

import puzzles
from compare.commands.arguments import (
    at_least_one,
    at_least_zero,
    contender_arguments,
    contenders,
    extended_argument,
    positive,
    settings,
)
from compare.fuzz.batch import BLOCK, SHARES, Batch, BatchKind
from compare.fuzz.boards import MOST_SIZE
from compare.fuzz.observed import CONFLICT, REFUTED
from compare.fuzz.search import Discovery, FuzzSearch
from compare.fuzz.shrinking import Shrunk
from compare.fuzz.tried import Tried
from compare.show.messages import brief
from compare.work.contenders import BackendContender, Contender
from compare.work.plugins import register_plugins
from puzzles.puzzle import Puzzle
from puzzles.streams import visible
from puzzles.text import UserError, counted

DEFAULT_CASES = 10_000

EVERY_PUZZLE = "all"

LARGE_BLOCK, OTHER_BLOCK = 32, 64
"""Boards in a block if boards are large, and in the other kinds of batches."""

LARGE_SIZE, SELDOM_SIZE = 20, 6
"""The `--size` above which boards are large, and the largest size for backends that are seldom run."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("puzzle", metavar="PUZZLE", help=", ".join([*puzzles.names(), EVERY_PUZZLE]))
    contender_arguments(parser)
    parser.add_argument(
        "--cases", type=at_least_one, metavar="N", help="boards to try (default: 10,000, or as many as --seconds allow)"
    )
    parser.add_argument("--seconds", type=positive, metavar="S", help="stop after S seconds; shrinking may take some more")
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
    extended_argument(parser)
    parser.add_argument(
        "--kind",
        choices=[kind.value for kind in BatchKind],
        help="try this kind of batches only: certified (every answer is certified), plain (kernels in plain Python), forced "
        "(thresholds between algorithms forced low as well), seldom (slow backends and written formulas, small boards)",
    )
    parser.add_argument("--save", metavar="DIR", help="where failing boards go (default: here)")


def main(options: argparse.Namespace) -> int:
    if options.size > MOST_SIZE:
        raise UserError(f"--size: fuzzing takes sizes up to {MOST_SIZE}, not {options.size}")
    if options.puzzle == EVERY_PUZZLE and options.program:
        raise UserError("a program solves one puzzle: name it in place of `all`")
    register_plugins(options.plugin)
    names = puzzles.names() if options.puzzle == EVERY_PUZZLE else [options.puzzle]
    if options.seconds:
        options.seconds /= len(names)
    status = 0
    for name in names:
        status = max(status, _fuzz(puzzles.get(name), options))
        if status == 130:
            break
    return status


def _fuzz(puzzle: Puzzle, options: argparse.Namespace) -> int:
    """Search one puzzle; returns the exit status."""
    chosen = replace(settings(options), jobs=options.jobs or os.cpu_count() or 1)
    everyone = tuple(each for each in contenders(puzzle, options) if each.absent is None)
    taking_part = tuple(each for each in everyone if options.backend or options.kind == BatchKind.SELDOM or not _slow(each))
    if not taking_part:
        raise UserError("nobody takes part")
    batch = Batch(
        puzzle=puzzle.name,
        contenders=taking_part,
        seed=options.seed,
        count=BLOCK if options.size <= LARGE_SIZE else LARGE_BLOCK,
        size=options.size,
        limits=chosen.limits,
        format=options.answers,
        extended=options.extended,
    )
    folder = _folder(options.save)
    print(visible(f"fuzzing {puzzle.name}, seed {options.seed}: {', '.join(c.name for c in taking_part)}"), flush=True)
    interrupted = False
    started = monotonic()
    cases = options.cases or (None if options.seconds else DEFAULT_CASES)
    with tqdm(unit="board", disable=None, leave=False, total=cases) as bar:

        def progress(boards: int, tried: Tried) -> None:
            left = search.left()
            remaining = "" if left is None else f"{left:.0f} s left, "
            bar.set_postfix_str(f"{remaining}up to {_shape(tried.largest)}", refresh=False)
            bar.update(boards)

        def discovered(discovery: Discovery) -> None:
            tqdm.write(visible(_describe(puzzle, discovery, _save(folder, discovery.shrunk), options)))

        search = FuzzSearch(
            _batches(batch, everyone, options.kind),
            cases=cases,
            seconds=options.seconds,
            keep_going=options.keep_going,
            discovered=discovered,
            progress=progress,
        )
        try:
            search.run(chosen)
        except KeyboardInterrupt:
            print("interrupted", file=sys.stderr)
            interrupted = True
    tried = search.tried[search.schedule.main]
    print(visible(_statement(puzzle, search)))
    seconds = monotonic() - started
    outcome = counted(search.discoveries, "failure") if search.discoveries else f"nothing found up to {_shape(tried.largest)}"
    boards = counted(tried.boards, "board")
    print(f"{outcome}; {boards} in {seconds:.1f} s, {tried.boards / seconds:.0f} boards a second; seed {options.seed}")
    for reason in search.broken:
        print(visible(f"a batch was not tried to its end: {reason}"), file=sys.stderr)
    if interrupted:
        return 130
    if tried.boards == 0 and not search.discoveries:
        raise UserError("no board was tried")
    return 1 if search.discoveries or search.broken else 0


def _batches(batch: Batch, everyone: tuple[Contender, ...], only: str | None) -> list[Batch]:
    """A batch of each kind that there is something to try for, the main one first.

    Only our own backends have kernels, thresholds and written formulas.
    """
    own = tuple(each for each in batch.contenders if isinstance(each, BackendContender) and each.ours)
    other = replace(batch, count=OTHER_BLOCK, contenders=own)
    every_own = tuple(each for each in everyone if isinstance(each, BackendContender) and each.ours)
    small = replace(other, size=min(batch.size, SELDOM_SIZE), contenders=every_own)
    if only == BatchKind.ORDINARY or only is None:
        batches = [batch]
        if only is None and own:
            batches += [replace(other, kind=kind) for kind in (BatchKind.CERTIFIED, BatchKind.PLAIN, BatchKind.FORCED)]
            batches.append(replace(small, kind=BatchKind.SELDOM))
        return batches
    chosen = replace(small if only == BatchKind.SELDOM else other, kind=BatchKind(only))
    if not chosen.contenders:
        raise UserError(f"--kind {only}: none of our own backends takes part")
    return [chosen]


def _statement(puzzle: Puzzle, search: FuzzSearch) -> str:
    """What was tried: how each contender fared, how often each kind of answer came up, and the other kinds of batches."""
    tried = search.tried[search.schedule.main]
    lines: list[str] = []
    for name, theirs in tried.responses.items():
        parts = [f"{theirs.answered} answered", f"{theirs.refused} refused", f"{theirs.skipped} skipped"]
        slowest = theirs.slowest
        if slowest.seconds >= 0:
            parts.append(f"slowest {1000 * slowest.seconds:.3g} ms on {_shape((slowest.rows, slowest.columns))}")
        lines.append(f"{name}: {', '.join(parts)}")
    total = sum(tried.outcomes.values())
    if total:
        shares = ", ".join(f"{100 * times / total:.0f}% {outcome}" for outcome, times in tried.outcomes.most_common())
        lines.append(f"answers: {shares}; boards of the families {', '.join(puzzle.families)}, and parts of them")
    spent = search.schedule.spent
    everything = sum(spent.values()) or 1.0
    others = [
        f"{kind} {counted(each.boards, 'board')} ({100 * spent[kind] / everything:.0f}% of the time, "
        f"{100 * SHARES[kind]:.0f}% in the long run)"
        for kind, each in search.tried.items()
        if len(search.tried) > 1
    ]
    if others:
        lines.append(f"batches: {', '.join(others)}")
    return "\n".join(lines)


def _shape(shape: tuple[int, int]) -> str:
    return f"{shape[0]}x{shape[1]}"


def _slow(contender: Contender) -> bool:
    """A slow backend takes part in ordinary batches only if `-b` names it."""
    return isinstance(contender, BackendContender) and contender.backend.slow


def _describe(puzzle: Puzzle, discovery: Discovery, path: Path, options: argparse.Namespace) -> str:
    """The smallest board first, then who says what of it, what the check refutes, and the line that replays it."""
    shrunk, smallest = discovery.shrunk, discovery.shrunk.smallest
    board = smallest.board
    fault = next((each for each in smallest.faults if each.same(shrunk.fault)), shrunk.fault)
    names_by_answer: dict[str, list[str]] = {}
    for name, answer in discovery.answers.items():
        names_by_answer.setdefault(answer, []).append(name)
    lines = ["", str(board) if board.in_contest_format else board.text().rstrip(), ""]
    about_answers = fault.kind in (CONFLICT, REFUTED)
    if about_answers:
        headline = ", ".join(
            f"{' and '.join(names)} say{'s' * (len(names) == 1)} {brief(answer)}" for answer, names in names_by_answer.items()
        )
        if fault.kind == CONFLICT and fault.detail:
            headline += f"; they differ in their {fault.detail}"
    else:
        headline = f"{fault.names[0]}: {fault.detail}"
    original = discovery.original.board
    before, after = f"{original.rows}x{original.columns}", f"{board.rows}x{board.columns}"
    lines.append(f"{fault.kind}: {headline}; shrunk {before} to {after} in {counted(shrunk.tries, 'run')}")
    for answer, names in names_by_answer.items() if about_answers else ():
        lines.append(f"{', '.join(names)}:")
        lines += [f"    {line}" for line in answer.rstrip().splitlines()]
    lines += [f"REFUTED: {other.names[0]}: {other.detail}" for other in smallest.faults if other.kind == REFUTED]
    if discovery.kind is not BatchKind.ORDINARY:
        lines.append(f"a batch of the kind {discovery.kind} shows it; with `--kind {discovery.kind}` the search finds it again")
    lines.append(f"replay: {_replay(puzzle, path, options)}")
    return "\n".join(lines)


def _replay(puzzle: Puzzle, path: Path, options: argparse.Namespace) -> str:
    words = ["python", "-m", "compare", "run", puzzle.name, str(path)]
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
    if options.extended:
        words.append("--extended")
    return shlex.join(words)


def _save(folder: Path, shrunk: Shrunk) -> Path:
    """Write the smallest board as an input file."""
    board = shrunk.smallest.board
    path = folder / f"{shrunk.fault.kind.lower()}-{board.digest}.in"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(puzzles.get(board.puzzle).print_instances([board]))
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}\n{board.text()}") from None
    return path


def _folder(save: str | None) -> Path:
    """The folder for failing boards, which the first one creates. It is tried out before the search, not after it."""
    folder = Path(save or "")
    try:
        with TemporaryFile(dir=next(each for each in (folder, *folder.parents) if each.exists())):
            pass
    except OSError as error:
        no_folder = isinstance(error, NotADirectoryError) and folder.exists()
        wrong = " is not a folder" if no_folder else f": {error.strerror or error}"
        raise UserError(f"--save {folder}{wrong}") from None
    return folder
