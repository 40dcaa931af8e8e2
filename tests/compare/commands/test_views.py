"""`compare run` on boards of families, and its views of the results."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from compare.commands.run.comparison_tables import datasets_table
from compare.commands.run.views import results_table, sizes_table
from compare.engine.campaign.comparison import Comparison
from compare.engine.isolate.outcome import Status
from compare.show.messages import busy_lines
from compare.show.table import render
from tests.places import ROOT
from tests.processes import CompareHere, compare
from tests.records import record


def test_a_dataset_for_each_family_and_size(compare_here: CompareHere) -> None:
    words = "run beams --family wall --family sparse --cases 2 -b direct --format csv"
    rows = list(csv.DictReader(io.StringIO(compare_here(f"{words} --size 3 4").stdout)))
    assert [row["dataset"] for row in rows] == ["wall 3", "wall 4", "sparse 3", "sparse 4", "all"]
    assert [row["instances"] for row in rows] == ["2", "2", "2", "2", "8"]


def test_the_reference_is_chosen_or_refused(compare_here: CompareHere) -> None:
    words = "run beams --family wall --size 3 -b direct -b cnf --format csv"
    rows = list(csv.DictReader(io.StringIO(compare_here(f"{words} --reference cnf").stdout)))
    assert rows[-1]["dataset"] == "times as long"
    assert float(rows[-1]["models:cnf ratio"]) == 1
    assert float(rows[-1]["direct:two-sat ratio"]) > 0
    refused = compare_here(f"{words} --reference nobody", status=2)
    assert (
        refused.stderr == "--reference nobody: no contender is called so; there are "
        "direct:two-sat, models:cnf\n"
    )


STATES_ALONE = """
from puzzles.backend import backend
from puzzles.minesweeper import Deduction


def encode(board):
    return 3, [[1, -2], [2, 3]], {1: "one"}


@backend("minesweeper", "mine", side="models", source="mine", encode=encode, complete=False)
def solve(board, *, certify=False):
    return Deduction(True, board, complete=False)
"""
"""A plugin whose answers do not say the size of its formula."""


def test_sizes_have_the_steps_of_the_search_and_what_an_encode_states(
    tmp_path: Path, compare_here: CompareHere
) -> None:
    plugin, out = tmp_path / "mine.py", tmp_path / "r.jsonl"
    plugin.write_text(STATES_ALONE)
    words = "run minesweeper --family d16 --size 12 --show sizes --format csv --no-check"
    cnf, mine = csv.DictReader(
        io.StringIO(compare_here(f"{words} -b cnf -b mine --plugin {plugin} --out {out}").stdout)
    )
    assert (mine["variables"], mine["clauses"], mine["conflicts"]) == ("3", "2", "")
    assert int(cnf["propagations"]) > int(cnf["decisions"]) > 0
    records = [json.loads(line) for line in out.read_text().splitlines()[1:]]
    (solved,) = (record for record in records if record["contender"] == "models:cnf")
    assert all(
        str(solved["effort"][name]) == cnf[name]
        for name in ("conflicts", "decisions", "propagations")
    )


@pytest.mark.slow
def test_sizes_are_shown_above_the_default_limits_too(compare_here: CompareHere) -> None:
    printed = compare_here(
        "run geography --family walls-20 --size 4 --show sizes --no-check"
    ).stdout
    assert printed.startswith("geography\ndataset ")
    assert "models:cpsat" in printed
    words = "run geography --family walls-20 --size 4 -b direct --show sizes --no-check"
    *_, row, _, last = compare_here(words).stdout.splitlines()
    assert row.split()[:3] == ["walls-20", "1", "4x4"]
    assert "direct:matching" in row
    assert last.startswith("NOTHING COMPARED: only direct:matching answered; ")


def test_each_row_of_sizes_says_its_case(compare_here: CompareHere) -> None:
    words = "run beams --family sparse --family wall --size 5 --cases 3 --show sizes --no-check"
    ended = compare_here(f"{words} -b direct -b cnf --format csv")
    rows = [
        (row["dataset"], row["case"], row["backend"])
        for row in csv.DictReader(io.StringIO(ended.stdout))
    ]
    assert rows == [
        (dataset, case, backend)
        for dataset in ("sparse", "wall")
        for case in "123"
        for backend in ("direct:two-sat", "models:cnf")
    ]


STOPPED = """
import time

from models.cnf import Formula
from models.session import session
from models.stopwatch import Stopwatch
from puzzles.backend import backend
from puzzles.beams import Layout


def named(name, **rest):
    return backend("beams", name, side="models", source="a test", **rest)


