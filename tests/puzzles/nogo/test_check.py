"""NoGo: the check judges every point of every game, and no corrupted game passes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from puzzles import nogo
from puzzles.nogo.board import Game, NoGo
from puzzles.nogo.check import ReplayedGame, check
from puzzles.verdict import Verdict
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


@pytest.mark.parametrize("shape", [(1, 1), (1, 2), (2, 1), (1, 5), (2, 2), (2, 3)])
def test_legality_on_every_small_position(shape: tuple[int, int]) -> None:
    for board in all_boards(*shape):
        assert_judged(board)


def test_legality_on_larger_positions() -> None:
    rng = np.random.default_rng(5)
    for rows, columns in itertools.product((3, 4, 5), repeat=2):
        for _ in range(15):
            assert_judged(random_board(rows, columns, rng))


def assert_judged(board: NoGo) -> None:
    """The check judges each point of the position as brute force does."""
    position, judged = str(board).replace("\n", ""), ReplayedGame(board.grid)
    for colour, name in (("X", "black"), ("O", "white")):
        legal = legal_points(position, board.rows, board.columns, colour)
        assert [c for c in range(board.cells) if judged.legal[name][judged.point(c)]] == legal
        assert [
            c for c in range(board.cells) if judged.fault(judged.point(c), ord(colour)) is None
        ] == legal


def test_the_replay_keeps_every_point_judged() -> None:
    """After each move of random games the legal points kept up to date are those that a new
    position has.
    """
    rng = np.random.default_rng(6)
    for _ in range(60):
        board = random_board(int(rng.integers(2, 8)), int(rng.integers(2, 8)), rng)
        kept = ReplayedGame(board.grid)
        for cell, colour in zip(random_game(board, rng), itertools.cycle(b"XO"), strict=False):
            kept.put(kept.point(cell), colour)
            fresh = ReplayedGame(kept.grid())
            assert kept.legal == fresh.legal
            assert [kept.first(name) for name in fresh.legal] == [
                each.find(1) for each in fresh.legal.values()
            ]


def test_what_a_refutation_says() -> None:
    def detail(board: NoGo, *moves: int) -> str:
        checked = check(board, Game(board, np.array(moves, np.int32)))
        assert checked.verdict is Verdict.REFUTED
        return checked.detail

    second = nogo.parse(SECOND)[0]
    assert detail(second) == "after 0 moves black can still play at 2,3"
    assert detail(second, 7) == "move 1, black to 3,2, skips the legal point 2,3"
    assert detail(second, 0) == "move 1, black to 1,1, is illegal: the point is taken"
    assert detail(second, 9) == "move 1 is the cell 9, which is not on the board"
    assert (
        detail(second, 5, 7)
        == "move 2, white to 3,2, is illegal: it takes the last liberty of the chain beside it at "
        "3,1"
    )
    assert (
        detail(board_of("XX/X."), 3)
        == "move 1, black to 2,2, is illegal: its own chain would have no liberty"
    )
    assert (
        detail(board_of("OO/O."), 3)
        == "move 1, black to 2,2, is illegal: it takes the last liberty of the chain beside it at "
        "1,2"
    )
    other = check(second, play(board_of("..")))
    assert (other.verdict, other.detail) == (Verdict.REFUTED, "the game starts from another board")


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
    for _ in range(60):
        board = random_board(int(rng.integers(2, 7)), int(rng.integers(2, 7)), rng)
        moves = random_game(board, rng)
        game = np.array(moves, np.int32)
        assert check(board, Game(board, game, "any")).verdict is Verdict.PROVED
        first = Verdict.PROVED if moves == brute_game(board) else Verdict.REFUTED
        assert check(board, Game(board, game)).verdict is first
        if moves:
            assert check(board, Game(board, game[:-1], "any")).verdict is Verdict.REFUTED
            assert (
                check(board, Game(board, np.append(game, game[:1]), "any")).verdict
                is Verdict.REFUTED
            )


def test_boards_too_large_to_replay_stay_unproved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("puzzles.nogo.check.MAX_CELLS", 8)
    board = nogo.parse(SECOND)[0]
    checked = check(board, play(board))
    assert (checked.verdict, "8 cells" in checked.detail) == (Verdict.UNPROVED, True)


@pytest.mark.slow
@pytest.mark.parametrize("family", list(PUZZLE.families))
def test_large_games_are_proved(family: str) -> None:
    board = family_board(family, 500, 1)
    assert check(board, play(board)).verdict is Verdict.PROVED
