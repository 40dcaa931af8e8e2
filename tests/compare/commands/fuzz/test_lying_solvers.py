"""Faulty SAT solvers under our models: the solver is blamed by name, nothing hangs, and the formula
is saved and shrunk.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.compare.commands.fuzz_formula.solver_gallery import (
    CORE,
    MODEL,
    WRONG_SAT,
    WRONG_UNSAT,
    wrapper,
)
from tests.compare.commands.fuzz_formula.traces import read
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
        "--shrink-seconds",
        "300",
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


OWN = """
import models
from puzzles.backend import backend

@backend("beams", "mine", side="models", source="mine", options=("solver",), certifies=True)
def mine(board, *, certify=False, solver="cadical153"):
    return models.solve(board, backend="cnf", solver=solver, certify=certify)
"""


def test_the_solver_behind_a_plugin_is_named(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(OWN)
    words = f"fuzz beams -b direct -b mine --plugin mine.py --solver {wrapper('FlipsLiteral')}"
    ended = compare(
        f"{words} --cases 40 --size 4 --seed 3 --jobs 1 --kind ordinary --shrink-seconds 0.2",
        cwd=tmp_path,
        status=1,
    )
    assert re.search(
        rf"^REFUTED: models:sat@FlipsLiteral: .*{MODEL}", ended.stdout, re.MULTILINE
    ), ended.stdout


ALMOST = """
import direct
from puzzles.backend import backend
from puzzles.beams import Layout

@backend("beams", "mine", side="models", source="mine", certifies=True)
def mine(board, *, certify=False):
    answer = direct.solve(board)
    turret = next((k for k, sign in enumerate("".join(board.lines())) if sign in "-|"), None)
    if turret is not None and (not answer.possible or board.cells <= 2):
        return Layout(False, certificate=(turret,))
    return direct.solve(board, certify=True)
"""


def test_a_wrong_answer_counts_more_than_a_certificate_that_proves_nothing(tmp_path: Path) -> None:
    """The core is wrong on each board without a solution. The smallest board has two cells at most,
    and there the answer is wrong, too.
    """
    (tmp_path / "mine.py").write_text(ALMOST)
    words = "fuzz beams -b direct -b mine --plugin mine.py --cases 200 --jobs 1 --family mirror"
    ended = compare(words, cwd=tmp_path, status=1)
    first, *others = ended.stdout.splitlines()[1:]
    assert re.match("UNPROVED: models:mine on a board of ", first)
    assert any(line.startswith("WRONG: models:mine says IMPOSSIBLE, ") for line in others)
    assert not any(line.startswith("UNPROVED") for line in others)
