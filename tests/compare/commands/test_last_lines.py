"""The last line of every command that comes to a verdict: it says the verdict and whom that is
about, and the document has the same line.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import puzzles
from compare.commands import commands, module
from compare.commands.fuzz.command import of_several
from compare.engine.campaign.summaries import Headline
from compare.show.conclusion import Conclusion, FaultReport, blames
from compare.show.messages import MAX_NAMED, Blame, LastLine, interruption
from tests.compare.commands.conform.test_points import MISTAKES
from tests.compare.commands.diff.test_differences import runs, write
from tests.places import ROOT
from tests.processes import compare, impossible_program

BOARDS = "3\n1 1\n.\n1 2\n-.\n1 3\n-.-\n"

WRONG = "".join(f"Case #{case}: IMPOSSIBLE\n" for case in (1, 2, 3))

FREE = """
from models.cnf import Formula
from models.dimacs import Encoding
from puzzles.backend import backend
from puzzles.beams import Layout


def encode(board):
    formula = Formula()
    turrets = [k for k, kind in enumerate("".join(board.lines())) if kind in "-|"]
    if turrets:
        first = formula.new(len(turrets))
        formula.name(range(first, first + len(turrets)), "the turret at {} is horizontal", turrets)
    return Encoding.of(formula, "POSSIBLE", board)


@backend("beams", "free", side="models", source="mine", encode=encode)
def solve(board, *, certify=False):
    return Layout(False)
"""
"""A model that states nothing of the turrets."""

CASES = [
    ("run beams boards.in -b direct", "ACCEPTED: direct:two-sat; 3 boards of 1 puzzle; ", 0),
    ("run beams boards.in -b direct {mine}", "mine FAILED on 1 of 2: 1 WRONG; 3 boards ", 1),
    ("check beams boards.in right.out", "ALL AGREE; 3 boards of 1 puzzle; ", 0),
    ("check beams boards.in wrong.out", "output FAILED on 1 of 3: 1 WRONG; ", 1),
    (
        "fuzz nogo -b direct --cases 20 --size 4 --kind ordinary",
        "ALL AGREE: nothing found up to ",
        0,
    ),
    (
        "fuzz beams -b direct {mine} --cases 300 --jobs 1 --size 6 --save saved",
        "mine FAILED: 1 WRONG; ",
        1,
    ),
    (
        "stress 'sh twice.sh' 'sh sum.sh' --generator 'sh make.sh' --cases 4 --jobs 1 --save saved",
        "ALL AGREE; 4 inputs in ",
        0,
    ),
    (
        "stress 'sh twice.sh' 'sh sum.sh' --generator 'sh make.sh' --seconds 1e-9",
        "NOTHING COMPARED: no input was tried: give more --seconds; 0 inputs in ",
        2,
    ),
    (
        "fuzz nogo -b direct --seconds 1e-9",
        "NOTHING COMPARED: no board was tried: give more --seconds; 0 boards in ",
        2,
    ),
    (
        "stress 'sh twice.sh' 'sh small.sh' --generator 'sh make.sh' --cases 9 --jobs 1 "
        "--save saved --shrink-seconds 0.1",
        "small FAILED: 1 WRONG; ",
        1,
    ),
    (
        "scale nogo -b direct -b cnf --largest 8 --repeat 1",
        "ALL AGREE; 1 board of 1 puzzle; runs: 2 OK.",
        0,
    ),
    (
        "scale beams -b direct {mine} --family mirror --largest 8 --repeat 2",
        "direct:two-sat and mine in CONFLICT on ",
        1,
    ),
    (
        "equivalent beams cnf cnf-traced --boards 20 --cases 1",
        "ALL AGREE: the same on all boards of up to 1 cell (",
        0,
    ),
    (
        "equivalent beams cnf free --plugin free.py --boards 80 --cases 0",
        "models:cnf and models:free in CONFLICT on a board of ",
        1,
    ),
    ("conform {lights} --point families", "ACCEPTED: all hold; 1 point", 0),
    ("conform shared.py --point sharing", "lights FAILED on 1 of 1 point", 1),
    ("prove nogo-distinct", "ACCEPTED: as expected; 1 REFUTED; ", 0),
    (
        "prove nogo-permanence --size 19 --timeout 0.2 --strict",
        "nogo-permanence UNFINISHED: TIMEOUT; 1 not settled; ",
        3,
    ),
    ("diff then.jsonl then.jsonl", "ALL AGREE; 6 pairs of runs compared", 0),
    (
        "diff then.jsonl other.jsonl",
        "direct:two-sat in CONFLICT with then on 6 of 6; 6 pairs of runs compared",
        1,
    ),
    (
        "diff then.jsonl slow.jsonl --fail-above 1.2",
        "direct:two-sat REGRESSION: 1.5 times as long; 6 pairs of runs compared",
        4,
    ),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the commands name."""
    place = tmp_path_factory.mktemp("commands")
    files = {
        "boards.in": BOARDS,
        "right.out": WRONG.replace("#2: IMPOSSIBLE\n", "#2: POSSIBLE\n-.\n"),
        "wrong.out": WRONG,
        "free.py": FREE,
        "shared.py": MISTAKES["a function of both sides"][1],
        "twice.sh": "read n; echo $((2 * n))",  # a shell starts sooner than a Python
        "sum.sh": "read n; echo $((n + n))",
        "small.sh": "read n; [ $n -lt 50 ] || n=0; echo $((2 * n))",
        "make.sh": "echo $((45 + $1))",
    }
    for name, text in files.items():
        (place / name).write_text(text)
    write(place / "then.jsonl", runs(1))
    write(place / "slow.jsonl", runs(1.5))
    write(place / "other.jsonl", runs(1, claims=np.array([0], np.int64)))
    return place


