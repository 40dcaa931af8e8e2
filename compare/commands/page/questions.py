"""What is asked of boards, and answered in a child: texts are read, boards made and drawn, further
answers and formulas written.

`boards_in`, `random_board`, `as_seen`, `example` and `the_one` run in a judge, `reply`, `replies`
and `formula` in a solver; all of them raise `UserError`.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import puzzles
from compare.commands.page.answers import bound_picture, in_words
from compare.commands.page.bounds import MAX_CELLS, MAX_DIMACS, RefusedRequest
from compare.engine.work.contenders import BackendContender, backends
from puzzles.answer import Answer
from puzzles.backend import Backend
from puzzles.grid import Board, GridPuzzle
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle, Request
from puzzles.text import InputError, UserError, count_noun

FILE = "board"
"""What messages call the text that the page sends."""

MAX_BOARDS = 200
"""Boards that one text may hold."""


def boards_in(name: str, text: str) -> list[dict[str, Any]]:
    """The boards of an input file of the puzzle `name`, each as the page knows it."""
    puzzle = puzzles.get(name)
    instances = _read(puzzle, text)
    if len(instances) > MAX_BOARDS:
        raise RefusedRequest(
            f"the text holds {count_noun(len(instances), puzzle.noun)}, and the page takes at most "
            f"{MAX_BOARDS} at once"
        )
    return [as_seen(name, each) for each in instances]


def random_board(name: str, family: str, size: int, seed: int) -> dict[str, Any]:
    """The family's board of this size and seed."""
    return as_seen(name, puzzles.get(name).family(family).board(size, seed))


def example(name: str) -> Instance:
    """The first instance of a puzzle's example."""
    puzzle = puzzles.get(name)
    return puzzle.parse(puzzle.example, "<example>")[0]


def the_one(name: str, text: str) -> Instance:
    """The one instance of a text."""
    puzzle = puzzles.get(name)
    instances = _read(puzzle, text)
    if len(instances) != 1:
        raise RefusedRequest(
            f"the page solves one {puzzle.noun} at a time, and the text holds {len(instances)}"
        )
    _refuse_too_large(instances[0], puzzle)
    return instances[0]


def _read(puzzle: Puzzle, text: str) -> list[Instance]:
    """The instances of an input file; the refusal of one board names the row and column of its
    cell.
    """
    try:
        return puzzle.parse(text, FILE)
    except InputError as error:
        cell = _cell_at(error, puzzle, text.splitlines())
        if cell is None:
            raise
        where = f"row {cell[0]}, column {cell[1]}"
        raise RefusedRequest(
            f"{where}: {error.message}", (error.line, error.column), cell
        ) from None


def _cell_at(error: InputError, puzzle: Puzzle, lines: list[str]) -> tuple[int, int] | None:
    """Row and column of the cell, counted from 1, at which the text of one board cannot be read;
    None if it is in no row.
    """
    if not isinstance(puzzle, GridPuzzle) or not 0 < error.line <= len(lines):
        return None
    first = lines[0].split()
    counts_boards = puzzle.many_instances and len(first) == 1
    row = error.line - 1 - counts_boards
    in_row = row > 0 and error.column <= len(lines[error.line - 1].rstrip())
    return (row, error.column) if in_row and (first == ["1"] or not counts_boards) else None


def _refuse_too_large(instance: Instance, puzzle: Puzzle) -> None:
    if instance.size > MAX_CELLS:
        what = f"{instance.size:,} cells" if puzzle.noun == "board" else f"size {instance.size:,}"
        raise RefusedRequest(
            f"this {puzzle.noun} has {what}, and the page takes at most {MAX_CELLS:,}: solve it "
            "with `python -m compare run`"
        )


def as_seen(name: str, instance: Instance) -> dict[str, Any]:
    """An instance of the puzzle `name` as JSON: its text as an input file of its own.

    Of a board also shape, rows, and the numbers in its header.
    """
    puzzle = puzzles.get(name)
    _refuse_too_large(instance, puzzle)
    try:
        seen: dict[str, Any] = {"text": puzzle.print_instances([instance])}
    except ValueError as error:  # the contest's text cannot hold it
        raise RefusedRequest(str(error)) from None
    if isinstance(instance, Board) and isinstance(puzzle, GridPuzzle):
        seen |= {"rows": instance.rows, "columns": instance.columns, "lines": instance.lines()}
        seen["numbers"] = {name: getattr(instance, name) for name in number_names(puzzle)}
    return seen


