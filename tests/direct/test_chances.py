"""Layouts, probabilities and certain cells of boards, against layouts that are tried one by one."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

import numpy as np
import pytest

from direct import thresholds
from direct.minesweeper import probability
from direct.minesweeper.probability import chances_of
from puzzles.grid import grid_of
from puzzles.minesweeper.board import Chances, Minesweeper

PIECE = (3, 4)
"""Rows and columns of a piece of a board: two opened cells in its middle, clues of which no other
piece knows.
"""

OPENED = ((1, 1), (1, 2))

Ways = dict[int, int]
"""How many layouts have each number of mines."""


def layouts_of(grid: list[str]) -> Iterator[set[tuple[int, int]]]:
    """The mines of each layout of a small board, by trying all."""
    cells = [
        (row, column)
        for row, line in enumerate(grid)
        for column, code in enumerate(line)
        if code == "#"
    ]
    clues = [
        (row, column, int(code))
        for row, line in enumerate(grid)
        for column, code in enumerate(line)
        if code.isdigit()
    ]
    for chosen in product((False, True), repeat=len(cells)):
        mines = {cell for cell, mine in zip(cells, chosen, strict=True) if mine}
        if all(
            sum(abs(row - r) < 2 and abs(column - c) < 2 for r, c in mines) == clue
            for row, column, clue in clues
        ):
            yield mines


def piece(left: int, right: int) -> list[str]:
    return ["####", f"#{left}{right}#", "####"]


def ways_of(layouts: list[set[tuple[int, int]]]) -> Ways:
    return {
        number: sum(len(mines) == number for mines in layouts)
        for number in {len(mines) for mines in layouts}
    }


def times(one: Ways, other: Ways) -> Ways:
    both: Ways = {}
    for (a, x), (b, y) in product(one.items(), other.items()):
        both[a + b] = both.get(a + b, 0) + x * y
    return both


PIECES = [(1, 2), (3, 3), (2, 4), (4, 3), (5, 5)]
LAYOUTS = {each: list(layouts_of(piece(*each))) for each in PIECES}


def board_of_pieces(
    chosen: list[tuple[int, int]], free_rows: int, mines: int | None
) -> Minesweeper:
    rows = ["".join(piece(*each)[row] for each in chosen) for row in range(3)]
    rows += ["#" * 4 * len(chosen)] * free_rows
    return Minesweeper(np.array([list(row.encode()) for row in rows], np.uint8), mines)


def expected(
    chosen: list[tuple[int, int]], free: int, mines: int | None
) -> tuple[int, dict[tuple[int, int], Fraction]]:
    """The number of layouts, and the probability of each covered cell of the pieces, and of (3, 0)
    as one of the free cells.
    """

    def count(*parts: Ways) -> int:
        product_of_all: Ways = {0: 1}
        for part in parts:
            product_of_all = times(product_of_all, part)
        return product_of_all.get(mines, 0) if mines is not None else sum(product_of_all.values())

    loose = {number: comb(free, number) for number in range(free + 1)}
    ways = [ways_of(LAYOUTS[each]) for each in chosen]
    total = count(loose, *ways)
    chances: dict[tuple[int, int], Fraction] = {}
    if total and free:
        with_mine = {number + 1: comb(free - 1, number) for number in range(free)}
        chances[3, 0] = Fraction(count(with_mine, *ways), total)
    for at, each in enumerate(chosen):
        for row, column in product(*map(range, PIECE)):
            if total and (row, column) not in OPENED:
                own = ways_of([layout for layout in LAYOUTS[each] if (row, column) in layout])
                chances[row, 4 * at + column] = Fraction(
                    count(loose, own, *ways[:at], *ways[at + 1 :]), total
                )
    return total, chances


CHOICES = [
    ([(1, 2)], 0),
    ([(3, 3), (1, 2)], 1),
    ([(2, 4), (3, 3), (5, 5)], 1),
    ([(1, 2), (3, 3), (2, 4), (4, 3)], 2),
    ([(3, 3), (3, 3), (2, 4), (5, 5), (3, 3), (4, 3)], 3),
]


@pytest.mark.parametrize(
    ("chosen", "free_rows"), CHOICES, ids=[f"{len(chosen)} pieces" for chosen, _ in CHOICES]
)
@pytest.mark.parametrize("forced", ["", "COUNTED_LAYOUTS", "COUNTED_SIZE", "JOINED_NUMBERS"])
def test_counts_are_those_of_the_pieces(
    monkeypatch: pytest.MonkeyPatch, chosen: list[tuple[int, int]], free_rows: int, forced: str
) -> None:
    if forced:
        monkeypatch.setattr(thresholds, forced, 0)
        monkeypatch.setenv("TWOFOLD_KERNELS", "python")
    free = 4 * len(chosen) * free_rows
    least = sum(min(ways_of(LAYOUTS[each])) for each in chosen)
    most = free + sum(max(ways_of(LAYOUTS[each])) for each in chosen)
    possible = 0
    step = 1 + len(chosen) // 2
    numbers = {*range(least - 1, most + 2, step), least, most, most + 1}
    for mines in (None, *numbers):
        board = board_of_pieces(chosen, free_rows, mines)
        total, chances = expected(chosen, free, mines)
        counted = chances_of(board)
        assert (counted is None) == (total == 0)
        if counted is not None:
            assert counted[0].layouts == total
            assert {cell: chance_of(counted[0], board, cell) for cell in chances} == chances
            possible += 1
    assert possible == len(numbers) - 1  # those without `least` - 1 and `most` + 1, and with None


def chance_of(chances: Chances, board: Minesweeper, cell: tuple[int, int]) -> Fraction | None:
    return chances.of(cell[0] * board.columns + cell[1])


def test_many_components_are_counted_each_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", "python")
    counted = chances_of(board_of_pieces(PIECES * 20, 0, None))
    assert counted is not None
    assert (
        counted[0].layouts == np.prod([len(LAYOUTS[each]) for each in PIECES], dtype=object) ** 20
    )
    chances = [counted[0].of(at) for at in range(12 * len(PIECES) * 20)]
    alone = chances_of(board_of_pieces(PIECES, 0, None))
    assert alone is not None
    width = 4 * len(PIECES)
    for row in range(3):
        one = [alone[0].of(row * width + column) for column in range(width)]
        assert chances[row * 20 * width : (row + 1) * 20 * width] == one * 20


@pytest.mark.parametrize("kernels", ["python", "compiled"])
def test_many_components_of_many_layouts_are_counted_exactly(
    kernels: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", kernels)
    columns, strips = 50, 25
    clues = (
        "2" + "3" * (columns - 2) + "2"
    )  # any three neighbouring columns have 3 mines, the first two and the last two have 2
    rows = ["#" * columns, clues, "#" * columns] * strips + ["#" * columns]
    board = Minesweeper(grid_of(rows), strips * columns + 20)
    counted = chances_of(board)
    assert counted is not None
    chances = counted[0]
    alternating = (
        columns - 2
    ) // 3  # columns with one mine, if those between them have 0 and 2 or 2 and 0
    assert chances.layouts == (2**columns + 2 * 2**alternating) ** strips * comb(columns, 20)
    around = [chances.of(cell) for cell in range(board.cells)]
    strip = [Fraction(1, 2)] * columns + [None] * columns + [Fraction(1, 2)] * columns
    assert around == strip * strips + [Fraction(20, columns)] * columns


@pytest.mark.parametrize("part", ["component", "board"])
def test_counts_that_do_not_add_up_are_refused(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong_shares(*args: Any) -> Any:
        times, layouts, on_free = shares(*args)
        return times, layouts, on_free + 1

    shares = probability._shares
    if part == "component":
        monkeypatch.setattr(
            probability.Counts, "with_mine", lambda counts, times: [1] * len(counts.sizes)
        )
    else:
        monkeypatch.setattr(probability, "_shares", wrong_shares)
    with pytest.raises(ArithmeticError, match=f"layouts of .* {part} do not add up"):
        chances_of(board_of_pieces([(3, 3), (1, 2)], 1, 9))
