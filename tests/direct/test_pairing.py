"""Short augmentation in geography's matching, and the memory that its steps share."""

from __future__ import annotations

import numpy as np
import pytest

from direct.geography.pairing import (
    DISTANCES,
    UNREACHED,
    augment_shortly,
    least_label_beside,
    measure,
    nearest_first,
    parts,
)
from tests.direct.test_rounds import BOARDS, Partly


@pytest.mark.parametrize("most", [1, 2, 5])
def test_who_gives_no_search_up_leaves_a_maximum_matching(most: int) -> None:
    ended: list[bool] = []
    for seed in range(BOARDS):
        board = Partly(seed)
        roots = board.exposed(0)
        reached = np.empty(board.code.size // 2 + 1, np.uint8)
        given_up = augment_shortly(board.code, board.moves, roots, reached, board.queue, most)
        assert all(board.code[mate] == 3 - board.code[cell] for cell, mate in board.pairs())
        assert board.measure(1)
        improvable = (
            board.nearest(1).size > 0
        )  # an augmenting path joins exposed cells of both colours
        assert given_up or not improvable
        assert np.count_nonzero(reached != UNREACHED) <= board.code.size // 2
        ended.append(given_up and improvable)
    assert {*ended} == {False, True}


@pytest.mark.parametrize("cells", [9, 10, 35, 1000, 1003])
def test_each_part_of_the_memory_has_room_for_what_it_holds(cells: int) -> None:
    of_colour = (cells + 1) // 2
    part = parts(cells)
    sizes = np.diff([0, *part])
    assert tuple(part) == tuple(sorted(part))
    assert sizes[0] >= 2 * of_colour
    assert 4 * sizes[1] >= cells
    assert 2 * sizes[2] >= of_colour
    assert 4 * sizes[2] >= cells
    assert 2 * sizes[3] >= of_colour
    assert sizes[4] >= of_colour + 1
    assert sizes[5] == DISTANCES + 1


def test_exposed_cells_of_a_large_board_are_sorted_by_their_distance() -> None:
    board = Partly(0, (100, 100))
    assert board.code.size // 2 > DISTANCES
    cells = board.exposed(1)
    assert measure(
        board.exposed(0), 0, board.code, board.label, board.way, board.queue, board.moves
    )
    near = cells[
        : nearest_first(cells, board.code, board.label, board.queue, board.table, board.moves)
    ]
    distances = [least_label_beside(int(cell), board.label, board.moves) for cell in near]
    assert distances == sorted(distances)
    assert max(distances) > min(distances)
