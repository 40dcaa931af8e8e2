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
    positive,
    puzzle_argument,
    settings,
)
from compare.fuzz.boards import MOST_SIZE
from compare.fuzz.observed import CONFLICT, REFUTED
from compare.fuzz.search import BLOCK, Discovery, FuzzSearch
from compare.fuzz.shrinking import Shrunk
from compare.fuzz.trial import Batch
from compare.show.messages import brief
from compare.work.contenders import BackendContender, Contender
from compare.work.plugins import register_plugins
from puzzles.puzzle import Puzzle
from puzzles.streams import visible
from puzzles.text import UserError, counted

DEFAULT_CASES = 10_000


def arguments(parser: argparse.ArgumentParser) -> None:
    puzzle_argument(parser)
    contender_arguments(parser)
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
    if options.size > MOST_SIZE:
        raise UserError(f"--size: fuzzing takes sizes up to {MOST_SIZE}, not {options.size}")
    register_plugins(options.plugin)
    taking_part = tuple(c for c in contenders(puzzle, options) if c.absent is None and (options.backend or not _slow(c)))
    if not taking_part:
        raise UserError("nobody takes part")
    chosen = replace(settings(options), jobs=options.jobs or os.cpu_count() or 1)
    batch = Batch(
        puzzle=puzzle.name,
        contenders=taking_part,
        seed=options.seed,
        count=BLOCK,
        size=options.size,
        limits=chosen.limits,
        format=options.answers,
        extended=options.extended,
    )
    folder = _folder(options.save, puzzle)
    print(visible(f"fuzzing {puzzle.name}, seed {options.seed}: {', '.join(c.name for c in taking_part)}"), flush=True)
    interrupted = False
    started = monotonic()
    with tqdm(unit="board", disable=None, leave=False, total=options.cases) as bar:
        search = FuzzSearch(
            batch,
            cases=options.cases or (None if options.seconds else DEFAULT_CASES),
            seconds=options.seconds,
            keep_going=options.keep_going,
            discovered=lambda discovery: tqdm.write(visible(_describe(discovery, _save(folder, discovery.shrunk), options))),
            progress=bar.update,
        )
        try:
            search.run(chosen)
        except KeyboardInterrupt:
            print("interrupted", file=sys.stderr)
            interrupted = True
    seconds = monotonic() - started
    outcome = counted(search.discoveries, "failure") if search.discoveries else "nothing found"
    tried = counted(search.tried, "board")
    print(f"{outcome}; {tried} in {seconds:.1f} s, {search.tried / seconds:.0f} boards a second; seed {options.seed}")
    if interrupted:
        return 130
    if search.tried == 0:
        raise UserError("no board was tried")
    return 1 if search.discoveries else 0


def _slow(contender: Contender) -> bool:
    """A slow backend takes part only if `-b` names it."""
    return isinstance(contender, BackendContender) and contender.backend.slow


def _describe(discovery: Discovery, path: Path, options: argparse.Namespace) -> str:
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
    lines.append(f"replay: {_replay(path, options)}")
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
    """Write the smallest board as an input file."""
    board = shrunk.smallest.board
    path = folder / f"{shrunk.fault.kind.lower()}-{board.digest}.in"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(puzzles.get(board.puzzle).print_instances([board]))
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}\n{board.text()}") from None
    return path


def _folder(save: str | None, puzzle: Puzzle) -> Path:
    """The folder for failing boards, which the first one creates. It is tried out before the search, not after it."""
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
