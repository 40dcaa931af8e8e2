"""What solvers are said to be able to do, and runs that set them against each other."""

from __future__ import annotations

import os
import time

import pytest

import puzzles
from compare.command import main
from compare.contender import choose, with_every_solver
from compare.solvers import _tried, abilities
from models.cnf import solvers


def test_abilities_are_what_is_known_of_these_solvers() -> None:
    assert abilities("cadical153") == (False, True, True, True)
    assert abilities("glucose4") == (True, True, True, True)
    assert abilities("minisat22") == (True, False, True, True)
    assert abilities("kissat404") == (False, False, False, False)


def abort(solver: str) -> bool:
    os.abort()


def hang(solver: str) -> bool:
    time.sleep(60)
    return True


def test_a_solver_that_dies_or_hangs_in_a_trial_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("compare.solvers._LIMITS", type(_tried.__globals__["_LIMITS"])(0.2))
    assert not _tried(abort, "any")
    assert not _tried(hang, "any")


def test_every_solver_takes_part_under_a_name_of_its_own() -> None:
    puzzle = puzzles.get("beams")
    names = [c.name for c in with_every_solver(choose(puzzle, ["direct", "models"], {}), ["a", "b"])]
    assert names == ["direct:two-sat", "models:cnf@a", "models:cnf@b"]


def test_a_run_with_every_solver(capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(puzzles.get("beams").data / "sample")
    assert main(["run", "beams", folder, "--solver", "all"]) == 0
    rows = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line]
    assert set(solvers()) <= set(rows)
    assert "direct:two-sat" in rows
