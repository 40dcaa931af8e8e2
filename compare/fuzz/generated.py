"""Boards that a program of the user's prints: it gets a seed as its last argument and prints an input file."""

from __future__ import annotations

from collections.abc import Sequence

from compare.isolate.outcome import Limits
from compare.isolate.sandbox import execute
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle
from puzzles.text import UserError

AT_ONCE = 32
"""Seeds of a block; each costs a start."""


def generated_boards(puzzle: Puzzle, command: Sequence[str], first_seed: int, count: int, limits: Limits) -> list[Instance]:
    """The boards that the command prints for `count` consecutive seeds; an input file may hold several.

    Raises:
        UserError: the command does not end well, or its output is no input file of the puzzle.
    """
    boards: list[Instance] = []
    for seed in range(first_seed, first_seed + count):
        call = f"{' '.join(command)} {seed}"
        outcome = execute([*command, str(seed)], b"", limits=limits)
        if not outcome.ok:
            raise UserError(
                f"--generator: {call}: {outcome.status}: {outcome.detail}. It must print an input file and end with status 0"
            )
        boards += puzzle.parse(outcome.value, f"<output of {call}>")
    return boards
