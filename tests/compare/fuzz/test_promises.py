"""What answers owe: the closure and the smallest cores of minesweeper, stated plainly, notice what
a defect leaves out.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import puzzles
from compare.fuzz.boards import boards
from compare.work.contenders import SIDES
from compare.work.solving import certified_answer
from direct.minesweeper.closure import UNKNOWN, constraints_of, interior
from puzzles.grid import grid_of
from puzzles.minesweeper.board import COVERED, MINE, SAFE, Deduction, Minesweeper
from puzzles.minesweeper.promises import CLOSURE, closure
from tests.places import ROOT
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
        assert PUZZLE.broken_promise(board, answer, CLOSURE) is None, board.text()
    cores = 0
    for backend in (SIDES["direct"].get("minesweeper"), SIDES["models"].get("minesweeper")):
        for board in STREAM[::16]:
            answer = certified_answer(backend, board, {})
            assert isinstance(answer, Deduction)
            assert PUZZLE.broken_promise(board, answer, backend.promise) is None, board.text()
            cores += len(answer.smallest_cores)
    assert cores > 20


def test_the_plain_closure_finds_what_the_backend_finds_and_no_more() -> None:
    certain = 0
    for board, answer in zip(STREAM, CLOSING.solve_many(STREAM), strict=True):
        if board.cells > 36:
            continue
        assert isinstance(answer, Deduction)
        plain = closure(board)
        assert answer.consistent == (plain is not None), board.text()
        if plain is not None:
            marks = {
                cell: kind == "X" for cell, kind in enumerate(answer.board.kinds) if kind in "XO"
            }
            assert marks == plain, board.text()
            certain += len(plain)
    assert certain > 500


def mutant(before: str, after: str) -> Any:
    """`close` with one place of the closure's source changed, in plain Python."""
    source = (ROOT / "direct" / "minesweeper" / "closure.py").read_text()
    assert source.count(before) == 1, before
    names: dict[str, Any] = {"__name__": "mutant"}
    exec(compile(source.replace(before, after), "mutant", "exec"), names)
    return names["close"]


def answered(close: Any, board: Minesweeper) -> Deduction:
    starts = np.array([0, board.rows])
    constraints = constraints_of(board.grid, starts)
    clash = close(constraints, starts)
    if clash[0]:
        return Deduction(False, board, complete=False)
    known, covered = interior(constraints.known, board.columns)[: board.rows], board.grid == COVERED
    shown = np.where(
        covered & (known == 1), MINE, np.where(covered & (known != UNKNOWN), SAFE, board.grid)
    )
    return Deduction(True, Minesweeper(shown.astype(np.uint8)), complete=False)


@pytest.mark.slow
def test_the_closure_as_it_is_passes_for_a_mutant_that_lacks_nothing() -> None:
    unchanged = mutant("return clash", "return clash ")
    assert [
        board.text()
        for board in STREAM[::4]
        if PUZZLE.broken_promise(board, answered(unchanged, board), CLOSURE)
    ] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("(n == 0 or n == k)", "n == k", id="no mine left: not safe"),
        pytest.param("(n == 0 or n == k)", "n == 0", id="all left are mines: not found"),
        pytest.param("1 if n == 1 else 2 if", "2 if", id="a mine does not make the others safe"),
        pytest.param(
            "2 if n == k - 1 else 0", "0", id="a safe cell does not make the others mines"
        ),
        pytest.param("if k == 2:", "if k == 9:", id="two cells are no class"),
        pytest.param(
            "for v in range(2):",
            "for v in range(1):",
            id="only one literal of a cell is searched again",
        ),
        pytest.param("if pending == 0:", "if pending < 4:", id="stops before the last literals"),
        pytest.param(
            "while head < tail and wrong < 0:",
            "while head < 1 and wrong < 0:",
            id="chains of one implication only",
        ),
        pytest.param("if gives & ~flags[clue]:", "if 0:", id="new implications reopen nothing"),
        pytest.param("clash[board] = clue", "clash[board] = 0", id="no clash"),
    ],
)
def test_a_closure_that_claims_less_is_noticed(before: str, after: str) -> None:
    changed = mutant(before, after)
    assert any(PUZZLE.broken_promise(board, answered(changed, board), CLOSURE) for board in STREAM)


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
    assert PUZZLE.broken_promise(board, answer, "") is None
    for core in answer.smallest_cores:
        worse = replace(answer, smallest_cores=(core._replace(**spoilt),))
        assert sentence in (PUZZLE.broken_promise(board, worse, "") or "")


LAZY = """
from puzzles.backend import backend

SOURCE = "planted: single clues alone"

@backend("minesweeper", "lazy", side="direct", source=SOURCE, complete=False, promise="closure")
def lazy(board, *, certify=False):
    from dataclasses import replace
    from direct.minesweeper import solve_closure
    answer = solve_closure(board, certify=certify)
    return replace(answer, board=board) if answer.consistent and board.columns > 2 else answer
"""


def test_fuzz_finds_a_backend_that_claims_less_than_it_owes(tmp_path: Path) -> None:
    (tmp_path / "lazy.py").write_text(LAZY)
    words = (
        "fuzz",
        "minesweeper",
        "-b",
        "direct",
        "-b",
        "lazy",
        "--plugin",
        "lazy.py",
        "--cases",
        "200",
        "--jobs",
        "1",
        "--save",
        "out",
        "--kind",
        "ordinary",
    )
    ended = compare(*words, cwd=tmp_path)
    assert ended.returncode == 1
    assert "LACKING: direct:lazy: it does not find that the cell at" in ended.stdout
    (saved,) = (tmp_path / "out").glob("lacking-*.in")
    assert saved.read_text().split("\n")[1] == "1 3"
