"""Solvers under limits: time, memory, aborts and interruptions, for those of python-sat, for CP-SAT and for programs."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from pathlib import Path
from subprocess import Popen

import psutil
import pytest

import puzzles
from compare.isolate.outcome import Limits, Status
from compare.isolate.sandbox import call
from models.cnf import DEFAULT_SOLVER, Formula, session, solvers
from models.isolation import run_apart
from tests.processes import compare, environment, start_module

FEW = (DEFAULT_SOLVER, "glucose4", "minisat22", "lingeling")


def each_solver() -> list[object]:
    """Four of them always, the others as slow tests."""
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


def fill(name: str) -> None:
    """Clauses without end."""
    with session(Formula(), name) as opened:
        for literal in range(1, 2**40):
            opened.add([literal % 10**6 + 1, -(literal % 10**5) - 10**6, literal % 999_983 + 1])


def name_a_literal_too_large(name: str) -> bool:
    from pysat.solvers import Solver

    with Solver(name=name, bootstrap_with=[[2**31 - 1, -1], [1]]) as opened:
        return bool(opened.solve())


@pytest.mark.parametrize("name", each_solver())
def test_the_time_limit_stops_a_search(name: str) -> None:
    ended = call(search, name, limits=Limits(0.7))
    assert (ended.status, ended.detail) == (Status.TIMEOUT, "stopped at 0.7 s")


@pytest.mark.parametrize("name", each_solver())
def test_the_memory_limit_stops_a_solver_that_fills_up(name: str) -> None:
    most = psutil.Process().memory_info().rss // 2**20 + 64
    ended = call(fill, name, limits=Limits(60.0, most * 2**20))
    assert (ended.status, ended.detail) == (Status.MEMORY, f"more than {most} MB resident")


def test_a_solver_that_aborts_is_a_crash() -> None:
    """cadical aborts on a literal that our own formulas refuse before."""
    ended = call(name_a_literal_too_large, DEFAULT_SOLVER, limits=Limits(60.0, 2**30))
    assert ended.status in (Status.CRASH, Status.MEMORY)
    with pytest.raises(ValueError, match="out of range"):
        Formula().add(2**31 - 1)


def started(tmp_path: Path, size: int, *arguments: str) -> Popen[str]:
    board = puzzles.get("geography").family("walls-10").board(size, 2)
    (tmp_path / "board.in").write_text(puzzles.get("geography").print_instances([board]))
    return start_module("models", "geography", str(tmp_path / "board.in"), *arguments, env=environment(PYTHONUNBUFFERED="1"))


def until_busy(process: Popen[str]) -> None:
    """Wait until the process, or a program that it runs, has worked for a while."""
    watched = psutil.Process(process.pid)
    for _ in range(600):
        times = [each.cpu_times() for each in (watched, *watched.children(recursive=True))]
        if sum(spent.user for spent in times) > 2.5:
            return
        time.sleep(0.05)
    raise AssertionError("it does not get to work")


@pytest.mark.parametrize(
    ("size", "arguments"),
    [
        (100, ("--backend", "cnf-cover")),
        pytest.param(100, ("--backend", "cnf-cover", "--solver", "lingeling"), marks=pytest.mark.slow),
        pytest.param(250, ("--backend", "cpsat"), marks=pytest.mark.slow),
        (100, ("--backend", "cnf", "--solver-command", "cadical -q {cnf}")),
    ],
    ids=["cadical153", "lingeling", "cpsat", "program"],
)
def test_an_interrupted_search_says_so_and_leaves_nothing_behind(size: int, arguments: tuple[str, ...], tmp_path: Path) -> None:
    if "--solver-command" in arguments and shutil.which("cadical") is None:
        pytest.skip("cadical is not installed")
    process = started(tmp_path, size, *arguments)
    until_busy(process)
    below = psutil.Process(process.pid).children(recursive=True)
    os.kill(process.pid, signal.SIGINT)
    out, complaint = process.communicate(timeout=30)
    assert (process.returncode, out, complaint) == (130, "", "interrupted\n")
    assert not [child for child in psutil.wait_procs(below, timeout=5)[1] if child.status() != psutil.STATUS_ZOMBIE]


def test_the_time_limit_stops_a_program_behind_a_backend(tmp_path: Path) -> None:
    """And the program with it, though it takes no notice of its input's end or of polite signals."""
    script = tmp_path / "stubborn"
    script.write_text(f"#!/bin/sh\ntrap '' TERM INT\necho $$ > {tmp_path / 'pid'}\nsleep 60\n")
    script.chmod(0o755)
    (tmp_path / "boards.in").write_text(puzzles.get("geography").example)
    words = ["run", "geography", str(tmp_path / "boards.in"), "-b", "cnf", "--timeout", "1"]
    ended = compare(*words, "--solver-command", f"{script} {{cnf}}")
    assert "TIMEOUT models:cnf" in ended.stdout + ended.stderr
    assert not psutil.pid_exists(int((tmp_path / "pid").read_text()))


def test_the_command_line_outlives_a_solver_that_dies(capfd: pytest.CaptureFixture[str]) -> None:
    def killed() -> int:
        os.kill(os.getpid(), signal.SIGSEGV)
        return 0

    assert run_apart(killed) == 1
    assert capfd.readouterr().err == "the solver's process was killed by SIGSEGV\n"
    assert run_apart(lambda: sys.exit(3)) == 3
    assert run_apart(lambda: 4) == 4
    assert run_apart(lambda: 1 // 0) == 1
    assert capfd.readouterr().err.endswith("ZeroDivisionError: integer division or modulo by zero\n")
