"""NoGo: the check judges every point of every game, and no corrupted game passes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from puzzles import nogo
from puzzles.answer import Verdict
from puzzles.nogo.board import Game, MoveRule, NoGo
from puzzles.nogo.check import ReplayedGame, check
from tests.puzzles.nogo.positions import (
    PUZZLE,
    SECOND,
    all_boards,
    board_of,
    brute_game,
    family_board,
    legal_points,
    play,
    random_board,
    random_game,
)


def test_legality_on_every_small_position_and_on_larger_ones() -> None:
    """The check judges each point of the position as brute force does."""
    rng = np.random.default_rng(5)
    small = [(1, 1), (1, 2), (2, 1), (1, 5), (2, 2), (2, 3)]
    boards = [board for shape in small for board in all_boards(*shape)]
    for rows, columns in itertools.product((3, 4, 5), repeat=2):
        boards += [random_board(rows, columns, rng) for _ in range(15)]
    for board in boards:
        judged = ReplayedGame(board.grid)
        points = [judged.point(cell) for cell in range(board.cells)]
        for colour, name in (("X", "black"), ("O", "white")):
            legal = list(legal_points(board.lines(), colour))
            assert [c for c, point in enumerate(points) if judged.legal[name][point]] == legal
            assert [
                c for c, point in enumerate(points) if judged.fault(point, ord(colour)) is None
            ] == legal


def test_the_replay_keeps_every_point_judged() -> None:
    """After each move of random games the legal points kept up to date are those that a new
    position has.
    """
    rng = np.random.default_rng(6)
    for _ in range(20):
        board = random_board(int(rng.integers(2, 8)), int(rng.integers(2, 8)), rng)
        kept = ReplayedGame(board.grid)
        for cell, colour in zip(random_game(board, rng), itertools.cycle(b"XO"), strict=False):
            kept.put(kept.point(cell), colour)
            fresh = ReplayedGame(kept.grid())
            assert kept.legal == fresh.legal
            assert [kept.first(name) for name in fresh.legal] == [
                each.find(1) for each in fresh.legal.values()
            ]


TAKES_THE_LAST = "it takes the last liberty of the chain beside it at"


@pytest.mark.parametrize(
    ("rows", "moves", "detail"),
    [
        ("XOO/XO./X..", [], "after 0 moves black can still play at 2,3"),
        ("XOO/XO./X..", [7], "move 1, black to 3,2, skips the legal point 2,3"),
        ("XOO/XO./X..", [0], "move 1, black to 1,1, is illegal: the point is taken"),
        ("XOO/XO./X..", [9], "move 1 is the cell 9, which is not on the board"),
        ("XOO/XO./X..", [5, 7], f"move 2, white to 3,2, is illegal: {TAKES_THE_LAST} 3,1"),
        (
            "XX/X.",
            [3],
            "move 1, black to 2,2, is illegal: its own chain would have no liberty",
        ),
        ("OO/O.", [3], f"move 1, black to 2,2, is illegal: {TAKES_THE_LAST} 1,2"),
    ],
)
def test_what_a_refutation_says(rows: str, moves: list[int], detail: str) -> None:
    board = board_of(rows)
    checked = check(board, Game(board, np.array(moves, np.int32)))
    assert (checked.verdict, checked.detail) == (Verdict.REFUTED, detail)


def test_a_game_from_another_board_is_refuted() -> None:
    checked = check(board_of("XOO/XO./X.."), play(board_of("..")))
    assert (checked.verdict, checked.detail) == (
        Verdict.REFUTED,
        "the game starts from another board",
    )


@pytest.mark.parametrize("text", ["2 3\n-1 -1\n", "3 2\n2 3\n-1 -1\n", "3 3\n2 3\n-1 -1\n"])
def test_luogu_accepts_any_complete_game(text: str) -> None:
    board = nogo.parse(SECOND)[0]
    (game,) = PUZZLE.parse_answers(text, [board], "luogu", "x")
    assert game.claims is None
    assert check(board, game).verdict is Verdict.PROVED
    (strict,) = PUZZLE.parse_answers(text, [board], "first", "x")
    assert check(board, strict).verdict is (
        Verdict.PROVED if text.startswith("2 3") else Verdict.REFUTED
    )


def test_random_games_under_both_rules() -> None:
    rng = np.random.default_rng(9)
    for _ in range(30):
        board = random_board(int(rng.integers(2, 7)), int(rng.integers(2, 7)), rng)
        moves = random_game(board, rng)

        def verdict(moves: list[int], rule: MoveRule = "any", board: NoGo = board) -> Verdict:
            return check(board, Game(board, np.array(moves, np.int32), rule)).verdict

        assert verdict(moves) is Verdict.PROVED
        first = Verdict.PROVED if moves == brute_game(board) else Verdict.REFUTED
        assert verdict(moves, "first") is first
        if moves:
            assert verdict(moves[:-1]) is verdict([*moves, moves[0]]) is Verdict.REFUTED


def test_boards_too_large_to_replay_stay_unproved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("puzzles.nogo.check._MAX_CELLS", 8)
    board = nogo.parse(SECOND)[0]
    checked = check(board, play(board))
    assert (checked.verdict, "8 cells" in checked.detail) == (Verdict.UNPROVED, True)


@pytest.mark.slow
@pytest.mark.parametrize("family", list(PUZZLE.families))
def test_large_games_are_proved(family: str) -> None:
    board = family_board(family, 500, 1)
    assert check(board, play(board)).verdict is Verdict.PROVED
