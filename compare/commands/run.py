"""`compare run`: backends and programs on datasets."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing, nullcontext

from tqdm import tqdm

import puzzles
from compare.campaign import datasets, journal, selection
from compare.campaign.comparison import Comparison
from compare.campaign.datasets import Dataset
from compare.campaign.header import Header
from compare.campaign.journal import Journal
from compare.campaign.running import records
from compare.campaign.tasks import Settings, Task, plan
from compare.commands.arguments import at_least_one, contender_arguments, contenders, settings
from compare.show import messages
from compare.show.summary import tables
from compare.show.table import FORMATS, STYLES, render
from compare.show.terminal import line_width, wrapped
from compare.work.plugins import register_plugins
from puzzles.puzzle import Puzzle
from puzzles.streams import visible
from puzzles.text import InputError, UserError


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("puzzle", nargs="?", metavar="PUZZLE", help=f"{', '.join(puzzles.names())} (default: all)")
    parser.add_argument(
        "path",
        nargs="*",
        metavar="PATH",
        help="input files, or folders of *.in with optional *.ans (default: the bundled datasets)",
    )
    contender_arguments(parser)
    parser.add_argument("--format", choices=FORMATS, default="table", help="how to print the tables")
    parser.add_argument(
        "--wide", action="store_true", help="whole tables, however long their lines (as they are where the output is no terminal)"
    )
    parser.add_argument(
        "--repeat", type=at_least_one, default=1, metavar="N", help="solve each board N times (tables show medians)"
    )
    parser.add_argument(
        "--jobs", type=at_least_one, default=1, metavar="N", help="runs at once; more than one makes the timings less reliable"
    )
    parser.add_argument(
        "-k",
        dest="expression",
        metavar="EXPR",
        help="only puzzles, datasets, backends with such names (and, or, not)",
    )
    parser.add_argument(
        "--out",
        metavar="FILE.jsonl",
        help="write a header and one line of JSON a run, as each ends; a file that holds something is refused but for:",
    )
    existing = parser.add_mutually_exclusive_group()
    existing.add_argument(
        "--resume", action="store_true", help="go on with the FILE.jsonl that the same command has left, if it is there"
    )
    existing.add_argument("--overwrite", action="store_true", help="begin FILE.jsonl anew, whatever it holds")
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="no progress, and of the tables only disagreements, failures, the verdict"
    )
    parser.add_argument(
        "--strict", action="store_true", help="exit with status 3 where something stayed unproved, skipped or unfinished"
    )


def main(options: argparse.Namespace) -> int:
    if options.out is None and (options.resume or options.overwrite):
        does = "resume goes on with a file" if options.resume else "overwrite begins a file anew"
        raise UserError(f"--{does}: name it with --out")
    chosen = settings(options)
    register_plugins(options.plugin)
    planned: list[Task] = []
    bad_input = False
    for name in [options.puzzle] if options.puzzle else puzzles.names():
        puzzle = puzzles.get(name)
        taking_part = contenders(puzzle, options)
        read, bad = _datasets(puzzle, options)
        bad_input |= bad
        planned += plan(read, taking_part, chosen.repeats)
    if not planned:
        return 2
    if options.expression is not None:
        planned = selection.select(planned, options.expression)
    header = Header.of(options.words, chosen)
    opened = journal.open_journal(options.out, header, resume=options.resume, overwrite=options.overwrite) if options.out else None
    with opened or nullcontext() as file:
        comparison, interrupted = carry_out(planned, chosen, file, quiet=options.quiet)
    show(comparison, options.format, quiet=options.quiet, wide=options.wide)
    return 130 if interrupted else comparison.exit_status(bad_input=bad_input, strict=options.strict)


def _datasets(puzzle: Puzzle, options: argparse.Namespace) -> tuple[list[Dataset], bool]:
    """The datasets to run, and whether a file was unreadable; the other files still run."""
    if not options.path:
        return datasets.bundled(puzzle), False
    readable: list[Dataset] = []
    bad = False
    for path in datasets.files(options.path):
        try:
            readable.append(datasets.read_dataset(puzzle, path, format=options.answers))
        except (InputError, UserError) as error:
            print(visible(str(error)), file=sys.stderr)
            bad = True
    return readable, bad


def carry_out(
    planned: Sequence[Task], chosen: Settings, file: Journal | None = None, *, quiet: bool = False
) -> tuple[Comparison, bool]:
    """Run everything that the file does not hold already, with a progress bar on a terminal.

    Returns the comparison of old and new records, and whether it was interrupted.
    """
    comparison = Comparison(task.identity for task in planned)
    missing, done, interrupted = planned, 0, False
    if file and file.earlier and file.earlier.count:
        missing, done = journal.remaining(file.path, planned, file.earlier), file.earlier.count
        for record in file.earlier:
            comparison.add(record)
        print(f"{file.path}: {done} of {len(planned)} runs are there already", file=sys.stderr)
    with (
        closing(records(missing, chosen)) as new,
        tqdm(total=len(missing), unit="run", disable=True if quiet else None, leave=False) as bar,
    ):
        try:
            for record in new:
                comparison.add(record)
                done += 1
                if file:
                    file.write(record.line())
                bar.set_postfix_str(f"{record.task.puzzle} {record.task.dataset} {record.task.contender}")
                bar.update()
        except KeyboardInterrupt:
            print(f"interrupted after {done} of {len(planned)} runs", file=sys.stderr)
            interrupted = True
    comparison.close()
    return comparison, interrupted


def show(comparison: Comparison, format: str = "table", *, quiet: bool = False, wide: bool = False) -> None:
    """Tables on stdout; for people also disagreements, failures and the verdict. `quiet` leaves the tables out.

    On a terminal the tables fit its lines, unless they are to be `wide`.
    """
    for_people = format in STYLES
    width = line_width(wide=wide)
    if not (quiet and for_people):
        sys.stdout.write(render(tables(comparison), format, width))
    if for_people:
        lines = [*([] if quiet else [""]), *messages.report(comparison)]
        lines += [] if quiet else [wrapped(line, width) for line in messages.skipped(comparison)]
        print("\n".join([*lines, wrapped(messages.verdict(comparison), width)]))