def number_names(puzzle: GridPuzzle) -> list[str]:
    """The names of the numbers that follow rows and columns in the header of a board; each is an
    attribute of the board.
    """
    count = len(puzzle.header_names) - len(GridPuzzle.header_names)
    return list(puzzle.header_fields(*[1] * count))[:count] if count > 0 else []


def reply(contender: BackendContender, instance: Instance, name: str, value: str) -> str:
    """What a backend says to the puzzle's request of this name, as JSON: text, picture and
    fields.
    """
    puzzle = puzzles.get(contender.puzzle)
    request, answer = _asked(contender, instance, name)
    try:
        replied = request.reply(instance, answer, value)
        svg = replied.picture() or puzzle.picture(instance, answer)
    except UserError as error:
        raise UserError(str(error).removeprefix(f"--{name}: ")) from None
    shown = {
        "text": replied.text(),
        "svg": bound_picture(svg),
        "fields": {**puzzle.fields(answer), **replied.fields()},
    }
    return json.dumps(shown | in_words(puzzle, instance, answer), default=str, allow_nan=False)


def replies(contender: BackendContender, instance: Instance, name: str, values: list[str]) -> str:
    """As `reply`, to each of these values, without pictures; those to which nothing can be said are
    left out.
    """
    request, answer = _asked(contender, instance, name)
    by_value: dict[str, Any] = {}
    for value in values:
        with suppress(UserError):
            replied = request.reply(instance, answer, value)
            by_value[value] = {"text": replied.text(), "fields": replied.fields()}
    return json.dumps(by_value, default=str, allow_nan=False)


def _asked(contender: BackendContender, instance: Instance, name: str) -> tuple[Request, Answer]:
    """The puzzle's request of this name, and the backend's answer that has what it needs."""
    puzzle = puzzles.get(contender.puzzle)
    requests = {each.name: each for each in puzzle.requests}
    if name not in requests:
        known = ", ".join(requests) or "none"
        raise RefusedRequest(f"{puzzle.name} has no request {name[:40]!r}; it has {known}")
    request = requests[name]
    _refuse_unable(contender, request)
    answer = contender.backend.solve(
        instance, **{"certify": True, **dict(contender.options), **request.solve}
    )
    return request, answer


def _refuse_unable(contender: BackendContender, request: Request) -> None:
    """Raise if the backend does not take the options of the request; the message names backends
    that do.
    """
    wanted = request.solve.keys() - {"certify"}
    if not wanted <= set(contender.backend.options):
        able = [each.label for each in backends(contender.puzzle) if wanted <= set(each.options)]
        raise RefusedRequest(
            f"{contender.name} cannot answer {request.name}: ask {' or '.join(able) or 'nobody'}"
        )


def states_formula(backend: Backend) -> bool:
    """Whether what a backend states is a formula.

    A CP-SAT model can be written down too, but it is none.
    """
    return backend.side == "models" and backend.encodes and "ortools" not in backend.requires


def formula(contender: BackendContender, instance: Instance) -> str:
    """The formula that a backend states of a board, as JSON: its size, and the text in DIMACS."""
    from models.backend_encoding import asked_formula
    from models.dimacs import text as dimacs_text

    if not states_formula(contender.backend):
        able = [each.label for each in backends(contender.puzzle) if states_formula(each)]
        raise RefusedRequest(
            f"{contender.name} has no formula that could be written down; these have: "
            f"{', '.join(able) or 'none'}"
        )
    encoding = asked_formula(instance, backend=contender.backend_name)
    dimacs = dimacs_text(encoding)
    if len(dimacs) > MAX_DIMACS:
        raise UserError(
            f"the formula has {len(dimacs):,} characters, too many for the page: write it with "
            "the command"
        )
    size = {"variables": encoding.formula.variables, "clauses": len(encoding.formula.clauses)}
    return json.dumps({**size, "dimacs": dimacs})
