"""Models that are wrong on purpose:

`equivalent` finds each on its smallest board, also where no verdict is wrong.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

import puzzles
from compare.command_line import main
from compare.equivalent.equivalence import family_boards, small_boards
from models.beams.geometry import turned
from puzzles.backend import collected
from puzzles.beams import Beams, Layout
from puzzles.minesweeper import Minesweeper
from puzzles.verdict import Verdict
from tests.places import ROOT
from tests.processes import compare

with collected():  # else the whole process would have these backends
    from tests.planted.models import wrong_beams, wrong_minesweeper

PLANTED = ROOT / "tests" / "planted" / "models"

SMALLEST = {
    ("beams", "over"): (["-"], ["not: the turret at 1,1 is horizontal"]),
    ("beams", "under"): (["/\\", "\\-"], ["not: the turret at 2,2 is horizontal"]),
    ("beams", "symmetric"): (
        ["--"],
        ["not: the turret at 1,1 is horizontal", "not: the turret at 1,2 is horizontal"],
    ),
    ("minesweeper", "under"): (["1"], []),
    ("minesweeper", "symmetric"): (["#1#"], ["a mine at 1,3", "not: a mine at 1,1"]),
    ("nogo", "under"): (["XX", "X."], ["the move goes to 2,2"]),
    ("geography", "over"): (["..", ".."], ["1,1 is matched to 2,1", "1,2 is matched to 2,2"]),
    ("geography", "under"): (
        [".."],
        ["the first mover loses from 1,1", "the first mover loses from 1,2"],
    ),
}
"""The board of each pair of cnf and a planted model, as far as one is known to be the smallest; the
first names of the solution.
"""


def equivalent(puzzle: str, model: str, *words: str) -> int:
    plugin = PLANTED / f"wrong_{puzzle}.py"
    ours = "cnf-ranked" if puzzle == "nogo" else "cnf"
    return main(
        ["equivalent", puzzle, ours, model, "--plugin", str(plugin), "--cases", "0", *words]
    )


@pytest.mark.parametrize(("puzzle", "model"), SMALLEST)
def test_a_planted_model_is_found_on_its_smallest_board(
    puzzle: str, model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    board, names = SMALLEST[puzzle, model]
    assert equivalent(puzzle, model, "--boards", "5000") == 1
    printed = capsys.readouterr().out.splitlines()
    assert ", and on no smaller one" in printed[0]
    assert [line.strip() for line in printed[2 : 2 + len(board)]] == board
    solution = [
        line.strip() for line in printed if line.startswith("  ") and not line.startswith("    ")
    ]
    assert solution[: len(names)] == names


@pytest.mark.parametrize(
    ("puzzle", "model"), [("nogo", "over"), ("nogo", "symmetric"), ("geography", "symmetric")]
)
def test_a_planted_model_is_found(
    puzzle: str, model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert equivalent(puzzle, model, "--boards", "5000") == 1
    assert ", and on no smaller one: models:cnf" in capsys.readouterr().out


def test_a_difference_on_a_board_of_a_family_is_made_smaller(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = [
        "equivalent",
        "minesweeper",
        "cnf",
        "over",
        "--plugin",
        str(PLANTED / "wrong_minesweeper.py"),
        "--boards",
        "30",
    ]
    assert main(words) == 1
    first, _, *printed = capsys.readouterr().out.splitlines()
    assert ", made smaller from one of " in first
    assert first.endswith("models:cnf admits what models:over refuses")
    rows = [line.strip() for line in printed[: printed.index("")]]
    assert (len(rows), len(rows[0])) in ((2, 3), (3, 2), (1, 6))


def test_numbers_alone_notice_lost_solutions_and_not_other_ones(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert equivalent("beams", "over", "--boards", "80", "--count") == 1
    *_, verdict, _, board, _ = capsys.readouterr().out.splitlines()
    assert verdict.startswith(
        "DIFFERENT NUMBERS of solutions on this board (1x1), and on no smaller one: 2 of "
        "models:cnf and 1 of "
    )
    assert board.strip() == "-"
    assert equivalent("beams", "symmetric", "--boards", "80", "--count") == 0
    assert (
        "SAME NUMBERS on all boards of up to 2 cells (78 boards, 89 solutions each)"
        in capsys.readouterr().out
    )


Solutions = set[tuple[bool, ...]]


def by_clauses(stated: tuple[int, list[list[int]], dict[int, str]]) -> Solutions:
    """The solutions of a formula, by trying all values; as the values of its named variables in
    their order.
    """
    variables, clauses, names = stated
    return {
        tuple(values[k - 1] for k in sorted(names))
        for values in product((False, True), repeat=variables)
        if all(
            any(values[abs(literal) - 1] == (literal > 0) for literal in clause)
            for clause in clauses
        )
    }


def by_the_check_of_beams(board: Beams) -> Solutions:
    """All ways to turn the turrets that the check proves."""
    turrets = np.flatnonzero((board.grid == ord("-")) | (board.grid == ord("|")))
    ways: Solutions = set()
    for values in product((False, True), repeat=turrets.size):
        layout = Layout(True, turned(board, np.array(values, np.bool_)))
        if puzzles.get("beams").check(board, layout).verdict is Verdict.PROVED:
            ways.add(values)
    return ways


def by_counting_mines(board: Minesweeper) -> Solutions:
    """All layouts of the covered cells beside a clue that fit every clue; other covered cells are
    left out.
    """
    kinds, around = "".join(board.lines()), wrong_minesweeper.clues(board)
    free = sorted({k for near, _ in around for k in near if kinds[k - 1] == "#"})
    layouts: Solutions = set()
    for values in product((False, True), repeat=len(free)):
        mines = {k for k, value in zip(free, values, strict=True) if value} | {
            k for k, kind in enumerate(kinds, 1) if kind == "X"
        }
        if all(len(mines & set(near)) == wanted for near, wanted in around):
            layouts.add(values)
    return layouts


def test_what_is_called_the_smallest_board_is_the_smallest_by_brute_force() -> None:
    """No board of fewer cells tells the planted model from the rules, and the board that was found
    does.
    """
    for board in small_boards(puzzles.get("beams"), None, 600):
        assert isinstance(board, Beams) and board.size <= 3  # noqa: PT018
        assert by_clauses(wrong_beams.under(board)) == by_the_check_of_beams(board), board
    (board,) = puzzles.get("beams").parse("1\n2 2\n/\\\n\\-\n")
    assert by_clauses(wrong_beams.under(board)) > by_the_check_of_beams(board)
    for board in small_boards(puzzles.get("minesweeper"), None, 400):
        assert isinstance(board, Minesweeper) and board.size <= 2  # noqa: PT018
        assert by_clauses(wrong_minesweeper.symmetric(board)) == by_counting_mines(board), board
    (board,) = puzzles.get("minesweeper").parse("1\n1 3\n#1#\n")
    assert by_clauses(wrong_minesweeper.symmetric(board)) < by_counting_mines(board)


@pytest.mark.slow
@pytest.mark.parametrize("puzzle", puzzles.names())
def test_verdicts_alone_do_not_notice_an_over_constrained_model(
    puzzle: str, tmp_path: Path
) -> None:
    """On all small boards, and on boards of families, its answers are those of our algorithm."""
    rules = puzzles.get(puzzle)
    boards = [
        *small_boards(rules, None, 100),
        *family_boards(rules, 4, 1, 40),
    ]
    boards = [board for board in boards if board.in_contest_format]
    for number, some in enumerate(
        [boards] if rules.many_instances else [[board] for board in boards]
    ):
        (tmp_path / f"{number}.in").write_text(rules.print_instances(some))
    plugin = PLANTED / f"wrong_{puzzle}.py"
    ended = compare(
        "run",
        puzzle,
        str(tmp_path),
        "-b",
        "direct",
        "-b",
        "over",
        "--plugin",
        str(plugin),
        "--no-check",
        "-q",
    )
    assert (ended.returncode, ended.stdout[:9]) == (0, "ALL AGREE"), ended.stdout
