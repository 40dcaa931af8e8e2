"""`compare run`: backends and programs on datasets.

`run_plan.py` says what there is to do; in `compare/engine`, `campaign/plan.py` reads the boards.
`campaign.py` here hands them out, and keeps the file and the bar. `work/asking.py` asks a contender
for its answer to a board: `work/solving.py` solves and times, `work/judging.py` checks.
`campaign/comparison.py` compares the answers. `comparison_tables.py` makes the tables; those of
`--show` are in `views.py`, which says what is wrong, too. In `compare/show`, `messages.py` has the
last line, which is the verdict, and `conclusion.py` what `main` and `compare.run` return.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from msgspec.structs import replace as with_fields

import puzzles
from compare.commands.arguments import (
    CASES,
    CONTENDERS,
    DOCUMENT,
    FAMILY,
    FORMAT,
    GRID,
    JOBS,
    NO_CHECK,
    OUT,
    OUTPUT,
    OVERWRITE,
    QUIET,
    REPEAT,
    RESUME,
    SEED,
    SIZE,
    STRICT,
    WHO_TAKES_PART,
    again,
    records_file,
    settings,
    words_that_count,
)
from compare.commands.run.campaign import LateDataset, run_campaign
from compare.commands.run.run_plan import DEFAULT_SIZE, RunPlan, plan_of
from compare.commands.run.views import (
    VIEWS,
    comparison_text,
    failed_tests,
    only_together,
    scored_boards,
    tables,
    without_recall,
)
from compare.engine.campaign.comparison import Comparison
from compare.engine.campaign.plan import Dataset
from compare.engine.work.result import Result
from compare.show.conclusion import Conclusion, printing
from compare.show.table import PAR2, STYLES, Table
from compare.show.wording import command, write
from puzzles.shell.argument_parser import PUZZLE_ARGUMENT, Argument, ArgumentParser
from puzzles.shell.interruption import INTERRUPTED
from puzzles.text import COMPRESSED, UserError, escape


def arguments(parser: ArgumentParser) -> None:
    parser.add(
        replace(
            PUZZLE_ARGUMENT, help=f"{PUZZLE_ARGUMENT.help} (default: all built-in ones)", nargs="?"
        ),
        Argument(
            "path",
            "input files, or folders of *.in (formula: *.cnf, *.icnf or *.wcnf), also compressed "
            f"({', '.join(COMPRESSED)}); NAME.ans, NAME.out or NAME.a beside NAME.in has the "
            "expected answers (default: the bundled datasets)",
            metavar="PATH",
            nargs="*",
            is_read=True,
        ),
        *WHO_TAKES_PART,
        NO_CHECK,
        GRID,
        Argument(
            "-k",
            "only puzzles, datasets, backends with such names (and, or, not)",
            metavar="EXPR",
            dest="expression",
            group=CONTENDERS,
        ),
        replace(
            FAMILY,
            help="boards of this family in place of files; `list` names the families; repeatable",
        ),
        replace(CASES, help="boards of each family and size (default: 1)"),
        replace(SEED, default=None),
        replace(
            SIZE,
            help=f"about N x N cells of a board (default: {DEFAULT_SIZE})",
            nargs="+",
        ),
        replace(
            REPEAT,
            help="solve each board N times (tables show medians); each answer of foreign code is "
            "checked",
            default=1,
        ),
        replace(
            JOBS,
            help="runs timed at once; more than one makes the timings less reliable",
            default=1,
        ),
        FORMAT,
        Argument(
            "--wide",
            "whole tables, however long their lines (as they are where the output is no terminal)",
            group=OUTPUT,
            changes_records=False,
        ),
        QUIET,
        replace(
            STRICT,
            help="exit with status 3 where something stayed unproved, skipped or unfinished",
        ),
        Argument(
            "--show",
            "another table: tests, what each contender did on each board, with its seconds; "
            "sizes, what each formula costs, board by board, above the backends' default limits "
            "too; recall, which share of what is certain the incomplete backends find, beside the "
            "default direct one; gaps, board by board, how far each solution is from the best "
            "known one, and was while it was searched for",
            metavar="|".join(VIEWS),
            choices=VIEWS,
            group=OUTPUT,
            changes_records=False,
        ),
        Argument(
            "--reference",
            "whose time is 1 in the row `times as long`: a backend, a side, a solver in @, or a "
            "program (default: the first complete one, which is direct's)",
            metavar="NAME",
            group=OUTPUT,
            changes_records=False,
        ),
        OUT,
        RESUME,
        OVERWRITE,
        *DOCUMENT,
    )


def conclude(options: argparse.Namespace) -> Conclusion:
    """What the runs came to; says it. Raises `UserError` if nothing can be run."""
    if not options.family and (options.size or options.cases or options.seed is not None):
        raise UserError("--size, --cases and --seed need --family F")
    if options.family and (options.puzzle is None or options.path):
        raise UserError("--family needs one PUZZLE and no PATH")
    chosen = settings(options)
    run_plan = plan_of(options, chosen)
    results: list[Result] = []
    with records_file(options, chosen, run_plan.runs) as file:
        comparison, interrupted = run_campaign(
            run_plan.asks,
            chosen,
            quiet=options.quiet,
            file=file,
            keep=results.append if options.results else None,
            late=run_plan.late,
            cannot_read=run_plan.note_unreadable,
        )
    run_plan.refuse_if_all_unreadable()
    replay = partial(_replay, every=run_plan.datasets, options=options)
    shown = tables(comparison, options.show, options.reference, options.timeout)
    if options.format != "json":
        write(_text(comparison, shown, run_plan, replay, options), end="")
    status = comparison.exit_status(bad_input=bool(run_plan.unreadable), strict=options.strict)
    conclusion = Conclusion.of(
        comparison,
        INTERRUPTED if interrupted else status,
        shown,
        replay,
        results,
    )
    return with_fields(
        conclusion,
        faults=[*run_plan.unreadable, *conclusion.faults],
        tallies=[*run_plan.tallies, *conclusion.tallies],
    )


main = printing(conclude)


def _text(
    comparison: Comparison,
    shown: Sequence[Table],
    run_plan: RunPlan,
    replay: Callable[[Result], str],
    options: argparse.Namespace,
) -> str:
    """What is printed: the tables, and what is wrong."""
    more: list[str] = []
    for leak in comparison.only_together.values():
        more += [only_together(leak), f"replay: {replay(leak.first)}"]
    if options.show == "recall":
        more += [line for part in comparison.puzzles.values() for line in without_recall(part)]
    if comparison.missing and any(PAR2 in (each.title + str(each.headings)) for each in shown):
        more += [scored_boards(part) for part in comparison.puzzles.values()]
    if run_plan.late and run_plan.unreadable:
        more.append(
            f"UNREADABLE: {len(run_plan.unreadable)} of {len(run_plan.late)} files; see above"
        )
    for_people = options.format in STYLES and options.show is None
    return comparison_text(
        comparison,
        [*shown, *(failed_tests(comparison) if for_people and options.program else [])],
        options.format,
        quiet=options.quiet,
        wide=options.wide,
        kept=options.out,
        more=more,
    )


def _replay(
    result: Result, every: Iterable[Dataset | LateDataset], options: argparse.Namespace
) -> str:
    """The command that runs the contenders again on the dataset of a result."""
    dataset = next(
        each
        for each in every
        if result.digest in each.digests
        and (result.dataset, result.file) == (escape(each.name), each.file and escape(each.file))
    )
    if dataset.path is not None:
        return again(puzzles.get(result.puzzle), Path(dataset.path), options)
    words = words_that_count(options.parser, command(options.words, {}))
    if options.expression is None and not options.path and not options.family:
        words += ["-k", dataset.name]
    return shlex.join(words)
