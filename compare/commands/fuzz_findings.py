"""Where `compare fuzz` keeps a failing board, and how to try it again."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

import puzzles
from compare.fuzz.shrinking import Shrunk
from compare.fuzz.trials.observed import Fault
from compare.isolate.outcome import DEFAULT_LIMITS, Limits
from compare.show.trial_messages import finding_text, noticed_text
from compare.solvers.findings import SolverFinding
from compare.solvers.solver_trial import finding_behind
from compare.work.contenders import SIDES, BackendContender
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle
from puzzles.shell.streams import visible
from puzzles.text import UserError


def replay(puzzle: Puzzle, path: Path, fault: Fault, options: argparse.Namespace, limit_s: float | None = None) -> str:
    """The command that judges a failing board again, or a program on all boards of a call.

    `run` starts a program once with each file as a whole. Of a backend: how to make that call.
    """
    if fault.together and fault.names[0].partition(":")[0] in SIDES:
        return _replay_call(puzzle, path, fault, options)
    return replay_board(puzzle, path, options, limit_s)


def replay_board(puzzle: Puzzle, path: Path, options: argparse.Namespace, limit_s: float | None = None) -> str:
    """The command that runs the contenders on the boards of a file, for at most `limit_s` seconds each if that is given."""
    words = ["python", "-m", "compare", "run", puzzle.home.argument, str(path)]
    for flag, values in (
        ("-b", options.backend),
        ("--program", options.program),
        ("--partial", options.partial),
        ("--plugin", options.plugin),
    ):
        for value in values:
            words += [flag, value]
    for flag, value in (("--answers", options.answers), ("--solver", options.solver), ("--workers", options.workers)):
        if value:
            words += [flag, str(value)]
    timeout = limit_s or options.timeout
    if timeout != DEFAULT_LIMITS.seconds:
        words += ["--timeout", f"{timeout:.3g}"]
    if options.extended:
        words.append("--extended")
    return shlex.join(words)


def _replay_call(puzzle: Puzzle, path: Path, fault: Fault, options: argparse.Namespace) -> str:
    """How a backend solves all boards of a file in one call, which `run` never does."""
    side, _, name = fault.names[0].partition(":")
    if puzzle.many_instances and not options.plugin:
        solver = ["--solver", options.solver] if options.solver and side == "models" else []
        return shlex.join(["python", "-m", side, puzzle.home.argument, str(path), "--backend", name, *solver])
    return f"a call of {fault.names[0]} with all boards of {path}"


def show_formula_behind(boards: Sequence[Instance], contender: BackendContender, limits: Limits, folder: Path) -> None:
    """Print the formula of one of these boards on which the contender's SAT solver fails, and where it is saved."""

    def noticed(finding: SolverFinding) -> None:
        tqdm.write(visible(noticed_text(finding)))

    assert contender.solver is not None
    for board in dict.fromkeys(boards):
        finding = finding_behind(board, contender.backend_name, contender.solver, limits, folder, noticed)
        if finding is not None:
            again = ["python", "-m", "compare", "fuzz", "formula", "--solver", finding.solver, "--replay", str(finding.path)]
            tqdm.write(visible(finding_text(finding, shlex.join(again))))
            return
    tqdm.write(
        visible(
            f"{contender.solver} shows no fault on what {contender.name} asks about this {puzzles.get(contender.puzzle).noun} "
            "alone, in a new process; `fuzz formula` puts it on trial with many formulas"
        )
    )


def save(folder: Path, shrunk: Shrunk) -> Path:
    """Write the smallest board as an input file, or the boards of the call that fails."""
    smallest = shrunk.smallest
    boards = shrunk.smallest_fault.together or [smallest.board]
    return written(folder, f"{shrunk.fault.kind.lower()}-{smallest.board.digest}.in", *boards)


def written(folder: Path, name: str, *boards: Instance) -> Path:
    """Write boards as an input file of this name; returns its path. A file that holds one board only is written for each."""
    puzzle = puzzles.get(boards[0].puzzle)
    if len(boards) > 1 and not puzzle.many_instances:
        stem, _, suffix = name.rpartition(".")
        for number, board in enumerate(boards, start=1):
            written(folder, f"{stem}-{number}.{suffix}", board)
        return folder / f"{stem}-*.{suffix}"
    path = folder / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(puzzle.print_instances(boards))
    except OSError as error:
        texts = "\n".join(board.text() for board in boards)
        raise UserError(f"{path}: {error.strerror or error}\n{texts}") from None
    return path
