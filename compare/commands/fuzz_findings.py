"""Where `compare fuzz` keeps a failing board, and how to try it again."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

import puzzles
from compare.fuzz.shrinking import Shrunk
from compare.fuzz.trials.observed import Fault
from compare.work.contenders import SIDES
from compare.work.source_programs import by_hand
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle
from puzzles.text import UserError


def replay(puzzle: Puzzle, path: Path, fault: Fault, options: argparse.Namespace) -> str:
    """The command that tries a failing board again; for a call that fails as a whole, how to make that call."""
    return _replay_call(puzzle, path, fault, options) if fault.together else replay_board(puzzle, path, options)


def replay_board(puzzle: Puzzle, path: Path, options: argparse.Namespace) -> str:
    """The command that runs the contenders on the boards of a file."""
    words = ["python", "-m", "compare", "run", puzzle.home.argument, str(path)]
    for flag, values in (
        ("-b", options.backend),
        ("--program", options.program),
        ("--partial", options.partial),
        ("--plugin", options.plugin),
    ):
        for value in values:
            words += [flag, value]
    for flag, value in (("--answers", options.answers), ("--solver", options.solver)):
        if value:
            words += [flag, value]
    if options.extended:
        words.append("--extended")
    return shlex.join(words)


def _replay_call(puzzle: Puzzle, path: Path, fault: Fault, options: argparse.Namespace) -> str:
    """How to solve all boards of a file in one call, which `run` never does."""
    side, _, name = fault.names[0].partition(":")
    if side in SIDES and puzzle.many_instances and not options.plugin:
        solver = ["--solver", options.solver] if options.solver and side == "models" else []
        return shlex.join(["python", "-m", side, puzzle.home.argument, str(path), "--backend", name, *solver])
    if side in SIDES:
        return f"a call of {fault.names[0]} with all boards of {path}"
    commands = dict(program.split("=", 1) for program in options.program)
    return f"{by_hand(commands[fault.names[0]])} < {shlex.quote(str(path))}"


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
