"""`compare peers`: ours against other packages on the same inputs."""

from __future__ import annotations

import argparse
import os
import sys
from statistics import median

from tabulate import tabulate
from tqdm import tqdm

from compare.commands.run import at_least_one, at_least_zero, positive
from compare.measure import peers, races
from compare.show.table import seconds
from compare.work.worker import ENVIRONMENT
from puzzles.extras import install
from puzzles.text import UserError


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("peer", nargs="*", metavar="PEER", help=f"{', '.join(peers.names())} (default: all that are installed)")
    parser.add_argument("--seed", type=at_least_zero, default=1, metavar="N", help="the inputs' seed (default: 1)")
    parser.add_argument("--repeat", type=at_least_one, default=5, metavar="N", help="timings a side and input (default: 5)")
    parser.add_argument(
        "--timeout", type=positive, default=10.0, metavar="S", help="seconds after which a peer is stopped (default: 10)"
    )
    parser.add_argument("--format", choices=("table", "markdown"), default="table", help="how to print the table")


def main(options: argparse.Namespace) -> int:
    """Race every peer in turn; 1 where results differ or a side fails, 2 where a peer that was named is not installed."""
    os.environ.update(ENVIRONMENT)
    wanted = [peers.get(name) for name in options.peer or peers.names()]
    missing = [peer.name for peer in wanted if peer.version is None]
    if missing and (options.peer or len(missing) == len(wanted)):
        raise UserError(f"{', '.join(missing)} not installed: {install('peers')}")
    rows: list[dict[str, str]] = []
    wrong: list[str] = []
    with tqdm(total=sum(len(peer.races) for peer in wanted), unit="race", disable=None, leave=False) as bar:
        for peer in wanted:
            for each in peer.races if peer.version else ():
                bar.set_postfix_str(f"{peer.name}, {each.name}")
                outcome = races.run(each, options.seed, options.repeat, options.timeout)
                rows.append({"peer": f"{peer.name} {peer.version}", **_row(outcome)})
                wrong += [f"{peer.name}, {each.name}, {heat.name}: {heat.wrong}" for heat in outcome.heats if heat.wrong]
                bar.update()
    print(tabulate(rows, headers="keys", tablefmt="github" if options.format == "markdown" else "simple", disable_numparse=True))
    if any(">" in row["ratio"] for row in rows):
        print(f"> a lower bound: the peer was stopped after {options.timeout:g} s on some inputs")
    for name in missing:
        print(f"{name}: not installed: {install('peers')}", file=sys.stderr)
    print("\n".join(["", *wrong, f"{len(wrong)} DIFFER OR FAIL" if wrong else "ALL AGREE"]))
    return 1 if wrong else 0


def _row(outcome: races.Outcome) -> dict[str, str]:
    """CPU seconds are medians over the inputs; the ratio is their geometric mean."""
    timed, each = outcome.timed, outcome.race
    row = {"job": each.name, "inputs": str(len(outcome.heats)), "ours": "", "theirs": "", "ratio": "", "least": ""}
    row |= {"by": f"{each.ours} / {each.theirs}"}
    if timed:
        stopped = any(heat.stopped is not None for heat in timed)
        bound = "> " if stopped else ""
        row["ours"] = seconds(median(float(median(heat.ours)) for heat in timed))
        row["theirs"] = bound + seconds(median(heat.stopped or float(median(heat.theirs)) for heat in timed))
        row["ratio"] = f"{bound}{outcome.ratio:.3g}"
        if outcome.interval is not None:
            low, high = outcome.interval
            row["ratio"] += f" ({low:.3g} to {high:.3g})"
        row["least"] = f"{min(heat.ratio for heat in timed):.3g}"
        row["faster on"] = f"{sum(heat.ratio > 1 for heat in timed)} of {len(timed)}"
        if each.target:
            row["target"] = f"{each.target:g}"
    return row
