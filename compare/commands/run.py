"""`compare run`: backends and programs on datasets."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import puzzles
from compare.campaign import datasets, journal
from compare.campaign.comparison import Comparison
from compare.campaign.datasets import Dataset
from compare.campaign.journal import Journal
from compare.campaign.record import TaskIdentity
from compare.campaign.running import compile_first, records
from compare.campaign.tasks import Settings, Task, plan, select
from compare.commands.arguments import (
    OWN_PUZZLE,
    at_least_one,
    at_least_zero,
    contender_arguments,
    contenders,
    extended_argument,
    out_arguments,
    records_file,
    refuse_too_many,
    settings,
)
from compare.show import messages
from compare.show.progress import RunBar, say_what_is_compiled
from compare.show.tables.summary import every_test, failed_tests, recall_tables, sizes_tables, tables, without_recall
from compare.show.tables.table import FORMATS, STYLES, Table, render
from compare.show.wording import line_width, wrapped
from compare.work.contenders import backends
from compare.work.foreign.plugins import register_plugins
from puzzles.puzzle import Puzzle
from puzzles.registry import BrokenPuzzle
from puzzles.shell.streams import labelled, visible
from puzzles.text import InputError, UserError

VIEWS: dict[str, Callable[[Comparison], list[Table]]] = {
    "tests": every_test,
    "sizes": sizes_tables,
    "recall": recall_tables,
}
"""What `--show` can show in place of the tables by dataset."""

VIEWS_HELP = (
    "another table: tests, what each contender did on each board, with its seconds; sizes, what each formula costs, board by "
    "board, above the backends' default limits too; recall, which share of what is certain the incomplete backends find, beside "
    "the default direct one"
)

SIZE = 30
"""The size of a family's boards unless `--size` names others."""


def arguments(parser: argparse.ArgumentParser) -> None:
    known = ", ".join([*puzzles.names(), OWN_PUZZLE])
    parser.add_argument("puzzle", nargs="?", metavar="PUZZLE", help=f"{known} (default: all of ours)")
    parser.add_argument(
        "path",
        nargs="*",
        metavar="PATH",
        help="input files, or folders of *.in with optional *.ans (default: the bundled datasets)",
    )
    contender_arguments(parser)
    extended_argument(parser)
    generated = parser.add_argument_group("boards of a family, in place of files")
    generated.add_argument("--family", action="append", metavar="F", help="a family of the puzzle; `list` names them; repeatable")
    generated.add_argument("--size", type=at_least_one, nargs="+", metavar="N", help="about N x N cells of a board (default: 30)")
    generated.add_argument("--cases", type=at_least_one, metavar="T", help="boards of each family and size (default: 1)")
    generated.add_argument("--seed", type=at_least_zero, metavar="N", help="the first board's seed (default: 1)")
    parser.add_argument("--show", choices=VIEWS, metavar="|".join(VIEWS), help=VIEWS_HELP)
    parser.add_argument("--format", choices=FORMATS, default="table", help="how to print the tables")
    parser.add_argument(
        "--wide", action="store_true", help="whole tables, however long their lines (as they are where the output is no terminal)"
    )
    parser.add_argument(
        "--repeat", type=at_least_one, default=1, metavar="N", help="solve each board N times (tables show medians)"
    )
    parser.add_argument(
        "--jobs",
        type=at_least_one,
        default=1,
        metavar="N",
        help="runs timed at once; more than one makes the timings less reliable",
    )
    parser.add_argument(
        "-k",
        dest="expression",
        metavar="EXPR",
        help="only puzzles, datasets, backends with such names (and, or, not)",
    )
    out_arguments(parser)
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="no progress, and of the tables only disagreements, failures, the verdict"
    )
    parser.add_argument(
        "--strict", action="store_true", help="exit with status 3 where something stayed unproved, skipped or unfinished"
    )


def main(options: argparse.Namespace) -> int:
    if options.family is None and (options.size or options.cases or options.seed is not None):
        raise UserError("--size, --cases and --seed choose the boards of a family: name it with --family")
    if options.family is not None and (options.puzzle is None or options.path):
        raise UserError("--family goes with one PUZZLE and no PATH")
    chosen = settings(options)
    named = [puzzles.find(options.puzzle).name] if options.puzzle else puzzles.names()
    register_plugins(options.plugin)
    planned: list[Task] = []
    bad_input = False
    for name in named:
        try:
            puzzle = puzzles.get(name)
        except BrokenPuzzle as error:
            if options.puzzle:
                raise
            print(visible(str(error)), file=sys.stderr)
            bad_input = True
            continue
        taking_part = contenders(puzzle, _with_backends_to_show(puzzle, options))
        read, bad = _datasets(puzzle, options)
        bad_input |= bad
        planned += plan(read, taking_part, chosen.repeats)
    if not planned:
        return 2
    if options.expression is not None:
        planned = select(planned, options.expression)
    with records_file(options, chosen) as file:
        comparison, interrupted = carry_out(planned, chosen, file, quiet=options.quiet)
    style = Style(options.show, options.format, quiet=options.quiet, wide=options.wide)
    leaks = [leak.first.task for leak in comparison.only_together.values()]
    replays = [_replay(task, planned, options) for task in leaks]
    show(comparison, style, kept=options.out, replays=replays)
    return 130 if interrupted else comparison.exit_status(bad_input=bad_input, strict=options.strict)


