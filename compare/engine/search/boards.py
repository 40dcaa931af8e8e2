"""The stream of boards: seeded, mostly small, cut out of boards of all families, changed in a few
cells or made legal.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from puzzles.instance import Instance
from puzzles.puzzle import Family, InstanceT, Puzzle
from puzzles.space import space_of

EXTENDED_EVERY = 4
"""One block in this many has boards that the contest's format cannot say, such as boards with a
number of mines.
"""

_FAMILY_BOARDS = 12

BOUND_BELOW = 8
"""A smaller `size` is the bound of all boards: larger ones of a family are cut. From this one on
there are also the smallest boards of families that begin above it, and larger bundled boards.
"""

_TINY = 5
"""Nine in ten of the boards that are cut out of others have at most this many rows and columns."""


def boards(
    puzzle: Puzzle[InstanceT, Any], seed: int, index: int, count: int, size: int
) -> list[InstanceT]:
    """The boards of a block: some of the families, the rest cut out of those and changed in a few
    cells, many made legal.

    Nine in ten are at most 5 x 5, the others at most `size` x `size`, but for families whose
    smallest board is larger (see `BOUND_BELOW`). The same arguments give the same boards. Of the
    blocks, counted from 0, numbers 1, 5, 9, ... have boards that the contest's format cannot say.
    """
    extended = index % EXTENDED_EVERY == 1
    rng = random.Random(f"{puzzle.name} {seed} {index}")
    tiny = min(_TINY, size)
    tiny_families = [
        family
        for family in puzzle.fuzz_families.values()
        if family.least <= tiny and (family.in_contest_format or extended)
    ]
    families = rng.choices(families_for(puzzle, extended), k=min(_FAMILY_BOARDS, count))
    stream = [board_of_family(family, drawn_size(rng, size), rng) for family in families]
    bases = [board for board in stream if board.size <= 4 * size * size]
    while len(stream) < count:
        if tiny_families and rng.random() < 1 / 6:
            family = rng.choice(tiny_families)
            stream.append(board_of_family(family, rng.randint(family.least, tiny), rng))
        elif rng.random() < 0.9:
            stream.append(drawn_board(puzzle, stream[0], bases, tiny, 1 / 2, rng, extended))
        else:  # a larger legal board takes far longer than one that clashes at once
            stream.append(drawn_board(puzzle, stream[0], bases, size, 1 / 5, rng, extended))
    if size < BOUND_BELOW:
        stream = [
            board if is_within(board, size) else space_of(puzzle).draw(board, [board], size, rng)
            for board in stream
        ]
    return [puzzle.extended(board, rng) for board in stream] if extended else stream


def is_within(instance: Instance, size: int) -> bool:
    """Whether it has at most so many rows and columns, or is no board."""
    return instance.shape is None or max(instance.shape) <= size


def families_for(puzzle: Puzzle[InstanceT, Any], extended: bool) -> list[Family[InstanceT]]:
    """The families of the comparison; `extended`: also those that the contest's format cannot
    say.
    """
    return [family for family in puzzle.families.values() if family.in_contest_format or extended]


def drawn_board(
    puzzle: Puzzle[InstanceT, Any],
    like: InstanceT,
    bases: Sequence[InstanceT],
    most: int,
    legal: float,
    rng: random.Random,
    extended: bool,
) -> InstanceT:
    """An instance drawn from the puzzle's space, and made legal with a probability."""
    drawn = space_of(puzzle).draw(like, bases, most, rng)
    return puzzle.legal(drawn, rng, extended) if rng.random() < legal else drawn


def drawn_size(rng: random.Random, size: int) -> int:
    """At most `size`, and half of the time at most 6."""
    return rng.choice((rng.randint(1, min(6, size)), rng.randint(1, size)))


def board_of_family(family: Family[InstanceT], size: int, rng: random.Random) -> InstanceT:
    return family.nearest(size, rng.randrange(2**31))
