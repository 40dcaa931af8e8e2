"""`compare run --show recall`: the share that an incomplete backend finds, by family."""

from __future__ import annotations

import pytest

from compare.command_line import main

RECALL = ["run", "--show", "recall", "--no-check"]


def test_a_family_on_which_the_closure_finds_all_and_one_on_which_it_finds_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    families = ["--family", "short", "--family", "d12"]
    assert main([*RECALL, "minesweeper", *families, "--size", "9", "--cases", "3"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if "direct:two-sat" in line]
    assert [row[0] for row in rows] == ["short", "d12"]
    assert rows[0][2:] == ["3", "0%", "0%", "0", "of", "3"]
    assert rows[1][3] == "100%"


def test_boards_on_which_nothing_is_certain_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*RECALL, "minesweeper", "--family", "isolated", "--size", "4", "--cases", "5"]) == 0
    assert capsys.readouterr().out == (
        "isolated: on 5 of 5 boards nothing is certain, and they are left out\nALL AGREE; 5 boards of 1 puzzle; runs: 10 OK.\n"
    )
