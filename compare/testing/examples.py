"""Boards of a puzzle's families as parameters of a test."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import count as counting
from typing import TYPE_CHECKING, Any

from compare.testing.agreement import puzzle_of
from puzzles.instance import Instance
from puzzles.puzzle import Family, Puzzle
from puzzles.text import UserError

if TYPE_CHECKING:
    from _pytest.mark.structures import ParameterSet

_SAME_AGAIN = 50
"""Generated boards that may be known already, one after the other, before no more are expected."""


def examples(
    puzzle: str | os.PathLike[str] | Puzzle[Any, Any], *, count: int = 50, size: int = 8, seed: int = 1
) -> list[ParameterSet]:
    """Different boards for `@pytest.mark.parametrize("board", examples(...))`, from all families in turn.

    The id of a parameter is `family-size-seed`: `puzzles.get(puzzle).family(family).board(size, seed)` is the board. There are
    fewer than `count` if the families have no more boards up to this size.

    Args:
        puzzle: its name, the path of a file or folder of one's own, or the puzzle itself.
        size: the largest size; the sizes grow up to it and begin again.
        seed: of the first boards; the same arguments give the same boards.

    Raises:
        UserError: there is no such puzzle, or no family has boards of this size in the contest's format.
    """
    import pytest

    rules = puzzle_of(puzzle)
    families = {name: each for name, each in rules.families.items() if each.in_contest_format and each.least <= size}
    if not families:
        raise UserError(f"no family of {rules.name} has boards of size {size} in the contest's format: ask for a larger size")
    seen: set[str] = set()
    waiting = {name: _new_boards(family, size, seed, seen) for name, family in families.items()}
    parameters: list[ParameterSet] = []
    while waiting and len(parameters) < count:
        for name in list(waiting)[: count - len(parameters)]:
            new = next(waiting[name], None)
            if new is None:
                del waiting[name]
            else:
                length, own_seed, board = new
                parameters.append(pytest.param(board, id=f"{name}-{length}-{own_seed}"))
    return parameters


def _new_boards(family: Family[Any], size: int, seed: int, seen: set[str]) -> Iterator[tuple[int, int, Instance]]:
    """Boards of a family that are not seen yet, with their sizes and seeds; it ends once no new one comes for long."""
    known = 0
    for turn in counting():
        length, own_seed = family.least + turn % (min(size, family.most) - family.least + 1), seed + turn
        board = family.board(length, own_seed)
        known = known + 1 if board.digest in seen else 0
        if known > _SAME_AGAIN:
            return
        if not known:
            seen.add(board.digest)
            yield length, own_seed, board
