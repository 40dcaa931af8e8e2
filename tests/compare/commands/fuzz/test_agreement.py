"""`assert_agrees`: right functions pass, whatever plain values they return; a wrong one is shown
its smallest board.
"""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

import direct
import puzzles
from compare import Disagreement, assert_agrees, examples
from puzzles.text import InputError, UserError
from tests.places import ROOT
from tests.processes import environment

COUNT = 40


def solved(board: Any) -> Any:
    return direct.solve(board)


def rows(board: Any) -> list[str] | None:
    solution = solved(board).board
    return None if solution is None else str(solution).splitlines()


def pairs(cells: Any, board: Any) -> list[tuple[int, int]]:
    return [divmod(int(cell), board.columns) for cell in cells]


def text(board: Any) -> str:
    puzzle = puzzles.get(board.puzzle)
    return puzzle.print_answers([solved(board)], puzzle.format(None))


RIGHT: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "an answer": ("beams", solved),
    "True or False": ("beams", lambda board: solved(board).possible),
    "rows or None": ("beams", rows),
    "the text": ("minesweeper", text),
    "rows or None, with letters": (
        "minesweeper",
        lambda board: str(solved(board)).splitlines() if solved(board).consistent else None,
    ),
    "pairs in order": ("nogo", lambda board: pairs(solved(board).moves, board)),
    "flat indices": ("nogo", lambda board: solved(board).moves),
    "pairs in any order": ("geography", lambda board: pairs(solved(board).cells, board)[::-1]),
}


@pytest.mark.parametrize("case", RIGHT)
def test_a_right_function_agrees_whatever_plain_value_it_returns(case: str) -> None:
    puzzle, function = RIGHT[case]
    assert_agrees(puzzle, function, count=COUNT, size=5)


def forgetful(board: Any) -> bool:
    """It takes every board with a wall and more than three cells for a possible one."""
    return solved(board).possible or (board.cells > 3 and "#" in str(board))


def test_a_wrong_function_is_shown_its_smallest_board() -> None:
    with pytest.raises(Disagreement) as raised:
        assert_agrees("beams", forgetful, count=300, size=6)
    error = raised.value
    assert isinstance(error, AssertionError)
    assert error.instance.cells == 4
    assert "#" in str(error.instance)
    assert (error.kind, error.expected, error.got) == (
        "CONFLICT",
        "Case #1: IMPOSSIBLE\n",
        "Case #1: POSSIBLE\n",
    )
    assert 0 < error.tried <= 300
    lines = str(error).splitlines()
    assert lines[0] == "forgetful is wrong on this beams board:"
    assert f"{error.tried} boards tried, seed 1; shrunk in " in str(error)
    board = eval(lines[-1].strip().removeprefix("forgetful"), {"puzzles": puzzles})
    assert board == error.instance
    with pytest.raises(Disagreement) as again:
        assert_agrees("beams", forgetful, count=300, size=6)
    assert again.value.instance == error.instance


def test_what_the_check_refutes_is_said_in_its_words() -> None:
    with pytest.raises(
        Disagreement,
        match="REFUTED: after 2 moves black can still play at 2,1\nexpected, by direct:union-find:",
    ):
        assert_agrees("nogo", lambda board: pairs(solved(board).moves[:-1], board), count=COUNT)


@pytest.mark.slow
def test_an_exception_is_shrunk_and_shown_with_its_line() -> None:
    def divides(board: Any) -> bool:
        return (
            solved(board).possible
            if board.rows < 3 or board.columns < 2
            else 1 // (board.cells - board.cells) > 0
        )

    with pytest.raises(Disagreement) as raised:
        assert_agrees("beams", divides, count=COUNT, size=4)
    assert raised.value.instance.shape == (3, 2)
    assert raised.value.kind == "CRASH"
    assert "CRASH: raised ZeroDivisionError: " in str(raised.value)
    assert f'File "{__file__}", line ' in str(raised.value)
    assert "function_contender.py" not in str(raised.value)


@pytest.mark.slow
def test_a_function_that_does_not_end_is_stopped_and_shrunk() -> None:
    def endless(board: Any) -> bool:
        while board.rows > 1:
            time.sleep(100)
        return solved(board).possible

    with pytest.raises(Disagreement, match="TIMEOUT: stopped at 0.5 s") as raised:
        assert_agrees("beams", endless, count=2, size=3, timeout=0.5)
    assert raised.value.instance.shape == (2, 1)
    assert str(raised.value).count("TIMEOUT") == 1, str(raised.value)


