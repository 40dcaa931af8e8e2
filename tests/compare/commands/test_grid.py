"""Backends with options: contenders that a name or `--grid` makes, in every command."""

from __future__ import annotations

import csv
import io
import json
import shlex
from pathlib import Path

import pytest

import compare as functions
from compare.engine.work.contenders import MAX_GRID
from tests.places import ROOT
from tests.processes import compare, run_module
from tests.records import read_file

TOTALS = str(ROOT / "examples" / "totals.py")
BOARDS = f"minesweeper --family counted --size 4 --cases 2 --plugin {shlex.quote(TOTALS)}"
CARDS = ("seqcounter", "totalizer", "cardnetwrk", "kmtotalizer")
SOLVERS = ("cadical153", "glucose4", "minisat22")


def names(path: Path) -> list[str]:
    """The contenders of a file of records, each once."""
    return list(dict.fromkeys(each.contender for each in read_file(str(path)).records))


def test_four_encodings_with_three_solvers_are_twelve_contenders_and_a_matrix(
    tmp_path: Path,
) -> None:
    out = tmp_path / "runs.jsonl"
    grid = f"--grid card solver={','.join(SOLVERS)}"
    words = f"run {BOARDS} -b direct -b totals {grid} --out {out}"
    printed = compare(words, status=0).stdout
    assert printed.startswith(
        "--grid: 13 contenders: 1 of direct:frontier, 12 of models:totals\nminesweeper\n"
    )
    assert "\nminesweeper: PAR-2 of models:totals\nmodels:totals,    solver=" in printed
    assert "ALL AGREE; 2 boards of 1 puzzle; runs: 26 OK; 26 of 26 answers PROVED." in printed
    every = [f"models:totals:card={card},solver={solver}" for card in CARDS for solver in SOLVERS]
    assert names(out) == ["direct:frontier", *every]
    solvers = {
        record["contender"].rpartition("=")[2]: record["solver"]
        for record in map(json.loads, out.read_text().splitlines()[1:])
        if record["solver"]
    }
    assert solvers == {solver: solver for solver in SOLVERS}
    lines = out.read_text().splitlines(keepends=True)
    out.write_text("".join(lines[:21]))
    assert "20 of 26 runs are there already" in compare(f"{words} --resume", status=0).stderr
    assert names(out) == ["direct:frontier", *every]
    assert len(read_file(str(out)).records) == 26
    html = tmp_path / "report.html"
    compare(f"report {out} -o {html}", status=0)
    page = html.read_text()
    assert all(f"solver={solver}" in page for solver in SOLVERS)
    between = compare(
        f"diff {out} --between totals:card={CARDS[0]},solver=glucose4 "
        f"totals:card={CARDS[1]},solver=glucose4",
        status=0,
    )
    assert "ALL AGREE; 2 boards solved by both" in between.stdout
    other = f"run {BOARDS} -b direct -b totals --grid card --out {out} --resume"
    refused = compare(other, status=2)
    assert "--resume goes on with the same command line only" in refused.stderr


def test_programs_get_the_scores_as_numbers() -> None:
    words = f"run {BOARDS} -b totals --grid card=totalizer,seqcounter solver=glucose4,minisat22"
    shown = compare(f"{words} --format csv", status=0)
    assert shown.stdout.startswith("table,dataset,")
    _, matrix = shown.stdout.split("table,card,")
    rows = list(csv.reader(io.StringIO("table,card," + matrix)))
    assert rows[0] == [
        *("table", "card"),
        *("solver=glucose4 s", "solver=glucose4 solved", "solver=glucose4 of"),
        *("solver=minisat22 s", "solver=minisat22 solved", "solver=minisat22 of"),
    ]
    assert [row[1] for row in rows[1:]] == ["totalizer", "seqcounter"]
    assert all(row[3] == row[4] == "2" and float(row[2]) > 0 for row in rows[1:])
    document = json.loads(compare(f"{words} --format json", status=0).stdout)
    first, second = document["tables"]["minesweeper: PAR-2 of models:totals"]
    assert (first["card"], second["card"]) == ("totalizer", "seqcounter")
    assert first["solver=minisat22"]["solved"] == 2
    assert {each["contender"] for each in document["tallies"]} == {
        f"models:totals:card={card},solver={solver}"
        for card in ("totalizer", "seqcounter")
        for solver in ("glucose4", "minisat22")
    }


