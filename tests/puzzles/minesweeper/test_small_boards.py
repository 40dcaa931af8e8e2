"""Minesweeper: the write-up's sample, its statements, and every small board against an
enumeration.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np
import pytest

from direct import SIDE as DIRECT
from puzzles.minesweeper.board import Minesweeper, numbers_around
from tests.puzzles.minesweeper.boards import (
    BACKENDS,
    PUZZLE,
    enumerated,
    family,
    judge_claims,
    numbers,
    of,
    seeded,
    solved,
    views,
)


def test_the_write_ups_sample_as_published() -> None:
    folder = PUZZLE.data / "sample"
    text, published = (folder / "writeup.in").read_text(), (folder / "writeup.ans").read_text()
    assert text.startswith("9 9\n.....1#1.\n")
    for side, backend in BACKENDS:
        assert side.solve_text("minesweeper", text, backend=backend) == published
    board = PUZZLE.parse(text)[0]
    for answer in PUZZLE.parse_answers(published, [board], "writeup"):
        assert "/".join(answer.board.lines()[6:]) == "OOXOX2.../###X31.../###X2...."
        assert answer.undecided.tolist() == [63, 64, 65, 72, 73, 74]


@pytest.mark.parametrize(
    "rows",
    [
        *("#", "X", "O", "##/##", ".", "X1O", "#O/X#"),  # no open clue
        *("##/#.", "#3223#/######", "#2112#/######"),  # a blank is a clue; nothing is forced
        # what the closure finds in one round, in more, and misses
        *("###/#0#/###", "###/O22", "####/1#22", "######/22#22O", "###O/#2#O/###2", "####/2#21"),
        *("3#", "#8", "8", "X0", "1", "X.", "1O", "XX/1#", "###./#2#./###2"),  # inconsistent
    ],
)
def test_special_boards(rows: str) -> None:
    board = of(rows)
    for side, backend in BACKENDS:
        judge_claims(board, solved(board, side, backend), enumerated(board))


@pytest.mark.parametrize(
    ("pattern", "answer"),
    [
        ("###/11O", "##O/11O"),
        ("####/O12O", "O##X/O12O"),
        ("#####/O121O", "OXOXO/O121O"),
        ("######/O1221O", "OOXXOO/O1221O"),
    ],
)
def test_fuzzing_begins_with_the_patterns_that_players_know(pattern: str, answer: str) -> None:
    """The answers are the published ones of 1-1, 1-2, 1-2-1 and 1-2-2-1."""
    board = of(pattern)
    assert board in PUZZLE.edge_cases()
    for side, backend in BACKENDS:
        assert "/".join(solved(board, side, backend).board.lines()) == answer


@pytest.mark.parametrize(
    ("kernels", "every"),
    [
        ("python", ()),
        ("compiled", ()),
        pytest.param(
            "python", (views(r, c) for r in (1, 2, 3) for c in (1, 2, 3)), marks=pytest.mark.slow
        ),
    ],
)
def test_seeded_boards_up_to_4x5(
    kernels: str, every: Iterable[Iterator[Minesweeper]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The slow one has every view up to 3x3 as well."""
    monkeypatch.setenv("TWOFOLD_KERNELS", kernels)
    verdicts = {0: 0, 1: 0}
    for index, board in enumerate(chain(seeded(250, 1 if kernels == "python" else 2, 14), *every)):
        truth = enumerated(board)
        verdicts[int(truth[0])] += 1
        for side, backend in BACKENDS if index % 10 == 0 else BACKENDS[:3]:
            judge_claims(board, solved(board, side, backend), truth)
    assert min(verdicts.values()) > 30


@pytest.mark.parametrize("backend", ["frontier", "two-sat"])
def test_many_boards_are_solved_as_one_by_one(backend: str) -> None:
    boards = list(seeded(150, 6)) + [
        family(name, 12, 1) for name, told in PUZZLE.families.items() if told.in_contest_format
    ]
    boards.sort(key=lambda board: board.columns)
    together = DIRECT.get("minesweeper", backend).solve_many(boards, certify=True)
    assert together == [solved(board, DIRECT, backend) for board in boards]
    assert (
        10 < sum(answer.claims is not None and answer.claims[0] == 0 for answer in together) < 100
    )
    text = PUZZLE.print_instances(boards)
    printed = PUZZLE.print_answers([solved(board, DIRECT, backend) for board in boards], "writeup")
    assert DIRECT.solve_text("minesweeper", text, backend=backend) == printed


def test_the_marked_neighbours_of_every_cell_are_counted() -> None:
    rng = np.random.default_rng(6)
    for shape in ((1, 1), (1, 7), (6, 1), (5, 8), (12, 3)):
        marked = rng.random(shape) < 0.6
        assert np.array_equal(numbers_around(marked), numbers(marked))