@pytest.mark.parametrize(
    ("puzzle", "value", "complaint"),
    [
        (
            "beams",
            7,
            "7 is no answer to beams: return an Answer, or its text as the contest prints it; or "
            "True, False, None, or the rows of a solution",
        ),
        (
            "nogo",
            [(0, 0, 0)],
            "[(0, 0, 0)] is no list of cells: write each cell as (row, column), counted from 0",
        ),
        ("nogo", "1 1\n", "<answer>:2:1: "),
        ("geography", [(0, 99)], "[(0, 99)] leaves the board of "),
        ("minesweeper", ["?"], "a minesweeper board holds only "),
    ],
)
def test_a_value_that_is_no_answer_is_a_sentence(
    puzzle: str, value: object, complaint: str
) -> None:
    board = puzzles.get(puzzle).parse(puzzles.get(puzzle).example)[0]
    with pytest.raises((TypeError, ValueError, InputError), match=f"^{re.escape(complaint)}"):
        puzzles.get(puzzle).answer_from(board, value)


def test_such_a_value_is_a_crash_of_the_function() -> None:
    with pytest.raises(Disagreement, match="CRASH: raised TypeError: 7 is no answer to beams: "):
        assert_agrees("beams", lambda board: 7, count=8, size=3)


@pytest.mark.slow
def test_answers_that_depend_on_earlier_calls_are_noticed() -> None:
    calls: list[object] = []

    def counts(board: Any) -> bool:
        calls.append(board)
        return solved(board).possible is (len(calls) < 20)

    with pytest.raises(Disagreement) as raised:
        assert_agrees("beams", counts, count=60, size=3)
    error, lines = raised.value, str(raised.value).splitlines()
    assert len(error.together) == 20
    assert error.instance == error.together[-1]
    assert lines[0].endswith("board, though not alone: it is the last of 20 calls in one process:")
    assert (
        f"{error.kind}: it is right alone, and wrong after 19 other calls in the same" in lines[-8]
    )
    assert error.got != error.expected == text(error.instance)
    assert calls == []
    again = eval(lines[-1], {"puzzles": puzzles, "counts": counts})
    assert len(calls) == 20
    assert again is not solved(error.instance).possible


@pytest.mark.slow
def test_no_line_is_given_that_does_not_fail(tmp_path: Path) -> None:
    """The function is wrong once, in whatever process."""
    mark = tmp_path / "mark"

    def once(board: Any) -> bool:
        is_first = board.cells > 2 and not mark.exists()
        if is_first:
            mark.touch()
        return solved(board).possible is not is_first

    with pytest.raises(Disagreement) as raised:
        assert_agrees("beams", once, count=60, size=3)
    assert "its answers depend on earlier calls, or on chance" in str(raised.value)
    assert "To try it again" not in str(raised.value)


@pytest.mark.slow
def test_a_function_gets_no_board_that_the_contest_cannot_say() -> None:
    def plain(board: Any) -> Any:
        assert board.mines is None
        return solved(board)

    assert_agrees("minesweeper", plain, count=600, size=3)


