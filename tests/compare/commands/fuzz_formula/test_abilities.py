"""What solvers are said to be able to do, and runs that set them against each other."""

from __future__ import annotations

import os
import time

import pytest

import puzzles
from compare.command_line import main
from compare.engine.work.abilities import _try, abilities
from compare.engine.work.contenders import SIDES, choose, with_solvers
from models.solvers.solver_names import solvers
from tests.processes import CompareHere


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
    monkeypatch.setattr(
        "compare.engine.work.abilities._LIMITS", type(_try.__globals__["_LIMITS"])(0.2)
    )
    assert not _try(abort, "any")
    assert not _try(hang, "any")


def test_every_solver_takes_part_under_a_name_of_its_own() -> None:
    puzzle = puzzles.get("beams")
    names = [c.name for c in with_solvers(choose(puzzle, ["direct", "models"], {}), ["a", "b"])]
    assert names == ["direct:two-sat", "models:cnf@a", "models:cnf@b"]


@pytest.mark.slow
def test_a_run_with_solvers(compare_here: CompareHere) -> None:
    folder = str(puzzles.get("beams").data / "sample")
    rows = [
        line.split()[0]
        for line in compare_here("run beams", folder, "--solver", "all").stdout.splitlines()
        if line
    ]
    assert set(solvers()) <= set(rows)
    assert "direct:two-sat" in rows


@pytest.mark.slow
def test_encodings_side_by_side(compare_here: CompareHere) -> None:
    words = ["run", "geography", "--show", "sizes", "--no-check", "--family", "walls-20", "--size"]
    printed = compare_here(*words, "4", "5", "--format", "markdown").stdout
    backends = [
        backend.label for side in SIDES.values() for backend in side.backends("geography").values()
    ]
    assert all(printed.count(f"| {label} ") == 2 for label in backends)
    assert "| walls-20 5 | 1      | 5x5    |" in printed
    assert "ALL AGREE; 2 boards" in printed
    with pytest.raises(SystemExit) as ended:
        main([*words, "0"])
    assert ended.value.code == 2
