"""`compare peers`: ours against other packages on the same inputs."""

from __future__ import annotations

import argparse
import os
import sys
from statistics import median

from tqdm import tqdm

from compare.commands.arguments import at_least_one, at_least_zero, positive, style_argument
from compare.measure import peers, races
from compare.measure.races import RaceResult
from compare.show.cells import Cell, Count, Ratio, Seconds, Text
from compare.show.table import Column, Table, for_terminal
from compare.work.worker import ENVIRONMENT
from puzzles.extras import install
from puzzles.streams import visible
from puzzles.text import UserError


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("peer", nargs="*", metavar="PEER", help=f"{', '.join(peers.names())} (default: all that are installed)")
    parser.add_argument("--seed", type=at_least_zero, default=1, metavar="N", help="the inputs' seed (default: 1)")
    parser.add_argument("--repeat", type=at_least_one, default=5, metavar="N", help="timings a side and input (default: 5)")
    parser.add_argument(
        "--timeout", type=positive, default=10.0, metavar="S", help="seconds after which a peer is stopped (default: 10)"
    )
    style_argument(parser)


def main(options: argparse.Namespace) -> int:
    """Race every peer in turn; 1 if results differ or a side fails, 2 if a peer that was named is not installed."""
    os.environ.update(ENVIRONMENT)
    wanted = [peers.get(name) for name in options.peer or peers.names()]
    missing = [peer.name for peer in wanted if peer.version is None]
    if missing and (options.peer or len(missing) == len(wanted)):
        raise UserError(f"{', '.join(missing)} not installed: {install('peers')}")
    results: list[tuple[str, RaceResult]] = []
    wrong: list[str] = []
    with tqdm(total=sum(len(peer.races) for peer in wanted), unit="race", disable=None, leave=False) as bar:
        for peer in wanted:
            for race in peer.races if peer.version else ():
                bar.set_postfix_str(f"{peer.name}, {race.name}")
                result = races.run(race, options.seed, options.repeat, options.timeout)
                results.append((f"{peer.name} {peer.version}", result))
                wrong += [visible(f"{peer.name}, {race.name}, {each.name}: {each.wrong}") for each in result.inputs if each.wrong]
                bar.update()
    print(for_terminal(Table.of("", COLUMNS, results).without_empty_columns(), options.format))
    if any(result.stopped for _, result in results):
        print(f"> at least this: the peer was stopped after {options.timeout:g} s on some inputs")
    for name in missing:
        print(f"{name}: not installed: {install('peers')}", file=sys.stderr)
    print("\n".join(["", *wrong, f"{len(wrong)} DIFFER OR FAIL" if wrong else "ALL AGREE"]))
    return 1 if wrong else 0


def _ours(result: RaceResult) -> Cell:
    return Seconds(median(float(median(each.ours)) for each in result.timed) if result.timed else None)


def _theirs(result: RaceResult) -> Cell:
    times = [each.stopped or float(median(each.theirs)) for each in result.timed]
    return Seconds(median(times) if times else None, result.stopped)


def _ratio(result: RaceResult) -> Cell:
    return Ratio(result.ratio, result.interval, result.stopped) if result.timed else Ratio(None)


def _least(result: RaceResult) -> Cell:
    return Ratio(min((each.ratio for each in result.timed), default=None))


def _faster_on(result: RaceResult) -> Cell:
    return Text(f"{sum(each.ratio > 1 for each in result.timed)} of {len(result.timed)}" if result.timed else "")


COLUMNS: list[Column[tuple[str, RaceResult]]] = [
    Column("peer", lambda item: Text(item[0])),
    Column("job", lambda item: Text(item[1].race.name)),
    Column("inputs", lambda item: Count(len(item[1].inputs))),
    Column("ours", lambda item: _ours(item[1])),
    Column("theirs", lambda item: _theirs(item[1])),
    Column("ratio", lambda item: _ratio(item[1])),
    Column("least", lambda item: _least(item[1])),
    Column("by", lambda item: Text(f"{item[1].race.ours} / {item[1].race.theirs}")),
    Column("faster on", lambda item: _faster_on(item[1])),
    Column("target", lambda item: Text(f"{item[1].race.target:g}" if item[1].race.target else "")),
]
"""CPU seconds are medians over the inputs; the ratio is their geometric mean."""
