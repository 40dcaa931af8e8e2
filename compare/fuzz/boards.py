"""The stream of boards: seeded, mostly small, cut out of boards of all families, changed in a few cells or made legal.

A few boards are as large as the contest's own, and now and then one is large enough for the algorithms that only large inputs run.
"""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np

from compare.campaign.datasets import read_dataset
from compare.work.contenders import BackendContender, Contender
from puzzles.grid import Board
from puzzles.puzzle import Family, Puzzle

EXTENDED_EVERY = 4
"""One block in this many has boards that the contest's format cannot say, such as boards with a number of mines."""

WIDE_EVERY, WIDE_SIZE = 16, 32
"""One block in this many has boards of at least this size where others have boards of `size`."""

LARGE_EVERY = 8
"""One block in this many has the puzzle's `large_boards`, and another one those that the contest's format cannot say."""

APART = 8
"""Large boards stand this many places apart, from the first place on."""

SMALL = 8
"""The largest `size` of blocks that are neither wide nor have large boards or a heavy tail: slow backends are to bear them."""

MOST_SIZE = 1000
"""The largest `size` of a block: several of its boards are that large, and all of them are in memory at once."""

_FAMILY_BOARDS = 12

_TINY = 5
"""Nine in ten of the boards that are cut out of others have at most this many rows and columns."""


def boards(puzzle: Puzzle, seed: int, index: int, count: int, size: int) -> list[Board]:
    """The boards of a block: some of the families, the rest cut out of those and changed in a few cells, many made legal.

    Nine in ten are at most 5 x 5, the others at most `size` x `size`, but for one board of a family: its size is drawn with a
    heavy tail up to `puzzle.largest`. The same arguments give the same boards. Of the blocks, counted from 0, numbers
    1, 5, 9, ... have boards that the contest's format cannot say. Numbers 2, 10, 18, ... have the puzzle's large boards, and
    numbers 5, 13, 21, ... those that the format cannot say. Numbers 2, 18, 34, ... are wide. If `size` is at most `SMALL`, there
    are neither wide blocks nor large boards nor a heavy tail.
    """
    extended = index % EXTENDED_EVERY == 1
    small = size <= SMALL
    size = max(size, WIDE_SIZE) if not small and index % WIDE_EVERY == 2 else size
    rng = random.Random(f"{puzzle.name} {seed} {index}")
    families = [family for family in puzzle.families.values() if family.in_contest_format or extended]
    tiny_families = [
        family for family in puzzle.fuzz_families.values() if family.least <= _TINY and (family.in_contest_format or extended)
    ]
    stream = [
        _of_family(family, heavy_tail(rng, puzzle, size) if k == 0 and not small else _size(rng, size), rng)
        for k, family in enumerate(rng.choices(families, k=min(_FAMILY_BOARDS, count)))
    ]
    bases = [board for board in stream if board.cells <= 4 * size * size]
    while len(stream) < count:
        if tiny_families and rng.random() < 1 / 6:
            family = rng.choice(tiny_families)
            stream.append(_of_family(family, rng.randint(family.least, _TINY), rng))
            continue
        most = _TINY if rng.random() < 0.9 else size
        rows, columns = rng.randint(1, most), rng.randint(1, most)
        base = rng.choice(bases) if bases and rng.random() < 0.8 else None
        grid = _cut(rng, base, rows, rows if puzzle.square else columns, bytes(stream[0].alphabet))
        try:
            board = type(stream[0])(grid)
        except ValueError:
            continue
        often = 1 / 2 if most == _TINY else 1 / 5  # a large legal board takes far longer than one that clashes at once
        stream.append(puzzle.legal(board, rng, extended) if rng.random() < often else board)
    if extended:
        stream = [puzzle.extended(board, rng) for board in stream]
    if not small and index % LARGE_EVERY in (2, 5):
        large = [(puzzle.any_family(name), rows) for name, rows in puzzle.large_boards]
        fitting = [(family, rows) for family, rows in large if family.in_contest_format is not extended]
        for place, (family, rows) in zip(range(0, count, APART), fitting, strict=False):
            stream[place] = _of_family(family, rows, rng)
    return stream


def family_boards(puzzle: Puzzle, names: tuple[str, ...], seed: int, index: int, count: int, size: int) -> list[Board]:
    """The boards of a block of these families alone, of sizes as in `boards`; one in 40 has a size of the heavy tail.

    Raises:
        UnknownName: the puzzle has no such family.
    """
    rng = random.Random(f"{puzzle.name} {' '.join(names)} {seed} {index}")
    families = [puzzle.any_family(name) for name in names]
    return [
        _of_family(rng.choice(families), heavy_tail(rng, puzzle, size) if rng.random() < 1 / 40 else _size(rng, size), rng)
        for _ in range(count)
    ]


def _size(rng: random.Random, size: int) -> int:
    """At most 6 or, half of the time, at most `size`."""
    return rng.choice((rng.randint(1, 6), rng.randint(1, size)))


def heavy_tail(rng: random.Random, puzzle: Puzzle, size: int) -> int:
    """A size of at least `size`, s or more with the probability (`size` / s)^2, and at most the puzzle's `largest`."""
    return min(int(size / (1 - rng.random()) ** 0.5), max(size, puzzle.largest))


def _of_family(family: Family, size: int, rng: random.Random) -> Board:
    return family.board(min(max(family.least, size), family.most), rng.randrange(2**31))


def bearing(contender: Contender, size: int) -> Contender:
    """The contender with a limit on the boards that are far larger than `size`: those that it may take long for it passes over."""
    quick = contender.backend.quick if isinstance(contender, BackendContender) else None
    if quick is None or not isinstance(contender, BackendContender):
        return contender
    most = max(quick, 2 * size**2)
    return replace(contender, limit=most if contender.limit is None else min(contender.limit, most))


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
