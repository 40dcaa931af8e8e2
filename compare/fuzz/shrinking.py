"""Shrinking a failing board while the same failure persists; runs inside a worker."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, islice

import numpy as np

import puzzles
from compare.fuzz.trial import Batch, Failure, Found, try_boards
from puzzles.grid import Board
from puzzles.shrink import tiny_cells, tiny_grids, windows
from puzzles.text import Grid

MOST_TRIES = 2000
ABOUT_ANSWERS = ("CONFLICT", "REFUTED")
"""Kinds of failures that leave the answers to other boards of the same run alone, and cost no time limit."""

FIRST_TOGETHER, MOST_TOGETHER = 8, 256
"""Boards in a run at first, and after many runs without success."""

MOST_CUT = 12
"""Cells of the parts of a board that are tried by themselves before it is taken down step by step."""

MOST_TINY, MOST_TINY_APART, MOST_SHAKEN = 5000, 100, 4096
"""Tiny boards tried at the end (fewer where each is a run of its own), and boards at random after them."""


@dataclass(frozen=True)
class Shrunk:
    """The smallest board found on which the failure persists, and how many runs that took: each of one board, or of many."""

    found: Found
    failure: Failure
    tries: int


def shrink(batch: Batch, board: Board, failure: Failure) -> Shrunk:
    """Take each smaller board on which the same failure (same kind, same contenders) shows, until there is none.

    Last of all every board of fewer cells is tried where those are few; else boards at random, with a line less.
    """
    search = _Search(batch, board, failure)
    search.cut()
    search.descend()
    while not search.look_below() and search.shake():
        search.descend()
    last = try_boards(replace(batch, thorough=search.involved.thorough), [search.smallest])
    return Shrunk(last[0] if last else Found(search.smallest, (failure,)), failure, search.tries)


class _Search:
    """Only the contenders of the failure are run, on more and more boards at once until one of them fails; one by one where
    that costs a start each, or where a failure spoils the others' answers."""

    def __init__(self, batch: Batch, board: Board, failure: Failure) -> None:
        self.puzzle = puzzles.get(batch.puzzle)
        about_more = failure.kind == "REFUTED" or bool(failure.detail)
        involved = tuple(c for c in batch.contenders if c.name in failure.names)
        self.involved = replace(batch, contenders=involved, thorough=about_more)
        self.failure = failure
        one_a_start = not self.puzzle.many_instances and any(c.command for c in self.involved.contenders)
        self.apart = one_a_start or failure.kind not in ABOUT_ANSWERS
        self.smallest, self.tries = board, 0
        self.passed: set[str] = set()

    def cut(self) -> None:
        """Go straight to a tiny part of the board, if one fails by itself."""
        if not self.apart:
            self.first_failing(enumerate(self.valid(windows(self.smallest.grid, MOST_CUT, square=self.puzzle.square))))

    def descend(self) -> None:
        """Step by step; after a success go on with the step at the same place, for those before it have just failed."""
        at: int | None = 0
        while at is not None:
            steps = enumerate(self.puzzle.smaller(self.smallest))
            before = islice(enumerate(self.puzzle.smaller(self.smallest)), at)
            at = self.first_failing(chain(islice(steps, at, None), before))

    def look_below(self) -> bool:
        """Whether nothing is left to do: all boards of fewer cells were looked through, or a run that fails costs too much."""
        if self.failure.kind not in ABOUT_ANSWERS:
            return True
        alphabet, square = self.smallest.alphabet, self.puzzle.square
        cells = tiny_cells(alphabet, MOST_TINY_APART if self.apart else MOST_TINY, square=square)
        grids = tiny_grids(alphabet, min(cells + 1, self.smallest.cells), square=square)
        return self.first_failing(enumerate(self.valid(grids))) is not None or self.smallest.cells <= cells + 1

    def shake(self) -> bool:
        """Try boards with a row or a column less, perhaps one of the other doubled, and some cells changed; whether one fails."""
        if self.apart or self.smallest.cells == 1:
            return False
        rng = random.Random(self.smallest.digest)
        grids = sorted((self.shaken(rng) for _ in range(MOST_SHAKEN)), key=np.size)
        return self.first_failing(enumerate(self.valid(iter(grids)))) is not None

    def shaken(self, rng: random.Random) -> Grid:
        grid = self.smallest.grid
        if self.puzzle.square:
            grid = _less(_less(grid, 0, rng), 1, rng)
        else:
            axis = rng.choice([axis for axis in (0, 1) if grid.shape[axis] > 1])
            grid = _less(grid, axis, rng)
            if rng.random() < 0.5 and grid.size + grid.shape[axis] < self.smallest.cells:
                line = rng.randrange(grid.shape[1 - axis])
                grid = np.insert(grid, line, grid.take(line, 1 - axis), 1 - axis)
        for _ in range(rng.randint(1, 3)):
            grid[rng.randrange(grid.shape[0]), rng.randrange(grid.shape[1])] = rng.choice(self.smallest.alphabet)
        return grid

    def valid(self, grids: Iterator[Grid]) -> Iterator[Board]:
        for grid in grids:
            with suppress(ValueError):
                yield replace(self.smallest, grid=grid)

    def first_failing(self, candidates: Iterator[tuple[int, Board]]) -> int | None:
        """The number of the first candidate that fails, which becomes the smallest; None where all pass."""
        new = ((number, board) for number, board in candidates if board.digest not in self.passed)
        size = 1 if self.apart else FIRST_TOGETHER
        while self.tries < MOST_TRIES and (together := list(islice(new, size))):
            self.tries += 1
            failing = self.failing([board for _, board in together])
            for number, board in together:
                if board in failing:
                    self.smallest = board
                    return number
                self.passed.add(board.digest)
            size = size if self.apart else min(2 * size, MOST_TOGETHER)
        return None

    def failing(self, boards: Sequence[Board]) -> set[Board]:
        found = try_boards(self.involved, boards)
        return {each.board for each in found if any(self.failure.same(other) for other in each.failures)}


def _less(grid: Grid, axis: int, rng: random.Random) -> Grid:
    return np.delete(grid, rng.randrange(grid.shape[axis]), axis)
