"""What answers owe: the closure and the smallest cores of minesweeper, stated plainly, notice what
a defect leaves out.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import puzzles
from compare.engine.search.boards import boards
from compare.engine.work.contenders import SIDES
from compare.engine.work.solving import certified_answer
from puzzles.grid import grid_of
from puzzles.minesweeper.board import Deduction, Minesweeper
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
    cores = 0
    for backend in (SIDES["direct"].get("minesweeper"), SIDES["models"].get("minesweeper")):
        for board in STREAM[::16]:
            answer = certified_answer(backend, board, {})
            assert isinstance(answer, Deduction)
            assert PUZZLE.lacking(board, answer, backend.finds) is None, board.text()
            cores += len(answer.smallest_cores)
    assert cores > 20


@pytest.mark.parametrize(
    ("spoilt", "sentence"),
    [
        ({"fewest": False}, "does not know that"),
        ({"counted": True}, "and the number of mines"),
        ({"clues": (0, 0, 0, 0, 0, 0)}, "gives 6 clues"),
    ],
)
def test_a_core_that_is_not_the_smallest_is_noticed(spoilt: dict[str, Any], sentence: str) -> None:
    board = Minesweeper(grid_of(["####", "2#21"]))
    answer = certified_answer(SIDES["direct"].get("minesweeper"), board, {})
    assert isinstance(answer, Deduction)
    assert PUZZLE.lacking(board, answer, "") is None
    for core in answer.smallest_cores:
        worse = replace(answer, smallest_cores=(core._replace(**spoilt),))
        assert sentence in (PUZZLE.lacking(board, worse, "") or "")


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
