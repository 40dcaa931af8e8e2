"""`compare fuzz formula`: SAT solvers on trial, by streams of formulas whose verdicts are known by other means."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

import puzzles
from compare.commands.arguments import OWN_PUZZLE, at_least_one, at_least_zero, positive, writable_folder
from compare.isolate.outcome import Limits
from compare.show.progress import progress_bar
from compare.show.report.trial_views import closing_lines, finding_text, noticed_text, replayed_lines, trial_tables
from compare.show.table import FORMATS, Table, render
from compare.show.wording import line_width, wrapped
from compare.solvers.asking import heard_alone, takes
from compare.solvers.findings import SolverFinding
from compare.solvers.reference import statuses
from compare.solvers.samples import asking_backends
from compare.solvers.script import parse
from compare.solvers.solver_faults import faults
from compare.solvers.solver_trial import SolverTrial, TrialPlan
from compare.work.contenders import EVERY_SOLVER
from compare.work.solvers import refuse_unusable
from models.solvers.solver_names import solver_arguments, solver_name, solvers
from puzzles.shell.streams import visible
from puzzles.text import UserError, read_source

DEFAULT_SECONDS, DEFAULT_TIMEOUT_S, DEFAULT_SHRINK_S, DEFAULT_MEMORY_MB = 60.0, 5.0, 30.0, 2000.0

_MAX_SIZE = 30


def arguments(parser: argparse.ArgumentParser) -> None:
    solver_arguments(parser, "a solver of python-sat; all: every one of them (default: all); may be repeated", several=True)
    parser.add_argument(
        "--puzzle",
        action="append",
        default=[],
        metavar="PUZZLE",
        help=f"edge cases and formulas of this puzzle's models alone; may be repeated ({', '.join(puzzles.names())}, {OWN_PUZZLE})",
    )
    parser.add_argument("--seconds", type=positive, metavar="S", help="stop after S seconds (default: 60, or until --scripts)")
    parser.add_argument("--scripts", "--cases", type=at_least_one, metavar="N", help="formulas and sequences of calls to try")
    parser.add_argument(
        "--seed", type=at_least_zero, default=1, metavar="N", help="the same seed gives the same scripts (default: 1)"
    )
    parser.add_argument(
        "--size", type=at_least_one, default=5, metavar="K", help="rows and columns of the largest boards (default: 5)"
    )
    parser.add_argument(
        "--timeout", type=positive, default=DEFAULT_TIMEOUT_S, metavar="S", help="seconds a script and solver (default: 5)"
    )
    parser.add_argument(
        "--memory", type=positive, default=DEFAULT_MEMORY_MB, metavar="MB", help="resident megabytes a script (default: 2000)"
    )
    parser.add_argument(
        "--shrink-seconds",
        type=positive,
        default=DEFAULT_SHRINK_S,
        metavar="S",
        help="seconds that shrinking one finding may take (default: 30)",
    )
    parser.add_argument("--jobs", type=at_least_one, metavar="N", help="workers (default: one a core)")
    parser.add_argument(
        "--keep-going",
        action="store_true",
        help="shrink a kind of fault of a solver again for each encoding that shows it, not only once",
    )
    parser.add_argument("--save", metavar="DIR", help="where findings go (default: here)")
    parser.add_argument("--replay", metavar="FILE", help="put the script of a saved file to the solvers, and nothing else")
    parser.add_argument("--format", choices=FORMATS, default="table", help="how to print the tables")
    parser.add_argument("--report", metavar="FILE.html", help="write the tables and the findings as a page, too")
    for flag in ("-b", "--backend", "--program", "--plugin"):
        parser.add_argument(flag, dest="of_puzzles", action="append", default=[], help=argparse.SUPPRESS)


def main(options: argparse.Namespace) -> int:
    if options.of_puzzles:
        raise UserError(
            "fuzz formula puts SAT solvers on trial, so it takes neither backends nor programs: name solvers with --solver, "
            "--solver-command or --ipasir. The puzzle with clauses of two literals is called two-sat now: fuzz two-sat"
        )
    if options.size > _MAX_SIZE:
        raise UserError(f"--size: trials take sizes up to {_MAX_SIZE}, not {options.size}")
    names = _solvers(options.solver)
    limits = Limits(options.timeout, int(options.memory * 2**20))
    if options.replay is not None:
        return _replay(options.replay, names, limits)
    plan = TrialPlan(
        solvers=names,
        puzzles=_puzzles(options.puzzle),
        random=not options.puzzle,
        seed=options.seed,
        size=options.size,
        seconds=options.seconds or (None if options.scripts else DEFAULT_SECONDS),
        scripts=options.scripts,
        shrink_s=options.shrink_seconds,
        limits=limits,
        folder=writable_folder("--save", options.save),
        jobs=options.jobs or os.cpu_count() or 1,
        keep_going=options.keep_going,
    )
    return _try(plan, options)


def _try(plan: TrialPlan, options: argparse.Namespace) -> int:
    """Carry out the trial and print what came of it; returns the exit status."""
    interrupted, width = False, line_width()
    if options.report is not None:
        _refuse_unwritable(options.report)
    for_people = options.format in ("table", "markdown")
    out = sys.stdout if for_people else sys.stderr
    print(f"solvers on trial, seed {plan.seed}: {', '.join(plan.solvers)}", flush=True, file=out)
    with progress_bar(unit="script", total=plan.scripts) as bar:

        def say(text: str) -> None:
            tqdm.write(visible(text), file=out)

        trial = SolverTrial(
            plan,
            noticed=lambda finding: say(wrapped(noticed_text(finding), width)),
            shrunk=lambda finding: say(finding_text(finding, replay_words(finding, options))),
            progress=bar.update,
        )
        try:
            trial.run()
        except KeyboardInterrupt:
            interrupted = True
    tables = trial_tables(trial.tally, trial.findings, options.timeout)
    print(file=out)
    print(visible(render(tables, options.format, width if options.format == "table" else None)))
    if options.report is not None:
        _report(options.report, trial, tables)
    for reason in trial.broken:
        print(visible(f"scripts could not be made: {reason}"), file=sys.stderr)
    for line in closing_lines(trial):
        print(visible(wrapped(line, width)), file=out)
    if interrupted:
        print("interrupted", file=sys.stderr)
        return 130
    return 1 if trial.findings or trial.broken else 0


def replay_words(finding: SolverFinding, options: argparse.Namespace) -> str:
    """The command that puts the script of a finding to its solver again."""
    words = ["python", "-m", "compare", "fuzz", "formula", "--solver", finding.solver]
    for flag, value, default in (
        ("--timeout", options.timeout, DEFAULT_TIMEOUT_S),
        ("--memory", options.memory, DEFAULT_MEMORY_MB),
    ):
        if value != default:
            words += [flag, f"{value:g}"]
    return shlex.join([*words, "--replay", str(finding.path)])


def _replay(path: str, names: tuple[str, ...], limits: Limits) -> int:
    """Judge the script of one file; returns the exit status."""
    script = parse(*read_source(path))
    if script.calls == 0:
        raise UserError(f"{path}: nothing is asked: the text has no line `a ... 0`")
    known, status = statuses(script), 0
    for solver in names:
        if not takes(solver, script):
            raise UserError(f"{solver} can be called only once, and {path} has {script.calls} calls")
        wrong = faults(script, known, heard_alone(solver, script, limits))
        for line in replayed_lines(script, known, solver, wrong):
            print(visible(line))
        status |= bool(wrong)
    return status


def _solvers(asked: list[str]) -> tuple[str, ...]:
    """The full names of the solvers on trial, each once: all of python-sat's if none is named.

    Raises:
        UserError: one of them cannot be opened.
    """
    names = [name for each in asked or [EVERY_SOLVER] for name in (solvers() if each == EVERY_SOLVER else [solver_name(each)])]
    for name in names:
        refuse_unusable(name)
    return tuple(dict.fromkeys(names))


def _puzzles(asked: list[str]) -> tuple[str, ...]:
    """The names of the puzzles whose models ask SAT solvers."""
    names = [puzzles.find(each).name for each in asked] or list(puzzles.names())
    for name in names:
        if not asking_backends(name):
            raise UserError(f"no model of {name} takes a SAT solver, so its boards give no formulas")
    return tuple(dict.fromkeys(names))


def _refuse_unwritable(path: str) -> None:
    """Raise `UserError` if no file can be written there; found out before the trial, not after it."""
    try:
        with Path(path).open("a"):
            pass
    except OSError as error:
        raise UserError(f"--report {path}: {error.strerror or error}") from None


def _report(path: str, trial: SolverTrial, tables: Sequence[Table]) -> None:
    from compare.show.report.trial_views import trial_page

    try:
        Path(path).write_text(trial_page(trial, tables), encoding="utf-8")
    except OSError as error:
        raise UserError(f"--report {path}: {error.strerror or error}") from None
