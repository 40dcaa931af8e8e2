"""What the page says of a puzzle before anything is drawn: symbols, families, bundled boards,
backends, rules.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from shlex import quote
from typing import Any
from urllib.parse import quote as quote_url

from markdown_it import MarkdownIt

import puzzles
from compare.commands import commands
from compare.commands.page.answers import (
    NO_VIEW,
    Answered,
    failure,
    formula_file,
    input_file,
)
from compare.commands.page.bounds import LARGEST, MEMORY, RefusedRequest
from compare.commands.page.questions import example, number_names, states_formula
from compare.commands.page.workers import in_judge
from compare.engine.isolate.outcome import Limits, Status
from compare.engine.work.asking import carry_out
from compare.engine.work.contenders import SIDES, Ask, DatasetCase, ProgramContender, backends
from compare.engine.work.plugins import PluginBackend
from compare.engine.work.pool import Pool
from models.solvers.solver_names import solvers
from puzzles.backend import Backend
from puzzles.grid import Board, GridPuzzle, grid_of
from puzzles.puzzle import Puzzle
from puzzles.text import UserError, first_paragraph, read_source

MAX_SAMPLES, MAX_SAMPLE_CELLS = 40, 400
"""Bundled boards that the page lists of each puzzle, and the size of the largest of them."""

_LIMITS = Limits(60.0, MEMORY)

_TRIAL = Limits(2.0, MEMORY)
"""What a program may use on the example."""


def describe_puzzle(
    pool: Pool, name: str, programs: Sequence[ProgramContender], own_solvers: Sequence[str]
) -> dict[str, Any]:
    """What the page says of a puzzle, as JSON. The puzzle's own code runs where answers are
    checked.

    Args:
        programs: the user's; each is tried on the puzzle's example.
        own_solvers: the user's SAT solvers. The first model that takes them answers with each from
            the start.

    Raises:
        RefusedRequest: that code does not come to its end.
    """
    with pool.judge() as judge:
        outcome = judge.call(_described_text, name, limits=_LIMITS)
    if not outcome.ok:
        conform = (
            f"`python -m compare conform {quote(puzzles.get(name).origin.argument)}` tries all "
            "that a "
            "puzzle needs"
        )
        raise RefusedRequest(
            f"The puzzle {name} cannot be shown ({outcome.status}: {outcome.detail}). {conform}."
        )
    entry = json.loads(outcome.value)
    every = backends(name)  # here, since no child that checks knows those of a plugin
    entry["backends"] = [_backend(each, own_solvers) for each in every]
    first = next((each.label for each in every if "solver" in each.options), None)
    entry["chosen"] = [f"{first} {solver}" for solver in own_solvers if first is not None]
    entry["programs"] = [{"contender": each.name, "fault": _fault(pool, each)} for each in programs]
    return entry


SCRIPTS = ("page.js", "game.js")
"""Files that a puzzle may have in its folder: what it adds to the page, and what it is to play it;
see `static/play.js`. The second is loaded when somebody can play.
"""


def script_path(puzzle: Puzzle, file: str = SCRIPTS[0]) -> Path | None:
    """A script of the puzzle; None if it has none of this name."""
    own, path = puzzle.origin.user_file, puzzle.data.parent / file
    return path if (own is None or own.is_folder) and path.is_file() else None


def script_address(puzzle: Puzzle, file: str) -> str | None:
    """Where the page finds a script of the puzzle; None if it has none of this name."""
    folder = quote_url(puzzle.name, safe="")
    return f"/puzzles/{folder}/{file}" if script_path(puzzle, file) else None


def _fault(pool: Pool, program: ProgramContender) -> str:
    """Why a program has no answer to the puzzle's example, as a sentence; empty if it has one."""
    try:
        case = DatasetCase(in_judge(pool, example, program.puzzle))
        (result,) = carry_out(
            pool, Ask(contender=program, cases=[case], limits=_TRIAL, check=False)
        )
    except Exception as error:  # such as a function of the user's puzzle that raises
        return f"{program.name} cannot be tried: {error}"
    if result.status is Status.OK:
        return ""
    return failure(Answered(program.name, result, NO_VIEW), _TRIAL.seconds)


def _described_text(name: str) -> str:
    puzzle = puzzles.get(name)
    return json.dumps(
        {
            "name": puzzle.name,
            "title": puzzle.title,
            "source": puzzle.source,
            "noun": puzzle.noun,
            "better": puzzle.better,
            **_shape(puzzle),
            "families": [
                {
                    "name": each,
                    "about": family.about,
                    "least": family.least,
                    "most": min(family.most, LARGEST),
                }
                for each, family in puzzle.families.items()
                if family.least <= LARGEST
            ],
            "samples": list(islice(_samples(puzzle), MAX_SAMPLES)),
            "rules_html": _rules_html(puzzle),
            "script": script_address(puzzle, "page.js"),
            "game": script_address(puzzle, "game.js"),
            "races": "scale" in commands(),
            "searches": "fuzz" in commands(),
            "example": puzzle.example,
            "input_file": input_file(puzzle.name),
            "formula_file": formula_file(puzzle.name),
        }
    )