def search_on(board):
    if board.cells == 9:  # the examples, which come first, are other boards
        time.sleep(1000)


@named("opened")
def opened(board, *, certify=False):
    with session(Formula.of(7, [[1, 2], [3]])):
        search_on(board)


@named("watched")
def watched(board, *, certify=False):
    Stopwatch().start_solving(11, 13)
    search_on(board)


@named("stated", encode=lambda board: (5, [[1], [2], [-3]], {}))
def stated(board, *, certify=False):
    search_on(board)


@named("silent")
def silent(board, *, certify=False):
    search_on(board)


@named("stuck", encode=lambda board: time.sleep(1000))
def stuck(board, *, certify=False):
    search_on(board)


@named("died", encode=lambda board: (4, [[1]], {}))
def died(board, *, certify=False):
    import os
    os.abort()


@named("doubts")
def doubts(board, *, certify=False):
    with session(Formula.of(9, [[1]])):
        raise NotImplementedError("not today")
"""
"""Backends that are stopped, or die, while they solve."""


def test_a_run_that_was_stopped_has_the_size_of_its_formula(
    tmp_path: Path, compare_here: CompareHere
) -> None:
    (tmp_path / "mine.py").write_text(STOPPED)
    names = ("opened", "watched", "stated", "silent", "stuck", "died", "doubts")
    words = "run beams --family wall --size 3 --show sizes --no-check --timeout 0.3 --format csv"
    chosen = " ".join(f"-b {name}" for name in names)
    out = tmp_path / "r.jsonl"
    ended = compare(f"{words} {chosen} --plugin {tmp_path / 'mine.py'} --out {out}", status=1)
    rows = {row["backend"]: row for row in csv.DictReader(io.StringIO(ended.stdout))}
    assert {
        name: (rows[f"models:{name}"]["variables"], rows[f"models:{name}"]["clauses"])
        for name in names
    } == {
        "opened": ("7", "2"),
        "watched": ("11", "13"),
        "stated": ("5", "3"),
        "silent": ("", ""),
        "stuck": ("", ""),
        "died": ("4", "1"),
        "doubts": ("9", "1"),
    }
    records = [json.loads(line) for line in out.read_text().splitlines()[1:]]
    assert [each["status"] for each in records] == ["TIMEOUT"] * 5 + ["CRASH"] * 2
    assert records[0]["effort"]["variables"] == 7


def test_a_stopped_run_has_its_time_and_every_run_its_cpu_time() -> None:
    part = Comparison.of(
        [
            record(1, wall_s=2.0, cpu_s=1.5),
            record(1, contender="mine", wall_s=10.0, status=Status.TIMEOUT),
            record(2, wall_s=3.0, cpu_s=2.5),
            record(2, contender="mine", wall_s=0.1, cpu_s=0.05, status=Status.CRASH),
        ]
    ).puzzles["beams"]
    one, other = csv.DictReader(io.StringIO(render([results_table(part)], "csv")))
    assert [one[f"mine {name}"] for name in ("result", "wall_s", "cpu_s")] == [
        "TIMEOUT",
        "10.0",
        "",
    ]
    assert [other[f"mine {name}"] for name in ("result", "wall_s", "cpu_s")] == ["CRASH", "", ""]
    assert [one[f"direct:two-sat {name}"] for name in ("wall_s", "cpu_s")] == ["2.0", "1.5"]
    assert [row[4].text for row in results_table(part).rows] == ["TIMEOUT > 10 s", "CRASH"]
    sizes = list(csv.DictReader(io.StringIO(render([sizes_table(part)], "csv"))))
    times = [(row["wall_s"], row["cpu_s"], row["status timeout"]) for row in sizes]
    assert times == [("2.0", "1.5", ""), ("10.0", "", "1"), ("3.0", "2.5", ""), ("", "", "")]
    assert [row[8].text for row in sizes_table(part).rows] == ["2 s", "> 10 s", "3 s", ""]
    (whole, *_) = datasets_table(part).for_programs()
    cell: Any = whole["direct:two-sat"]
    assert (cell["wall_s"], cell["cpu_s"]) == (2.5, 2.0)


@pytest.mark.parametrize(
    ("wall_s", "cpu_s", "busy"),
    [(3.0, 2.9, ""), (3.0, 1.5, "50%"), (0.03, 0.01, ""), (3.0, 11.0, ""), (3.0, None, "")],
)
def test_a_busy_machine_is_said_where_runs_take_long_enough_to_tell(
    wall_s: float, cpu_s: float | None, busy: str
) -> None:
    runs = [record(case, wall_s=wall_s, cpu_s=cpu_s) for case in (1, 2, 3)]
    lines = busy_lines(Comparison.of(runs).processor_share)
    assert [line.split(":")[0] for line in lines] == (
        [f"CPU time is {busy} of wall time"] if busy else []
    )


def test_the_threads_of_one_do_not_hide_that_others_waited() -> None:
    runs = [record(case, wall_s=3.0, cpu_s=1.0) for case in (1, 2, 3)]
    runs.append(record(1, contender="models:cpsat", wall_s=3.0, cpu_s=300.0))
    (line,) = busy_lines(Comparison.of(runs).processor_share)
    assert line.startswith("CPU time is 50% of wall time: the machine was busy")


@pytest.mark.parametrize("backend", ["cnf-ranked", "cpsat"])
def test_so_has_a_model_of_ours(backend: str, compare_here: CompareHere) -> None:
    words = f"run nogo --family empty --size 32 -b {backend} --show sizes --no-check --format csv"
    (row,) = csv.DictReader(io.StringIO(compare_here(f"{words} --timeout 1").stdout))
    assert row["status timeout"] == "1"
    assert int(row["variables"]) > 800
    assert int(row["clauses"]) > 800
    assert row["solve_s"] == ""
    assert float(row["wall_s"]) >= 1


def test_a_plugin_fills_every_column_by_a_stopwatch(compare_here: CompareHere) -> None:
    plugin = ROOT / "examples" / "totals.py"
    words = f"run minesweeper --family counted --size 6 --plugin {plugin} --show sizes --no-check"
    ended = compare_here(f"{words} -b totals:card=totalizer -b totals:card=seqcounter --format csv")
    first, second = csv.DictReader(io.StringIO(ended.stdout))
    for row in (first, second):
        assert float(row["build_s"]) > 0
        assert float(row["solve_s"]) > 0
        assert int(row["variables"]) > 36
        assert int(row["propagations"]) > int(row["conflicts"]) >= 0
    assert first["variables"] != second["variables"]


SOLVES = """
import sys
from pysat.formula import CNF
from pysat.solvers import Solver

