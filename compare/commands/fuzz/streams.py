"""The streams of boards that `fuzz` has beside the usual one: large boards, boards of some
families, boards that keep a contest's promises, and the bundled ones.

Large boards go up to the contest's own limits, and are large enough for algorithms that only large
boards run.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from compare.engine.search.boards import board_of_family, drawn_board, drawn_size, families_for
from compare.engine.work.contenders import BackendContender, Contender
from puzzles.puzzle import InstanceT, Puzzle
from puzzles.text import read_source

LARGE_EXTENDED_EVERY = 2
"""One block of large boards in this many has boards that the contest's format cannot say."""

WIDE_SIZE = 32
"""Large boards that are cut out of others have up to this many rows and columns, or up to `size` if
that is more.
"""

KNOWN_EVERY = 8
"""One large board in this many is one of the puzzle's `large_boards`."""

AT_THE_LIMIT = (1, 3, 5)
"""Of as many large boards, these are boards of a family at the contest's own limit, the families in
turn. Where the limit is above `FULL_SIZE`, the second has half of it and the third a quarter.
"""

FULL_SIZE = 100
"""Rows and columns up to which a board costs little, also to check."""

UNCHANGED_EVERY = 8
"""Where programs take part, one board in this many stays as it is if it breaks a promise."""

LARGE_BLOCK = 12
"""Large boards in a block."""

MAX_SMALL_SIZE = 8
"""The largest `size` of a search that has no large boards: slow backends are to bear its boards."""

MAX_SIZE = 1000
"""The largest `size` of a block: several of its boards are that large, and all of them are in
memory at once.
"""

AT_ONCE = 32
"""Seeds of a block of a generator; each costs a start."""


def large_boards(
    puzzle: Puzzle[InstanceT, Any], seed: int, index: int, count: int, size: int
) -> list[InstanceT]:
    """The boards of a block of large boards: for the algorithms that only large inputs run, and up
    to the contest's own limits.

    One in eight is one of the puzzle's `large_boards`, in turn, and three in eight have the
    puzzle's largest size (see `AT_THE_LIMIT`). The others are boards of the families, whose sizes
    have a heavy tail from `size` on, and boards cut out of those, of up to 32 x 32 or `size`. The
    same arguments give the same boards. Blocks of odd numbers have boards that the contest's format
    cannot say.
    """
    extended = index % LARGE_EXTENDED_EVERY == 1
    rng = random.Random(f"{puzzle.name} large {seed} {index}")
    families = families_for(puzzle, extended)
    known = [(puzzle.any_family(name), rows) for name, rows in puzzle.large_boards]
    known = [(family, rows) for family, rows in known if family.in_contest_format is not extended]
    bases: list[InstanceT] = []
    stream: list[InstanceT] = []
    first_family = random.Random(f"{puzzle.name} largest {seed}").randrange(len(families))
    for k in range(count):
        turn, place = divmod(index // LARGE_EXTENDED_EVERY * count + k, KNOWN_EVERY)
        if place == 0 and known:
            family, rows = known[turn % len(known)]
            stream.append(board_of_family(family, rows, rng))
        elif place in AT_THE_LIMIT:
            at = AT_THE_LIMIT.index(place)
            family = families[(first_family + len(AT_THE_LIMIT) * turn + at) % len(families)]
            limit = max(puzzle.largest >> at, min(puzzle.largest, FULL_SIZE))
            stream.append(board_of_family(family, max(size, limit), rng))
        elif bases and place != 2:
            stream.append(
                drawn_board(puzzle, bases[0], bases, max(size, WIDE_SIZE), 1 / 5, rng, extended)
            )
        else:
            bases.append(board_of_family(rng.choice(families), heavy_tail(rng, puzzle, size), rng))
            stream.append(bases[-1])
    return [puzzle.extended(board, rng) for board in stream] if extended else stream


def promised_boards(
    puzzle: Puzzle[InstanceT, Any], stream: Sequence[InstanceT], format: str
) -> list[InstanceT]:
    """The boards of a stream for programs: in the place of each board that breaks a promise of the
    contest stands one much like it that keeps all, if the puzzle has one.

    One in eight stays as it is, for the backends.
    """
    kept: list[InstanceT] = []
    for k, board in enumerate(stream):
        near = None
        if (k + 1) % UNCHANGED_EVERY and puzzle.broken_promise(board, format):
            near = next(puzzle.promised_near(board, format, random.Random(board.digest)), None)
        kept.append(board if near is None else near)
    return kept


def family_boards(
    puzzle: Puzzle[InstanceT, Any],
    names: tuple[str, ...],
    seed: int,
    index: int,
    count: int,
    size: int,
) -> list[InstanceT]:
    """The boards of a block of these families alone, of sizes as in `boards`; one in 40 has a size
    of the heavy tail.

    Raises:
        UnknownName: the puzzle has no such family.
    """
    rng = random.Random(f"{puzzle.name} {' '.join(names)} {seed} {index}")
    families = [puzzle.any_family(name) for name in names]
    return [
        board_of_family(
            rng.choice(families),
            heavy_tail(rng, puzzle, size) if rng.random() < 1 / 40 else drawn_size(rng, size),
            rng,
        )
        for _ in range(count)
    ]


def heavy_tail(rng: random.Random, puzzle: Puzzle, size: int) -> int:
    """A size of at least `size`, s or more with the probability (`size` / s)^2, and at most the
    puzzle's `largest`.
    """
    return min(int(size / (1 - rng.random()) ** 0.5), max(size, puzzle.largest))


def bundled_boards(puzzle: Puzzle[InstanceT, Any]) -> list[InstanceT]:
    """The boards of the bundled files: the contests' samples, and those that refute a claim."""
    return [
        board
        for path in sorted(puzzle.data.glob("*/*.in"))
        for board in puzzle.parse(*read_source(str(path)))
    ]


def bearing(contender: Contender, size: int) -> Contender:
    """The contender with a limit on the boards that are far larger than `size`: those that it may
    take long for it passes over.
    """
    if not isinstance(contender, BackendContender) or contender.backend.quick is None:
        return contender
    return limited(contender, max(contender.backend.quick, 2 * size**2))


def limited(contender: BackendContender, most: int) -> BackendContender:
    """The contender, which passes over the boards above this size."""
    return replace(contender, limit=most if contender.limit is None else min(contender.limit, most))
