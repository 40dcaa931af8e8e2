"""Ctrl-C, SIGTERM and SIGHUP end `python -m models` at once, inside C++ too, together with the
programs that it has started.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from subprocess import Popen

import psutil
import pytest

import puzzles
from tests.processes import LONGEST_S, command, environment, start_module, wait_until

BOARD = "1\n1 2\n-.\n"

HOLDS_PYTHON_OFF = """
import ctypes, pathlib

class Mine:
    def add_clause(self, literals): pass
    def get_model(self): pass
    def solve(self, assumptions=()):
        pathlib.Path("ready").touch()
        ctypes.PyDLL(None).pause()
"""
"""A solver that waits in C for a signal, and leaves no other thread of Python a turn."""

STARTS_OTHERS = """
trap '' INT TERM
sleep 300 &
(trap '' INT TERM; sleep 300) &
touch ready
wait
"""
"""A solver that is a program, heeds no signal, and starts programs of its own."""

SOLVERS = {
    "held": ("--solver", "held.py:Mine"),
    "program": ("--solver", "sh starts.sh {cnf}"),
}


def started(folder: Path, *words: str) -> Popen[str]:
    (folder / "held.py").write_text(HOLDS_PYTHON_OFF)
    (folder / "starts.sh").write_text(STARTS_OTHERS)
    return start_module("models", *words, cwd=folder, env=environment(PYTHONUNBUFFERED="1"))


def large(folder: Path, size: int) -> str:
    """A file with a board of geography that takes long."""
    board = puzzles.get("geography").family("walls-10").board(size, 2)
    (folder / "large.in").write_text(puzzles.get("geography").print_instances([board]))
    return "large.in"


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


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_signal_ends_the_command_at_once(
    solver: str, number: signal.Signals, tmp_path: Path
) -> None:
    (tmp_path / "b.in").write_text(BOARD)
    process = started(tmp_path, "beams", "b.in", *SOLVERS[solver])
    wait_until((tmp_path / "ready").exists)
    below = psutil.Process(process.pid).children(recursive=True)
    assert len(below) >= 3 if solver == "program" else not below
    process.send_signal(number)
    out, complaint = process.communicate(timeout=LONGEST_S)
    assert (process.returncode, out, complaint) == (-number, "", "")
    assert all_gone(below)


def in_a_shell(folder: Path, script: str) -> Popen[str]:
    """A shell that starts the command as "$@"; the command is waiting in its solver."""
    (folder / "b.in").write_text(BOARD)
    (folder / "held.py").write_text(HOLDS_PYTHON_OFF)
    words = command("models", "beams", "b.in", *SOLVERS["held"])
    shell = Popen(
        ["sh", "-c", script, "sh", *words],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    wait_until((folder / "ready").exists)
    return shell


def test_the_shell_sees_130(tmp_path: Path) -> None:
    with in_a_shell(tmp_path, '"$@"; echo $?') as shell:
        (python,) = psutil.Process(shell.pid).children()
        python.send_signal(signal.SIGINT)
        assert shell.communicate(timeout=LONGEST_S)[0] == "130\n"


def test_who_ignores_ctrl_c_goes_on_ignoring_it(tmp_path: Path) -> None:
    with in_a_shell(tmp_path, 'trap "" INT; exec "$@"') as process:
        process.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.3)
        process.send_signal(signal.SIGTERM)
        assert process.wait(LONGEST_S) == -signal.SIGTERM


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_killed_command_leaves_no_program_behind(solver: str, tmp_path: Path) -> None:
    if shutil.which("setpriv") is None:
        pytest.skip("setpriv is not installed")
    (tmp_path / "b.in").write_text(BOARD)
    process = started(tmp_path, "beams", "b.in", *SOLVERS[solver])
    wait_until((tmp_path / "ready").exists)
    programs = psutil.Process(process.pid).children()
    assert len(programs) == (solver == "program")
    below = [each for program in programs for each in program.children(recursive=True)]
    process.kill()
    process.communicate(timeout=LONGEST_S)
    assert all_gone(programs)
    for each in below:  # what the program itself has started is out of reach
        each.kill()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    ("size", "words"),
    [
        (100, ("--backend", "cnf-cover")),
        (100, ("--backend", "cnf-cover", "--solver", "glucose4")),
        (100, ("--backend", "cnf-cover", "--solver", "lingeling")),
        (250, ("--backend", "cpsat")),
    ],
    ids=["cadical153", "glucose4", "lingeling", "cpsat"],
)
def test_a_search_ends_at_once(
    size: int, words: tuple[str, ...], number: signal.Signals, tmp_path: Path
) -> None:
    process = started(tmp_path, "geography", large(tmp_path, size), *words)
    until_busy(process)
    process.send_signal(number)
    out, complaint = process.communicate(timeout=5)
    assert (process.returncode, out, complaint) == (-number, "", "")
