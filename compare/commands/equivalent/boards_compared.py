"""The boards on which two models are compared: all small ones, the smallest first; some of each
family; then a large one of each family.

Of a puzzle without boards the small ones are cases that differ in their sizes first, then in their
numbers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import count, islice
from random import Random

from puzzles.grid import Board, GridPuzzle
from puzzles.instance import Instance
from puzzles.puzzle import Family, Puzzle
from puzzles.space import space_of
from puzzles.space.grid_space import shapes, tiny_grids

FAMILY_SIZES = (2, 3, 4, 5, 6)
"""The sizes of the boards of families, in turn, as far as they are asked for."""

LARGE_SIZE = 12
"""The size of one more board of each family. What goes wrong from a tenth row or column on, such as
names and numbers that are no longer told apart, shows there.
"""

_SEEDS = 40
"""Cases of each small size that each family gives."""

_MAX_KNOWN = 100
"""Boards in a row that were compared before, after which no new ones are expected."""


@dataclass(frozen=True)
class SmallBoards:
    """All boards up to a number of cells; of a puzzle without boards, small cases of all sizes.

    Attributes:
        like: some board; of cases, one of a family.
        size: rows and columns that none of them exceeds; None for any.
        cells: every board of up to this many cells is among them, if it fits into the square; 0 of
            cases.
        number: at most so many there are.
    """

    puzzle: Puzzle
    like: Instance
    size: int | None
    cells: int
    number: int

    @property
    def whole(self) -> bool:
        """Whether every board that was asked for is among them."""
        return self.size is None or self.cells >= self.size**2

    def __iter__(self) -> Iterator[Instance]:
        if not isinstance(self.puzzle, GridPuzzle) or not isinstance(self.like, Board):
            yield from _small_cases(self.puzzle, self.like, self.number)
            return
        grids = tiny_grids(
            self.like.alphabet, self.cells + 1, square=self.puzzle.square, size=self.size
        )
        for grid in grids:
            yield from self.puzzle.boards_on(grid, self.like)


def small_boards(puzzle: Puzzle, size: int | None, most: int) -> SmallBoards:
    """The small boards: of up to n cells each, where n is the largest number for which they are at
    most `most`.

    Args:
        size: only boards of at most this many rows and columns; None for any.
    """
    like = puzzle.family(puzzle.first_family()).nearest(FAMILY_SIZES[-1], 1)
    if not isinstance(like, Board):
        return SmallBoards(puzzle, like, None, 0, most)
    small = SmallBoards(puzzle, like, size, 0, 0)
    while size is None or small.cells < size**2:
        more = replace(small, cells=small.cells + 1)
        shaped = len(shapes(more.cells, square=puzzle.square, size=size))
        if shaped * len(like.alphabet) ** more.cells > most:
            break
        number = sum(1 for _ in islice(more, most + 1))
        if number > most:
            break
        small = replace(more, number=number)
    return small


def _small_cases(puzzle: Puzzle, like: Instance, most: int) -> Iterator[Instance]:
    """At most `most` cases, the smallest sizes first; of each size about as many as of any other.

    They are all short texts with small numbers, as far as these can be listed, and cases of the
    families up to the last of `FAMILY_SIZES`. Of a size that has too many, some are drawn.
    """
    of_size: defaultdict[int, dict[str, Instance]] = defaultdict(dict)
    for case in space_of(puzzle).small(like, 2 * most):
        of_size[case.size].setdefault(case.text(), case)
    for family in _all_families(puzzle):
        for size in range(family.least, min(FAMILY_SIZES[-1], family.most) + 1):
            for seed in range(1, _SEEDS + 1):
                case = family.make(size, seed)
                of_size[case.size].setdefault(case.text(), case)
    sizes, left = sorted(of_size), most
    share: dict[int, int] = {}
    for turn, size in enumerate(sorted(sizes, key=lambda size: len(of_size[size]))):
        share[size] = min(len(of_size[size]), -(-left // (len(sizes) - turn)))
        left -= share[size]
    for size in sizes:
        texts = sorted(of_size[size], key=lambda text: (len(text), text))
        for text in sorted(
            Random(size).sample(texts, share[size]), key=lambda text: (len(text), text)
        ):
            yield of_size[size][text]


def _all_families(puzzle: Puzzle) -> list[Family]:
    """The families of a puzzle, those for fuzzing alone included."""
    return [*{**puzzle.families, **puzzle.fuzz_families}.values()]


def new_boards(boards: Iterable[Instance], known: set[str]) -> Iterator[Instance]:
    """Those of the boards whose digest is not `known`; then it is. They end where no new ones are
    expected.
    """
    known_in_a_row = 0
    for board in boards:
        if board.digest not in known:
            known.add(board.digest)
            known_in_a_row = 0
            yield board
        else:
            known_in_a_row += 1
            if known_in_a_row == _MAX_KNOWN:
                return


def boards_in_turn(puzzle: Puzzle, largest: int, seed: int) -> Iterator[Instance]:
    """Boards of all families in turn, without an end."""
    families = [family for family in _all_families(puzzle) if family.least <= largest]
    sizes = sorted({size for size in FAMILY_SIZES if size < largest} | {largest})
    for number in count() if families else ():
        turn, place = divmod(number, len(families))
        yield families[place].nearest(sizes[turn % len(sizes)], seed + number)


def largest_boards(puzzle: Puzzle, seed: int) -> list[Instance]:
    """One large board of each family."""
    return [
        family.make(LARGE_SIZE, seed)
        for family in _all_families(puzzle)
        if family.least <= LARGE_SIZE <= family.most
    ]
