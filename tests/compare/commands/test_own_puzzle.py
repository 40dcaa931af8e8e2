"""A puzzle of one's own in one file: every command takes its path, workers load it, a defect in it is caught and shrunk."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.places import ROOT
from tests.processes import compare, environment, run_module, run_python
from tests.puzzles.user.rooms import write_rooms

LIGHTS = (ROOT / "examples" / "lights.py").read_text()
RIGHT = ", (r, c + 1)))"
"""The neighbour on the right in the equations of `direct:elimination`."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder outside of the project, with the example."""
    (tmp_path / "lights.py").write_text(LIGHTS)
    return tmp_path


def test_the_example_is_short_and_its_answers_agree_and_are_proved_in_two_workers(folder: Path) -> None:
    assert sum(1 for line in LIGHTS.splitlines() if line.strip()) <= 100
    ended = compare("run", "./lights.py", "--jobs", "2", "--out", "r.jsonl", cwd=folder)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.splitlines()[-1] == "ALL AGREE; 7 boards of 1 puzzle; runs: 14 OK; 14 of 14 answers PROVED."
    without = compare("report", "r.jsonl", cwd=folder)
    assert without.returncode == 2
    assert without.stderr.startswith("r.jsonl:2: not a record: it is of the puzzle 'lights', which is none of Twofold's: ")
    assert compare("report", "r.jsonl", "--puzzle", "lights.py", cwd=folder).returncode == 0
    assert "<svg" in (folder / "report.html").read_text()
    again = compare("run", "./lights.py", "--jobs", "2", "--out", "r.jsonl", "--resume", cwd=folder)
    assert (again.returncode, again.stderr) == (0, "r.jsonl: 14 of 14 runs are there already\n")


def test_the_other_commands_take_its_path(folder: Path) -> None:
    boards = compare("generate", "lights.py", "random", "4", "--cases", "3", cwd=folder).stdout
    assert boards.startswith("3\n4 4\n")
    (folder / "b.in").write_text(boards)
    answers = run_module("direct", "./lights.py", "b.in", "--svg", "b.svg", cwd=folder)
    assert answers.returncode == 0
    assert len(re.findall(r"^(?:IM)?POSSIBLE$", answers.stdout, re.MULTILINE)) == 3
    assert (folder / "b-3.svg").read_text().startswith("<svg")
    lines = run_module("models", "./lights.py", "b.in", "--json", cwd=folder).stdout.splitlines()
    said = [word == "POSSIBLE" for word in re.findall("I?M?POSSIBLE", answers.stdout)]
    assert [json.loads(line)["possible"] for line in lines] == said
    (folder / "b.ans").write_text(answers.stdout)
    judged = compare("check", "lights.py", "b.in", "b.ans", cwd=folder)
    assert judged.returncode == 0
    assert "6 of 6 answers PROVED" in judged.stdout
    listed = compare("list", "lights.py", cwd=folder).stdout
    assert listed.startswith("lights: lights (lights.py); formats plain\n")
    assert "models:cnf" in listed
    assert compare("rules", "lights.py", cwd=folder).stdout.startswith("Lights Out with walls: press cells so that all ")
    scaled = compare("scale", "lights.py", "-b", "direct", "--largest", "12", "--repeat", "1", cwd=folder)
    assert (scaled.returncode, scaled.stdout.splitlines()[0]) == (0, "lights, family random: medians of 1 board a size")


@pytest.mark.slow
def test_a_planted_bug_is_caught_and_shrunk_to_the_smallest_board(folder: Path) -> None:
    assert LIGHTS.count(RIGHT) == 1
    (folder / "lights.py").write_text(LIGHTS.replace(RIGHT, "))"))
    caught = compare("fuzz", "./lights.py", "--cases", "300", "--jobs", "2", cwd=folder)
    assert caught.returncode == 1
    assert "REFUTED: direct:elimination" in caught.stdout
    (saved,) = folder.glob("refuted-*.in")
    assert saved.read_text() == "1\n1 2\n*.\n"
    (replay,) = re.findall("^replay: python -m compare (.*)$", caught.stdout, re.MULTILINE)
    assert replay == f"run ./lights.py {saved.name}"
    replayed = compare(*replay.split(), cwd=folder)
    assert replayed.returncode == 1
    assert "stays on" in replayed.stdout
    (folder / "lights.py").write_text(LIGHTS)
    assert compare(*replay.split(), cwd=folder).returncode == 0


@pytest.mark.parametrize("words", [["compare", "run"], ["compare", "fuzz"], ["compare", "list"], ["direct"], ["models"]])
def test_a_file_that_cannot_be_used_is_bad_usage(folder: Path, words: list[str]) -> None:
    (folder / "lights.py").write_text(LIGHTS.replace("PUZZLE = ", "PUZZLE == "))
    module, *rest = words
    ended = run_module(module, *rest, "./lights.py", cwd=folder, text="1\n1 1\n.\n")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert re.fullmatch(r"\./lights\.py:\d+: importing the file raised NameError: .*: mend that line\n", ended.stderr)


