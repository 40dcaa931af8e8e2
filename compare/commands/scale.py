"""`compare scale`: how each backend's time grows with the size of the board, and where one overtakes another."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from itertools import combinations
from math import isfinite

from tabulate import tabulate
from tqdm import tqdm

import puzzles
from compare.commands.run import at_least_one, at_least_zero, contenders, settings, shared_arguments
from compare.measure.growth import Series, crossover, fit
from compare.measure.scaling import Race, plot, sizes
from compare.show.table import seconds


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("puzzle", metavar="PUZZLE", help=", ".join(puzzles.names()))
    parser.add_argument("--family", metavar="FAMILY", help="a family of the puzzle (default: its first; `list` names them)")
    parser.add_argument("--smallest", type=at_least_one, default=8, metavar="N", help="the first size (default: 8)")
    parser.add_argument("--largest", type=at_least_one, default=500, metavar="N", help="the last size (default: 500)")
    parser.add_argument("--repeat", type=at_least_one, default=3, metavar="N", help="boards a size (default: 3)")
    parser.add_argument("--seed", type=at_least_zero, default=1, metavar="N", help="the first board's seed (default: 1)")
    parser.add_argument("--plot", metavar="FILE", help="draw it, in the format of the file's suffix (needs matplotlib)")
    parser.add_argument("--format", choices=("table", "markdown"), default="table", help="how to print the tables")
    shared_arguments(parser, checks=False)


def main(options: argparse.Namespace) -> int:
    puzzle = puzzles.get(options.puzzle)
    name = options.family or next(iter(puzzle.families))
    family = puzzle.family(name)
    title = f"{puzzle.name}, family {name}"
    if options.plot:
        plot(title, [], options.plot)  # what is wrong with it is better said now
    race = Race(family, contenders(puzzle, options), settings(options), options.seed)
    wanted = sizes(max(family.least, options.smallest), options.largest)
    done: list[int] = []
    status = 0
    with tqdm(total=len(wanted), unit="size", disable=None, leave=False) as bar:
        try:
            for size in race.run(wanted):
                done.append(size)
                bar.set_postfix_str(f"{title}, {size}")
                bar.update()
        except KeyboardInterrupt:
            print(f"interrupted after {len(done)} of {len(wanted)} sizes", file=sys.stderr)
            status = 130
    series = list(race.series.values())
    print(report(title, series, done, options.format, options.repeat))
    for conflict in race.conflicts:
        print(
            f"CONFLICT of {' and '.join(conflict.names)}: "
            f"python -m compare generate {puzzle.name} {name} {conflict.size} --seed {conflict.seed} gives the board"
        )
    if options.plot:
        plot(title, series, options.plot)
    return 1 if race.conflicts else status


def report(title: str, series: Sequence[Series], done: Sequence[int], format: str, repeats: int) -> str:
    """Medians by size, then each contender's growth and how it stands against the first, then who overtakes whom where."""
    style = "github" if format == "markdown" else "simple"
    medians = [{"size": size, **{each.name: _median(each, size) for each in series}} for size in done]
    growth = [_growth(each, series[0]) for each in series]
    crossings = [_crossing(a, b) for a, b in combinations(series, 2)]
    boards = "1 board" if repeats == 1 else f"{repeats} boards"
    return "\n\n".join(
        [
            f"{title}: medians of {boards} a size",
            tabulate(medians, headers="keys", tablefmt=style, disable_numparse=True),
            tabulate(growth, headers="keys", tablefmt=style, disable_numparse=True),
            "\n".join(crossings),
        ]
    ).rstrip()


def _median(series: Series, size: int) -> str:
    median = series.at(size)
    if median is None:
        return ""
    return seconds(median) if isfinite(median) else f"over {seconds(series.limit)}"


def _growth(series: Series, first: Series) -> dict[str, str]:
    line = fit(series)
    row = {"backend": series.name, "time grows as": "too few sizes", "fitted to": ""}
    if line is not None:
        low, high = line.interval
        row["time grows as"] = f"cells^{line.exponent:.2f} ({low:.2f} to {high:.2f})"
        row["fitted to"] = f"{line.sizes} sizes" + (", fixed costs included" if line.fixed else "")
    parts: list[str] = []
    both = [point for point in series.points if isfinite(point.median) and isfinite(first.at(point.size) or 0)]
    if both and series is not first:
        last = both[-1]
        ratio = last.median / (first.at(last.size) or last.median)
        parts.append(f"{_times(ratio)} slower at {last.size}" if ratio >= 1 else f"{_times(1 / ratio)} faster at {last.size}")
    if series.stopped is not None:
        parts.append(series.stopped if series.stopped_at is None else f"{series.stopped} at {series.stopped_at}")
    row[f"against {first.name}"] = ", ".join(parts)
    return row


def _times(ratio: float) -> str:
    return f"{ratio:.2g} times" if ratio < 10 else f"{ratio:.0f} times"


def _crossing(a: Series, b: Series) -> str:
    found = crossover(a, b)
    if found is None:
        return f"{a.name} and {b.name}: no size in common"
    if found.size is None:
        return f"{found.fast} is faster than {found.slow} on every size"
    return f"{found.fast} is faster than {found.slow} from about size {found.size:.0f} on"
