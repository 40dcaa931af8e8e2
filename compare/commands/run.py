"""`compare run`: backends and programs on sets of boards."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import asdict
from pathlib import Path

from tqdm import tqdm

import puzzles
from compare.campaign import datasets, header, journal, selection
from compare.campaign.journal import Journal
from compare.campaign.record import Record
from compare.campaign.running import Settings, Task, records, tasks
from compare.isolate.sandbox import Limits, Status
from compare.show import table
from compare.work.contenders import EVERY_SOLVER, SIDES, Contender, choose, programs, with_every_solver
from compare.work.worker import load_plugin
from models.external import solver_arguments
from puzzles.puzzle import Puzzle
from puzzles.text import InputError, UserError, counted
from puzzles.verdict import Verdict

MOST_SHOWN = 10
"""Disagreements, and failures, that are printed in full; the rest is counted."""


def shared_arguments(parser: argparse.ArgumentParser, *, checks: bool = True) -> None:
    """What `run` and the other subcommands that run contenders have in common; `checks`: whether they check answers."""
    parser.add_argument(
        "-b",
        "--backend",
        action="append",
        default=[],
        metavar="BACKEND",
        help="direct or models (that side's first backend alone), side:name, or name; may be repeated",
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
    solver_arguments(parser, "the SAT solver of the backends that take one; all: every one of them, in a table of its own")
    parser.add_argument("--timeout", type=positive, default=10.0, metavar="S", help="seconds a run (default: 10)")
    parser.add_argument("--memory", type=positive, metavar="MB", help="resident megabytes a run, its children included")
    parser.add_argument("--executor", choices=("local", "dask"), default="local", help="where runs are made (default: local)")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of the Dask cluster, say tcp://host:8786")
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
    parser.add_argument(
        "-k",
        dest="expression",
        metavar="EXPR",
        help="only puzzles, sets, backends with such names (and, or, not)",
    )
    parser.add_argument(
        "--out",
        metavar="FILE.jsonl",
        help="write a header and one line of JSON a run, as each ends; a file that holds something is refused but for:",
    )
    there = parser.add_mutually_exclusive_group()
    there.add_argument(
        "--resume", action="store_true", help="go on with the FILE.jsonl that the same command has left, if it is there"
    )
    there.add_argument("--overwrite", action="store_true", help="begin FILE.jsonl anew, whatever it holds")
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="no progress, and of the tables only disagreements, failures, the verdict"
    )
    parser.add_argument(
        "--strict", action="store_true", help="exit with status 3 where something stayed unproved, skipped or unfinished"
    )


def positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, not {text!r}") from None
    if not value > 0:
        raise argparse.ArgumentTypeError(f"must be more than 0, not {text}")
    return value


def at_least_one(text: str) -> int:
    return _whole(text, 1)


def at_least_zero(text: str) -> int:
    return _whole(text, 0)


def _whole(text: str, least: int) -> int:
    try:
        value = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a whole number, not {text!r}") from None
    if value < least:
        raise argparse.ArgumentTypeError(f"must be at least {least}, not {text}")
    return value


def settings(options: argparse.Namespace) -> Settings:
    """The settings that the shared arguments ask for."""
    if (options.executor == "dask") != (options.scheduler is not None):
        raise UserError("--executor dask and --scheduler ADDRESS go together")
    memory = None if options.memory is None else int(options.memory * 2**20)
    return Settings(
        Limits(options.timeout, memory),
        getattr(options, "repeat", 1),
        not getattr(options, "no_check", True),
        getattr(options, "jobs", 1),
        options.answers,
        tuple(options.plugin),
        options.scheduler,
    )


def contenders(puzzle: Puzzle, options: argparse.Namespace) -> list[Contender]:
    """Who the shared arguments say takes part; raises `UserError` for names that nothing bears."""
    every = options.solver == EVERY_SOLVER
    if options.solver is not None and not every:
        from models.cnf import solver_name

        options.solver = solver_name(options.solver)
    for path in options.plugin:
        try:
            load_plugin(path)
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            if isinstance(error, OSError) and Path(str(error.filename)).resolve() == Path(path).resolve():
                reason = error.strerror
            raise UserError(f"--plugin {path}: {reason}") from None
    puzzle.format(options.answers)
    chosen = choose(puzzle, options.backend or (list(SIDES) if every else []), {"solver": options.solver} if options.solver else {})
    if every:
        from models.cnf import solvers

        chosen = with_every_solver(chosen, solvers())
    return chosen + programs(puzzle, options.program, options.partial)


def main(options: argparse.Namespace) -> int:
    if options.out is None and (options.resume or options.overwrite):
        does = "resume goes on with a file" if options.resume else "overwrite begins a file anew"
        raise UserError(f"--{does}: name it with --out")
    names = [options.puzzle] if options.puzzle else puzzles.names()
    chosen = settings(options)
    planned: list[Task] = []
    bad_input = False
    for name in names:
        puzzle = puzzles.get(name)
        taking_part = contenders(puzzle, options)
        sets, bad = _sets(puzzle, options)
        bad_input |= bad
        planned += tasks(sets, taking_part, chosen.repeats)
    if not planned:
        return 2
    if options.expression is not None:
        planned = _selected(planned, options.expression)
    first_line = header.header(options.words, **asdict(chosen))
    with nullcontext() if options.out is None else _journal(options, first_line) as file:
        done, status = carry_out(planned, chosen, file, quiet=options.quiet)
    report(done, options.format, quiet=options.quiet)
    return status or exit_status(done, planned, bad_input=bad_input, strict=options.strict)


def _journal(options: argparse.Namespace, header: dict[str, object]) -> AbstractContextManager[Journal]:
    return journal.opened(options.out, header, resume=options.resume, overwrite=options.overwrite)


def _selected(planned: Sequence[Task], text: str) -> list[Task]:
    """The tasks whose puzzle, set and contender satisfy `-k`."""
    holds = selection.parse(text)
    found = [task for task in planned if holds((task.board.puzzle, task.set.name, task.contender.name))]
    if not found:
        raise UserError(f"-k {text!r} leaves nothing to run")
    return found


def _sets(puzzle: Puzzle, options: argparse.Namespace) -> tuple[list[datasets.Set], bool]:
    """The sets to run, and whether some file was unreadable; the others still run."""
    if not options.path:
        return datasets.bundled(puzzle), False
    sets: list[datasets.Set] = []
    bad = False
    for path in datasets.files(options.path):
        try:
            sets.append(datasets.read_set(puzzle, path, format=options.answers))
        except (InputError, UserError) as error:
            print(error, file=sys.stderr)
            bad = True
    return sets, bad


def carry_out(
    planned: Sequence[Task], chosen: Settings, file: Journal | None = None, *, quiet: bool = False
) -> tuple[list[Record], int]:
    """Run everything that the file does not hold already, with a progress bar on a terminal.

    Returns the records of old runs and new in the order of the plan, and 130 where it was interrupted.
    """
    done = list(file.earlier) if file else []
    missing = journal.remaining(file.path, planned, done) if file else planned
    if done and file:
        print(f"{file.path}: {len(done)} of {len(planned)} runs are there already", file=sys.stderr)
    status = 0
    with (
        closing(records(missing, chosen, tuple(done))) as found,
        tqdm(total=len(missing), unit="run", disable=True if quiet else None, leave=False) as bar,
    ):
        try:
            for record in found:
                done.append(record)
                if file:
                    file.write(record.line())
                bar.set_postfix_str(f"{record.puzzle} {record.set} {record.backend}")
                bar.update()
        except KeyboardInterrupt:
            print(f"interrupted after {len(done)} of {len(planned)} runs", file=sys.stderr)
            status = 130
    return journal.in_order(planned, done), status


def report(done: Sequence[Record], format: str = "table", *, quiet: bool = False) -> None:
    """Tables on stdout; for people also every disagreement and failure, and the verdict; `quiet` leaves the tables out."""
    for_people = format in ("table", "markdown")
    if not (quiet and for_people):
        sys.stdout.write(table.render(done, format))
    if for_people:
        clashes, broken = table.conflicts(done), table.failures(done)
        lines = [table.describe(conflict) for conflict in clashes[:MOST_SHOWN]]
        if len(clashes) > MOST_SHOWN:
            lines.append(f"... and {counted(len(clashes) - MOST_SHOWN, 'more board')} with a CONFLICT\n")
        lines += broken[:MOST_SHOWN]
        if len(broken) > MOST_SHOWN:
            lines.append(f"... and {counted(len(broken) - MOST_SHOWN, 'more run')} that failed")
        if not quiet:
            lines += table.skipped(done)
        print("\n".join([*([] if quiet else [""]), *lines, table.verdict(done)]))


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