def test_what_a_name_says_stays_and_who_has_no_such_option_runs_once(tmp_path: Path) -> None:
    out = tmp_path / "runs.jsonl"
    compare(
        f"run {BOARDS} -b two-sat -b totals:solver=g4 -b cnf --grid solver=minisat22 "
        f"card=totalizer,seqcounter --out {out}",
        status=0,
    )
    assert names(out) == [
        "direct:two-sat",
        "models:cnf:solver=minisat22",
        "models:totals:card=totalizer,solver=g4",
        "models:totals:card=seqcounter,solver=g4",
    ]


def test_cp_sat_on_several_threads_says_so_in_its_name(tmp_path: Path) -> None:
    out = tmp_path / "runs.jsonl"
    compare(f"run beams -k sample -b cnf -b cpsat --cpsat-workers 2 --out {out}", status=0)
    assert names(out) == ["models:cnf", "models:cpsat:workers=2", "expected"]


def test_other_commands_take_such_names(tmp_path: Path) -> None:
    one, other = "totals:card=seqcounter", "totals:card=kmtotalizer"
    plugin = f"--plugin {shlex.quote(TOTALS)}"
    words = f"fuzz minesweeper -b direct -b {other} {plugin} --size 4 --cases 40 --kind ordinary"
    fuzzed = compare(words, status=0)
    assert f"models:{other}" in fuzzed.stdout
    assert "ALL AGREE: nothing found" in fuzzed.stdout
    words = f"equivalent minesweeper {one} {other} {plugin} --size 1 --largest 2 --cases 4"
    same = compare(words, status=0)
    assert same.stdout.startswith("ALL AGREE: the same up to 1x1")
    grown = compare(
        f"scale minesweeper --family counted --smallest 2 --largest 3 --repeat 1 -b totals "
        f"{plugin} --grid card=seqcounter,kmtotalizer",
        status=0,
    )
    assert f"size    models:{one}" in grown.stdout
    (tmp_path / "board.in").write_text("2 2\n1#\n##\n")
    board = ["minesweeper", "board.in", "--plugin", TOTALS, "--backend"]
    solved = compare("solve", *board, other, "--timeout", "60", cwd=tmp_path).stdout
    assert run_module("models", *board, other, cwd=tmp_path).stdout == solved
    sizes = {
        card: run_module("models", *board, f"totals:card={card}", "--dimacs", "-", cwd=tmp_path)
        for card in ("seqcounter", "kmtotalizer")
    }
    heads = [
        next(line for line in each.stdout.splitlines() if line.startswith("p cnf"))
        for each in sizes.values()
    ]
    assert heads[0] != heads[1]


def test_a_function_takes_them(tmp_path: Path) -> None:
    conclusion = functions.run(
        "minesweeper",
        families=["counted"],
        sizes=[4],
        backends=["direct", "totals:solver=minisat22"],
        plugins=[TOTALS],
        grids=["card=seqcounter,totalizer"],
        out=tmp_path / "r.jsonl",
    )
    assert conclusion.verdict == "ALL AGREE"
    assert [each.contender for each in conclusion.tallies] == [
        "direct:frontier",
        "models:totals:card=seqcounter,solver=minisat22",
        "models:totals:card=totalizer,solver=minisat22",
    ]
    (rows,) = (rows for title, rows in conclusion.tables.items() if "PAR-2" in title)
    assert [row["card"] for row in rows] == ["seqcounter", "totalizer"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("-b totals:crd=totalizer", "models:totals has no option 'crd': it takes card, solver"),
        (
            "-b totals:card=magic",
            "models:totals: the option card may be seqcounter, totalizer, cardnetwrk, "
            "kmtotalizer, not 'magic'",
        ),
        ("-b totals:card=totalizer,card=totalizer", "the option card stands there twice"),
        ("-b totals:card=", "options stand behind the name of a backend as BACKEND:NAME=VALUE"),
        ("-b totals:=totalizer", "options stand behind the name of a backend"),
        ("-b totals:solver=magic", "unknown solver 'magic': choose from cadical103"),
        (
            "-b totals -b totals:card=seqcounter",
            "models:totals and models:totals:card=seqcounter are the same contender: leave one",
        ),
        ("-b magic:card=totalizer", "unknown minesweeper backend 'magic': choose from"),
        (
            "-b totals --grid crd",
            "--grid crd: none of models:totals leaves an option crd open; open are: card, solver",
        ),
        ("-b totals:card=totalizer --grid card", "none of models:totals:card=totalizer leaves"),
        ("-b totals --grid card card=totalizer", "the same option stands there twice"),
        ("-b totals --grid card=totalizer,totalizer", "the same choice stands there twice"),
        ("-b totals --grid card=", "expected OPTION, or OPTION=A,B with some of its choices"),
        ("-b totals --grid =totalizer", "expected OPTION, or OPTION=A,B"),
        ("-b totals --grid card=totalizer,magic", "the option card may be seqcounter"),
        ("-b totals --grid solver --solver minisat22", "--solver and --grid solver: give one"),
        (
            "-b cpsat:workers=4 --cpsat-workers 2",
            "--cpsat-workers 2: models:cpsat:workers=4 says how many: leave one of the two out",
        ),
        ("-b cnf -b cpsat:workers=2 --cpsat-workers 1", "--cpsat-workers 1: models:cpsat:workers="),
        ("-b cpsat --grid workers --cpsat-workers 2", "--cpsat-workers and --grid workers: give"),
    ],
)
def test_bad_options_are_said_with_what_to_do(words: str, message: str) -> None:
    ended = compare(*shlex.split(f"run {BOARDS} {words}"), status=2)
    assert ended.stdout == ""
    assert message in ended.stderr


