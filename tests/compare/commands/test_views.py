"""`compare run` on boards of families, and its views of the results."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path

import pytest

from tests.places import ROOT
from tests.processes import CompareHere, compare


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
    assert printed.startswith("geography\nboard ")
    assert "models:cpsat" in printed
    words = "run geography --family walls-20 --size 4 -b direct --show sizes --no-check"
    *_, row, _, last = compare_here(words).stdout.splitlines()
    assert row.startswith("walls-20 (4x4)")
    assert "direct:matching" in row
    assert last.startswith("NOTHING COMPARED: only direct:matching answered; ")


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
