"""NoGo: formats, starts that are refused, pictures."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest

import direct
import models
from puzzles import nogo
from puzzles.instance import Forbidden
from puzzles.nogo.board import Game
from tests.pictures import shown
from tests.puzzles.nogo.positions import (
    PUZZLE,
    SECOND,
    board_of,
    brute_game,
    empty_board,
    play,
)


@pytest.mark.parametrize(
    ("side", "backend"),
    [(direct, "union-find"), (models, "cnf"), (models, "cpsat")],
    ids=["union-find", "cnf", "cpsat"],
)
def test_samples_are_answered_as_published(side: ModuleType, backend: str) -> None:
    samples = sorted((PUZZLE.data / "sample").glob("*.in"))
    assert [file.stem for file in samples] == ["first", "second"]
    texts = {file.read_text(): file.with_suffix(".ans").read_text() for file in samples}
    assert texts == {"3\nXXX\nOOX\nOO.\n": "-1 -1\n", SECOND: "2 3\n-1 -1\n"}
    for text, answer in (*texts.items(), ("1\n.\n", "-1 -1\n")):
        assert PUZZLE.print_instances(PUZZLE.parse(text, "x")) == text
        for style in PUZZLE.formats:
            assert side.solve_text("nogo", text, backend=backend, format=style) == answer


@pytest.mark.parametrize(
    "text",
    ["2 3\n3 2\n-1 -1\n", "2 3\r\n3 2\r\n-1 -1\r\n\r\n", "2 3 \n3\t2\n-1  -1", "02 3\n3 2\n-1 -1"],
)
def test_answers_are_read(text: str) -> None:
    boards = nogo.parse(SECOND)
    (game,) = PUZZLE.parse_answers(text, boards, "first", "x")
    assert game == Game(boards[0], np.array([5, 7]))
    assert game.moves.dtype == np.int32
    assert game.claims is not None
    assert game.claims.tolist() == [5, 7]


def test_only_one_square_board_is_printed() -> None:
    wide = empty_board(2, 3)
    with pytest.raises(ValueError, match="2x3"):
        wide.text()
    assert play(wide).moves.tolist() == brute_game(wide)


def test_games_are_values() -> None:
    board = nogo.parse(SECOND)[0]
    moves = np.array([5], np.int32)
    game = Game(board, moves)
    moves[0] = 7
    assert game.moves.tolist() == [5]
    assert not game.moves.flags.writeable
    assert game == Game(board, (5,))  # type: ignore[arg-type]
    assert game != Game(board, np.array([5]), "any")
    assert len({game, Game(board, np.array([5]))}) == 1
    with pytest.raises(ValueError, match="flat"):
        Game(board, np.zeros((1, 2), np.int32))


def test_a_start_with_a_dead_chain_is_refused() -> None:
    with pytest.raises(Forbidden, match="^the chain at 2,3 has no liberty$"):
        board_of("O.X/.XO/X.X/XXX")


def test_json_counts_from_one_and_pictures_show_stones_and_moves() -> None:
    board = nogo.parse(SECOND)[0]
    game = play(board)
    assert PUZZLE.fields(game) == {"moves": [[2, 3]]}
    assert shown(board._repr_svg_()).cells.count("<circle") == 6
    drawn = shown(game._repr_svg_()).cells
    assert (drawn.count("<circle"), drawn.count("<text"), drawn.count(">1</text>")) == (7, 1, 1)
    long = empty_board(1, 401)
    assert "<text" not in shown(PUZZLE.picture(long, play(long))).cells
