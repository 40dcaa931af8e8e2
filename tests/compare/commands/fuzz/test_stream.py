"""What the stream of boards holds: legal boards, large boards, heavy tails, and the large
algorithms that these reach.
"""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

import puzzles
from compare.commands.fuzz.batch import BLOCK, Batch, BatchKind, boards_of
from compare.commands.fuzz.streams import (
    KNOWN_EVERY,
    WIDE_SIZE,
    bundled_boards,
    family_boards,
    large_boards,
)
from compare.commands.fuzz.trial import try_boards
from compare.engine.isolate.outcome import DEFAULT_LIMITS, Limits
from compare.engine.search.boards import boards
from compare.engine.work.contenders import SIDES, ProgramContender
from direct.minesweeper import thresholds
from puzzles.grid import Board, grid_of
from puzzles.minesweeper.board import Deduction, Minesweeper
from tests.places import PLANTED
from tests.pools import in_pool
from tests.processes import environment, run_python


def test_half_of_minesweepers_small_boards_are_consistent_and_tiles_come_with_a_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(thresholds, "JOINED_NUMBERS", 0)  # each component is a factor of its own
    monkeypatch.setenv("TWOFOLD_KERNELS", "python")
    puzzle = puzzles.get("minesweeper")
    consistent = several = 0
    for index in (0, 1):
        for board in boards(puzzle, 1, index, 512, 14):
            assert isinstance(board, Minesweeper)
            assert board.in_contest_format == (index == 0)
            answer = SIDES["direct"].solve(board)
            consistent += answer.claims is not None and bool(answer.claims[0] == 1)
            apart = SIDES["direct"].solve(Minesweeper(board.grid), probabilities=True)
            assert isinstance(apart, Deduction)
            factors = (
                apart.chances.factors
                if apart.chances is not None and board.mines is not None
                else ()
            )
            several += sum(times for weights, times in factors if len(set(weights)) > 1) > 1
    assert consistent > 600
    assert several > 20, several


def test_tiles_fit_their_number_and_keep_apart() -> None:
    for board in family_boards(puzzles.get("minesweeper"), ("tiled",), 1, 0, 40, 5):
        assert isinstance(board, Minesweeper)
        assert board.mines is not None
        claims = SIDES["direct"].solve(board).claims
        assert claims is not None
        assert claims[0] == 1, board.text()


@pytest.mark.parametrize("name", puzzles.names())
def test_sizes_have_a_heavy_tail_up_to_the_contests_own(name: str) -> None:
    puzzle = puzzles.get(name)
    family = next(iter(puzzle.families))
    sides = [
        max(board.rows, board.columns) for board in family_boards(puzzle, (family,), 1, 0, 1000, 6)
    ]
    assert max(sides) > min(12, puzzle.families[family].most - 1)
    assert sum(side > 8 for side in sides) < 50
    assert max(sides) <= max(puzzle.largest * 2, 13)


@pytest.mark.parametrize("name", puzzles.names())
def test_large_boards_are_a_stream_of_their_own(name: str) -> None:
    puzzle = puzzles.get(name)
    if not any(family.most > 14 for family in puzzle.families.values()):
        pytest.skip(f"{name} has no family of large boards")
    ordinary = boards(puzzle, 1, 2, 512, 14)
    assert sum(max(board.rows, board.columns) > 14 for board in ordinary) < 10
    for extended in (False, True):
        large = large_boards(puzzle, 1, int(extended), 64, 14)
        assert sum(14 < max(board.rows, board.columns) <= WIDE_SIZE for board in large) > 10
        sizes = [
            size
            for name, size in puzzle.large_boards
            if puzzle.any_family(name).in_contest_format is not extended
        ]
        if sizes:
            known = [board.rows for board in large[::KNOWN_EVERY]]
            assert known == [max(sizes[k % len(sizes)], rows) for k, rows in enumerate(known)]


@pytest.mark.slow
def test_a_program_with_room_for_64_turrets_is_caught_among_the_first_large_boards() -> None:
    program = ProgramContender(
        puzzle="beams", name="mine", command=(sys.executable, str(PLANTED / "sixty_four.py"))
    )
    batch = Batch(
        puzzle="beams",
        contenders=(program,),
        seed=1,
        count=16,
        size=14,
        limits=Limits(60),
        kind=BatchKind.LARGE,
    )
    large = [board for board in boards_of(batch) if board.size > 400]
    failing = in_pool(try_boards, batch, large)
    assert failing
    for each in failing:
        assert [fault.kind for fault in each.faults] == ["REFUTED"]
        assert isinstance(each.board, Board)
        assert np.isin(each.board.grid, (ord("-"), ord("|"))).sum() > 64


CALLS = """
import json, sys
from collections import Counter
from importlib import import_module
import puzzles
from compare.commands.fuzz.streams import large_boards
from compare.commands.fuzz.streams import bearing
from compare.engine.work.contenders import choose
from compare.engine.work.solving import exact_options_of
from contextlib import suppress
from puzzles.backend import Unsupported

puzzle, names, places, blocks = puzzles.get(sys.argv[1]), *map(json.loads, sys.argv[2:])
calls = Counter()

def counted(place, function):
    def call(*arguments):
        result = function(*arguments)
        calls[place] += place != "models.geography.by_cnf_cover:_parts" or len(result) > 1
        return result
    return call

contenders = [bearing(each, 14) for each in choose(puzzle, names, {})]
for place in places:
    module, name = place.split(":")
    setattr(import_module(module), name, counted(place, getattr(import_module(module), name)))
for index in blocks:
    for board in large_boards(puzzle, 1, index, 64, 14):
        for contender in contenders:
            if not contender.does_not_take(board) and board.cells > 150:
                with suppress(Unsupported):  # exact claims may be too much
                    contender.backend.solve(board, **exact_options_of(contender.backend))
print(json.dumps(calls))
"""
"""Solves the larger boards of some blocks with all exact claims, and counts the calls of some
functions; those inside kernels need plain Python.
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("puzzle", "backends", "places", "blocks", "kernels"),
    [
        (
            "geography",
            ["direct", "cnf-cover"],
            ["direct.geography.pairing:push_relabel", "models.geography.by_cnf_cover:_parts"],
            [0, 1],
            "python",
        ),
        (
            "minesweeper",
            ["direct"],
            [
                "direct.minesweeper.probability:_large",
                "direct.minesweeper.probability:_weight",
            ],
            list(range(8)),
            "compiled",
        ),
    ],
)
def test_the_stream_reaches_the_algorithms_for_large_boards(
    puzzle: str, backends: list[str], places: list[str], blocks: list[int], kernels: str
) -> None:
    ended = run_python(
        "-c",
        CALLS,
        puzzle,
        json.dumps(backends),
        json.dumps(places),
        json.dumps(blocks),
        env={**environment(), "TWOFOLD_KERNELS": kernels},
    )
    assert ended.returncode == 0, ended.stderr
    calls = json.loads(ended.stdout)
    assert [place for place in places if not calls.get(place)] == [], calls


def test_the_first_block_of_fuzzing_has_the_bundled_boards() -> None:
    """Among them is the board on which the closure needs four rounds."""
    bundled = bundled_boards(puzzles.get("minesweeper"))
    assert Minesweeper(grid_of(("######", "#22#20"))) in bundled
    first = boards_of(
        Batch(
            puzzle="minesweeper", contenders=(), seed=1, count=BLOCK, size=14, limits=DEFAULT_LIMITS
        )
    )
    assert set(first) >= set(bundled)