def without_times(line: str) -> str:
    """The line without what differs from run to run."""
    return re.sub(r"[\d.]+( boards)? (ns|µs|ms|s|a second)\b", "...", line)


@pytest.mark.parametrize(("words", "line", "status"), CASES)
def test_the_last_line_says_the_verdict_and_the_document_has_it(
    words: str, line: str, status: int, folder: Path
) -> None:
    mine = impossible_program(folder)
    lights = ROOT / "examples" / "lights.py"
    words = words.format(mine=f"--program '{mine}'", lights=lights)
    last_line = compare(words, cwd=folder, status=status).last_line
    assert last_line.startswith(line)
    found = json.loads(compare(f"{words} --format json", cwd=folder, status=status).stdout)
    assert without_times(found["last_line"]) == without_times(last_line)
    assert found["exit_status"] == status
    first = last_line.partition(";")[0]
    assert re.search(rf"(^| ){found['verdict']}($|:| on | with )", first), (first, found["verdict"])
    for fault in found["faults"]:
        assert all(name in last_line for name in fault["contenders"])


def test_every_command_with_a_verdict_is_tried() -> None:
    with_verdict = {name for name in commands() if hasattr(module(name), "conclude")}
    for expected in (0, 1):
        tried = {words.split()[0] for words, _, status in CASES if bool(status) == bool(expected)}
        assert tried == with_verdict


def test_a_search_of_all_puzzles_ends_with_a_line_for_all(folder: Path) -> None:
    words = "fuzz all -b direct --cases 5 --size 4 --kind ordinary"
    lines = compare(words, cwd=folder, status=0).stdout.splitlines()
    number = len(puzzles.names())
    assert lines[-1] == f"ALL AGREE; {number} puzzles"
    assert sum(line.startswith("ALL AGREE: nothing found up to ") for line in lines) == number
    found = json.loads(compare(f"{words} --format json", cwd=folder, status=0).stdout)
    assert (found["verdict"], found["last_line"]) == ("ALL AGREE", lines[-1])


def test_of_several_searches_the_worst_counts() -> None:
    """1 goes before 2, and 2 before 3."""
    several = {
        "beams": Conclusion(verdict="UNFINISHED", last_line="", exit_status=3),
        "nogo": Conclusion(verdict="FAILED", last_line="", exit_status=1),
        "geography": Conclusion(verdict="ALL AGREE", last_line="", exit_status=0),
    }
    found = of_several(several, 4)
    assert (found.verdict, found.exit_status) == ("FAILED", 1)
    assert found.last_line == "nogo FAILED; beams UNFINISHED; 3 puzzles"
    several["minesweeper"] = Conclusion(verdict="UNFINISHED", last_line="", exit_status=130)
    found = of_several(several, 4)
    assert (found.verdict, found.exit_status) == ("FAILED", 130)
    assert "; UNFINISHED: interrupted after 4 of 4 puzzles; " in found.last_line


def test_the_worst_headline_comes_first_and_many_names_are_counted() -> None:
    many = [Blame(Headline.UNFINISHED, (f"slow{k}",)) for k in range(MAX_NAMED + 2)]
    line = LastLine(
        Headline.ALL_AGREE,
        [*many, Blame(Headline.FAILED, ("mine",), "on 3 of 28", "2 WRONG, 1 TIMEOUT")],
        facts=["seed 1"],
    )
    assert line.headline is Headline.FAILED
    assert str(line) == (
        "mine FAILED on 3 of 28: 2 WRONG, 1 TIMEOUT; slow0 UNFINISHED; slow1 UNFINISHED; "
        "slow2 UNFINISHED; UNFINISHED: 2 more; seed 1"
    )


def test_an_interruption_is_said_first_and_what_was_found_stays() -> None:
    line = LastLine(Headline.ALL_AGREE, [interruption("2 of 9 sizes")], "nothing found")
    assert line.headline is Headline.UNFINISHED
    assert str(line) == "UNFINISHED: interrupted after 2 of 9 sizes; nothing found"


def test_faults_blame_whom_they_are_about() -> None:
    faults = [
        FaultReport(kind="WRONG", contenders=("mine",)),
        FaultReport(kind="CRASH", contenders=("mine",)),
        FaultReport(kind="CONFLICT", contenders=("a", "b")),
        FaultReport(kind="UNPROVED", contenders=("a",)),
        FaultReport(kind="ERROR", contenders=()),
    ]
    assert list(map(str, blames(faults))) == [
        "mine FAILED: 1 WRONG, 1 CRASH",
        "a and b in CONFLICT",
        "a UNPROVED",
        "FAILED: 1 ERROR",
    ]
