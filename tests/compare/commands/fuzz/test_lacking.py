"""What answers owe: the closure of minesweeper, stated plainly, notices what a defect leaves
out.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import puzzles
from compare.engine.search.boards import boards
from compare.engine.work.contenders import SIDES
from puzzles.grid import grid_of
from puzzles.minesweeper.board import Minesweeper
from puzzles.minesweeper.lacking import CLOSURE
from tests.processes import compare

PUZZLE = puzzles.get("minesweeper")
CLOSING = SIDES["direct"].get("minesweeper", "two-sat")
RARE = Minesweeper(grid_of(["###1", "2#32", "####", "##31"]))
"""One board in some thousands on which a cell must be searched again for both of its literals."""

STREAM = [
    RARE,
    *(board for board in boards(PUZZLE, 1, 0, 512, 8) if isinstance(board, Minesweeper)),
]


def test_our_own_answers_lack_nothing() -> None:
    for board, answer in zip(STREAM, CLOSING.solve_many(STREAM), strict=True):
        assert PUZZLE.lacking(board, answer, CLOSURE) is None, board.text()


LAZY = """
from puzzles.backend import backend

SOURCE = "planted: single clues alone"

@backend("minesweeper", "lazy", side="direct", source=SOURCE, complete=False, finds="closure")
def lazy(board, *, certify=False):
    from dataclasses import replace
    import direct
    answer = direct.get("minesweeper", "two-sat").solve(board, certify=certify)
    return replace(answer, board=board) if answer.consistent and board.columns > 2 else answer
"""


@pytest.mark.slow
def test_fuzz_finds_a_backend_that_claims_less_than_it_owes(tmp_path: Path) -> None:
    (tmp_path / "lazy.py").write_text(LAZY)
    words = "-b direct -b lazy --plugin lazy.py --cases 200 --jobs 1 --save out --kind ordinary"
    ended = compare(f"fuzz minesweeper {words}", cwd=tmp_path, status=1)
    assert "LACKING: direct:lazy: it does not find that the cell at" in ended.stdout
    (saved,) = (tmp_path / "out").glob("lacking-*.in")
    assert saved.read_text().split("\n")[1] == "1 3"
