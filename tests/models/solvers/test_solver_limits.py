"""Solvers under limits of time and memory, and solvers that abort."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import psutil
import pytest
from pysat.solvers import Solver

import models
import puzzles
from compare.engine.isolate.child import call
from compare.engine.isolate.outcome import Limits, Status
from models.cnf import Formula
from models.session import session
from models.solvers.solver_names import DEFAULT_SOLVER, solvers

FEW = (DEFAULT_SOLVER, "lingeling")


def each_solver() -> list[object]:
    """Two of them always, the others as slow tests: the limits hold from another process."""
    return [pytest.param(name, marks=() if name in FEW else pytest.mark.slow) for name in solvers()]


def pigeons(holes: int) -> Formula:
    """One pigeon more than there are holes: beyond every solver from about 12 holes on."""
    formula = Formula()
    formula.new((holes + 1) * holes)
    sits = [[pigeon * holes + hole + 1 for hole in range(holes)] for pigeon in range(holes + 1)]
    formula.clauses = [list(row) for row in sits]
    for hole in range(holes):
        formula.clauses += [[-a[hole], -b[hole]] for k, a in enumerate(sits) for b in sits[:k]]
    return formula


def search(name: str) -> bool:
    with session(pigeons(16), name) as opened:
        return bool(opened.solve())


def resident() -> int:
    return psutil.Process().memory_info().rss


def fill(name: str) -> None:
    """Clauses without end."""
    with session(Formula(), name) as opened:
        for literal in range(1, 2**40):
            opened.add([literal % 10**6 + 1, -(literal % 10**5) - 10**6, literal % 999_983 + 1])


def name_a_literal_too_large(name: str) -> bool:

    with Solver(name=name, bootstrap_with=[[2**31 - 1, -1], [1]]) as opened:
        return bool(opened.solve())


@pytest.mark.parametrize("name", each_solver())
def test_the_time_limit_stops_a_search(name: str) -> None:
    ended = call(search, name, limits=Limits(0.3))
    assert (ended.status, ended.detail) == (Status.TIMEOUT, "stopped at 0.3 s")


@pytest.mark.parametrize("name", each_solver())
def test_the_memory_limit_stops_a_solver_that_fills_up(name: str) -> None:
    most = call(resident, limits=Limits(60.0)).value // 2**20 + 32
    ended = call(fill, name, limits=Limits(60.0, most * 2**20))
    assert (ended.status, ended.detail) == (Status.MEMORY, f"more than {most} MB resident")


def test_a_solver_that_aborts_is_a_crash() -> None:
    """cadical aborts on a literal that our own formulas refuse before (see `test_cnf.py`)."""
    ended = call(name_a_literal_too_large, DEFAULT_SOLVER, limits=Limits(60.0, 2**30))
    assert ended.status in (Status.CRASH, Status.MEMORY)


def test_the_time_limit_stops_a_program_behind_a_backend(tmp_path: Path) -> None:
    """And the program with it, though it takes no notice of its input's end or of polite
    signals.
    """
    script = tmp_path / "stubborn"
    script.write_text(f"#!/bin/sh\ntrap '' TERM INT\necho $$ > {tmp_path / 'pid'}\nsleep 60\n")
    script.chmod(0o755)
    (board,) = puzzles.get("geography").parse("1 2\n..\n")
    solve = partial(models.solve, board, "cnf", solver=f"{script} {{cnf}}")
    ended = call(solve, limits=Limits(2.0))
    assert (ended.status, ended.detail) == (Status.TIMEOUT, "stopped at 2 s")
    assert not psutil.pid_exists(int((tmp_path / "pid").read_text()))
