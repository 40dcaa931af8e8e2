"""Each faulty solver is found by a fixed seed within a stated number of scripts, shrunk, saved and replayed."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
from pathlib import Path

import pytest

from compare.solvers.script import parse
from compare.solvers.solver_faults import FaultKind
from tests.compare.solvers.gallery import GALLERY, LIBRARIES, Planted, wrapper
from tests.planted.solvers.libraries import library
from tests.processes import command, compare, environment

FAST = ("DiesOfEmptyClause",)
"""The solvers whose tests are not slow."""

MAX_STEPS = 10


def tried(planted: Planted, folder: Path, *words: str) -> tuple[dict[str, dict[str, int]], str]:
    """What the table of faults says of each solver, and what else the trial prints."""
    ended = compare(
        *("fuzz", "formula", "--solver", planted.solver, "--scripts", str(planted.scripts), "--jobs", "1", "--timeout", "2"),
        *("--memory", "600", "--shrink-seconds", "60", "--format", "json", *words),
        cwd=folder,
    )
    assert ended.returncode == 1, ended.stderr
    return {row["solver"]: row for row in json.loads(ended.stdout)["faults"]}, ended.stderr


@pytest.mark.parametrize(
    "planted", [pytest.param(each, marks=() if each.name in FAST else pytest.mark.slow, id=each.name) for each in GALLERY]
)
def test_a_faulty_solver_is_found_and_shrunk(planted: Planted, tmp_path: Path) -> None:
    check_found(planted, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "kind"), LIBRARIES.items())
def test_a_faulty_library_is_found_and_shrunk(fault: str, kind: FaultKind, tmp_path: Path) -> None:
    check_found(Planted(fault, f"ipasir:{library(fault)}", kind, 60), tmp_path, "--puzzle", "beams")


def check_found(planted: Planted, folder: Path, *words: str) -> None:
    faults, messages = tried(planted, folder, *words)
    (row,) = faults.values()
    assert row["scripts"] == planted.scripts or planted.kind is FaultKind.HANG
    assert row[planted.kind.value] >= 1
    (path,) = [each for each in folder.glob(f"{planted.kind.lower().replace(' ', '-')}-*") if each.suffix in (".cnf", ".icnf")]
    script = parse(path.read_bytes(), str(path))
    assert script.clauses <= MAX_STEPS if script.is_formula else len(script.steps) <= MAX_STEPS
    assert f"c fault: {planted.kind.value}: " in path.read_text()
    (line,) = [each for each in messages.splitlines() if each.startswith("replay: ") and each.endswith(path.name)]
    again = compare(*shlex.split(line)[4:], cwd=folder)
    assert again.returncode == 1
    assert again.stdout.startswith(f"{planted.kind.value}: ")
    right = compare("fuzz", "formula", "--solver", "cadical153", "--replay", str(path), cwd=folder)
    assert (right.returncode, right.stdout[:9]) == (0, "no fault:")


@pytest.mark.slow
def test_a_fault_that_comes_and_goes_is_called_flaky(tmp_path: Path) -> None:
    _, messages = tried(Planted("Flaky", wrapper("Flaky"), FaultKind.WRONG_UNSAT, 40), tmp_path)
    times = re.search(r"wrong UNSAT: .*flaky: it came back ([0-4]) of 5 times", messages)
    assert times is not None or "it came back 5 of 5 times" in messages


@pytest.mark.slow
def test_an_invented_step_is_left_to_other_checkers(tmp_path: Path) -> None:
    pytest.importorskip("dratify")
    check_found(Planted("InventsSteps", wrapper("InventsSteps"), FaultKind.WRONG_PROOF, 150), tmp_path)


@pytest.mark.slow
def test_a_right_solver_has_no_fault(tmp_path: Path) -> None:
    ended = compare("fuzz", "formula", "--solver", wrapper("RightSolver"), "--scripts", "120", "--jobs", "1", cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "no fault found; 1 solver, 120 scripts of " in ended.stdout
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_prints_and_saves_what_there_is(tmp_path: Path) -> None:
    words = ("--solver", "maplesat", "--jobs", "1")
    with subprocess.Popen(
        command("compare", "fuzz", "formula", *words), cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(2)]
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
        assert process.wait() == 130
    assert lines[1].startswith("crash: maplesat: killed by SIGSEGV (edge, 0 clauses); saved as crash-maplesat-")
    assert "replay: python -m compare fuzz formula --solver maplesat " in rest
    assert "FAILED: maplesat; 1 solver, " in rest
    assert [parse(path.read_bytes(), "x").clauses for path in tmp_path.glob("crash-*.cnf")] == [0]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--solver", "magic"), "unknown solver 'magic': choose from "),
        (("--solver", "none.py:X"), "--solver none.py:X: there is no file none.py\n"),
        (("--solver", wrapper("Nobody")), "wrappers.py has no class Nobody\n"),
        (("-b", "direct"), "The puzzle with clauses of two literals is called two-sat now: fuzz two-sat\n"),
        (("--solver", "minisat22", "--puzzle", "chess"), "unknown puzzle 'chess': choose from "),
        (("--solver", "minisat22", "--size", "31"), "--size: trials take sizes up to 30, not 31\n"),
        (("--solver", "minisat22", "--replay", "none.cnf"), "none.cnf: No such file or directory\n"),
    ],
)
def test_a_mistake_is_a_message(words: tuple[str, ...], message: str, tmp_path: Path) -> None:
    ended = compare("fuzz", "formula", *words, cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert message in ended.stderr


def test_the_page_has_the_tables_and_the_findings(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    ended = compare(
        "fuzz", "formula", "--solver", "maplesat", "--scripts", "1", "--report", "page.html", "--jobs", "1", cwd=tmp_path
    )
    assert ended.returncode == 1
    page = (tmp_path / "page.html").read_text()
    assert "<h2>faults</h2>" in page
    assert "<h2>crash: maplesat: killed by SIGSEGV</h2>" in page
    assert "<pre>p cnf 0 0\n</pre>" in page
