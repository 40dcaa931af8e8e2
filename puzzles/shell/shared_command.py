"""The command line that `direct` and `models` share: contest text in, contest text or JSON lines
out.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import puzzles
from puzzles.answer import Answer
from puzzles.backend import SIDE_NAMES, Backend, Side, Unsupported, malformed_text
from puzzles.declared_types import Malformed, refuse_wrong_fields
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle, Request
from puzzles.shell.argument_parser import FILE_ARGUMENT, PUZZLE_ARGUMENT, Argument, ArgumentParser
from puzzles.shell.exit_status import returns_exit_status
from puzzles.shell.output_files import write_file
from puzzles.text import UserError, read_source

_EXIT_STATUS = {
    0: "all cases are answered, or everything asked for is written",
    2: "bad usage or bad input",
    3: "the backend cannot run here, or cannot take a case",
    130: "interrupted",
}
"""What each exit status of a side's command means."""


def parser(side: Side) -> ArgumentParser:
    """The parser of the side's arguments."""
    about = {"direct": "specialised algorithms", "models": "SAT and CP models"}.get(
        side.name, side.name
    )
    statuses = "; ".join(f"{status} {meaning}" for status, meaning in _EXIT_STATUS.items())
    requests = {puzzle.name: puzzle.requests for puzzle in puzzles.loadable() if puzzle.requests}
    arguments = ArgumentParser(
        prog=f"python -m {side.name}",
        description=f"Solve contest text with {about}.",
        epilog=f"Exit status: {statuses}.",
        groups=tuple(requests),
    )
    arguments.add(
        PUZZLE_ARGUMENT,
        FILE_ARGUMENT,
        Argument(
            "--backend", "the backend (default: the puzzle's first on this side)", metavar="B"
        ),
        Argument(
            "--answer-format",
            "the answer format (default: the puzzle's first)",
            metavar="F",
        ),
        Argument("--json", "one JSON object a case and line instead of contest text"),
        Argument(
            "--svg",
            "also draw the board with its answer; several cases make FILE-1, FILE-2 before the "
            "suffix",
            metavar="FILE",
            is_written=True,
        ),
        *(
            Argument(f"--{each.name}", each.about, metavar=each.metavar, group=name)
            for name, of_puzzle in requests.items()
            for each in of_puzzle
        ),
    )
    return arguments


