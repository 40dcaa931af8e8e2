"""Solvers that are programs: real ones, and ones that say something wrong."""

from __future__ import annotations

import resource
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

import direct
import models
import puzzles
from models.cnf import Formula
from models.command import main
from models.session import session
from models.solvers.sat_solver import SolverFailure
from models.solvers.solver_names import solver_name
from puzzles.answer import Verdict
from tests.models import programs
from tests.processes import compare, environment, start_module, wait_until

PROGRAMS = {
    "cadical": "cadical -q {cnf}",
    "minisat": "minisat {cnf} {out}",
    "kissat": "kissat -q {cnf}",
}


@pytest.fixture(params=list(PROGRAMS))
def program(request: pytest.FixtureRequest) -> str:
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    return PROGRAMS[request.param]


def test_real_programs_solve_every_puzzle(program: str) -> None:
    assert solver_name(program) == program
    for puzzle in map(puzzles.get, puzzles.names()):
        for board in puzzle.parse(puzzle.example, "<example>"):
            for backend in models.backends(puzzle.name).values():
                if "solver" in backend.options:
                    answer = backend.solve(board, solver=program, certify=True)
                    assert puzzle.check(board, answer).verdict is Verdict.PROVED, backend.label


def test_real_programs_from_the_command_line(
    program: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "board.in"
    file.write_text(puzzles.get("geography").example)
    assert main(["geography", str(file), "--solver", program]) == 0
    assert capsys.readouterr().out == direct.solve_text("geography", file.read_text())


Solver = Callable[..., str]


@pytest.fixture
def fake(tmp_path: Path) -> Solver:
    """Makes a solver of some code, in Python by default; returns its command."""

    def make(code: str, interpreter: str = sys.executable) -> str:
        script = tmp_path / "solver"
        script.write_text(f"#!{interpreter}\n{code}\n")
        script.chmod(0o755)
        return f"{script} {{cnf}}"

    return make


def test_programs_are_believed_only_when_they_are_right() -> None:
    for case in programs.cases(2, 6):
        programs.examine(case)


@pytest.mark.parametrize(
    "code",
    [
        "while True: sys.stdout.write('x' * 2**20)",
        "while True: sys.stderr.write('v 1 ' * 2**18)",
        "open(sys.argv[2], 'w').truncate(2**40)",
    ],
    ids=["stdout", "stderr", "out"],
)
def test_a_program_that_prints_without_end_is_stopped(fake: Solver, code: str) -> None:
    command, formula = fake(f"import sys\n{code}"), Formula.of(2, [])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with (
        session(formula, f"{command} {{out}}") as opened,
        pytest.raises(SolverFailure, match="printed more than 16 MB and was"),
    ):
        opened.solve()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 * 1024


def test_a_killed_run_leaves_no_file_behind_and_its_link_goes_with_the_next_run(
    fake: Solver, tmp_path: Path
) -> None:
    command = fake(
        'cat "$1" > read\ncp "$1" "$2"\necho $$ > pid\necho > ready\nexec sleep 60', "/bin/sh"
    )
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    (tmp_path / "board.in").write_text(puzzles.get("geography").example)
    words = ("geography", "board.in", "--solver", f"{command} {{out}}")
    with start_module(
        "models", *words, cwd=tmp_path, env=environment(TMPDIR=str(temporary))
    ) as process:
        wait_until((tmp_path / "ready").exists)
        solver = psutil.Process(int((tmp_path / "pid").read_text()))
        assert (tmp_path / "read").read_text().startswith("p cnf ")
        process.kill()
        with suppress(psutil.NoSuchProcess):  # it may have died with the process
            solver.kill()
    (left,) = temporary.iterdir()
    (link,) = left.iterdir()
    assert link.is_symlink()
    wait_until(lambda: not link.exists())  # the file has gone with the solver
    words = ("geography", "board.in", "--solver", "false {cnf}")
    with start_module(
        "models", *words, cwd=tmp_path, env=environment(TMPDIR=str(temporary))
    ) as process:
        assert process.wait(60) == 2
    assert list(temporary.iterdir()) == []


def test_a_program_counts_against_the_limits_of_its_run(fake: Solver, tmp_path: Path) -> None:
    command = fake("x = bytearray(600 * 2**20)\nimport time\ntime.sleep(60)")
    (tmp_path / "board.in").write_text(puzzles.get("geography").example)
    words = ["-b", "models:cnf", "--memory", "400", "--timeout", "20", "--no-check", "--solver"]
    ended = compare("run", "geography", str(tmp_path / "board.in"), *words, command)
    assert "MEMORY: models:cnf on geography" in ended.stdout
    assert "more than 400 MB resident" in ended.stdout


def test_a_program_may_be_started_by_another_one_that_passes_no_descriptors_on(
    fake: Solver,
) -> None:
    asked = "['grep', '-q', '^p cnf 2 1$', sys.argv[1]]"
    command = fake(f"import subprocess, sys\nsys.exit(20 + subprocess.run({asked}).returncode)")
    with session(Formula.of(2, [[2]]), command) as opened:
        assert not opened.solve()
