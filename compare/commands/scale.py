"""`compare scale`: how each backend's time grows with the size of the board, and where one overtakes another."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from itertools import combinations
from math import isfinite

from tqdm import tqdm

import puzzles
from compare.commands.arguments import (
    at_least_one,
    contender_arguments,
    contenders,
    extended_argument,
    puzzle_argument,
    seed_argument,
    settings,
    style_argument,
)
from compare.isolate.outcome import Status
from compare.measure.growth import Fit, GrowthSeries, fit
from compare.measure.scaling import Scaling, sizes
from compare.show.nouns import size_noun
from compare.show.overtaking import crossing
from compare.show.report.plots import save_growth
from compare.show.tables.cells import Text
from compare.show.tables.figures import CP_SAT, MARKS, WITH_START, seconds
from compare.show.tables.table import Column, Table, for_terminal
from compare.work.foreign.plugins import register_plugins
from puzzles.text import UserError, counted


def arguments(parser: argparse.ArgumentParser) -> None:
    puzzle_argument(parser)
    parser.add_argument("--family", metavar="FAMILY", help="a family of the puzzle (default: its first; `list` names them)")
    parser.add_argument("--smallest", type=at_least_one, default=8, metavar="N", help="the first size (default: 8)")
    parser.add_argument("--largest", type=at_least_one, default=500, metavar="N", help="the last size (default: 500)")
    parser.add_argument("--repeat", type=at_least_one, default=3, metavar="N", help="boards a size (default: 3)")
    seed_argument(parser)
    parser.add_argument("--plot", metavar="FILE", help="draw it, in the format of the file's suffix (needs matplotlib)")
    style_argument(parser)
    contender_arguments(parser, checks=False)
    extended_argument(parser)


def main(options: argparse.Namespace) -> int:
    puzzle = puzzles.find(options.puzzle)
    name = options.family or next(iter(puzzle.families))
    family = puzzle.family(name)
    if options.largest > family.most:
        raise UserError(f"--largest: family {name} ends at size {family.most}, not {options.largest}")
    title, of = f"{puzzle.name}, family {name}", size_noun([puzzle.name])
    if options.plot:
        save_growth(title, [], options.plot, of)  # better to fail now than after the measurements
    register_plugins(options.plugin)
    scaling = Scaling(puzzle, name, contenders(puzzle, options), settings(options), options.seed)
    wanted = sizes(max(family.least, options.smallest), options.largest)
    done: list[int] = []
    status = 0
    with tqdm(total=len(wanted), unit="size", disable=None, leave=False) as bar:
        try:
            for size in scaling.run(wanted):
                done.append(size)
                bar.set_postfix_str(f"{title}, {size}")
                bar.update()
        except KeyboardInterrupt:
            print(f"interrupted after {len(done)} of {len(wanted)} sizes", file=sys.stderr)
            status = 130
    series = list(scaling.series.values())
    print(report(title, series, done, options.format, counted(options.repeat, puzzle.noun), of))
    for conflict in scaling.comparison.conflicts:
        task = conflict.records[0].task
        again = f"python -m compare generate {puzzle.home.argument} {name} {task.dataset} --seed {task.seed}"
        for pair in conflict.pairs:
            names = " and ".join(record.task.contender for record in pair)
            print(f"CONFLICT of {names}: {again} gives the {puzzle.noun}")
    if options.plot:
        save_growth(title, series, options.plot, of)
    broken = {Status.CRASH, Status.ERROR} & scaling.comparison.tally.statuses.keys()
    return 1 if scaling.comparison.conflict_count or broken else status


def report(title: str, series: Sequence[GrowthSeries], done: Sequence[int], format: str, repeats: str, of: str = "cells") -> str:
    """Medians by size, then each contender's growth and its time against the first one's, then who overtakes whom.

    `repeats`: how many instances a size has, such as `3 boards`; `of`: what a size counts, `cells` of boards.
    """
    first = series[0]
    medians: list[Column[int]] = [
        Column("size", lambda size: Text(str(size))),
        *(Column(each.label, lambda size, each=each: Text(_median(each, size))) for each in series),
    ]
    growth: list[Column[tuple[GrowthSeries, Fit | None]]] = [
        Column("backend", lambda each: Text(each[0].label)),
        Column("time grows as", lambda each: Text(_growth(*each, of))),
        Column("fitted to", lambda each: Text(_fitted_to(each[1]))),
        Column(f"against {first.name}", lambda each: Text(_against(each[0], first))),
    ]
    crossings = [crossing(a, b) for a, b in combinations(series, 2)]
    return "\n\n".join(
        part
        for part in [
            f"{title}: medians of {repeats} a size",
            for_terminal(Table.of("", medians, done), format),
            for_terminal(Table.of("", growth, [(each, fit(each)) for each in series]), format),
            "\n".join(crossings),
            MARKS[WITH_START] if any(each.with_start for each in series) else "",
            MARKS[CP_SAT] if any(CP_SAT in each.name for each in series) else "",
        ]
        if part
    )


def _median(series: GrowthSeries, size: int) -> str:
    median = series.at(size)
    if median is None:
        return ""
    return seconds(median) if isfinite(median) else f"over {seconds(series.limit)}"


def _growth(series: GrowthSeries, line: Fit | None, of: str) -> str:
    """The exponent, if its interval lies above 0. Where the fixed cost of a call rules every size, no growth is to be seen."""
    if series.fixed_cost is not None and (line is None or line.fixed):
        return f"not to be seen: {_fixed_cost(series)}"
    if line is None:
        return "too few sizes"
    if not line.grows:
        return "not certain to grow"
    low, high = line.interval
    return f"{of}^{line.exponent:.2f} ({low:.2f} to {high:.2f})"


def _fixed_cost(series: GrowthSeries) -> str:
    what = "the start of its process" if series.with_start else "the fixed cost of a call"
    return f"{what} rules, about {seconds(series.fixed_cost or 0.0)}"


def _fitted_to(line: Fit | None) -> str:
    return "" if line is None else f"{line.sizes} sizes" + (", fixed costs included" if line.fixed else "")


def _against(series: GrowthSeries, first: GrowthSeries) -> str:
    """The ratio to the first contender at the largest size that both reached, and why this one was stopped."""
    parts: list[str] = []
    both = [point for point in series.points if isfinite(point.median) and isfinite(first.at(point.size) or 0)]
    if both and series is not first:
        last = both[-1]
        ratio = last.median / (first.at(last.size) or last.median)
        parts.append(f"{_times(ratio)} slower at {last.size}" if ratio >= 1 else f"{_times(1 / ratio)} faster at {last.size}")
        if ratio >= 1 and series.fixed_cost is not None:
            parts.append(_fixed_cost(series))
    if series.stopped is not None:
        parts.append(series.stopped if series.stopped_at is None else f"{series.stopped} at {series.stopped_at}")
    return ", ".join(parts)


def _times(ratio: float) -> str:
    return f"{ratio:.2g} times" if ratio < 10 else f"{ratio:.0f} times"