def _replay(task: TaskIdentity, planned: Iterable[Task], options: argparse.Namespace) -> str:
    """The command that runs the contenders again on the dataset of a task."""
    dataset = next(each.dataset for each in planned if each.together > 1 and each.identity == task)
    if dataset.path is not None:
        from compare.commands.fuzz import replay_board

        return replay_board(puzzles.get(task.puzzle), Path(dataset.path), options)
    words = journal.words_that_count(shlex.join(["python", "-m", "compare", *options.words]))
    if options.out is not None:
        at = next(k for k, word in enumerate(words) if word.partition("=")[0] == "--out")
        del words[at : at + (1 if "=" in words[at] else 2)]
    if options.expression is None and not options.path and options.family is None:
        words += ["-k", dataset.name]
    return shlex.join(words)


def _datasets(puzzle: Puzzle, options: argparse.Namespace) -> tuple[list[Dataset], bool]:
    """The datasets to run, and whether a file was unreadable; the other files still run."""
    if options.family is not None:
        return _of_families(puzzle, options), False
    if not options.path:
        return datasets.bundled(puzzle), False
    readable: list[Dataset] = []
    bad = False
    for path in datasets.files(puzzle, options.path):
        try:
            readable.append(datasets.read_dataset(puzzle, path, format=options.answers))
        except (InputError, UserError) as error:
            print(visible(str(error)), file=sys.stderr)
            bad = True
    return readable, bad


def _of_families(puzzle: Puzzle, options: argparse.Namespace) -> list[Dataset]:
    """A dataset for each family and size; several sizes stand in the datasets' names."""
    sizes, cases, seed = options.size or [SIZE], options.cases or 1, 1 if options.seed is None else options.seed
    for family in options.family:
        if max(sizes) <= puzzle.family(family).most:  # else the family says what is wrong
            refuse_too_many(cases * len(options.family) * len(sizes), max(sizes))
    return [
        datasets.of_family(
            puzzle, family, [(size, seed + case) for case in range(cases)], family if len(sizes) == 1 else f"{family} {size}"
        )
        for family in options.family
        for size in sizes
    ]


def _with_backends_to_show(puzzle: Puzzle, options: argparse.Namespace) -> argparse.Namespace:
    """The options; if they name no backend, those that the view is about are named. A named backend has no default limit."""
    everything = backends(puzzle.name)
    named: list[str] = options.backend
    if options.show == "sizes":
        named = named or [backend.label for backend in everything]
    elif options.show == "recall":
        incomplete = [backend.label for backend in everything if not backend.complete]
        if not incomplete and not options.partial:
            raise UserError(f"every backend of {puzzle.name} is complete")
        named = named or ["direct", *incomplete]
    return argparse.Namespace(**{**vars(options), "backend": named})


def carry_out(
    planned: list[Task], chosen: Settings, file: Journal | None = None, *, quiet: bool = False
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

    def is_pointless(task: Task) -> bool:
        """Whether a program fails on an instance alone: a start with all says nothing new then."""
        if not comparison.failed_alone(task.identity):
            return False
        comparison.leave_out(task.identity)
        bar.ended(task.identity)
        return True

    try:
        to_run = (task.contender for task in missing if not task.reason_to_skip)
        compile_first(to_run, chosen, say_what_is_compiled)
        with closing(records(missing, chosen, is_pointless)) as new, RunBar(missing, quiet=quiet) as bar:
            for record in new:
                comparison.add(record)
                done += 1
                if file:
                    file.write(record.line())
                if record.run.printed:
                    bar.write(labelled(record.task.contender, record.run.printed))
                bar.ended(record.task)
    except KeyboardInterrupt:
        print(f"interrupted after {done} of {len(planned)} runs", file=sys.stderr)
        interrupted = True
    comparison.close()
    return comparison, interrupted


@dataclass(frozen=True)
class Style:
    """How a comparison is shown.

    Attributes:
        tables: one of `VIEWS` in place of the tables by dataset.
        format: one of `FORMATS`.
        quiet: leave the tables out.
        wide: whole tables on a terminal too, however long their lines.
    """

    tables: str | None = None
    format: str = "table"
    quiet: bool = False
    wide: bool = False


def show(
    comparison: Comparison,
    style: Style,
    *,
    kept: str | None = None,
    replays: Sequence[str] = (),
) -> None:
    """Tables on stdout; for people also disagreements, failures, what stayed unproved, and the verdict.

    Args:
        kept: the file that has all records.
        replays: for each program that fails only where boards come in one file, the command that
            shows it again.
    """
    for_people, width = style.format in STYLES, line_width(wide=style.wide)
    shown = VIEWS[style.tables](comparison) if style.tables else tables(comparison)
    if for_people and not style.tables:
        shown += failed_tests(comparison)
    if not (style.quiet and for_people):
        sys.stdout.write(render(shown, style.format, width))
    if for_people:
        lines = [*([""] if shown and not style.quiet else []), *messages.report(comparison, kept, width)]
        for leak, replay in zip(comparison.only_together.values(), replays, strict=True):
            lines += [wrapped(messages.only_together(leak), width), f"replay: {replay}"]
        if style.tables == "recall":
            lines += [line for puzzle in comparison.puzzles for line in without_recall(comparison, puzzle)]
        reasons = [*([] if style.quiet else messages.skipped(comparison)), *messages.unproved(comparison)]
        print("\n".join([*lines, *(wrapped(line, width) for line in [*reasons, messages.verdict(comparison)])]))
