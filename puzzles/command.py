"""The command line that `direct` and `models` share: contest text in, contest text or JSON lines out."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import puzzles
from puzzles.answer import Answer
from puzzles.backend import Backend, Side, Unsupported
from puzzles.grid import Board
from puzzles.puzzle import Puzzle, Request
from puzzles.text import UserError, ending, read_source

SIDES = ("direct", "models")
"""The packages that have this command line."""


def parser(side: Side) -> argparse.ArgumentParser:
    """The side's arguments."""
    about = {"direct": "the specialised polynomial algorithms", "models": "SAT and CP models"}.get(side.name, side.name)
    made = argparse.ArgumentParser(prog=f"python -m {side.name}", description=f"Solve contest text with {about}.")
    made.add_argument("puzzle", metavar="PUZZLE", help=", ".join(puzzles.names()))
    made.add_argument("file", metavar="FILE", nargs="?", help="the contest's input (default: standard input)")
    made.add_argument("--backend", metavar="B", help="which backend (default: the puzzle's first on this side)")
    made.add_argument("--format", metavar="F", help="the answer format (default: the puzzle's first)")
    made.add_argument("--json", action="store_true", help="one JSON object a case and line instead of contest text")
    made.add_argument(
        "--svg", metavar="FILE", help="also draw the board with its answer; several cases make FILE-1, FILE-2 before the suffix"
    )
    for puzzle in map(puzzles.get, puzzles.names()):
        group = made.add_argument_group(puzzle.name) if puzzle.requests else made
        for request in puzzle.requests:
            kind: dict[str, Any] = {"action": "store_true"} if request.metavar is None else {"metavar": request.metavar}
            group.add_argument(f"--{request.name}", help=request.about, **kind)
    return made


def main(side: Side, arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status: 0, 2 for a user's mistake, 3 for a board the backend cannot take."""
    options = parser(side).parse_intermixed_args(arguments)
    return ending(lambda: printed(lambda: output(side, options)))


def printed(produce: Callable[[], str]) -> int:
    """Write what `produce` returns to standard output; returns 0, or 3 with the reason where the backend cannot take a board."""
    try:
        sys.stdout.write(produce())
    except Unsupported as reason:
        print(reason, file=sys.stderr)
        return 3
    return 0


def _asked(puzzle: Puzzle, options: argparse.Namespace) -> list[tuple[Request, str]]:
    """The requests that are made, with their values; raises `UserError` for another puzzle's."""
    asked: list[tuple[Request, str]] = []
    for other in map(puzzles.get, puzzles.names()):
        for request in other.requests:
            value = getattr(options, request.name)
            if value is None or value is False:
                continue
            if other is not puzzle:
                raise UserError(f"{puzzle.name} has no --{request.name}")
            asked.append((request, str(value)))
    return asked


def _solved(backend: Backend, board: Board, json_of: Puzzle | None, **extra: Any) -> Answer:
    """The answer; for JSON with what the puzzle adds to that unasked, where the backend can."""
    more: dict[str, Any] = {}
    for request in () if json_of is None else json_of.requests:
        if request.in_json and set(request.solve) <= set(backend.options):
            more |= request.solve
    if more:
        with suppress(Unsupported):
            return backend.solve(board, **{**extra, **more})
    return backend.solve(board, **extra)


def output(side: Side, options: argparse.Namespace) -> str:
    """The answers to a file, as the options want them."""
    puzzle = puzzles.get(options.puzzle)
    backend, style = side.get(puzzle.name, options.backend), puzzle.format(options.format)
    solver = getattr(options, "solver", None)
    extra = {} if solver is None else {"solver": solver}
    asked = _asked(puzzle, options)
    for request, _ in asked:
        _refuse_unable(backend, request)
        extra |= request.solve
    certify = extra.pop("certify", False)
    backend.refuse_unknown(extra)
    reason = backend.available()
    if reason:
        raise Unsupported(f"{backend.label}: {reason}")
    answers = []
    boards = puzzle.parse(*read_source(options.file))
    for case, board in enumerate(boards, 1):
        try:
            answers.append(
                _solved(backend, board, puzzle if options.json else None, certify=certify or options.svg is not None, **extra)
            )
        except Unsupported as refusal:
            raise Unsupported(f"case {case}: {backend.label} cannot take this board: {refusal}") from None
    if options.svg is not None:
        _draw(puzzle, backend, boards, answers, Path(options.svg), asked)
    if options.json:
        lines = [{"case": case, **puzzle.fields(answer)} for case, answer in enumerate(answers, 1)]
        for line, board, answer in zip(lines, boards, answers, strict=True):
            with _named(backend, line["case"], boards):
                for request, value in asked:
                    line |= request.fields(board, answer, value)
        return "".join(json.dumps(line) + "\n" for line in lines)
    if asked:
        parts: list[str] = []
        for case, (board, answer) in enumerate(zip(boards, answers, strict=True), 1):
            with _named(backend, case, boards):
                texts = [request.text(board, answer, value) for request, value in asked]
            parts += [f"Case {case}:\n" * (len(boards) > 1), *dict.fromkeys(texts)]  # what two of them say alike is said once
        return "".join(parts)
    return puzzle.print_answers(answers, style)


def _refuse_unable(backend: Backend, request: Request) -> None:
    """Raise `UserError`, naming those that can, where the backend takes no such options as the request needs."""
    wanted = request.solve.keys() - {"certify"}
    if wanted <= set(backend.options):
        return
    able = [
        f"--backend {other.name}" if side == backend.side else f"python -m {side}" + f" --backend {other.name}" * (k > 0)
        for side in sorted(SIDES, key=lambda side: side != backend.side)
        for k, other in enumerate(import_module(side).SIDE.backends(backend.puzzle).values())
        if wanted <= set(other.options)
    ]
    raise UserError(f"{backend.label} cannot answer --{request.name}" + f": use {' or '.join(able)}" * bool(able))


@contextmanager
def _named(backend: Backend, case: int, boards: Sequence[Board]) -> Iterator[None]:
    """A `UserError` names the case where there are several, and the backend where it says only part of what there is to say."""
    try:
        yield
    except UserError as error:
        names = [f"case {case}"] * (len(boards) > 1) + [backend.label] * (not backend.complete)
        raise UserError(": ".join([*names, str(error)])) from None


def _draw(
    puzzle: Puzzle,
    backend: Backend,
    boards: Sequence[Board],
    answers: Sequence[Answer],
    path: Path,
    asked: Sequence[tuple[Request, str]],
) -> None:
    """A picture a case, with what is asked for drawn into it; a no that has a core shows it."""
    more = next(((request.picture, value) for request, value in reversed(asked) if request.picture is not None), None)
    for case, (board, answer) in enumerate(zip(boards, answers, strict=True), 1):
        target = path if len(boards) == 1 else path.with_stem(f"{path.stem}-{case}")
        try:
            with _named(backend, case, boards):
                drawn = puzzle.picture(board, answer) if more is None else more[0](board, answer, more[1])
            target.write_text(drawn, encoding="utf-8")
        except OSError as error:
            raise UserError(f"{target}: {error.strerror or error}") from None
