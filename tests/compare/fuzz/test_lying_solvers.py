"""Faulty SAT solvers under our models: the solver is blamed by name, nothing hangs, and the formula is saved and shrunk."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from compare.solvers.script import parse
from puzzles.text import read_source
from tests.places import PLANTED
from tests.processes import compare

WRAPPERS = PLANTED / "solvers" / "wrappers.py"

CASES = {
    "FlipsSat": ("geography", "wrong UNSAT"),
    "FlipsLiteral": ("beams", "wrong model"),
    "ShortensCores": ("minesweeper", "wrong core"),
    "LosesClauses": ("nogo", "wrong SAT"),
}
"""Faults, a puzzle whose models suffer from each, and what is wrong with the solver."""

MAX_PARTS = 10
"""Clauses and calls of the smallest script."""


@pytest.mark.parametrize(
    "name", ["ShortensCores", *(pytest.param(name, marks=pytest.mark.slow) for name in CASES if name != "ShortensCores")]
)
def test_fuzzing_names_the_solver_and_saves_the_formula(tmp_path: Path, name: str) -> None:
    puzzle, kind = CASES[name]
    solver = f"{WRAPPERS}:{name}"
    words = (
        "-b",
        "direct",
        "-b",
        "cnf",
        "--cases",
        "1500",
        "--size",
        "6",
        "--save",
        str(tmp_path),
        "--kind",
        "ordinary",
        "--jobs",
        "1",
    )
    ended = compare("fuzz", puzzle, "--solver", solver, *words)
    assert ended.returncode == 1, ended.stdout
    assert f"models:cnf: the solver '{solver}' " in ended.stdout.replace("\n", " ")
    saved = re.search(r"^saved: (\S+cnf)", ended.stdout, re.MULTILINE)
    assert saved, ended.stdout
    assert f"\n{kind}: {name}: " in ended.stdout
    script = parse(*read_source(saved[1]))
    assert script.clauses + script.calls <= MAX_PARTS
    replayed = compare("fuzz", "formula", "--solver", solver, "--replay", saved[1])
    assert (replayed.returncode, replayed.stdout.partition(":")[0]) == (1, kind)
    right = compare("fuzz", "formula", "--solver", f"{WRAPPERS}:RightSolver", "--replay", saved[1])
    assert (right.returncode, right.stdout.partition(":")[0]) == (0, "no fault")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "puzzle", "reason"),
    [
        ("ShortensCores", "beams", "named a core that does not contradict the clauses"),
        ("LosesClauses", "nogo", "gave a model that "),
    ],
)
def test_runs_do_not_agree_and_name_the_solver(name: str, puzzle: str, reason: str) -> None:
    solver = f"{WRAPPERS}:{name}"
    ended = compare("run", puzzle, "-b", "direct", "-b", "cnf", "--solver", solver, "--timeout", "20")
    assert ended.returncode == 1
    assert f"ERROR the solver '{solver}' {reason}" in ended.stdout or f": the solver '{solver}' {reason}" in ended.stdout
    assert "TIMEOUT" not in ended.stdout
    assert not ended.stdout.splitlines()[-1].startswith("ALL AGREE")
