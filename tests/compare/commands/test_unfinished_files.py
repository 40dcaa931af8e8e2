"""A file that lacks planned runs is UNFINISHED in each command that reads it, until the run is
resumed.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from compare.engine.campaign.journal import RecordFile
from puzzles.text import count_noun
from tests.installed import needs
from tests.processes import LONGEST_S, compare, interrupt_compare

FORMULAS = {"a": "1 2 0", "b": "1 0", "c": "2 0", "d": "-1 2 0"}
WORDS = "run formula set --solver minisat22 --solver 'sh slow.sh {cnf}' --out runs.jsonl"
CONTENDERS = ("models:sat@minisat22", "models:sat@sh")
RUNS = len(CONTENDERS) * len(FORMULAS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Formulas that are all satisfied by 1 and 2, and a program that says so; with five lines in
    the file of records, and without a file `go`, it says nothing.
    """
    (tmp_path / "set").mkdir()
    for name, clause in FORMULAS.items():
        (tmp_path / "set" / f"{name}.cnf").write_text(f"p cnf 2 1\n{clause}\n")
    (tmp_path / "slow.sh").write_text(
        f"cd {tmp_path}\n[ -e go ] || [ $(wc -l < runs.jsonl) -lt 5 ] || sleep {LONGEST_S}\n"
        "echo s SATISFIABLE\necho v 1 2 0\n"
    )
    return tmp_path


def heading_of_report(folder: Path, words: str = "") -> str:
    compare(f"report runs.jsonl -o page.html {words}", cwd=folder, status=0)
    heading = re.search("<h1.*?</h1>", (folder / "page.html").read_text())
    assert heading is not None
    return re.sub("<.*?>", "", heading[0])


def last_lines(folder: Path, words: str = "") -> list[str]:
    """What the report of the file says, and `diff` with itself, and of its two contenders."""
    commands = ("diff runs.jsonl runs.jsonl", "diff runs.jsonl --between minisat22 sh")
    lines = [compare(each, cwd=folder).last_line for each in commands]
    return [heading_of_report(folder, words), *lines]


def test_an_interrupted_file_is_unfinished_until_it_is_resumed(folder: Path) -> None:
    needs("jinja2", "matplotlib")
    path = folder / "runs.jsonl"
    ended = interrupt_compare(
        WORDS,
        cwd=folder,
        once=lambda: path.exists() and path.read_bytes().count(b"\n") >= 6,
    )
    assert ended.returncode == 130
    said = ended.stdout
    file = RecordFile(str(path))
    recorded = [{each.file for each in file if each.contender == name} for name in CONTENDERS]
    missing = RUNS - file.read
    assert file.missing == missing > 0
    runs = count_noun(missing, "run")
    assert f"UNFINISHED: interrupted, {runs} missing; " in said
    common, every = set.intersection(*recorded), set.union(*recorded)
    boards = f"over the {len(common)} of {len(every)} cases on which all contenders have a record"
    scores = f"Runs are missing: PAR-2 of formula is {boards}"
    assert scores in " ".join(said.split())
    ranks = [line.split()[:2] for line in said.splitlines() if line[:1] in ("1", "2")]
    assert sorted(name for _, name in ranks) == ["minisat22", "sh"]
    report, twice, between = last_lines(folder, "--plots plots --format csv")
    page = (folder / "page.html").read_text()
    assert scores in page
    captions = re.findall("<figcaption>(runs with .*?)</figcaption>", page)
    assert {*captions} == {f"runs with a limit of 10 s, {boards}"}
    points = (folder / "plots" / "formula-cactus.csv").read_text()
    assert points.count("models:sat@minisat22,") == len(common)
    assert "; not ranked" not in page
    assert report.startswith(f"UNFINISHED: {runs} missing in runs.jsonl; ")
    both = ", ".join([f"{runs} missing in runs.jsonl"] * 2)
    assert twice.startswith(f"UNFINISHED: {both}; ")
    assert between.startswith(f"UNFINISHED: {runs} missing in runs.jsonl; ")

    (folder / "go").touch()
    ended = compare(f"{WORDS} --resume", cwd=folder)
    assert ended.last_line.startswith(f"ALL AGREE; 4 cases of 1 puzzle; runs: {RUNS} OK; ")
    assert all(line.startswith("ALL AGREE; ") for line in last_lines(folder))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    first, second = (line["started"] for line in lines if line.get("header"))
    assert f"; resumed {second.replace('T', ' ')}" in (folder / "page.html").read_text()
    assert (
        compare("diff runs.jsonl runs.jsonl", cwd=folder).stdout.count(f"; resumed {second}") == 2
    )
    assert [line["planned"] for line in lines if line.get("header")] == [RUNS, RUNS]
    assert first <= second


def test_a_killed_file_says_how_many_runs_are_missing(folder: Path) -> None:
    needs("jinja2", "matplotlib")
    (folder / "go").touch()
    compare(WORDS, cwd=folder)
    path = folder / "runs.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:-1]))
    assert heading_of_report(folder).startswith("UNFINISHED: 1 run missing in runs.jsonl; ")
    path.write_text("".join(lines[:-1]) + lines[-1][:50])
    assert heading_of_report(folder).startswith(
        "UNFINISHED: 1 run missing in runs.jsonl, the last record of runs.jsonl is cut off; "
    )


def test_growth_that_was_measured_for_some_sizes_is_unfinished(tmp_path: Path) -> None:
    """Who failed takes part in no larger size: these runs are not missing."""
    path = tmp_path / "runs.jsonl"
    words = "scale nogo --family empty --largest 12 -b direct --repeat 1 --out runs.jsonl"
    compare(words, cwd=tmp_path)
    lines = path.read_text().splitlines(keepends=True)
    assert RecordFile(str(path)).missing == len(lines) - 1
    path.write_text("".join(lines[:-1]))
    twice = compare("diff runs.jsonl runs.jsonl", cwd=tmp_path).last_line
    assert twice.startswith("UNFINISHED: 1 run missing in runs.jsonl, ")
    compare(f"{words} --overwrite --program mine=false", cwd=tmp_path, status=1)
    (first, *_, last) = map(json.loads, path.read_text().splitlines())
    sizes = len(lines) - 1
    assert (first["planned"], last["planned"]) == (2 * sizes, sizes + 1)
