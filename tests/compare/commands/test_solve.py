"""`compare solve` prints what the backend of a side prints, under limits."""

from __future__ import annotations

from pathlib import Path

import direct
from tests.places import ROOT
from tests.processes import compare

BEAMS = "2\n1 3\n#-#\n2 2\n-.\n..\n"


def test_the_answers_are_those_of_the_side_and_a_file_of_ones_own_is_solved(tmp_path: Path) -> None:
    (tmp_path / "boards.in").write_text(BEAMS)
    expected = direct.solve_text("beams", BEAMS)
    for words in ((), ("-b", "two-sat"), ("-b", "direct")):
        ended = compare("solve beams boards.in", *words, cwd=tmp_path, status=0)
        assert (ended.stdout, ended.stderr) == (expected, "")
    (tmp_path / "cases.in").write_text("1\n1 1 1\n1 1\n")
    cover = str(ROOT / "examples" / "cover.py")
    ended = compare("solve -b models", cover, "cases.in", cwd=tmp_path, status=0)
    assert ended.stdout.split()[0] == "1"


def test_a_case_without_an_answer_is_named_and_nothing_else_is_printed(tmp_path: Path) -> None:
    (tmp_path / "boards.in").write_text(BEAMS)
    (tmp_path / "mine.py").write_text(
        "import time\n"
        "import direct\n"
        "from puzzles.backend import backend\n"
        "@backend('beams', 'mine', side='direct', source='waits on one board')\n"
        "def mine(board, *, certify=False):\n"
        "    time.sleep(60 * (board.lines() == ['-.', '..']))\n"
        "    return direct.solve(board)\n"
    )
    words = "solve beams boards.in --plugin mine.py -b mine"
    ended = compare(f"{words} --timeout 1", cwd=tmp_path, status=3)
    assert ended.stdout == ""
    assert ended.stderr == "case 2: direct:mine: TIMEOUT stopped at 1 s\n"
    wrong = compare("solve beams boards.in -b cpsatt", cwd=tmp_path, status=2)
    assert "unknown beams backend 'cpsatt': did you mean models:cpsat? " in wrong.stderr
