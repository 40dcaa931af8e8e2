"""Puzzles of one's own whose instances are no grids: every command takes them, and speaks of cases and not of boards."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.places import ROOT
from tests.processes import compare, contender, run_module

EXAMPLES = {"cover": 3, "knapsack": 2}
"""The examples, each with the number of its backends."""


@pytest.fixture(params=["cover", pytest.param("knapsack", marks=pytest.mark.slow)])
def example(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    """The name of an example, and a folder outside of the project that holds it."""
    name = str(request.param)
    (tmp_path / f"{name}.py").write_text((ROOT / "examples" / f"{name}.py").read_text())
    return name, tmp_path


def test_the_examples_are_short() -> None:
    for name in EXAMPLES:
        text = (ROOT / "examples" / f"{name}.py").read_text()
        assert sum(1 for line in text.splitlines() if line.strip()) <= 125


def test_solving_generating_and_checking(example: tuple[str, Path]) -> None:
    name, folder = example
    cases = compare("generate", f"{name}.py", "random", "4", "--cases", "3", cwd=folder).stdout
    (folder / "b.in").write_text(cases)
    answers = run_module("direct", f"./{name}.py", "b.in", "--svg", "b.svg", cwd=folder)
    assert (answers.returncode, answers.stderr, len(answers.stdout.splitlines())) == (0, "", 3)
    assert f">{answers.stdout.splitlines()[2]}</text>" in (folder / "b-3.svg").read_text()
    lines = run_module("models", f"./{name}.py", "b.in", "--json", cwd=folder).stdout.splitlines()
    assert [json.loads(line)["value"] for line in lines] == [int(line.split()[0]) for line in answers.stdout.splitlines()]
    (folder / "b.ans").write_text(answers.stdout)
    judged = compare("check", f"{name}.py", "b.in", "b.ans", cwd=folder)
    backends = EXAMPLES[name]
    assert judged.returncode == 0
    assert judged.stdout.splitlines()[-1].startswith("ALL AGREE; 3 cases of 1 puzzle; runs: 3 OK; ")
    agreed = compare("run", f"{name}.py", "b.in", "--jobs", "2", cwd=folder)
    proved = f"runs: {3 * backends} OK; {3 * backends + 3} of {3 * backends + 3} answers PROVED."
    assert (agreed.returncode, agreed.stderr) == (0, "")
    assert agreed.stdout.splitlines()[-1] == f"ALL AGREE; 3 cases of 1 puzzle; {proved}"
    assert re.search(r"^dataset +cases +size ", agreed.stdout, re.MULTILINE)


@pytest.mark.slow
def test_the_other_commands(example: tuple[str, Path]) -> None:
    name, folder = example
    file = f"{name}.py"
    ended = compare("run", file, "-b", "direct", "-b", "cpsat", "--out", "r.jsonl", cwd=folder)
    assert ended.returncode == 0, ended.stdout
    assert compare("report", "r.jsonl", "--puzzle", file, cwd=folder).returncode == 0
    page = (folder / "report.html").read_text()
    assert "cases</" in page
    assert page.count("<svg") > 5
    differences = compare("diff", "r.jsonl", "r.jsonl", "--puzzle", file, cwd=folder)
    assert differences.returncode == 0
    assert "geometric mean over the cases" in differences.stdout
    listed = compare("list", file, cwd=folder).stdout
    assert listed.startswith(f"{name}: {name} ({file}); formats plain\n")
    assert re.search(r"models:cpsat +all +size \d+ ", listed)
    scaled = compare("scale", file, "-b", "direct", "--largest", "20", "--repeat", "1", "--plot", "s.svg", cwd=folder)
    assert (scaled.returncode, scaled.stdout.splitlines()[0]) == (0, f"{name}, family random: medians of 1 case a size")
    slowest = compare("fuzz", file, "-b", "direct", "-b", "cpsat", "--slowest", "cpsat", "--cases", "8", cwd=folder)
    assert re.search(r"^size \d+: models:cpsat takes .*; 8 cases timed$", slowest.stdout.replace("\n  ", " "), re.MULTILINE)
    quiet = compare("fuzz", file, "-b", "direct", "-b", "cpsat", "--cases", "200", "--size", "6", "--jobs", "1", cwd=folder)
    assert quiet.returncode == 0, quiet.stdout
    assert re.search(r"nothing found up to size \d+; 200 cases in .* cases a second; seed 1", quiet.stdout.replace("\n", " "))


@pytest.mark.slow
def test_a_program_of_the_users_is_caught_and_its_case_shrunk(tmp_path: Path) -> None:
    (tmp_path / "cover.py").write_text((ROOT / "examples" / "cover.py").read_text())
    every_left_vertex = (
        "import sys\nwords = iter(sys.stdin.read().split())\nfor _ in range(int(next(words))):\n"
        "    left, _, edges = (int(next(words)) for _ in range(3))\n"
        "    cover = sorted({[int(next(words)), next(words)][0] for _ in range(edges)})\n"
        "    print(len(cover), *cover)\n"
    )
    mine = contender(tmp_path, every_left_vertex)
    ended = compare("fuzz", "cover.py", "-b", "direct", "--program", mine, "--cases", "200", "--jobs", "1", cwd=tmp_path)
    assert ended.returncode == 1
    (saved,) = tmp_path.glob("conflict-*.in")
    assert saved.read_text() == "1\n2 1 2\n1 1\n2 1\n"
    text = ended.stdout.replace("\n", " ")
    assert re.search(r"CONFLICT: direct:matching says 1, mine says 2; shrunk size \d+ to size 7 in \d+ runs", text)
    shown = compare("run", "cover.py", saved.name, "-b", "direct", "--program", mine, cwd=tmp_path)
    assert shown.returncode == 1
    assert "CONFLICT on cover, dataset " in shown.stdout
    assert "    2 1 2\n    1 1\n    2 1\n" in shown.stdout
    assert "mine FAILED on 1 of 1: 1 WRONG" in shown.stdout.replace("\n", " ")
