"""`compare scale`: how each backend's time grows with the size of the board, and where one
overtakes another.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from math import isfinite

import puzzles
from compare.commands.arguments import (
    DOCUMENT,
    FAMILY,
    FORMAT,
    GRID,
    INPUTS,
    LARGEST_SIZE,
    OUT,
    OUTPUT,
    OVERWRITE,
    QUIET,
    REPEAT,
    RESUME,
    SEED,
    WHO_TAKES_PART,
    contenders,
    records_file,
    settings,
)
from compare.commands.scale.growth_plots import save_growth
from compare.commands.scale.growth_tables import growth_tables, growth_text
from compare.commands.scale.scaling import Scaling, sizes
from compare.engine.campaign.plan import compile_first
from compare.engine.campaign.ratios import MIN_BOARDS
from compare.engine.work.plugins import register_plugins
from compare.engine.work.result import Result
from compare.show.conclusion import Conclusion, printing
from compare.show.messages import spared_lines
from compare.show.table import STYLES
from compare.show.wording import (
    command,
    pass_on,
    progress_bar,
    round_time,
    say_what_is_compiled,
    size_noun,
    warn,
    write,
)
from puzzles.shell.argument_parser import PUZZLE_ARGUMENT, Argument, ArgumentParser, at_least_one
from puzzles.shell.interruption import INTERRUPTED
from puzzles.text import UserError, count_noun

FIRST_SIZE, LAST_SIZE = 8, 500
"""The sizes from which and up to which it goes, unless the user or the family says otherwise."""


def arguments(parser: ArgumentParser) -> None:
    parser.add(
        PUZZLE_ARGUMENT,
        replace(
            FAMILY,
            help="a family of the puzzle (default: its first; `list` names them)",
            metavar="FAMILY",
            repeatable=False,
        ),
        Argument(
            "--smallest",
            f"the first size (default: {FIRST_SIZE}, or the family's first)",
            metavar="N",
            type=at_least_one,
            group=INPUTS,
        ),
        replace(LARGEST_SIZE, help=f"the last size (default: {LAST_SIZE}, or the family's last)"),
        replace(REPEAT, help="boards a size (default: %(default)s)", default=MIN_BOARDS),
        SEED,
        FORMAT,
        QUIET,
        Argument(
            "--plot",
            "draw it, in the format of the file's suffix (needs matplotlib)",
            metavar="FILE",
            group=OUTPUT,
            changes_records=False,
            is_written=True,
        ),
        OUT,
        RESUME,
        OVERWRITE,
        *WHO_TAKES_PART,
        GRID,
        *DOCUMENT,
    )


def conclude(options: argparse.Namespace) -> Conclusion:
    """How the times grow; says it."""
    puzzle = puzzles.find(options.puzzle)
    name = options.family or puzzle.first_family()
    family = puzzle.family(name)
    largest = min(family.most, LAST_SIZE) if options.largest is None else options.largest
    if largest > family.most:
        raise UserError(f"--largest: family {name} ends at size {family.most}, not {largest}")
    if options.smallest is not None and options.smallest > largest:
        raise UserError(
            f"--smallest: {options.smallest} is larger than the last size, {largest}: lower it, or "
            "ask for a larger one (--largest)"
        )
    # Of a family that ends at the usual first size, all sizes are wanted.
    usual = FIRST_SIZE if family.most > FIRST_SIZE else family.least
    smallest = usual if options.smallest is None else options.smallest
    title, unit = f"{puzzle.name}, family {name}", size_noun([puzzle.name])
    if options.plot:
        # Better to fail now than after the measurements.
        save_growth(title, [], options.plot, unit, dry_run=True)
    register_plugins(options.plugin)
    chosen = settings(options)
    scaling = Scaling(puzzle, name, contenders(puzzle, options), chosen, options.seed)
    wanted = sizes(max(family.least, smallest), largest)
    done: list[int] = []
    interrupted = False
    running = len(scaling.running(wanted[0]))
    runs = len(wanted) * options.repeat * running
    if chosen.elsewhere is None:
        compile_first(scaling.contenders, say_what_is_compiled)
    bar = progress_bar(quiet=options.quiet, total=runs, unit="run")
    if isfinite(options.timeout) and not options.quiet:
        pass_on(
            f"at most {round_time(runs * options.timeout)} of solving: "
            f"{count_noun(len(wanted), 'size')} x {count_noun(options.repeat, puzzle.noun)} x "
            f"{count_noun(running, 'contender')} x {options.timeout:g} s (--timeout); starting and "
            "compiling are not counted"
        )

    def note_runs(count: int, left: int) -> None:
        bar.total = count + left
        bar.update(count - bar.n)

    with records_file(options, chosen, runs) as file, bar:
        bar.set_postfix_str(f"{title}, {wanted[0]}")
        try:
            for size in scaling.run(wanted, file, note_runs):
                done.append(size)
                bar.set_postfix_str(f"{title}, after {size}")
            if file is not None:
                file.planned = len(scaling.results)  # those who were stopped are not run again
        except KeyboardInterrupt:
            interrupted = True
    series, comparison = list(scaling.series.values()), scaling.comparison
    for_people = options.format in STYLES
    if options.format != "json" and not (options.quiet and for_people):
        boards = options.repeat, puzzle.noun
        write(growth_text(title, series, done, options.format, boards, unit), end="")

    def generate_line(result: Result) -> str:
        """The command that prints the board of a result."""
        size = wanted[(result.case - 1) // options.repeat]
        words = ["generate", puzzle.origin.argument, name, str(size)]
        return command(words, {"--seed": str(result.seed)})

    shown = write if for_people else warn
    for conflict in comparison.conflicts:
        for pair in conflict.pairs:
            names = " and ".join(result.contender for result in pair)
            again = generate_line(conflict.results[0])
            shown(f"CONFLICT of {names}: {again} gives the {puzzle.noun}")
    if not options.quiet:
        for line in spared_lines(comparison):
            shown(line)
    if options.plot:
        save_growth(title, series, options.plot, unit)
    return Conclusion.of(
        comparison,
        INTERRUPTED if interrupted else comparison.exit_status(),
        growth_tables(series, done, unit),
        generate_line,
        scaling.results,
        f"{len(done)} of {count_noun(len(wanted), 'size')}",
    )


main = printing(conclude)
