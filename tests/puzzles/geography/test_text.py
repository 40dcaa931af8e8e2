"""Geography: formats and pictures."""

from __future__ import annotations

import numpy as np
import pytest

import direct
import models
from puzzles.answer import Verdict
from puzzles.geography.board import Geography, Losing
from tests.pictures import shown
from tests.puzzles.geography.play import PUZZLE, board_of, solved


def test_the_sample_as_published_and_a_board_on_which_nothing_loses() -> None:
    text = "3 3\n.##\n...\n#.#\n"
    sample = PUZZLE.data / "sample"
    assert (sample / "official.in").read_text() == text
    published = (sample / "official.ans").read_text()
    assert published == "2\n2 3\n3 2\n"
    for name in direct.backends("geography"):
        assert direct.solve_text("geography", text, backend=name) == published
    assert models.solve_text("geography", text, backend="cnf") == published
    assert direct.solve_text("geography", text, format="luogu") == "WIN\n2 3\n3 2\n"
    assert PUZZLE.fields(solved(direct.SIDE, PUZZLE.parse(text)[0])) == {
        "losing": [[2, 3], [3, 2]],
        "pairs": [[[1, 1], [2, 1]], [[2, 2], [2, 3]]],
    }
    assert direct.solve_text("geography", "1 2\n..\n") == "0\n"
    assert direct.solve_text("geography", "1 2\n..\n", format="luogu") == "LOSE\n"


@pytest.mark.parametrize(
    "shape",
    [(1, 1), (3, 4), (12, 130), (1200, 11), pytest.param((1, 10_000_001), marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("format", ["loj", "luogu"])
def test_answers_are_read_back(shape: tuple[int, int], format: str) -> None:
    board = Geography(np.full(shape, ord("."), np.uint8))
    rng = np.random.default_rng(1)
    for count in (0, 1, 40):
        cells = np.unique(
            np.append(rng.integers(0, board.cells, count), board.cells - 1 if count else [])
        ).astype(np.int32)
        answer = Losing(board, cells)
        text = PUZZLE.print_answers([answer], format)
        assert text.splitlines()[1:] == [
            f"{c // shape[1] + 1} {c % shape[1] + 1}" for c in cells.tolist()
        ]
        assert PUZZLE.parse_answers(text, [board], format) == [answer]
        assert PUZZLE.parse_answers(text.replace("\n", " \r\n"), [board], format) == [answer]


def test_a_listed_wall_is_false_not_unreadable() -> None:
    board = PUZZLE.parse("3 3\n.##\n...\n#.#\n")[0]
    (answer,) = PUZZLE.parse_answers("1\n1 2\n", [board], "loj")
    check = PUZZLE.check(board, answer)
    assert check.verdict is Verdict.REFUTED
    assert "1,2" in check.detail


def test_picture_marks_losing_cells_and_the_matching() -> None:
    board = board_of(".##", "...", "#.#")
    answer = solved(direct.SIDE, board)
    drawn = shown(answer._repr_svg_()).cells
    assert drawn.count('fill="var(--bad)"') == 2
    assert drawn.count("<polyline") == 2
    assert drawn.count("<circle") == 1
    assert shown(board._repr_svg_()).cells.count('fill="var(--wall)"') == 4
