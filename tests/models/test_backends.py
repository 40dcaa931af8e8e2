"""Every backend of `models` against the direct answers, on thousands of small boards."""

from __future__ import annotations

import itertools

import pytest

import direct
import models
import puzzles
from compare.engine.search.boards import boards
from puzzles.answer import Verdict
from puzzles.backend import Unsupported
from tests.models import claims_of

BOARDS = {"cnf-ranked": 300, "cnf-onecall": 300, "cpsat": 60}
"""How many boards each encoding is tried on, where it is not a thousand; the fast suite takes a
tenth.
"""


ENCODINGS = [
    (puzzle, name)
    for puzzle in puzzles.names()
    for name, backend in models.backends(puzzle).items()
    if models.SIDE.owns(backend)
]


@pytest.mark.parametrize("share", [0.1, pytest.param(1.0, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("puzzle", "name"), ENCODINGS)
def test_every_encoding_says_what_the_direct_algorithm_says(
    puzzle: str, name: str, share: float
) -> None:
    backend, answered = models.get(puzzle, name), 0
    for index in itertools.count():
        for k, board in enumerate(boards(puzzles.get(puzzle), 5, index, 50, 7)):
            if backend.limit is not None and board.cells > min(backend.limit, 40):
                continue
            try:
                answer = backend.solve(board, certify=k % 25 == 0)
            except Unsupported:
                continue
            assert claims_of(answer) == claims_of(direct.solve(board)), f"\n{board}"
            certified = [answer] if k % 25 == 0 else [answer.certified()] if k % 25 == 1 else []
            for each in certified:
                assert (
                    each is None or puzzles.get(puzzle).check(board, each).verdict is Verdict.PROVED
                )
            answered += 1
        if answered >= share * BOARDS.get(name, 1000):
            return


MANY = [(puzzle, name) for puzzle, name in ENCODINGS if models.get(puzzle, name).many is not None]


@pytest.mark.parametrize(("puzzle", "name"), MANY)
def test_boards_together_have_the_answers_that_each_has(puzzle: str, name: str) -> None:
    backend, sample = models.get(puzzle, name), boards(puzzles.get(puzzle), 6, 0, 80, 7)
    sample = [
        board for board in sample if backend.limit is None or board.cells <= min(backend.limit, 49)
    ]
    together = backend.solve_many(sample)
    assert len(together) == len(sample)
    for board, answer in zip(sample, together, strict=True):
        assert claims_of(answer) == claims_of(direct.solve(board)), f"\n{board}"
    assert backend.solve_many([]) == []


@pytest.mark.parametrize(("puzzle", "name"), ENCODINGS)
def test_building_and_solving_have_seconds_of_their_own(puzzle: str, name: str) -> None:
    example = puzzles.get(puzzle).parse(puzzles.get(puzzle).example)[0]
    effort = models.get(puzzle, name).solve(example).effort
    assert effort.build_s is not None
    assert effort.solve_s is not None
    assert effort.build_s > 0
    assert effort.solve_s > 0
