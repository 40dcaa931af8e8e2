"""The order of tests and which run together; `--slow-seconds`: which slow tests come first, when
none starts, what it says.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.conftest import LOADING, concerns, in_turn, loads
from tests.places import ROOT
from tests.processes import run_module

LEMMAS = "tests/models/test_lemmas_beams.py::test_a_script[beams-forced]"
FUZZ = "tests/compare/fuzz/test_planted_bugs.py::test_each_bug[nogo-suicide]"
GAMES = "tests/puzzles/nogo/test_check.py::test_large_games_are_proved[empty]"
NAMES = [f"tests/models/test_cnf.py::test_{letter}" for letter in "abcde"]


@pytest.mark.parametrize(
    ("path", "name", "concerned"),
    [
        ("tests/models/test_lemmas_beams.py", LEMMAS, True),
        ("models/lemmas/lemma.py", LEMMAS, True),
        ("puzzles/beams/board.py", LEMMAS, True),
        ("direct/beams.py", LEMMAS, True),
        ("compare/fuzz/trial.py", FUZZ, True),
        ("direct/nogo.py", FUZZ, True),
        ("puzzles/nogo/check.py", GAMES, True),
        ("models/nogo/legality.py", GAMES, True),
        ("README.md", GAMES, False),
        ("puzzles/geography/check.py", GAMES, False),
        ("tests/puzzles/test_beams.py", LEMMAS, False),
        ("compare/show/table.py", FUZZ, False),
        ("models/nogo/legality.py", LEMMAS, False),
    ],
)
def test_a_change_concerns_the_tests_of_its_module_its_room_and_its_puzzle_and_no_others(
    path: str, name: str, concerned: bool
) -> None:
    assert concerns(path, name) == concerned


def test_every_test_comes_first_at_some_commit() -> None:
    assert {in_turn(NAMES, turn, [])[0] for turn in range(5)} == set(NAMES)
    assert all(sorted(in_turn(NAMES, turn, ["direct/nogo.py"])) == NAMES for turn in range(5))
    mixed = [*NAMES, GAMES, FUZZ]
    orders = [in_turn(mixed, turn, ["direct/nogo.py"]) for turn in range(10)]
    assert {order[0] for order in orders} == {GAMES, FUZZ}
    assert {order[1] for order in orders} == set(NAMES)
    assert all(
        set(order[0:4:2]) == {GAMES, FUZZ} and sorted(order) == sorted(mixed) for order in orders
    )
    assert in_turn([], 3, ["direct/nogo.py"]) == []


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run pytest with the plugin over three slow tests of 0.3 s, of which the last fails, and a
    fast one.
    """
    (folder / "test_some.py").write_text(
        "import time, pytest\n"
        "def test_fast(): pass\n"
        "@pytest.mark.slow\n@pytest.mark.parametrize('right', [1, 1, 0], ids='abc')\n"
        "def test_slow(right):\n    time.sleep(0.3)\n    assert right\n"
    )
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = slow\n")
    return run_module("pytest", "-p", "tests.conftest", *words, cwd=folder)


def test_no_slow_test_starts_when_the_time_is_over(tmp_path: Path) -> None:
    ended = run(
        tmp_path, "-n", "0", "--slow-seconds", "0.2", "--deselect", "test_some.py::test_slow[c]"
    )
    assert ended.returncode == 0, ended.stdout
    assert "slow tests: 1 run, 1 not run in 0.2 s\n" in ended.stdout
    assert ended.stdout.count("not run: test_some.py::test_slow[") == 1
    assert "2 passed" in ended.stdout


def test_a_failure_counts(tmp_path: Path) -> None:
    ended = run(tmp_path, "-n", "0", "--slow-seconds", "60")
    assert ended.returncode == 1
    assert "slow tests: 3 run, 0 not run in 60 s\n" in ended.stdout
    assert "1 failed, 3 passed" in ended.stdout


def test_what_a_failure_keeps_from_running_is_named(tmp_path: Path) -> None:
    ended = run(tmp_path, "-n", "0", "--slow-seconds", "60", "-x")
    assert ended.returncode == 1
    names = re.findall(r"^not run: test_some\.py::test_slow\[([ab])\]$", ended.stdout, re.MULTILINE)
    assert f"slow tests: {3 - len(names)} run, {len(names)} not run in 60 s\n" in ended.stdout
    assert f"1 failed, {3 - len(names)} passed" in ended.stdout


def test_there_is_one_order_only_in_one_process(tmp_path: Path) -> None:
    ended = run(tmp_path, "-n", "2", "--slow-seconds", "60")
    assert ended.returncode == 4
    assert "--slow-seconds puts the tests in one order: it goes with -n 0" in ended.stderr


def test_an_empty_parametrisation_is_an_error(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    """It would be a test that cannot fail."""
    setting = pytestconfig.getini("empty_parameter_set_mark")
    (tmp_path / "test_none.py").write_text(
        "import pytest\n@pytest.mark.parametrize('x', [])\ndef test_nothing(x): assert x\n"
    )
    ended = run_module(
        "pytest",
        "-n",
        "0",
        "-o",
        f"empty_parameter_set_mark={setting}",
        "test_none.py",
        cwd=tmp_path,
    )
    assert ended.returncode == 2
    assert "Empty parameter set in 'test_nothing'" in ended.stdout


def test_what_leaves_its_process_small_comes_first() -> None:
    names = [
        "tests/models/test_cnf.py::test_a",
        *(f"tests/compare/{room}/test_b.py::test_b" for room in LOADING),
    ]
    small = [
        "tests/compare/work/pool/test_c.py::test_c[fuzz]",
        "tests/compare/test_start.py::test_d",
    ]
    assert sorted([*names, *small], key=loads) == [*small, *names[1:], names[0]]
    assert all((ROOT / "tests" / "compare" / room).is_dir() for room in LOADING)
