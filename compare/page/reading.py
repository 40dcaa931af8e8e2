"""Boards from texts and families, for the page. What is the puzzle's own code runs in a child, under limits.

It runs in a judge, since it is trusted as the check is, and since that child stands ready.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import puzzles
from compare.isolate.outcome import Status
from compare.page.bounds import LARGEST, MAX_SVG, READ, RefusedRequest, refuse_too_large
from compare.work.pool import Pool
from puzzles.grid import Board, GridPuzzle
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle
from puzzles.text import InputError, UserError, counted

FILE = "board"
"""What messages call the text that the page sends."""

MAX_BOARDS = 200
"""Boards that one text may hold."""


def apart(pool: Pool, function: Callable[..., Any], *args: Any) -> Any:
    """What `function(*args)` returns in a judge, under limits; raises `RefusedRequest` if it does not end well."""
    with pool.judge() as judge:
        outcome = judge.call(_without_errors, function, args, limits=READ)
    if isinstance(outcome.value, RefusedRequest):
        raise outcome.value
    if outcome.ok:
        return outcome.value
    ended = {Status.TIMEOUT: "takes too long", Status.MEMORY: "takes too much memory"}.get(outcome.status, "does not work")
    raise RefusedRequest(f"the puzzle's own code {ended} here: {outcome.detail}")


def _without_errors(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """What the function returns, or a mistake of the user, as a value: only values come back from where this runs."""
    try:
        return function(*args)
    except InputError as error:
        cell = _cell_at(error, *args[:2]) if error.name == FILE else None
        row, column = cell or (error.line, error.column)
        where = f"{'row' if cell else 'line'} {row}, column {column}"
        return RefusedRequest(f"{where}: {error.message}", (error.line, error.column), cell)
    except UserError as error:
        return RefusedRequest(str(error))


def _cell_at(error: InputError, name: str, text: str) -> tuple[int, int] | None:
    """Row and column of the cell, counted from 1, at which the text of one board cannot be read; None if it is in no row."""
    puzzle, lines = puzzles.get(name), text.splitlines()
    if not isinstance(puzzle, GridPuzzle) or not 0 < error.line <= len(lines):
        return None
    first = lines[0].split()
    counts_boards = puzzle.many_instances and len(first) == 1
    row = error.line - 1 - counts_boards
    in_row = row > 0 and error.column <= len(lines[error.line - 1].rstrip())
    return (row, error.column) if in_row and (first == ["1"] or not counts_boards) else None


def boards_in(name: str, text: str) -> list[dict[str, Any]]:
    """The boards of an input file of the puzzle `name`, each as the page knows it; raises `RefusedRequest`."""
    puzzle = puzzles.get(name)
    instances = puzzle.parse(text, FILE)
    if len(instances) > MAX_BOARDS:
        raise RefusedRequest(
            f"the text holds {counted(len(instances), puzzle.noun)}, and the page takes at most {MAX_BOARDS} at once"
        )
    return [_as_seen(puzzle, each) for each in instances]


def random_board(name: str, family: str, size: int, seed: int) -> dict[str, Any]:
    """The family's board of this size and seed; raises `RefusedRequest`."""
    puzzle = puzzles.get(name)
    if size > LARGEST:
        raise RefusedRequest(f"the page takes sizes up to {LARGEST}, not {size}")
    return _as_seen(puzzle, puzzle.family(family).board(size, seed))


def picture_of(name: str, text: str) -> str:
    """The board of a text as SVG, without an answer; raises `RefusedRequest`."""
    puzzle = puzzles.get(name)
    svg = puzzle.picture(the_one(name, text))
    if len(svg) > MAX_SVG:
        raise RefusedRequest(f"this {puzzle.noun} is too large to be drawn")
    return svg


def example(name: str) -> Instance:
    """The first instance of a puzzle's example."""
    puzzle = puzzles.get(name)
    return puzzle.parse(puzzle.example, "<example>")[0]


def the_one(name: str, text: str) -> Instance:
    """The one instance of a text; raises `RefusedRequest`."""
    puzzle = puzzles.get(name)
    instances = puzzle.parse(text, FILE)
    if len(instances) != 1:
        raise RefusedRequest(f"the page solves one {puzzle.noun} at a time, and the text holds {len(instances)}")
    refuse_too_large(instances[0].size, puzzle.noun)
    return instances[0]


def _as_seen(puzzle: Puzzle, instance: Instance) -> dict[str, Any]:
    """An instance as JSON: its text as an input file of its own. Of a board also shape, rows, and the numbers in its header."""
    refuse_too_large(instance.size, puzzle.noun)
    try:
        seen: dict[str, Any] = {"text": puzzle.print_instances([instance])}
    except ValueError as error:  # the contest's text cannot hold it
        raise RefusedRequest(str(error)) from None
    if isinstance(instance, Board) and isinstance(puzzle, GridPuzzle):
        seen |= {"rows": instance.rows, "columns": instance.columns, "lines": instance.lines()}
        seen["numbers"] = {name: getattr(instance, name) for name in number_names(puzzle)}
    return seen


def number_names(puzzle: GridPuzzle) -> list[str]:
    """The names of the numbers that follow rows and columns in the header of a board; each is an attribute of the board."""
    count = len(puzzle.header_names) - len(GridPuzzle.header_names)
    return list(puzzle.header_fields(*[1] * count))[:count] if count > 0 else []
