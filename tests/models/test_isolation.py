"""The command line in a process of its own: interruptions, and solvers that die."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from contextlib import suppress
from pathlib import Path
from subprocess import Popen

import psutil
import pytest

import puzzles
from models.isolation import run_isolated
from tests.models import isolated_runs
from tests.processes import LONGEST_S, environment, start_module, wait_until


def started(tmp_path: Path, size: int, *arguments: str) -> Popen[str]:
    board = puzzles.get("geography").family("walls-10").board(size, 2)
    (tmp_path / "board.in").write_text(puzzles.get("geography").print_instances([board]))
    return start_module("models", "geography", str(tmp_path / "board.in"), *arguments, env=environment(PYTHONUNBUFFERED="1"))


def until_busy(process: Popen[str]) -> None:
    """Wait until the process, or a program that it runs, has worked for a while."""
    watched = psutil.Process(process.pid)
    wait_until(lambda: sum(map(worked_s, (watched, *watched.children(recursive=True)))) > 2.5)


def worked_s(process: psutil.Process) -> float:
    """The seconds that a process has worked; 0 if it has ended."""
    with suppress(psutil.NoSuchProcess):
        return process.cpu_times().user
    return 0.0


def all_gone(processes: list[psutil.Process]) -> bool:
    _, alive = psutil.wait_procs(processes, timeout=5)
    return all(each.status() == psutil.STATUS_ZOMBIE for each in alive)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "size", "arguments"),
    [
        (signal.SIGINT, 100, ("--backend", "cnf-cover")),
        (signal.SIGTERM, 100, ("--backend", "cnf-cover")),
        pytest.param(signal.SIGINT, 100, ("--backend", "cnf-cover", "--solver", "lingeling"), marks=pytest.mark.slow),
        pytest.param(signal.SIGINT, 250, ("--backend", "cpsat"), marks=pytest.mark.slow),
        (signal.SIGINT, 100, ("--backend", "cnf", "--solver-command", "cadical -q {cnf}")),
        pytest.param(signal.SIGTERM, 100, ("--backend", "cnf", "--solver-command", "cadical -q {cnf}"), marks=pytest.mark.slow),
    ],
    ids=["cadical153", "cadical153-sigterm", "lingeling", "cpsat", "program", "program-sigterm"],
)
def test_an_interrupted_search_says_so_and_leaves_nothing_behind(
    number: signal.Signals, size: int, arguments: tuple[str, ...], tmp_path: Path
) -> None:
    if "--solver-command" in arguments and shutil.which("cadical") is None:
        pytest.skip("cadical is not installed")
    process = started(tmp_path, size, *arguments)
    until_busy(process)
    below = psutil.Process(process.pid).children(recursive=True)
    os.kill(process.pid, number)
    out, complaint = process.communicate(timeout=LONGEST_S)
    assert (process.returncode, out, complaint) == (130, "", "interrupted\n")
    assert all_gone(below)


@pytest.mark.parametrize(
    "arguments",
    [pytest.param(("cnf-cover",), marks=pytest.mark.slow), ("cnf", "--solver-command", "cadical -q {cnf}")],
    ids=["solver", "program"],
)
def test_a_killed_command_leaves_nothing_behind(arguments: tuple[str, ...], tmp_path: Path) -> None:
    if any(shutil.which(program) is None for program in ("setpriv", *(["cadical"] if len(arguments) > 1 else []))):
        pytest.skip("cadical or setpriv is not installed")
    process = started(tmp_path, 100, "--backend", *arguments)
    until_busy(process)
    below = psutil.Process(process.pid).children(recursive=True)
    assert len(below) == len(arguments[1:]) // 2 + 1
    process.kill()
    process.communicate(timeout=LONGEST_S)
    assert all_gone(below)


def test_the_command_line_outlives_a_solver_that_dies(capfd: pytest.CaptureFixture[str]) -> None:
    def killed() -> int:
        os.kill(os.getpid(), signal.SIGSEGV)
        return 0

    assert run_isolated(killed) == 1
    assert capfd.readouterr().err == "the solver's process was killed by SIGSEGV\n"
    assert run_isolated(lambda: sys.exit(3)) == 3
    assert run_isolated(lambda: 4) == 4
    assert run_isolated(lambda: 1 // 0) == 1
    assert capfd.readouterr().err.endswith("ZeroDivisionError: integer division or modulo by zero\n")


@pytest.mark.slow
def test_every_kind_of_run_ends_as_it_should() -> None:
    runs = isolated_runs.cases(0, 2 * isolated_runs.KINDS)
    assert len(runs) > 10
    for run in runs:
        isolated_runs.examine(run)