def _shape(puzzle: Puzzle) -> dict[str, Any]:
    """Whether it is drawn as a grid, and how its boards are written.

    A puzzle that writes its boards in a way of its own gets a text box, as one whose instances are
    no grids does.
    """
    prefix = "1\n" if puzzle.many_instances else ""
    shape = {"square": puzzle.square, "prefix": prefix, "largest": LARGEST}
    header = _header(puzzle, prefix) if isinstance(puzzle, GridPuzzle) else None
    if not isinstance(puzzle, GridPuzzle) or header is None:
        return {**shape, "grid": False, "symbols": [], "numbers": [], "header": ""}
    labels = puzzle.header_names[len(GridPuzzle.header_names) :]
    needed = len(labels) - puzzle.optional_numbers
    numbers = [
        {"name": name, "label": label.removeprefix("the "), "optional": k >= needed}
        for k, (name, label) in enumerate(zip(number_names(puzzle), labels, strict=True))
    ]
    return {
        **shape,
        "grid": True,
        "symbols": _symbols(puzzle),
        "numbers": numbers,
        "header": header,
    }


def _header(puzzle: GridPuzzle, prefix: str) -> str | None:
    """The words in the first line of a board: rows and columns, or rows alone; None if its text is
    not this line and its rows.
    """
    board = puzzle.parse(puzzle.example, "<example>")[0]
    values = [getattr(board, name) for name in number_names(puzzle)]
    numbers = [str(value) for value in values if value is not None]
    text = puzzle.print_instances([board])
    for header in ("rows columns", "rows"):
        sizes = [str(getattr(board, word)) for word in header.split()]
        if text == f"{prefix}{' '.join([*sizes, *numbers])}\n{board.body()}":
            return header
    return None


def _symbols(puzzle: GridPuzzle) -> list[dict[str, str]]:
    """The characters of a board with what they mean and how the puzzle draws them, in the order in
    which the board names them; all others after those.
    """
    kind: type[Board] = puzzle.board_type
    meanings = dict(kind.meanings)
    for symbol in (puzzle.simplest_first or kind.alphabet).decode():
        meanings.setdefault(symbol, symbol)
    return [
        {"symbol": symbol, "meaning": meaning, "svg": _picture_of(puzzle, symbol)}
        for symbol, meaning in meanings.items()
    ]


def _picture_of(puzzle: GridPuzzle, symbol: str) -> str:
    """The picture of a board of this symbol alone, so that the page draws it as answers do.

    Empty if a script of the puzzle draws it, or if there is no such board.
    """
    if script_path(puzzle) is not None:
        return ""
    numbers = [1] * (len(puzzle.header_names) - len(GridPuzzle.header_names))
    with suppress(Exception):  # the puzzle may allow no such board
        return puzzle.picture(
            puzzle.board_type(grid_of([symbol]), **puzzle.header_fields(*numbers))
        )
    return ""


def _samples(puzzle: Puzzle) -> Iterator[dict[str, str]]:
    """The bundled boards that are not too large, one at a time."""
    paths = puzzle.data.glob("*/*.in")
    for path in sorted(paths, key=lambda path: (path.parent.name != "sample", path)):
        folder, instances = path.parent.name, puzzle.parse(*read_source(str(path)))
        for case, instance in enumerate(instances, 1):
            if instance.size <= MAX_SAMPLE_CELLS:
                number = f" {case}" if len(instances) > 1 else ""
                text = puzzle.print_instances([instance])
                yield {"name": f"{folder}: {path.stem}{number}", "dataset": folder, "text": text}


def _rules_html(puzzle: Puzzle) -> str:
    """The rules as HTML. Markdown may hold HTML of its own; here that is text."""
    try:
        rules = puzzle.rules
    except UserError:
        return ""
    return MarkdownIt("commonmark", {"html": False}).enable("table").render(rules)


def _backend(backend: Backend, own_solvers: Sequence[str]) -> dict[str, Any]:
    plugin = backend.plugin if isinstance(backend, PluginBackend) else ""
    names = [*own_solvers, *(each for each in solvers() if each not in own_solvers)]
    return {
        "contender": backend.label,
        "side": backend.side,
        "default": bool(plugin) or SIDES[backend.side].get(backend.puzzle) == backend,
        "about": f"From {plugin}." if plugin else first_paragraph(backend.function),
        "source": backend.source,
        "complete": backend.complete,
        "encodes": states_formula(backend),
        "solvers": names if "solver" in backend.options else [],
        "limit": backend.limit,
        "absent": backend.available(),
    }
