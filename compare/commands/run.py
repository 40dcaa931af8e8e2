"""`compare run`: backends and programs on sets of boards."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tqdm import tqdm

import puzzles
from compare import environment, plan, table
from compare.contender import Contender, choose, programs
from compare.record import Record
from compare.run import Settings, Task, records, tasks
from compare.sandbox import Limits, Status
from compare.worker import load_plugin
from puzzles.puzzle import Puzzle, Verdict
from puzzles.text import InputError, UserError

MOST_SHOWN = 10
"""Disagreements, and failures, that are printed in full; the rest is counted."""


def shared_arguments(parser: argparse.ArgumentParser, *, checks: bool = True) -> None:
    """What `run` and the other subcommands that run contenders have in common; `checks`: whether they check answers."""
    parser.add_argument(
        "-b", "--backend", action="append", default=[], metavar="BACKEND", help="direct, models, side:name or name; may be repeated"
    )
    parser.add_argument(
        "--program",
        action="append",
        default=[],
        metavar="NAME=COMMAND",
        help="a program that reads the contest's input and prints its output",
    )
    parser.add_argument(
        "--partial", action="append", default=[], metavar="NAME", help="a program that claims only part of an answer"
    )
    parser.add_argument("--plugin", action="append", default=[], metavar="FILE", help="a Python file that registers backends")
    parser.add_argument("--answers", metavar="F", help="the answer format of programs and *.ans files")
    parser.add_argument("--solver", metavar="S", help="the SAT solver of the backends that take one")
    parser.add_argument("--timeout", type=positive, default=10.0, metavar="S", help="seconds a run (default: 10)")
    parser.add_argument("--memory", type=positive, metavar="MB", help="resident megabytes a run, its children included")
    if checks:
        parser.add_argument("--no-check", action="store_true", help="relate answers, but check none")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("puzzle", nargs="?", metavar="PUZZLE", help=f"{', '.join(puzzles.names())} (default: all)")
    parser.add_argument(
        "path", nargs="*", metavar="PATH", help="input files, or folders of *.in with optional *.ans (default: the bundled sets)"
    )
    shared_arguments(parser)
    parser.add_argument("--format", choices=table.FORMATS, default="table", help="how to print the tables")
    parser.add_argument(
        "--repeat", type=at_least_one, default=1, metavar="N", help="solve each board N times (tables show medians)"
    )
    parser.add_argument(
        "--jobs", type=at_least_one, default=1, metavar="N", help="runs at once; more than one makes the timings less reliable"
    )
    parser.add_argument("--out", metavar="FILE.jsonl", help="write a header and one line of JSON a run, as each ends")
    parser.add_argument(
        "--strict", action="store_true", help="exit with status 3 where something stayed unproved, skipped or unfinished"
    )


def positive(text: str) -> float:
    value = float(text)
    if not value > 0:
        raise argparse.ArgumentTypeError(f"must be more than 0, not {text}")
    return value


def at_least_one(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, not {text}")
    return value


def settings(options: argparse.Namespace) -> Settings:
    """The settings that the shared arguments ask for."""
    memory = None if options.memory is None else int(options.memory * 2**20)
    return Settings(
        Limits(options.timeout, memory),
        getattr(options, "repeat", 1),
        not getattr(options, "no_check", True),
        getattr(options, "jobs", 1),
        options.answers,
        tuple(options.plugin),
    )


def contenders(puzzle: Puzzle, options: argparse.Namespace) -> list[Contender]:
    """Who the shared arguments say takes part; raises `UserError` for names that nothing bears."""
    if options.solver:
        from models.cnf import solver_name

        options.solver = solver_name(options.solver)
    for path in options.plugin:
        try:
            load_plugin(path)
        except Exception as error:
            raise UserError(f"--plugin {path}: {type(error).__name__}: {error}") from None
    puzzle.format(options.answers)
    chosen = choose(puzzle, options.backend, {"solver": options.solver} if options.solver else {})
    return chosen + programs(puzzle, options.program, options.partial)


def main(options: argparse.Namespace) -> int:
    names = [options.puzzle] if options.puzzle else puzzles.names()
    planned: list[Task] = []
    bad_input = False
    for name in names:
        puzzle = puzzles.get(name)
        taking_part = contenders(puzzle, options)
        sets, bad = _sets(puzzle, options)
        bad_input |= bad
        planned += tasks(sets, taking_part)
    if not planned:
        return 2
    done, status = carry_out(planned, settings(options), options.out)
    report(done, options.format)
    return status or exit_status(done, planned, bad_input=bad_input, strict=options.strict)


def _sets(puzzle: Puzzle, options: argparse.Namespace) -> tuple[list[plan.Set], bool]:
    """The sets to run, and whether some file was unreadable; the others still run."""
    if not options.path:
        return plan.bundled(puzzle), False
    sets: list[plan.Set] = []
    bad = False
    for path in plan.files(options.path):
        try:
            sets.append(plan.read_set(puzzle, path, format=options.answers))
        except (InputError, UserError) as error:
            print(error, file=sys.stderr)
            bad = True
    return sets, bad


def carry_out(planned: Sequence[Task], chosen: Settings, out: str | None = None) -> tuple[list[Record], int]:
    """Run everything with a progress bar; returns the records, and 130 where it was interrupted."""
    done: list[Record] = []
    with _writer(out) as write, tqdm(total=len(planned), unit="run", disable=None, leave=False) as bar:
        try:
            for record in records(planned, chosen):
                done.append(record)
                write(record.line())
                bar.set_postfix_str(f"{record.puzzle} {record.set} {record.backend}")
                bar.update(record.repeat == 1)
        except KeyboardInterrupt:
            print(f"interrupted after {len(done)} of {len(planned)} runs", file=sys.stderr)
            return done, 130
    return done, 0


@contextmanager
def _writer(out: str | None) -> Iterator[Any]:
    """A function that writes a line to the file and flushes it."""
    if out is None:
        yield lambda line: None
        return
    try:
        with Path(out).open("w", encoding="utf-8") as stream:

            def write(line: str) -> None:
                stream.write(line + "\n")
                stream.flush()

            write(json.dumps(environment.header()))
            yield write
    except OSError as error:
        raise UserError(f"{out}: {error.strerror or error}") from None


def report(done: Sequence[Record], format: str = "table") -> None:
    """Tables on stdout; for people also every disagreement and failure, and the verdict."""
    sys.stdout.write(table.render(done, format))
    if format in ("table", "markdown"):
        clashes, broken = table.conflicts(done), table.failures(done)
        lines = [table.describe(conflict) for conflict in clashes[:MOST_SHOWN]]
        if len(clashes) > MOST_SHOWN:
            lines.append(f"... and {len(clashes) - MOST_SHOWN} more boards with a CONFLICT\n")
        lines += broken[:MOST_SHOWN]
        if len(broken) > MOST_SHOWN:
            lines.append(f"... and {len(broken) - MOST_SHOWN} more runs that failed")
        print("\n".join(["", *lines, table.verdict(done)]))


def exit_status(done: Sequence[Record], planned: Sequence[Task], *, bad_input: bool = False, strict: bool = False) -> int:
    """The exit status as the design has it: 1 goes before 2, and 2 before 3."""
    outside = {task.contender.name for task in planned if task.contender.command is not None}
    broken = any(r.backend in outside and r.status in (Status.CRASH, Status.ERROR) for r in done)
    if broken or table.conflicts(done) or any(record.check is Verdict.REFUTED for record in done):
        return 1
    if bad_input:
        return 2
    unfinished = any(record.status is not Status.OK or record.check is Verdict.UNPROVED for record in done)
    return 3 if strict and unfinished else 0
