"""`compare equivalent`: whether two models of a puzzle have the same solutions, on all small boards
and on some of families.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator

import puzzles
from compare.commands.arguments import (
    at_least_one,
    at_least_zero,
    positive,
    puzzle_argument,
    seed_argument,
    style_argument,
)
from compare.equivalent.equivalence import (
    ComparedBoards,
    ModelPair,
    SmallBoards,
    compared,
    family_boards,
    refuse_without_shared,
    small_boards,
    smaller,
)
from compare.show.models_compared import (
    counts_table,
    different,
    nothing_compared,
    same,
)
from compare.show.progress import progress_bar
from compare.show.table import for_terminal
from compare.show.wording import line_width, wrapped
from compare.work.contenders import SIDES, BackendContender, choose
from compare.work.foreign.plugins import register_plugins
from compare.work.pool import Pool
from models.backend_encoding import encoding_backends
from puzzles.grid import Board
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle
from puzzles.shell.streams import labelled, printable
from puzzles.text import UserError

_BOARDS, _LARGEST, _SOLUTIONS = 20_000, 6, 500
_BOARDS_SLOW, _LARGEST_SLOW, _SOLUTIONS_SLOW = 500, 4, 50
"""Small boards, the size of the largest boards of families, and solutions of a board; then the same
of models by CP-SAT.
"""

_BOARDS_ASKED = 100_000
"""Small boards with --size."""


def arguments(parser: argparse.ArgumentParser) -> None:
    puzzle_argument(parser)
    parser.add_argument(
        "model",
        nargs=2,
        metavar="MODEL",
        help="a backend of models that can be written down, such as cnf",
    )
    parser.add_argument(
        "--size",
        type=at_least_one,
        metavar="N",
        help="all boards of at most N rows and N columns, and no others",
    )
    parser.add_argument(
        "--boards",
        type=at_least_one,
        metavar="N",
        help=f"at most N small boards, the smallest first (default: {_BOARDS:,}; with --size "
        f"{_BOARDS_ASKED:,}; of models by "
        f"CP-SAT {_BOARDS_SLOW})",
    )
    parser.add_argument(
        "--cases",
        type=at_least_zero,
        default=60,
        metavar="T",
        help="boards of families, 0 for none (default: 60)",
    )
    parser.add_argument(
        "--largest",
        type=at_least_one,
        metavar="N",
        help=f"the largest size of those (default: {_LARGEST}; of models by CP-SAT "
        f"{_LARGEST_SLOW})",
    )
    seed_argument(parser)
    parser.add_argument(
        "--solutions",
        type=at_least_one,
        metavar="N",
        help=f"solutions of a board to compare (default: {_SOLUTIONS}; of models by CP-SAT "
        f"{_SOLUTIONS_SLOW})",
    )
    parser.add_argument(
        "--count",
        action="store_true",
        help="compare the numbers of solutions alone, and print them by size",
    )
    parser.add_argument(
        "--plugin",
        action="append",
        default=[],
        metavar="FILE",
        help="a Python file that registers backends",
    )
    parser.add_argument(
        "--timeout", type=positive, default=10.0, metavar="S", help="seconds a board (default: 10)"
    )
    style_argument(parser)
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress")
    parser.add_argument(
        "--strict", action="store_true", help="exit with status 3 where something was not compared"
    )


def main(options: argparse.Namespace) -> int:
    """Exit status 1 if the models differ, 3 if no solution was compared."""
    puzzle = puzzles.find(options.puzzle)
    register_plugins(options.plugin)
    models = _models(puzzle, options.model)
    slow = any(model.backend.slow for model in models)
    solutions = options.solutions or (_SOLUTIONS_SLOW if slow else _SOLUTIONS)
    pair = ModelPair(
        puzzle,
        models,
        solutions,
        options.timeout,
        options.count,
        _say,
        Pool(options.plugin, tuple(puzzles.user_files().values())),
    )
    most = options.boards or (
        _BOARDS_SLOW if slow else _BOARDS if options.size is None else _BOARDS_ASKED
    )
    small = small_boards(puzzle, options.size, most)
    if options.size is not None and not isinstance(small.like, Board):
        raise UserError(
            f"{puzzle.name} has no boards, so --size says nothing: --boards N takes the N "
            f"shortest {puzzle.noun}s"
        )
    if small.cells == 0 and isinstance(small.like, Board):
        raise UserError(f"--boards {most:,} are fewer than the boards of one cell")
    largest = options.largest or (_LARGEST_SLOW if slow else _LARGEST)
    on_small = compared(pair, _shown(small, small.number, options))
    on_families = ComparedBoards()
    if on_small.different is None or pair.count:
        boards = family_boards(puzzle, largest, options.seed, options.cases)
        on_families = compared(pair, _shown(boards, options.cases, options), at_once=4)
    if not on_small.shared and not on_families.shared:
        for stage in (on_families, on_small):
            refuse_without_shared(pair, stage)
    return _report(pair, small, on_small, on_families, largest, options)


def _models(puzzle: Puzzle, names: list[str]) -> tuple[BackendContender, BackendContender]:
    """The two models; raises `UserError` for a name that no model has, and for a backend that
    cannot be written down.
    """
    able = encoding_backends(SIDES["models"], puzzle.name)
    chosen: list[BackendContender] = []
    for name in names:
        (model,) = choose(puzzle, [name], {})
        if model.side != "models" or model.backend_name not in able:
            known = ", ".join(able) or "none"
            raise UserError(
                f"{model.name} has no encoding that could be written down; those of "
                f"{puzzle.name} that have: {known}"
            )
        if model.absent is not None:
            raise UserError(f"{model.name}: {model.absent}")
        chosen.append(model)
    return chosen[0], chosen[1]


def _say(label: str, text: str) -> None:
    print(labelled(label, text), file=sys.stderr)


def _shown(
    boards: Iterable[Instance], number: int, options: argparse.Namespace
) -> Iterator[Instance]:
    """The boards, with a progress bar on a terminal."""
    with progress_bar(total=number, unit="board", quiet=options.quiet) as bar:
        for board in boards:
            yield board
            bar.update()


def _report(
    pair: ModelPair,
    small: SmallBoards,
    on_small: ComparedBoards,
    on_families: ComparedBoards,
    largest: int,
    options: argparse.Namespace,
) -> int:
    """Print what came of it; returns the exit status."""
    width = line_width()
    if pair.count:
        table = counts_table(
            pair, [(f"all {pair.puzzle.noun}s", on_small), ("families", on_families)]
        )
        print(for_terminal(table, options.format), end="\n\n")
    where = on_small.different or on_families.different
    if where is not None:
        board, result = where
        whence = ", and on no smaller one" if not on_small.cut_short and small.cells else ""
        if on_small.different is None:
            whence = ""
            if not pair.count:
                start = board
                board, result = smaller(pair, board, result)
                whence = "" if board == start else f", made smaller from one of {start.shown_size}"
        lines = different(pair, board, result, whence)
        print(
            "\n".join(
                printable(line if line.startswith("    ") else wrapped(line, width))
                for line in lines
            )
        )
        return 1
    if not any((*on_small.solutions, *on_families.solutions)):
        print(wrapped(nothing_compared(pair, small, on_small, on_families), width))
        return 3
    print(wrapped(same(pair, small, on_small, on_families, largest), width))
    return (
        3
        if options.strict and (on_small.cut_short or on_families.cut_short or not small.whole)
        else 0
    )