COUNTS = """
from puzzles.backend import backend
from puzzles.beams.board import Layout


@backend("beams", "mine", side="models", source="a test",
         options={"one": range(20), "other": range(20), "free": ()})
def solve(board, *, certify=False, one=0, other=0, free=None):
    return Layout(False)
"""


def test_a_grid_has_a_largest_size_and_needs_choices(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(COUNTS)
    words = "run beams -k sample -b mine --plugin mine.py --grid"
    many = compare(f"{words} one other", cwd=tmp_path, status=2)
    assert f"--grid makes 400 contenders, more than {MAX_GRID}: name fewer" in many.stderr
    free = compare(f"{words} free", cwd=tmp_path, status=2)
    assert "models:mine does not say which values this option may have" in free.stderr
    listed = compare("list beams --plugin mine.py", cwd=tmp_path).stdout
    assert "one: 0, 1, 2, ..., 19" in listed
    assert "workers: 1, 2, 3, ..., 64" in listed


WRONG = """
from puzzles.backend import backend
from puzzles.beams.board import Layout
import models


@backend("beams", "mine", side="models", source="a test", options={"lies": ()})
def solve(board, *, certify=False, lies=False):
    return Layout(False) if lies else models.solve(board, certify=certify)
"""


def test_what_is_wrong_with_one_choice_names_it_and_is_replayed_with_it(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(WRONG)
    words = "fuzz beams -b direct -b mine:lies=true --plugin mine.py --size 4 --cases 30"
    ended = compare(words, cwd=tmp_path, status=1)
    assert "models:mine:lies=true FAILED" in ended.stdout
    (replay,) = (
        line.removeprefix("replay: python -m compare ")
        for line in ended.stdout.splitlines()
        if line.startswith("replay: ")
    )
    assert "-b mine:lies=true" in replay
    again = compare(*shlex.split(replay), cwd=tmp_path, status=1)
    assert "models:mine:lies=true FAILED" in again.stdout
    both = compare(
        "run beams -k sample -b mine --grid lies --plugin mine.py", cwd=tmp_path, status=1
    )
    assert "models:mine:lies=true FAILED" in both.stdout
    assert "models:mine:lies=false" in both.stdout


FEW = """
import models
from puzzles.backend import backend


@backend("beams", "few", side="models", source="a test", options={"solver": ("cadical153", "g4")})
def solve(board, *, certify=False, solver="cadical153"):
    return models.solve(board, certify=certify, solver=solver)
"""


def test_a_backend_may_take_some_solvers_alone(tmp_path: Path) -> None:
    (tmp_path / "few.py").write_text(FEW)
    words = "run beams -k sample -b few --plugin few.py -q"
    both = compare(f"{words} --grid solver", cwd=tmp_path, status=0)
    assert both.stdout.startswith("--grid: 2 contenders: 2 of models:few\nALL AGREE; ")
    for more in ("--solver minisat22", "--grid solver=minisat22", "--solver minisat22 --solver g3"):
        refused = compare(f"{words} {more}", cwd=tmp_path, status=2)
        expected = "models:few: the option solver may be cadical153, g4, not 'minisat22'"
        assert expected in refused.stderr