with Solver("minisat22", bootstrap_with=CNF(from_file=sys.argv[1]).clauses) as solver:
    satisfiable = solver.solve()
    print(*(["s SATISFIABLE\\nv", *solver.get_model(), 0] if satisfiable else ["s UNSATISFIABLE"]))
"""


def test_encodings_of_a_plugin_with_a_solver(tmp_path: Path) -> None:
    plugin = str(ROOT / "examples" / "beams_merged.py")
    words = f"run beams --family wall --size 4 -b cnf -b merged --plugin {plugin}".split()
    words += ["--show", "sizes", "--no-check", "--timeout", "10", "--format", "csv"]
    (tmp_path / "says.py").write_text(SOLVES)
    for solver in (
        ["--solver", "glucose4"],
        ["--solver", f"{sys.executable} {tmp_path / 'says.py'} {{cnf}}"],
    ):
        ended = compare(*words, *solver, cwd=tmp_path)
        rows = {row["backend"]: row for row in csv.DictReader(io.StringIO(ended.stdout))}
        assert ended.returncode == 0, ended.stderr
        assert (rows["models:merged"]["variables"], rows["models:merged"]["clauses"]) == ("3", "4")
        assert int(rows["models:cnf"]["clauses"]) > 20
        assert float(rows["models:merged"]["solve_s"]) > 0


RECALL = ["run", "--show", "recall", "--no-check"]


@pytest.mark.slow
def test_a_family_on_which_the_closure_finds_all_and_one_on_which_it_finds_nothing(
    compare_here: CompareHere,
) -> None:
    families = ["--family", "short", "--family", "d12"]
    rows = [
        line.split()
        for line in compare_here(
            *RECALL, "minesweeper", *families, "--size", "9", "--cases", "3"
        ).stdout.splitlines()
        if "direct:two-sat" in line
    ]
    assert [row[0] for row in rows] == ["short", "d12"]
    assert rows[0][2:] == ["3", "0%", "0%", "0", "of", "3"]
    assert rows[1][3] == "100%"


@pytest.mark.slow
def test_boards_on_which_nothing_is_certain_are_counted(compare_here: CompareHere) -> None:
    assert compare_here(
        *RECALL, "minesweeper", "--family", "isolated", "--size", "4", "--cases", "5"
    ).stdout == (
        "isolated: on 5 of 5 boards nothing is certain, and they are left out\nALL AGREE; 5 "
        "boards of 1 puzzle; runs: 10 OK.\n"
    )