def test_an_own_puzzle_is_given_by_its_path_or_itself_but_not_as_an_imported_module(
    tmp_path: Path,
) -> None:
    path = tmp_path / "lights.py"
    path.write_text((ROOT / "examples" / "lights.py").read_text())
    assert_agrees(path, lambda board: solved(board).possible, count=COUNT)
    assert_agrees(puzzles.find(str(path)), rows, count=8)
    with pytest.raises(
        Disagreement,
        match="is wrong on this lights board:\n\n(.|\n)*expected, by direct:elimination:\n    "
        "IMPOSSIBLE",
    ):
        assert_agrees(path, lambda board: True, count=COUNT)
    spec = importlib.util.spec_from_file_location("lights_as_a_module", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    with pytest.raises(
        UserError, match="the puzzle lights was imported as a module: give the path of its file"
    ):
        assert_agrees(module.PUZZLE, lambda board: True)
    with pytest.raises(UserError, match="unknown puzzle 'nosuch': choose from beams"):
        assert_agrees("nosuch", lambda board: True)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ({"count": None}, "count: it must be a whole number, not 'None'"),
        ({"count": 2.5}, "count: it must be a whole number, not '2.5'"),
        ({"count": 0}, "count: it must be at least 1, not 0"),
        ({"count": -1}, "count: it must be at least 1, not -1"),
        ({"size": 0}, "size: it must be at least 1, not 0"),
        ({"size": None}, "size: it must be a whole number, not 'None'"),
        ({"seed": -1}, "seed: it must be at least 0, not -1"),
        ({"seed": "a"}, "seed: it must be a whole number, not 'a'"),
        ({"timeout": 0}, "timeout: it must be more than 0, not 0"),
        ({"timeout": float("nan")}, "timeout: it must be a number of at most "),
        ({"timeout": float("inf")}, "timeout: it must be a number of at most "),
        ({"timeout": None}, "timeout: it must be a number, not 'None'"),
        ({"function": None}, "the function must be one that can be called, not None"),
        ({"puzzle": None}, "the puzzle must be a name, a path or a Puzzle, not None"),
    ],
)
def test_an_argument_that_it_does_not_take_is_a_sentence(
    words: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(UserError, match=f"^{re.escape(complaint)}"):
        assert_agrees(**{"puzzle": "beams", "function": solved, **words})
    if not words.keys() & {"function", "timeout"}:
        with pytest.raises(UserError, match=f"^{re.escape(complaint)}"):
            examples(**{"puzzle": "beams", **words})


def test_numbers_of_numpy_are_numbers() -> None:
    few, small = np.int64(9), np.uint8(3)
    assert_agrees("beams", solved, count=few, size=small, seed=few, timeout=np.float64(9.5))  # pyright: ignore[reportArgumentType]
    assert len(examples("beams", count=few, size=small, seed=small)) == 9  # pyright: ignore[reportArgumentType]


def test_nothing_that_a_function_does_reaches_the_test() -> None:
    seen: list[object] = []
    with subprocess.Popen(["sleep", "100"]) as running:
        before = set(psutil.Process().children(recursive=True))

        def meddles(board: Any) -> bool:
            seen.append(board)
            os.environ["MEDDLED"] = "yes"
            subprocess.Popen(["sleep", "100"], start_new_session=True)
            return solved(board).possible

        assert_agrees("beams", meddles, count=8)
        assert (seen, os.environ.get("MEDDLED")) == ([], None)
        assert set(psutil.Process().children(recursive=True)) == before
        assert running.poll() is None
        running.kill()


def test_a_lost_search_is_an_error_and_no_verdict() -> None:
    def kills(board: Any) -> bool:
        os.kill(os.getppid(), signal.SIGKILL)
        return True

    with pytest.raises(
        RuntimeError, match="the search for a disagreement was lost: killed by SIGKILL"
    ):
        assert_agrees("beams", kills, count=8)


def test_an_interrupted_test_leaves_no_process(tmp_path: Path) -> None:
    call = "compare.assert_agrees('beams', lambda board: time.sleep(100), timeout=90)"
    code = f"import compare, time; print('now', flush=True); {call}"
    words, pipe = [sys.executable, "-c", code], subprocess.PIPE
    started = subprocess.Popen(
        words, stdout=pipe, stderr=pipe, text=True, env=environment(), cwd=tmp_path
    )
    assert started.stdout is not None
    started.stdout.readline()
    process = psutil.Process(started.pid)
    while len(process.children(recursive=True)) < 2:
        assert started.poll() is None
        time.sleep(0.02)
    below = process.children(recursive=True)
    started.send_signal(signal.SIGINT)
    _, complained = started.communicate(timeout=60)
    assert complained.rstrip().endswith("KeyboardInterrupt")
    _, alive = psutil.wait_procs(below, 20)
    assert alive == []


def test_a_function_gets_the_boards_that_the_contest_promises() -> None:
    """As a program does, unless all are asked for."""

    def careful(board: Any) -> bool:
        assert "." in str(board)
        answer: Any = direct.solve(board)
        return answer.possible

    assert_agrees("beams", careful, count=100)
    with pytest.raises(Disagreement) as caught:
        assert_agrees("beams", careful, count=100, extended=True)
    assert "." not in str(caught.value.instance)
