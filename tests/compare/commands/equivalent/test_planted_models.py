"""Models that are wrong on purpose:

`equivalent` finds each on its smallest board, also where no verdict is wrong.
"""

from __future__ import annotations

import re

import pytest

import puzzles
from compare.command_line import main
from tests.places import ROOT
from tests.processes import CompareHere

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
    assert equivalent(puzzle, model, "--boards", "12000") == 1
    printed = capsys.readouterr().out.splitlines()
    no_numbers = " that both models take" * (puzzle == "minesweeper")
    assert f", and on no smaller one{no_numbers}: models:" in printed[0]
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


@pytest.mark.parametrize("name", puzzles.names())
def test_each_kind_of_wrong_model_is_planted(name: str) -> None:
    if not (PLANTED / f"wrong_{name}.py").exists():
        pytest.skip(f"no wrong models of {name} are planted")
    assert name in {puzzle for puzzle, _ in SMALLEST}


def test_a_difference_on_a_board_of_a_family_is_made_smaller(
    compare_here: CompareHere,
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
    first, _, *printed = compare_here(*words, status=1).stdout.splitlines()
    assert ", made smaller from one of " in first
    assert first.endswith("models:cnf admits what models:over refuses")
    rows = [line.strip() for line in printed[: printed.index("")]]
    assert (len(rows), len(rows[0])) in ((2, 3), (3, 2), (1, 6))


def test_numbers_alone_notice_lost_solutions_and_not_other_ones(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert equivalent("beams", "over", "--boards", "80", "--count") == 1
    *_, different, _, board, _, last = capsys.readouterr().out.splitlines()
    assert different.startswith(
        "DIFFERENT NUMBERS of solutions on this board (1x1), and on no smaller one: 2 of "
        "models:cnf and 1 of "
    )
    assert board.strip() == "-"
    assert re.fullmatch(
        r"models:cnf and models:\S+ in CONFLICT on a board of 1x1; \d+ boards? compared", last
    )
    assert equivalent("beams", "symmetric", "--boards", "80", "--count") == 0
    assert (
        "ALL AGREE: the same numbers on all boards of up to 2 cells (78 boards, 89 solutions each)"
        in capsys.readouterr().out
    )
