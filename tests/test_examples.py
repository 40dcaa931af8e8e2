"""The examples: the wrong one is caught where its comment says, it is right without its wrong line, the others are right."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

from tests.places import ROOT
from tests.processes import compare

EXAMPLES = ROOT / "examples"
WRONG = "        if (row == start_row && column == start_column) return true;\n"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler here")
def test_the_wrong_program_is_right_without_its_wrong_line(tmp_path: Path) -> None:
    code = (EXAMPLES / "mine.cpp").read_text()
    assert code.count(WRONG) == 1
    fuzz = ["fuzz", "beams", "-b", "direct", "--program", "mine=my mine.cpp", "--cases", "1000"]
    source = tmp_path / "my mine.cpp"
    source.write_text(code)
    caught = compare(*fuzz, cwd=tmp_path)
    assert caught.returncode == 1
    assert "/-\n\\/" in caught.stdout
    (replay,) = (shlex.split(line)[4:] for line in caught.stdout.splitlines() if line.startswith("replay: "))
    assert compare(*replay, cwd=tmp_path).returncode == 1
    source.write_text(code.replace(WRONG, ""))
    ended = compare(*replay, cwd=tmp_path)
    assert (ended.returncode, "ALL AGREE" in ended.stdout) == (0, True)
    assert compare(*fuzz, cwd=tmp_path).returncode == 0


@pytest.mark.slow
def test_the_encoding_answers_as_ours_do() -> None:
    plugin = str(EXAMPLES / "my_encoding.py")
    ended = compare("fuzz", "minesweeper", "-b", "direct", "-b", "mine", "--plugin", plugin, "--size", "6", "--cases", "500")
    assert ended.returncode == 0, ended.stdout


@pytest.mark.slow
def test_the_right_program_answers_every_bundled_board() -> None:
    program = f"mine={EXAMPLES / 'geography.py'}"
    ended = compare("run", "geography", "-b", "direct", "--program", program)
    assert ended.returncode == 0, ended.stdout
    assert "ALL AGREE" in ended.stdout