@pytest.mark.slow
def test_what_fails_in_a_worker_says_where(folder: Path) -> None:
    raising = LIGHTS.replace("    pivots: dict", "    if board.cells == 9:\n        1 // 0\n    pivots: dict")
    (folder / "lights.py").write_text(raising)
    ended = compare("run", "lights.py", "-b", "direct", cwd=folder)
    assert ended.returncode == 1
    assert "lights.py:" in ended.stdout
    assert "raised ZeroDivisionError" in ended.stdout
    raising = LIGHTS.replace("    return Lights(rng", "    if size > 5:\n        raise KeyError(size)\n    return Lights(rng")
    (folder / "lights.py").write_text(raising)
    for command in ("run", "fuzz"):
        ended = compare(command, "lights.py", cwd=folder)
        assert ended.returncode == 2
        assert re.search(
            r"^lights\.py:\d+: the family random, at size \d+ and seed \d+, raised KeyError: ", ended.stderr, re.MULTILINE
        )


def test_a_worker_that_cannot_load_the_file_says_why(folder: Path) -> None:
    in_worker = "import sys\nif sys.argv[0] == '-c':\n    1 // 0\n"
    (folder / "lights.py").write_text(LIGHTS.replace("PUZZLE = ", f"{in_worker}PUZZLE = "))
    ended = compare("run", "lights.py", "-b", "direct", cwd=folder)
    assert ended.returncode == 1
    assert "PuzzleFault: lights.py:" in ended.stdout
    assert "importing the file raised ZeroDivisionError" in ended.stdout


def test_what_the_file_prints_is_shown_once_and_not_among_the_results(folder: Path) -> None:
    (folder / "lights.py").write_text(f"{LIGHTS}print('hello')\n")
    ended = run_module("direct", "lights.py", cwd=folder, text="1\n1 1\n.\n")
    assert (ended.stdout, ended.stderr) == ("POSSIBLE\n.\n", "lights.py: hello\n")
    assert compare("run", "lights.py", "-b", "direct", cwd=folder).stderr == "lights.py: hello\n"


@pytest.mark.slow
def test_a_puzzle_whose_other_functions_fail_blames_no_contender(folder: Path) -> None:
    for body in ("def outcome(self, claims):", "def print_answers(self, answers, format):"):
        raising = f"    {body}\n        raise KeyError(1)\n\n    @property\n    def families"
        (folder / "lights.py").write_text(LIGHTS.replace("    @property\n    def families", raising))
        command = "fuzz" if "outcome" in body else "run"
        ended = compare(command, "lights.py", "-b", "direct", cwd=folder)
        assert (ended.returncode, "CRASH" in ended.stdout) == (2, False)
        assert re.search(r"lights\.py:\d+: (outcome|print_answers) raised KeyError: 1: mend that line", ended.stderr)
    text = LIGHTS.replace("class LightsPuzzle", "    def header(self) -> str:\n        raise KeyError(2)\n\n\nclass LightsPuzzle")
    (folder / "lights.py").write_text(text)
    ended = compare("generate", "lights.py", "random", "3", cwd=folder)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert re.search(r"lights\.py:\d+: print_instances raised KeyError: 2: mend that line", ended.stderr)


@pytest.mark.slow
def test_a_folder_and_an_installed_package_run_in_workers(tmp_path: Path) -> None:
    write_rooms(tmp_path / "lights")
    ended = compare("run", "./lights", "--jobs", "2", cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.splitlines()[-1] == "ALL AGREE; 8 boards of 1 puzzle; runs: 16 OK; 16 of 16 answers PROVED."
    info = tmp_path / "elsewhere" / "lights-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: lights\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[twofold.puzzles]\nlights = lights\nbroken = no_such_module\n")
    (tmp_path / "lights").rename(info.parent / "lights")
    env = environment(info.parent)
    by_name = run_python("-m", "compare", "fuzz", "lights", "--cases", "200", cwd=tmp_path, env=env)
    assert (by_name.returncode, by_name.stderr) == (0, "")
    assert "nothing found" in by_name.stdout
    listed = " ".join(run_python("-m", "compare", "list", cwd=tmp_path, env=env).stdout.split())
    assert "direct:elimination" in listed
    assert "the puzzle broken of the installed package lights cannot be loaded: there is no module no_such_module: " in listed


@pytest.mark.parametrize("command", ["run", "fuzz", "scale"])
def test_a_puzzle_without_a_backend_says_where_one_belongs(folder: Path, command: str) -> None:
    (folder / "lights.py").write_text(re.sub(r"^@backend.*?(?=^\S*PUZZLE|^@)", "", LIGHTS, flags=re.MULTILINE | re.DOTALL))
    ended = compare(command, "./lights.py", cwd=folder)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith(
        "lights has no backend yet: write one into ./lights.py, a function under @backend('lights', NAME, "
    )
