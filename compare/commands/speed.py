"""`compare speed`: the whole table of speed in one go."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from time import monotonic

from tqdm import tqdm

from compare.commands.arguments import at_least_one, at_least_zero, positive, style_argument
from compare.measure import peers
from compare.measure.peers import Peer
from compare.measure.speed.figure import ABOUT, Part, SpeedFigure
from compare.measure.speed.measuring import jobs_of, measure_all
from compare.measure.speed.plan import SpeedJob, SpeedPlan
from compare.measure.speed.speed_file import SpeedWriter, open_speed_file, read_speed_file
from compare.show.tables.speed_tables import speed_tables
from compare.show.tables.table import for_terminal
from compare.work.worker import ENVIRONMENT
from puzzles.extras import install
from puzzles.shell.streams import visible
from puzzles.text import UserError

LONGEST_S = 600.0
"""Seconds that a measurement takes at most, unless --seconds says otherwise."""

_BAR = "{n_fmt}/{total_fmt} jobs |{bar}| [{elapsed}{postfix}]"

SHORT = SpeedPlan(repeats=1, fuzz_s=2.0, limit_s=0.2, largest=100, timeout=1.0)
"""A measurement that shows what there is; its figures are rough."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "peer",
        nargs="*",
        metavar="PEER",
        help=f"races against these packages alone: {', '.join(peers.names())} (default: every part, every installed peer)",
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        choices=[str(part) for part in Part],
        help="this part alone; may be repeated: " + "; ".join(f"{part}: {about}" for part, about in ABOUT.items()),
    )
    parser.add_argument("--short", action="store_true", help="a few minutes at most: one repeat, small boards, rough figures")
    parser.add_argument(
        "--repeat", type=at_least_one, metavar="N", help="repeats (default: 3); a short command is started twice for each"
    )
    parser.add_argument("--seed", type=at_least_zero, default=1, metavar="N", help="the inputs' seed (default: 1)")
    parser.add_argument("--timeout", type=positive, metavar="S", help="seconds after which a peer is stopped (default: 5)")
    parser.add_argument(
        "--seconds", type=positive, default=LONGEST_S, metavar="S", help="begin nothing after S seconds (default: 600)"
    )
    parser.add_argument("--out", metavar="FILE.jsonl", help="write each figure as a line of JSON, for `compare diff` and --from")
    parser.add_argument("--overwrite", action="store_true", help="begin FILE.jsonl anew, whatever it holds")
    parser.add_argument("--from", dest="kept", metavar="FILE.jsonl", help="measure nothing: print the tables of this file")
    style_argument(parser)


def main(options: argparse.Namespace) -> int:
    """Measure and print; 1 if something fails or results differ, 2 if a named peer is not installed, 130 if interrupted."""
    if options.overwrite and options.out is None:
        raise UserError("--overwrite begins a file anew: name it with --out")
    parts = [Part(name) for name in options.only] or ([Part.RACES] if options.peer else list(Part))
    if options.peer and Part.RACES not in parts:
        raise UserError(f"{options.peer[0]}: a peer takes part in races alone, and --only leaves them out")
    if options.kept is not None:
        if options.out is not None:
            raise UserError("--from measures nothing, so there is nothing for --out to keep")
        kept = read_speed_file(options.kept).figures
        return _report([figure for figure in kept if figure.part in parts and _takes_part(figure, options.peer)], options.format)
    os.environ.update(ENVIRONMENT)
    installed, missing = _peers(options.peer, parts)
    figures: list[SpeedFigure] = []
    left_out: list[str] = []
    interrupted = False
    with _writer(options) as writer:
        try:
            for job, measured in measure_all(_with_progress(jobs_of(parts, installed)), _plan(options)):
                for figure in measured or ():
                    figures.append(figure)
                    if writer is not None:
                        writer.add(figure)
                if measured is None:
                    left_out.append(f"{job.part} {job.name}")
        except KeyboardInterrupt:
            print("interrupted", file=sys.stderr)
            interrupted = True
    for peer in missing:
        print(f"{peer.name}: not installed: {install('peers')}", file=sys.stderr)
    status = _report(figures, options.format, unfinished=interrupted or bool(left_out))
    if left_out:
        print(f"not measured, because {options.seconds:g} s were over: {'; '.join(left_out)}")
    return 130 if interrupted else status


def _plan(options: argparse.Namespace) -> SpeedPlan:
    usual = SHORT if options.short else SpeedPlan()
    return replace(
        usual,
        repeats=options.repeat or usual.repeats,
        seed=options.seed,
        timeout=options.timeout or usual.timeout,
        ends=monotonic() + options.seconds,
    )


def _peers(named: Sequence[str], parts: Sequence[Part]) -> tuple[list[Peer], list[Peer]]:
    """The peers that take part, and those that are not installed; raises `UserError` if a named one is not, or nobody is left."""
    if Part.RACES not in parts:
        return [], []
    wanted = [peers.get(name) for name in dict.fromkeys(named or peers.names())]
    installed = [peer for peer in wanted if peer.version is not None]
    missing = [peer for peer in wanted if peer.version is None]
    if missing and (named or (not installed and len(parts) == 1)):
        raise UserError(f"{', '.join(peer.name for peer in missing)} not installed: {install('peers')}")
    return installed, missing


@contextmanager
def _writer(options: argparse.Namespace) -> Iterator[SpeedWriter | None]:
    """Where the figures are kept, if they are."""
    if options.out is None:
        yield None
    else:
        with open_speed_file(options.out, options.words, overwrite=options.overwrite) as writer:
            yield writer


def _with_progress(jobs: Sequence[SpeedJob]) -> Iterator[SpeedJob]:
    """The jobs, with a bar on stderr that names the one under way."""
    with tqdm(total=len(jobs), disable=None, leave=False, bar_format=_BAR) as bar:
        for job in jobs:
            bar.set_postfix_str(f"{job.part} {job.name}")
            yield job
            bar.update()


def _takes_part(figure: SpeedFigure, named: Sequence[str]) -> bool:
    """Whether a figure that was kept is to be printed: a race only if its peer is named, or nobody is."""
    return not named or figure.part is not Part.RACES or figure.name.partition(", ")[0] in named


def _report(figures: Sequence[SpeedFigure], format: str, *, unfinished: bool = False) -> int:
    """Print the tables, what went wrong and the verdict; returns the exit status. `unfinished`: something was not measured."""
    if not figures:
        print("NOTHING MEASURED")
        return 2
    for table in speed_tables(figures):
        print(f"{table.title}\n\n{for_terminal(table, format)}\n")
    if any(figure.stopped for figure in figures):
        print("> at least this: the peer was stopped on some inputs\n")
    wrong = [f"{figure.part} {figure.name}: {each}" for figure in figures for each in figure.wrong]
    for line in wrong:
        print(visible(line))
    print(f"{len(wrong)} DIFFER OR FAIL" if wrong else "UNFINISHED" if unfinished else "ALL AGREE")
    return 1 if wrong else 0
