"""The stream of boards: seeded, mostly small, cut out of boards of all families and changed in a few cells."""

from __future__ import annotations

import random

import numpy as np

from compare.campaign.datasets import read_dataset
from puzzles.grid import Board
from puzzles.puzzle import Puzzle

EXTENDED_EVERY = 4
"""One block in this many has boards that the contest's format cannot say, such as boards with a number of mines."""

MOST_SIZE = 1000
"""The largest `size` of a block: several of its boards are that large, and all of them are in memory at once."""

_FAMILY_BOARDS = 12


def boards(puzzle: Puzzle, seed: int, index: int, count: int, size: int) -> list[Board]:
    """The boards of a block: some of the families, the rest cut out of those and changed in a few cells.

    Nine in ten are at most 5 x 5, the others at most `size` x `size`; the same arguments give the same boards. The second block
    and every fourth one after it have boards that the contest's format cannot say, if the puzzle has any.
    """
    extended = index % EXTENDED_EVERY == 1
    rng = random.Random(f"{puzzle.name} {seed} {index}")
    stream: list[Board] = []
    families = [family for family in puzzle.families.values() if family.in_contest_format or extended]
    for family in rng.choices(families, k=min(_FAMILY_BOARDS, count)):
        wanted = max(family.least, rng.choice((rng.randint(1, 6), rng.randint(1, max(1, size)))))
        wanted = min(wanted, family.most)
        stream.append(family.board(wanted, rng.randrange(2**31)))
    alphabet = bytes(stream[0].alphabet)
    bases = [board for board in stream if board.cells <= 4 * size * size]
    while len(stream) < count:
        most = 5 if rng.random() < 0.9 else size
        rows, columns = rng.randint(1, most), rng.randint(1, most)
        base = rng.choice(bases) if bases and rng.random() < 0.8 else None
        grid = _cut(rng, base, rows, rows if puzzle.square else columns, alphabet)
        try:
            stream.append(type(stream[0])(grid))
        except ValueError:
            continue
    return [puzzle.extended(board, rng) for board in stream] if extended else stream


def _cut(rng: random.Random, base: Board | None, rows: int, columns: int, alphabet: bytes) -> np.ndarray:
    """A part of the base with a few cells changed; without a base, random cells of a few characters."""
    if base is None:
        few = rng.choices(alphabet, k=rng.randint(2, 6))
        return np.array(rng.choices(few, k=rows * columns), np.uint8).reshape(rows, columns)
    if base.rows != base.columns:
        rows, columns = min(rows, base.rows), min(columns, base.columns)
    else:
        rows, columns = min(rows, base.rows), min(columns, base.rows)
    top, left = rng.randint(0, base.rows - rows), rng.randint(0, base.columns - columns)
    grid = base.grid[top : top + rows, left : left + columns].copy()
    for _ in range(rng.choice((0, 1, 1, 2, 3, rows))):
        grid[rng.randrange(rows), rng.randrange(columns)] = rng.choice(alphabet)
    return grid


def bundled_boards(puzzle: Puzzle) -> list[Board]:
    """The boards of the bundled files: the contests' samples, and those that refute a claim (`compare prove`)."""
    return [board for path in sorted(puzzle.data.glob("*/*.in")) for board in read_dataset(puzzle, str(path)).instances]
