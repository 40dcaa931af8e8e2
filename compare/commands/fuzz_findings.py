"""What `compare fuzz` says of a failing board, and where it keeps it."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

import puzzles
from compare.fuzz.batch import BatchKind
from compare.fuzz.observed import CONFLICT, REFUTED, Fault
from compare.fuzz.search import Discovery
from compare.fuzz.shrinking import Shrunk
from compare.show.messages import brief
from compare.work.contenders import SIDES
from puzzles.grid import Board
from puzzles.puzzle import Puzzle
from puzzles.text import UserError, counted

MOST_SHOWN = 8
"""Boards of a failing call that are printed; more are in the file alone."""


def dimensions(shape: tuple[int, int]) -> str:
    """Rows and columns in words."""
    return f"{shape[0]}x{shape[1]}"


def describe(puzzle: Puzzle, discovery: Discovery, path: Path, options: argparse.Namespace) -> str:
    """The smallest board first, then who says what of it, what the check refutes, and the line that replays it."""
    shrunk, smallest = discovery.shrunk, discovery.shrunk.smallest
    board = smallest.board
    fault = next((each for each in smallest.faults if each.same(shrunk.fault)), shrunk.fault)
    names_by_answer: dict[str, list[str]] = {}
    for name, answer in discovery.answers.items():
        names_by_answer.setdefault(answer, []).append(name)
    call = fault.together
    shown = [board] if not call else [] if len(call) > MOST_SHOWN else call
    lines = [line for each in shown for line in ("", str(each) if each.in_contest_format else each.text().rstrip())]
    lines.append("")
    about_answers = fault.kind in (CONFLICT, REFUTED)
    if about_answers:
        headline = ", ".join(
            f"{' and '.join(names)} say{'s' * (len(names) == 1)} {brief(answer)}" for answer, names in names_by_answer.items()
        )
        if fault.kind == CONFLICT and fault.detail:
            headline += f"; they differ in their {fault.detail}"
    else:
        headline = f"{fault.names[0]}: {fault.detail}"
    original = discovery.original.board
    before, after = dimensions((original.rows, original.columns)), dimensions((board.rows, board.columns))
    if call:
        headline += f", when it solves {len(call)} boards in one call; none of them fails by itself"
        before, after = f"{len(shrunk.fault.together)} boards", str(len(call))
    lines.append(f"{fault.kind}: {headline}; shrunk {before} to {after} in {counted(shrunk.tries, 'run')}")
    for answer, names in names_by_answer.items() if about_answers else ():
        lines.append(f"{', '.join(names)}:")
        lines += [f"    {line}" for line in answer.rstrip().splitlines()]
    lines += [f"REFUTED: {other.names[0]}: {other.detail}" for other in smallest.faults if other.kind == REFUTED]
    if discovery.kind is not BatchKind.ORDINARY:
        lines.append(f"a batch of the kind {discovery.kind} shows it; with `--kind {discovery.kind}` the search finds it again")
    lines.append(f"replay: {_replay_call(puzzle, path, fault, options) if call else replay(puzzle, path, options)}")
    return "\n".join(lines)


def replay(puzzle: Puzzle, path: Path, options: argparse.Namespace) -> str:
    words = ["python", "-m", "compare", "run", puzzle.name, str(path)]
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
        return shlex.join(["python", "-m", side, puzzle.name, str(path), "--backend", name])
    if side in SIDES:
        return f"a call of {fault.names[0]} with all boards of {path}"
    return f"a start of {fault.names[0]} with the input {path}"


def save(folder: Path, shrunk: Shrunk) -> Path:
    """Write the smallest board as an input file, or the boards of the call that fails."""
    smallest = shrunk.smallest
    call = next((fault.together for fault in smallest.faults if fault.same(shrunk.fault)), ())
    return written(folder, f"{shrunk.fault.kind.lower()}-{smallest.board.digest}.in", *(call or [smallest.board]))


def written(folder: Path, name: str, *boards: Board) -> Path:
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
