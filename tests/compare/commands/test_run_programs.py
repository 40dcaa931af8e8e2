"""`compare run --program` and `compare check`: what is said of right and wrong programs and of their output."""

from __future__ import annotations

from pathlib import Path

import pytest

import direct
import puzzles
from tests.processes import FIND_OUR_PACKAGES, compare, contender, reading_program


def test_a_wrong_no_is_refuted_by_the_proof_of_another(sample: Path) -> None:
    ended = compare(
        "run", "beams", str(sample), "-b", "direct", "--program", reading_program(sample, "print(f'Case #{case}: IMPOSSIBLE')")
    )
    assert ended.returncode == 1
    assert "CONFLICT on beams, dataset official, case 2 (3x4):\n    1\n    3 4\n    #.##\n    #--#\n    ####\n" in ended.stdout
    assert "REFUTED: mine, by the proved answer of another" in ended.stdout
    assert ended.stdout.splitlines()[-1].startswith("mine FAILED on 3 of 5: 3 WRONG; 5 boards of 1 puzzle; runs: 10 OK; ")
    assert "Case #1" not in ended.stdout


def test_a_wrong_yes_is_refuted_by_its_own_board(sample: Path) -> None:
    body = "print(f'Case #{case}: POSSIBLE', *rows, sep='\\n')"
    ended = compare("run", "beams", str(sample), "-b", "direct", "--program", reading_program(sample, body))
    assert ended.returncode == 1
    assert "REFUTED mine on beams, dataset official, case 1 (1x3): the turret at 1,3 is hit by the one at 1,1" in ended.stdout


def test_what_a_program_does_is_said_of_its_first_board(sample: Path) -> None:
    """What it does is a row for each board and never the end."""
    body = "if len(rows) > 1:\n    sys.exit('gave up')\nprint('nonsense')"
    ended = compare("run", "beams", str(sample), "-b", "direct", "--program", reading_program(sample, body))
    assert ended.returncode == 1, ended.stdout
    assert "ERROR mine on beams, dataset official, case 1 (1x3): <output of mine>:1:1: expected Case #1: " in ended.stdout
    assert "CRASH mine on beams, dataset official, case 2 (3x4): exit status 1: gave up" in ended.stdout
    last = "mine FAILED on 5 of 5: 4 CRASH, 1 ERROR; 5 boards of 1 puzzle; runs: 5 OK, 1 ERROR, 4 CRASH; "
    assert ended.stdout.splitlines()[-1].startswith(last)


def test_a_correct_program_is_proved_by_agreeing(sample: Path) -> None:
    plain = "import os\nos.environ['TWOFOLD_KERNELS'] = 'python'\n"  # Numba would take longer to load than the boards take
    code = plain + "import direct\nprint(direct.solve_text('beams', sys.stdin.read(), format='luogu'), end='')\n"
    right = contender(sample, FIND_OUR_PACKAGES + code, "right")
    (sample / "official.ans").unlink()
    ended = compare("run", "beams", str(sample), "-b", "direct", "--program", right, "--answers", "luogu", "--strict")
    assert ended.returncode == 0, ended.stdout
    assert "10 of 10 answers PROVED" in ended.stdout


def test_check_judges_an_output(sample: Path) -> None:
    source, output = sample / "official.in", sample / "official.ans"
    assert compare("check", "beams", str(source), str(output)).returncode == 0
    output.write_text(output.read_text().replace("#||#", "#--#"))
    ended = compare("check", "beams", str(source), str(output))
    assert ended.returncode == 1
    assert "REFUTED output on beams, dataset input, case 2 (3x4): the turret at 2,3 is hit by the one at 2,2" in ended.stdout
    output.write_text("Case #1: IMPOSSIBLE\n" + "".join(f"Case #{case}: IMPOSSIBLE\n" for case in range(2, 6)))
    assert "REFUTED: output, by the proved answer of another" in compare("check", "beams", str(source), str(output)).stdout
    output.write_text("Case #1: PERHAPS\n")
    ended = compare("check", "beams", str(source), str(output))
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"{output}:1:1: expected Case #1: POSSIBLE or IMPOSSIBLE")


@pytest.mark.slow
def test_programs_get_no_board_that_the_contest_cannot_say(tmp_path: Path) -> None:
    (tmp_path / "boards.in").write_text("1 2\n1#\n")
    (tmp_path / "counted.in").write_text("1 3 1\n#1#\n")
    code = "import sys\ncount, head, *rows = sys.stdin.read().splitlines()\nassert len(head.split()) == 2\nprint(*rows)\n"
    mine = contender(tmp_path, code)
    words = ["run", "minesweeper", str(tmp_path), "-b", "direct", "--partial", "mine", "--program", mine]
    ended = compare(*words)
    skipped = "SKIPPED mine on 1 minesweeper board: the board tells more than the contest's format can; --extended gives it "
    assert skipped in ended.stdout
    assert "CRASH" not in ended.stdout
    assert compare(*words, "-k", "counted", "--extended").stdout.count("CRASH mine on minesweeper") == 1


def test_an_answer_that_nothing_can_be_compared_with_is_accepted(tmp_path: Path) -> None:
    puzzle = puzzles.get("nogo")
    source, output = tmp_path / "board.in", tmp_path / "board.out"
    source.write_text("2\n..\n..\n")
    output.write_text(direct.solve_text("nogo", source.read_text(), format="luogu"))
    assert puzzle.formats[1] == "luogu"
    ended = compare("check", "nogo", str(source), str(output), "--answers", "luogu")
    assert ended.returncode == 0, ended.stdout
    assert "1/1       2/2" in ended.stdout
    last = "ACCEPTED: direct:union-find, output; 1 board of 1 puzzle; runs: 1 OK; 2 of 2 answers PROVED."
    assert ended.stdout.splitlines()[-1] == last
