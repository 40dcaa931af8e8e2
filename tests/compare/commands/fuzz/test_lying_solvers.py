"""Faulty SAT solvers under our models: the solver is blamed by name, nothing hangs, and the formula
is saved and shrunk.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.compare.solver_puzzles.solver_gallery import CORE, MODEL, WRONG_SAT, WRONG_UNSAT, wrapper
from tests.compare.solver_puzzles.traces import read
from tests.installed import slow
from tests.processes import compare

CASES = {
    "FlipsSat": ("geography", WRONG_UNSAT),
    "FlipsLiteral": ("beams", MODEL),
    "ShortensCores": ("minesweeper", CORE),
    "LosesClauses": ("nogo", WRONG_SAT),
}
"""Faults, a puzzle whose models suffer from each, and what is wrong with the solver."""

MAX_STEPS = 10
"""Clauses and calls of the smallest trace."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "ShortensCores",
        *(slow(name) for name in CASES if name != "ShortensCores"),
    ],
)
def test_fuzzing_names_the_solver_and_saves_the_formula(tmp_path: Path, name: str) -> None:
    puzzle, wrong = CASES[name]
    solver = wrapper(name)
    words = (
        "-b",
        "direct",
        "-b",
        "cnf",
        "--cases",
        "1500",
        "--size",
        "6",
        "--kind",
        "ordinary",
        "--jobs",
        "1",
    )
    ended = compare(f"fuzz --save {tmp_path}", puzzle, "--solver", solver, *words, status=1)
    assert f"models:cnf: the solver '{solver}' " in ended.stdout.replace("\n", " ")
    assert re.search(rf"^REFUTED: models:sat@{name}: .*{wrong}", ended.stdout, re.MULTILINE), (
        ended.stdout
    )
    (saved,) = [path for path in tmp_path.iterdir() if path.suffix in (".cnf", ".icnf")]
    assert f"\nreplay: python -m compare run formula {saved} --solver {solver}\n" in ended.stdout
    assert len(read(saved).steps) <= MAX_STEPS
    replayed = compare(f"run formula {saved} --solver '{solver}'", status=1)
    assert re.search(wrong, replayed.stdout)
    right = compare(
        f"run formula {saved} --solver minisat22 --solver", wrapper("RightSolver"), status=0
    )
    assert right.last_line[:9] == "ALL AGREE"
