"""Geography by one maximum matching of the board, and one search for all cells at once."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from direct.geography.mates import BLOCKED, EXPOSED, answer_of_cells, row_length
from direct.geography.pairing import FREE, MATE, WALL_CODE, losing_cells, memory, offsets, parts
from puzzles.backend import backend
from puzzles.geography.board import Geography, Losing


@backend(
    "geography",
    "matching",
    side="direct",
    default=True,
    source="the theorem of TheLostWeak's write-up; Karp-Sipser, push-relabel, and one alternating "
    "search for all cells at once",
    assumes="the first mover loses from exactly the cells that some maximum matching misses",
)
def solve(board: Geography, *, certify: bool = False) -> Losing:
    """It pairs neighbouring cells, as many as possible. One search then walks from the cells that
    are left over, in turn along a step that is no pair and one that is. The first player loses from
    each cell that it reaches after an even number of steps.

    See `direct.geography.pairing`.
    """
    started = time.perf_counter()
    used = memory(board.rows, board.columns)
    cells = used[: losing_cells.at(board.cells)(board.grid, used, offsets(board.columns))]
    return answer_of_cells(board, cells, _mates(board, used) if certify else None, started)


def _mates(board: Geography, used: NDArray[np.int32]) -> NDArray[np.int32]:
    """The mate of each cell with the walls around the board, EXPOSED or BLOCKED, from the memory
    after a board was solved.
    """
    size = (board.rows + 2) * row_length(board.columns)
    end = parts(size)
    code = used[end.exposed : end.code].view(np.uint8)[:size] & MATE
    mate = np.arange(size, dtype=np.int32) + offsets(board.columns).astype(np.int32)[code]
    mate[code == FREE] = EXPOSED
    mate[code == WALL_CODE] = BLOCKED
    return mate