@returns_exit_status
def main(side: Side, arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status (see `_EXIT_STATUS`)."""
    options = parser(side).read(arguments)
    return print_text(lambda: output(side, options))


def print_text(produce: Callable[[], str]) -> int:
    """Print the text that `produce` returns.

    The exit status is 0, or 3 with the reason if it raises `Unsupported`.
    """
    try:
        sys.stdout.write(produce())
    except Unsupported as reason:
        print(reason, file=sys.stderr)
        return 3
    return 0


def _requests(puzzle: Puzzle, options: argparse.Namespace) -> list[tuple[Request, str]]:
    """The requests on the command line, with their values; raises `UserError` for a request of
    another puzzle.
    """
    requested: list[tuple[Request, str]] = []
    for other in puzzles.loadable():
        for request in other.requests:
            value = getattr(options, request.name)
            if value is None or value is False:
                continue
            if other is not puzzle:
                raise UserError(f"{puzzle.name} has no --{request.name}")
            requested.append((request, str(value)))
    return requested


def _solve(
    backend: Backend, instance: Instance, additions: Mapping[str, Any], **options: Any
) -> Answer:
    """The answer with these options and the additional ones; without the additional ones if these
    make it `Unsupported`.
    """
    if additions:
        with suppress(Unsupported):
            return backend.solve(instance, **{**options, **additions})
    return backend.solve(instance, **options)


def _json_additions(puzzle: Puzzle, backend: Backend) -> dict[str, Any]:
    """The options for the requests that `--json` makes by itself, as far as the backend takes
    them.
    """
    able = [
        request
        for request in puzzle.requests
        if request.in_json and set(request.solve) <= set(backend.options)
    ]
    return {name: value for request in able for name, value in request.solve.items()}


def output(side: Side, options: argparse.Namespace) -> str:
    """The answers to a file, in the form that the options ask for.

    Raises:
        UserError: a mistake in the options or in the file.
        Unsupported: the backend cannot run here, or cannot take an instance.
    """
    puzzle = puzzles.find(options.puzzle)
    backend, style = side.get(puzzle.name, options.backend), puzzle.format(options.answer_format)
    solve_options = {
        name: value
        for name, option in (("solver", "solver"), ("workers", "cpsat_workers"))
        if (value := getattr(options, option, None)) is not None
    }
    requested = _requests(puzzle, options)
    for request, _ in requested:
        _refuse_unable(backend, request)
        solve_options |= request.solve
    certify = solve_options.pop("certify", False) or options.svg is not None
    backend.refuse_unknown(solve_options)
    reason = backend.available()
    if reason:
        raise Unsupported(f"{backend.label}: {reason}")
    additions = _json_additions(puzzle, backend) if options.json else {}
    instances = puzzle.parse(*read_source(options.file))
    answers: list[Answer] = []
    pictures: list[str] = []
    parts: list[str] = []
    for case, instance in enumerate(instances, 1):
        try:
            answer = _solve(backend, instance, additions, certify=certify, **solve_options)
        except Unsupported as refusal:
            raise Unsupported(
                f"case {case}: {backend.label} cannot take this {puzzle.noun}: {refusal}"
            ) from None
        expected = getattr(puzzle, "answer_type", Answer)
        if not isinstance(answer, expected):
            raise UserError(
                f"case {case}: {backend.label} returned {answer!r:.60} of type "
                f"{type(answer).__name__}: expected {expected.__name__}"
            )
        if not side.owns(backend):
            try:
                refuse_wrong_fields(answer)
                if backend.complete:
                    puzzle.refuse_incomplete(answer)
            except Malformed as error:
                raise UserError(
                    f"case {case}: {backend.label}: {malformed_text(error, backend.place)}"
                ) from None
        answers.append(answer)
        several = len(instances) > 1
        try:
            replies = [request.reply(instance, answer, value) for request, value in requested]
            if options.svg is not None:
                drawn = [svg for reply in replies if (svg := reply.picture()) is not None]
                shown = puzzle.with_irreducible_core(instance, answer)
                pictures.append(drawn[-1] if drawn else puzzle.picture(instance, shown))
            if options.json:
                fields = {"case": case, **puzzle.fields(answer)}
                for reply in replies:
                    fields |= reply.fields()
                parts.append(json.dumps(fields) + "\n")
            elif replies:
                # Two requests that print the same text print it once.
                texts = dict.fromkeys(reply.text() for reply in replies)
                parts.append((f"Case {case}:\n" if several else "") + "".join(texts))
        except UserError as error:
            case_name = [f"case {case}"] if several else []
            backend_name = [] if backend.complete else [backend.label]
            raise UserError(": ".join([*case_name, *backend_name, str(error)])) from None
    if options.svg is not None:
        _write(pictures, Path(options.svg))
    if options.json or requested:
        return "".join(parts)
    return puzzle.print_answers(answers, style)


def _write(pictures: Sequence[str], path: Path) -> None:
    """Write a picture a case."""
    for case, svg in enumerate(pictures, 1):
        target = path if len(pictures) == 1 else path.with_stem(f"{path.stem}-{case}")
        write_file(target, svg)


def _refuse_unable(backend: Backend, request: Request) -> None:
    """Raise `UserError` if the backend does not take the options of the request; the message names
    backends that do.
    """
    wanted = request.solve.keys() - {"certify"}
    if wanted <= set(backend.options):
        return
    able = [
        f"--backend {other.name}"
        if side == backend.side
        else f"python -m {side}" + f" --backend {other.name}" * (k > 0)
        for side in sorted(SIDE_NAMES, key=lambda side: side != backend.side)
        for k, other in enumerate(import_module(side).SIDE.backends(backend.puzzle).values())
        if wanted <= set(other.options)
    ]
    raise UserError(
        f"{backend.label} cannot answer --{request.name}"
        + f": use {' or '.join(able)}" * bool(able)
    )
