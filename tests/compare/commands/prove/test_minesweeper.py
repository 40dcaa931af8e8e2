"""The closure of many boards at once against the plain closure and the backend."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pytest

import direct
from compare.commands.prove.symbolic import rows_of
from models.minesweeper.lemmas import all_layouts, boards_with_layout, closures_of, rounds_of
from puzzles.grid import grid_of
from puzzles.minesweeper.board import Deduction, Minesweeper
from tests.compare.commands.prove.brute_force import (
    boards,
)


@pytest.mark.parametrize(
    ("shape", "kinds"), [((1, 4), "#0123"), ((2, 2), "#0123"), ((2, 3), "#012")]
)
def test_the_closure_of_many_boards_is_the_plain_one_and_the_backends(
    shape: tuple[int, int], kinds: str
) -> None:
    """Every board of covered cells and clues: those that have a layout, what is certain, the
    rounds, what they mark.
    """
    digits, covered, always, ever = boards_with_layout(*shape)
    rounds, mines, safe = closures_of(*shape, digits, covered)
    texts = np.where(covered, "#", digits.astype(str))
    swept = {rows_of("".join(text), shape[1]): k for k, text in enumerate(texts.tolist())}

    def bits(some: Iterable[int]) -> int:
        return sum(1 << cell for cell in some)

    def marked(cells: Mapping[tuple[int, int], bool], mine: bool) -> list[int]:
        return [r * shape[1] + c for (r, c), value in cells.items() if value is mine]

    for rows in boards(*shape, kinds):
        layouts = all_layouts(rows)
        assert bool(layouts) == (rows in swept)
        if not layouts:
            continue
        k, marks = swept[rows], rounds_of(rows)
        mine_in = [{*marked(layout, True)} for layout in layouts]
        assert (always[k], ever[k]) == (
            bits(set.intersection(*mine_in)),
            bits(set.union(*mine_in)),
        )
        assert rounds[k] == len(marks)
        answer = direct.solve(Minesweeper(grid_of(rows)), "two-sat")
        assert isinstance(answer, Deduction)
        every = {cell: mine for each in marks for cell, mine in each.items()}
        for swept_bits, found, mine in (
            (mines[k], answer.mines, True),
            (safe[k], answer.safe, False),
        ):
            assert swept_bits == bits(marked(every, mine)) == bits(found.tolist())
