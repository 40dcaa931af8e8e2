"""Hostile plugins, in `hostile/`, and the promise that each of them tries to break."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.places import ROOT
from tests.processes import command, compare, environment, run_python

HOSTILE = ROOT / "tests" / "compare" / "work" / "hostile"
POSSIBLE = "1\n1 3\n.-.\n"

MALFORMED = {
    "none": "malformed answer: expected Layout, got None",
    "text": "malformed answer: expected Layout, got 'POSSIBLE' of type str",
    "pair": "malformed answer: expected a plain value or one of Beams, Effort, Layout",
    "no-truth": "malformed answer: possible: expected bool, got 'yes' of type str",
    "no-board": "malformed answer: board: expected Beams or None, got '#' of type str",
    "bad-grid": "malformed answer: board cannot be built: a beams board holds only",
    "wrong-dtype": "malformed answer: board.grid: expected an array of uint8, got an array of int64",
    "no-field": "malformed answer: Layout has no possible",
    "effort": "malformed answer: effort.build_s: expected float or None, got 'quick' of type str",
    "not-finite": "malformed answer: effort.build_s: expected float or None, got nan of type float",
    "certificate": "malformed answer: certificate: expected a plain value or one of ",
}

LIARS = ("other-check", "odd-int", "two-faced", "reduce", "descriptors", "encoder")


def runs(folder: Path, plugin: str, names: tuple[str, ...], **variables: str) -> tuple[int, str, dict[str, dict[str, Any]]]:
    """Run backends of a plugin beside ours: the exit status, what was printed, and the record of each by its name."""
    (folder / "board.in").write_text(POSSIBLE)
    words = [word for name in names for word in ("-b", name)]
    words += ["--plugin", str(HOSTILE / f"{plugin}.py"), "--out", str(folder / "out.jsonl"), "-b", "two-sat"]
    ended = run_python("-m", "compare", "run", "beams", str(folder / "board.in"), *words, env=environment(**variables))
    lines = [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()[1:]]
    return ended.returncode, ended.stdout, {line["contender"].removeprefix("direct:"): line for line in lines}


def test_a_malformed_answer_is_a_row_with_its_reason(tmp_path: Path) -> None:
    _, printed, records = runs(tmp_path, "malformed", tuple(MALFORMED))
    assert "ERROR direct:none on beams, dataset board, case 1 (1x3): malformed answer: " in printed
    assert records["two-sat"]["status"] == "OK"
    for name, words in MALFORMED.items():
        assert records[name]["status"] == "ERROR", name
        assert words in records[name]["detail"], name


def test_an_answer_that_does_not_belong_to_its_board_is_a_row(tmp_path: Path) -> None:
    (tmp_path / "board.in").write_text("1 3\n...\n")
    words = ["-b", "off-the-board", "--plugin", str(HOSTILE / "malformed.py")]
    ended = compare("run", "geography", str(tmp_path / "board.in"), *words)
    assert "ERROR direct:off-the-board on geography" in ended.stdout
    assert "malformed answer: it does not belong to the geography board: IndexError: " in ended.stdout


@pytest.mark.parametrize("name", ["none", "text", "no-truth"])
def test_a_malformed_answer_is_a_fault_in_a_search(tmp_path: Path, name: str) -> None:
    plugin = str(HOSTILE / "malformed.py")
    ended = compare("fuzz", "beams", "-b", name, "--plugin", plugin, "--cases", "40", "--jobs", "1", cwd=tmp_path)
    assert ended.returncode == 1
    assert f"ERROR: direct:{name}: {MALFORMED[name]}" in ended.stdout
    (saved,) = tmp_path.glob("*.in")
    assert saved.read_text().startswith("1\n1 1\n")


def test_no_wrong_answer_is_proved_and_no_foreign_code_runs_in_a_process_of_ours(tmp_path: Path) -> None:
    imported, unpickled = tmp_path / "imported", tmp_path / "unpickled"
    variables = {"TWOFOLD_TEST_IMPORTED": str(imported), "TWOFOLD_TEST_UNPICKLED": str(unpickled)}
    status, printed, records = runs(tmp_path, "liars", LIARS, **variables)
    assert status == 1
    assert not unpickled.exists()
    assert "\nALL AGREE" not in printed
    assert records["two-sat"]["check"] == "PROVED"
    for name in LIARS:
        assert records[name]["check"] != "PROVED", name
    assert {name for name in LIARS if records[name]["status"] == "ERROR"} == {"odd-int", "two-faced", "reduce", "encoder"}
    pids = imported.read_text().split()
    assert len(pids) == len(set(pids)) == 1 + 2 * len(LIARS)  # to describe it; then a trial and a run a backend


def test_the_process_that_compares_does_not_import_the_plugin(tmp_path: Path) -> None:
    imported = tmp_path / "imported"
    words = command("compare", "run", "beams", "-b", "odd-int", "--plugin", str(HOSTILE / "liars.py"), "-q")
    with subprocess.Popen(words, stdout=subprocess.PIPE, env=environment(TWOFOLD_TEST_IMPORTED=str(imported))) as started:
        started.communicate()
    assert str(started.pid) not in imported.read_text().split()


def test_a_plugin_cannot_take_the_name_of_a_backend_of_ours(tmp_path: Path) -> None:
    plugin = tmp_path / "plugin.py"
    plugin.write_text(
        "from puzzles.backend import backend\nfrom puzzles.beams.board import Layout\n"
        "import direct\ndirect.SIDE.backends('beams')\n"
        "@backend('beams', 'two-sat', side='direct', source='a plugin')\n"
        "def solve(board, *, certify=False):\n    return Layout(False)\n"
    )
    ended = compare("run", "beams", "--plugin", str(plugin))
    assert ended.returncode == 2
    assert ended.stderr == f"--plugin {plugin}: beams has a backend direct:two-sat already; choose another name\n"


@pytest.mark.parametrize("line", ["import os; os.abort()", "raise SystemExit(0)", "raise RuntimeError('no')"])
def test_a_plugin_that_cannot_be_loaded_is_bad_usage(tmp_path: Path, line: str) -> None:
    (tmp_path / "plugin.py").write_text(line)
    ended = compare("run", "beams", "--plugin", str(tmp_path / "plugin.py"))
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"--plugin {tmp_path / 'plugin.py'}: ")
