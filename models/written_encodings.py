"""The formulas that a command writes down: of a puzzle, of one backend, or of a plugin's backend.

A plugin runs in a fork of its own, which ends with its last board. It writes JSON, and that is examined here.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from models import SIDE
from models.backend_encoding import WrongEncoding, encoding_backends, encoding_of, examined
from models.cpsat import CpSatEncoding
from models.dimacs import Encoding, encode, encode_of
from models.python_file import module_of
from puzzles.backend import Unsupported
from puzzles.instance import Instance
from puzzles.text import UserError

Cell = tuple[int, int] | None


def written_encodings(
    boards: Sequence[Instance], cell: Cell, *, backend: str | None = None, plugins: Sequence[str] = ()
) -> Iterator[Encoding]:
    """The formula of each board, in order.

    Args:
        cell: see `models.dimacs.encode`.
        backend: whose formula; None for the puzzle's own one, or that of its first backend that has one.
        plugins: Python files that register backends.

    Raises:
        UserError: there is no such backend, it has no formula, or a plugin is wrong.
        Unsupported: a board cannot be written down.
    """
    puzzle = boards[0].puzzle
    if plugins:
        if backend is None:
            raise UserError("--plugin registers backends: say with --backend whose formula to write")
        yield from _of_plugin(plugins, puzzle, backend, boards, cell)
        return
    if backend is None and encode_of(puzzle) is None:
        backend = next(iter(encoding_backends(SIDE, puzzle)), None)
    for board in boards:
        yield encode(board, cell) if backend is None else _formula_of(puzzle, backend, board, cell)


def _formula_of(puzzle: str, name: str, board: Instance, cell: Cell) -> Encoding:
    backend = SIDE.get(puzzle, name.removeprefix(f"{SIDE.name}:"))
    able = f"; those of {puzzle} that have: {', '.join(encoding_backends(SIDE, puzzle)) or 'none'}"
    if backend.encode is None:
        raise UserError(f"{backend.label} has no encoding that could be written down{able}")
    encoding = encoding_of(backend, board, cell)
    if isinstance(encoding, CpSatEncoding):
        raise UserError(f"{backend.label} is a CP-SAT model, which is no formula")
    return encoding


def _of_plugin(plugins: Sequence[str], puzzle: str, name: str, boards: Sequence[Instance], cell: Cell) -> Iterator[Encoding]:
    """The formulas of a plugin's backend, from a fork."""
    for path in plugins:
        if not Path(path).is_file():
            raise UserError(f"--plugin {path}: there is no such file")
    text = _from_fork(plugins, puzzle, name, boards, cell)
    label = f"{SIDE.name}:{name.removeprefix(f'{SIDE.name}:')}"
    try:
        entries = [dict(json.loads(line)) for line in text.splitlines()]
    except (ValueError, TypeError, RecursionError):
        raise WrongEncoding(f"--plugin {', '.join(plugins)}: what it wrote cannot be read") from None
    for entry in entries:
        yield _read(label, entry)
    if len(entries) != len(boards):
        raise WrongEncoding(f"--plugin {', '.join(plugins)}: it ended before all formulas were written")


def _read(label: str, entry: Mapping[str, Any]) -> Encoding:
    if "unsupported" in entry:
        raise Unsupported(str(entry["unsupported"]))
    if "wrong" in entry:
        raise UserError(str(entry["wrong"]))
    encoding = examined(label, (entry.get("variables"), entry.get("clauses"), entry.get("names")))
    assert isinstance(encoding, Encoding)
    return encoding


def _from_fork(plugins: Sequence[str], puzzle: str, name: str, boards: Sequence[Instance], cell: Cell) -> str:
    """A line of JSON for each board, as far as the fork came."""
    reader, writer = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        os.dup2(2, 1)  # what the plugin prints is no formula
        status = 1
        try:
            with os.fdopen(writer, "w") as out:
                out.writelines(f"{line}\n" for line in _lines(plugins, puzzle, name, boards, cell))
            status = 0
        finally:
            with suppress(OSError, ValueError):
                sys.stdout.flush()
            os._exit(status)
    os.close(writer)
    with os.fdopen(reader, errors="replace") as lines:
        text = lines.read()
    os.waitpid(pid, 0)
    return text


def _lines(plugins: Sequence[str], puzzle: str, name: str, boards: Sequence[Instance], cell: Cell) -> Iterator[str]:
    try:
        for path in plugins:
            module_of(path)
    except BaseException as error:
        yield json.dumps({"wrong": f"--plugin {', '.join(plugins)}: {type(error).__name__}: {error}"})
        return
    for board in boards:
        try:
            encoding = _formula_of(puzzle, name, board, cell)
        except Unsupported as reason:
            yield json.dumps({"unsupported": str(reason)})
        except UserError as error:
            yield json.dumps({"wrong": str(error)})
        else:
            formula = encoding.formula
            yield json.dumps({"variables": formula.variables, "clauses": formula.clauses, "names": encoding.names})
