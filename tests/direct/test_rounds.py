"""The rounds of geography's matching: labels are exact distances, and a round leaves a matching,
whoever gives up in it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

import direct
from direct.geography import thresholds
from direct.geography.pairing import (
    DISTANCES,
    FAR,
    FREE,
    WALL_CODE,
    least_label_beside,
    measure,
    nearest_first,
    offsets,
    push_relabel,
    row_length,
)
from tests.puzzles.geography.play import seeded

BOARDS = 150


class Partly:
    """A random board, some neighbouring cells of which are paired: its codes, its exposed cells of
    each colour, and memory.
    """

    def __init__(self, seed: int, shape: tuple[int, int] | None = None) -> None:
        rng = np.random.default_rng(seed)
        rows, columns = shape or (int(size) for size in rng.integers(1, 13, 2))
        self.down = row_length(columns)
        self.moves = offsets(columns)
        self.code = np.full((rows + 2, self.down), WALL_CODE, np.uint8)
        self.code[1:-1, :columns] = np.where(
            rng.random((rows, columns)) < rng.choice([0.0, 0.1, 0.3]), WALL_CODE, FREE
        )
        self.code = self.code.reshape(-1)
        for cell in rng.permutation(self.code.size)[
            : int(self.code.size * rng.choice([0.3, 1.0]))
        ].tolist():
            for k in rng.permutation(4).tolist():
                if self.code[cell] == FREE and self.code[cell + self.moves[k]] == FREE:
                    self.code[cell], self.code[cell + self.moves[k]] = k, 3 - k
        self.label, self.way = np.full((2, self.code.size // 2 + 1), 12345, np.uint16)
        self.queue = np.empty(self.code.size // 2 + 2, np.int32)
        self.table = np.empty(DISTANCES + 1, np.int32)

    def exposed(self, colour: int) -> NDArray[np.int32]:
        cells = np.flatnonzero(self.code == FREE)
        return cells[cells % 2 == colour].astype(np.int32)

    def measure(self, colour: int) -> bool:
        return measure(
            self.exposed(colour), colour, self.code, self.label, self.way, self.queue, self.moves
        )

    def nearest(self, colour: int) -> NDArray[np.int32]:
        """The exposed cells of the other colour from which a path leads to one of this colour,
        sorted.
        """
        cells = self.exposed(1 - colour)
        return cells[
            : nearest_first(cells, self.code, self.label, self.queue, self.table, self.moves)
        ]

    def distances(self, colour: int) -> dict[int, int]:
        """The pairs on the shortest path to an exposed cell, for each cell of a colour; by relaxing
        all until none changes.
        """
        distance = dict.fromkeys(self.exposed(colour).tolist(), 0)
        changed = True
        while changed:
            changed = False
            for cell in np.flatnonzero(self.code < FREE).tolist():
                if cell % 2 == colour:
                    mate = cell + int(self.moves[self.code[cell]])
                    near = min(distance.get(mate + int(step), FAR) for step in self.moves[:4]) + 1
                    if near < distance.get(cell, FAR):
                        distance[cell], changed = near, True
        return distance

    def pairs(self) -> Iterator[tuple[int, int]]:
        for cell in np.flatnonzero(self.code < FREE).tolist():
            yield cell, cell + int(self.moves[self.code[cell]])


@pytest.mark.parametrize("farthest", [(thresholds.FARTHEST,), (1, 2, 3)], ids=["all", "near"])
@pytest.mark.parametrize("colour", [0, 1])
def test_labels_are_the_distances_up_to_the_farthest(
    colour: int, farthest: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    longest = cut = 0
    for seed in range(BOARDS):
        board = Partly(seed)
        expected = board.distances(colour)
        longest = max(longest, *expected.values(), 0, 0)
        most = farthest[seed % len(farthest)]
        monkeypatch.setattr(thresholds, "FARTHEST", most)
        complete = board.measure(colour)
        near = {cell: distance for cell, distance in expected.items() if distance <= most}
        labels = {cell: int(board.label[cell >> 1]) for cell in range(colour, board.code.size, 2)}
        assert labels == {cell: near.get(cell, FAR) for cell in labels}
        assert not complete or near == expected
        assert complete or len(farthest) > 1
        cut += near != expected
    assert longest > 4
    assert (cut > 0) == (len(farthest) > 1)


def given_up(vain: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """The cells that give up in the first round of each board; after it, the matching and the list
    of cells are examined.
    """
    monkeypatch.setattr(thresholds, "CELLS_A_VAIN_PUSH", vain)
    total = 0
    for seed in range(BOARDS):
        board = Partly(seed)
        colour = seed % 2
        board.measure(colour)
        cells = board.nearest(colour)
        if cells.size == 0:
            continue
        before = board.exposed(1 - colour).size
        left_out = before - cells.size
        near = [least_label_beside(int(cell), board.label, board.moves) for cell in cells]
        assert near == sorted(near)
        failed = push_relabel(cells, board.code, board.label, board.moves)
        assert all(board.code[mate] == 3 - board.code[cell] for cell, mate in board.pairs())
        assert board.exposed(1 - colour).size == left_out + failed < before
        assert np.count_nonzero(cells) == failed
        assert np.all(board.code[cells[cells > 0]] == FREE)
        total += failed
    return total


def test_a_round_leaves_a_matching_and_lists_who_gave_up(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 0 < given_up(1, monkeypatch) < given_up(10**9, monkeypatch)


def test_rounds_that_end_early_change_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", "python")
    monkeypatch.setattr(thresholds, "ROUNDS_ALONE", 10**9)
    monkeypatch.setattr(thresholds, "CELLS_A_VAIN_PUSH", 10**9)
    for board in seeded(BOARDS, 5, longest=9):
        by_rounds, by_paths = (direct.solve(board, name) for name in ("matching", "hungarian"))
        assert np.array_equal(by_rounds.cells, by_paths.cells)
