"""Each faulty solver is found by a fixed seed within a stated number of traces, shrunk, saved and
run again.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from compare.engine.isolate.outcome import Status
from compare.engine.work.result import REFUTED
from tests.compare.commands.fuzz_formula.solver_gallery import (
    GALLERY,
    LIBRARIES,
    WRONG_UNSAT,
    Planted,
    wrapper,
)
from tests.compare.commands.fuzz_formula.traces import read
from tests.planted.solvers.libraries import library
from tests.processes import compare

FAST = ("DiesOfEmptyClause",)
"""The solvers whose tests are not slow."""

MAX_STEPS = 10


def fuzzed(planted: Planted, folder: Path, *words: str) -> str:
    """What the search prints that finds the fault."""
    words = ("--solver", planted.solver, *words)
    line = f"fuzz formula --cases {planted.traces} --jobs 1 --timeout 2 --memory 600"
    return compare(line, *words, cwd=folder, status=1).stdout


@pytest.mark.parametrize(
    "planted",
    [
        pytest.param(each, marks=() if each.name in FAST else pytest.mark.slow, id=each.name)
        for each in GALLERY
    ],
)
def test_a_faulty_solver_is_found_and_shrunk(planted: Planted, tmp_path: Path) -> None:
    check_found(planted, tmp_path, *planted.words)


@pytest.mark.slow
@pytest.mark.parametrize("fault", LIBRARIES)
def test_a_faulty_library_is_found_and_shrunk(fault: str, tmp_path: Path) -> None:
    kind, detail = LIBRARIES[fault]
    planted = Planted(fault, f"ipasir:{library(fault)}", kind, detail, 400)
    check_found(planted, tmp_path, "--family", "tiny")


def check_found(planted: Planted, folder: Path, *words: str) -> None:
    printed = fuzzed(planted, folder, "--keep-going", *words)
    first_lines = {
        path: path.read_text().splitlines()[0]
        for path in folder.glob(f"{planted.kind.lower()}-*nf")
    }
    pattern = rf"c {planted.kind}: models:sat@\S+: .*{planted.detail}"
    matching = [path for path, line in first_lines.items() if re.match(pattern, line)]
    assert len(matching) == 1, first_lines
    (path,) = matching
    trace = read(path)
    assert trace.clauses <= MAX_STEPS if trace.is_formula else len(trace.steps) <= MAX_STEPS
    (line,) = [
        each for each in printed.splitlines() if each.startswith("replay: ") and path.name in each
    ]
    again = compare(*shlex.split(line)[4:], "--strict", cwd=folder)
    unfinished = planted.kind in (Status.TIMEOUT, Status.MEMORY)
    assert again.returncode == (3 if unfinished else 1), again.stdout
    assert f" {'UNFINISHED' if unfinished else 'FAILED'} on 1 of 1: " in again.stdout
    right = compare(
        f"run formula {path} --solver cadical153 --solver minisat22", cwd=folder, status=0
    )
    assert right.last_line[:9] == "ALL AGREE"


def test_a_solver_that_does_not_know_is_unfinished_and_the_search_goes_on(
    tmp_path: Path,
) -> None:
    words = ("--family", "tiny", "--cases", "60", "--jobs", "1", "--solver", wrapper("Silent"))
    ended = compare("fuzz formula", *words, cwd=tmp_path, status=0)
    answered, unknown = re.findall(r"(\d+) answered, (\d+) unknown", ended.stdout)[0]
    assert int(answered) > 20
    assert int(unknown) > 0
    assert int(answered) + int(unknown) == 60
    assert re.match(r"models:sat@\S+ UNFINISHED; nothing found up to ", ended.last_line)
    compare("fuzz formula", *words, "--strict", cwd=tmp_path, status=3)


INCOMPLETE = """
from pysat.solvers import Minisat22

class Walk:
    def __init__(self):
        self.solver = Minisat22()

    def add_clause(self, literals):
        self.solver.add_clause(literals)

    def solve(self, assumptions=()):
        return True if self.solver.solve(assumptions=list(assumptions)) else None

    def get_model(self):
        return [abs(literal) for literal in self.solver.get_model()]
"""


def test_a_solver_that_never_says_no_is_searched_for_wrong_models(tmp_path: Path) -> None:
    (tmp_path / "walk.py").write_text(INCOMPLETE)
    words = (
        "fuzz formula --solver walk.py:Walk --family tiny --cases 60 --jobs 1 --shrink-seconds 1"
    )
    ended = compare(words, cwd=tmp_path, status=1)
    assert re.search(r"REFUTED: .*: its model satisfies no literal of clause \d", ended.stdout)


@pytest.mark.slow
def test_a_fault_of_some_processes_is_by_chance(tmp_path: Path) -> None:
    printed = fuzzed(Planted("Flaky", wrapper("Flaky"), REFUTED, WRONG_UNSAT, 40), tmp_path)
    # it may have come back each time, by chance
    assert "WRONG by chance: models:sat@" in printed or "REFUTED: models:sat@" in printed


TWO_FAULTS = """
from pysat.solvers import Minisat22

class Two:
    def __init__(self):
        self.solver, self.clauses = Minisat22(), 0

    def add_clause(self, literals):
        self.clauses += 1
        self.solver.add_clause(literals)

    def solve(self, assumptions=()):
        if self.clauses % 2:
            raise IndexError("odd")
        return self.solver.solve(assumptions=list(assumptions)) or self.clauses == 6

    def get_model(self):
        return self.solver.get_model()
"""


@pytest.mark.slow
def test_a_search_that_keeps_going_tries_all_traces_though_most_fail(tmp_path: Path) -> None:
    (tmp_path / "two.py").write_text(TWO_FAULTS)
    words = "--family tiny --cases 64 --jobs 1 --shrink-seconds 2 --keep-going"
    ended = compare(f"fuzz formula --solver two.py:Two {words}", cwd=tmp_path, status=1)
    assert ended.last_line.startswith("models:sat@Two FAILED: 1 CRASH, 1 REFUTED; 64 traces in ")
    assert re.search(r"CRASH: models:sat@Two: .*IndexError: odd", ended.stdout)
    assert re.search(r"^REFUTED: models:sat@Two says ", ended.stdout, re.MULTILINE)


BY_CHANCE = """
import random
from pysat.solvers import Minisat22

class Now:
    def __init__(self):
        self.solver = Minisat22()

    def add_clause(self, literals):
        self.solver.add_clause(literals)

    def solve(self, assumptions=()):
        satisfiable = self.solver.solve(assumptions=list(assumptions))
        return satisfiable and random.random() > 0.1

    def get_model(self):
        return self.solver.get_model()
"""


@pytest.mark.slow
def test_a_solver_that_is_wrong_by_chance_is_said_to_be_so(tmp_path: Path) -> None:
    (tmp_path / "now.py").write_text(BY_CHANCE)
    words = "--family tiny --cases 200 --jobs 1 --shrink-seconds 20"
    ended = compare(f"fuzz formula --solver now.py:Now {words}", cwd=tmp_path, status=1)
    pattern = r"WRONG by chance: models:sat@Now, (\d+) of (\d+) times on the same trace"
    times = re.search(pattern, ended.stdout)
    assert times is not None, ended.stdout
    assert 0 < int(times[1]) < int(times[2])
    (replay,) = re.findall("^replay: python -m compare (.*)$", ended.stdout, re.MULTILINE)
    assert replay.endswith("now.py:Now --repeat 100")
    again = compare(replay, cwd=tmp_path, status=1)
    assert "models:sat@Now FAILED on 1 of 1: 1 WRONG; " in again.last_line
    times = re.search(r"WRONG by chance: models:sat@Now, (\d+) of 100 times on", again.stdout)
    assert times is not None, again.stdout
    assert 0 < int(times[1]) < 100


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--solver", "magic"), "unknown solver 'magic': choose from "),
        (("--solver", "none.py:X"), "--solver none.py:X: there is no file none.py\n"),
        (("--solver", wrapper("Nobody")), "wrappers.py has no class Nobody\n"),
        (("-b", "direct"), "direct has no backend for formula"),
        (
            ("--solver", "minisat22", "--family", "of-chess"),
            "unknown formula family 'of-chess': did you mean of-beams? Or choose from edge, ",
        ),
        (
            ("--solver", "minisat22", "--family", "of-./chess.py"),
            "chess.py: No such file or directory\n",
        ),
    ],
)
def test_a_mistake_is_a_message(words: tuple[str, ...], message: str, tmp_path: Path) -> None:
    ended = compare("fuzz formula", *words, cwd=tmp_path, status=2)
    assert ended.stdout == ""
    assert message in ended.stderr


def test_a_trace_that_asks_nothing_is_a_mistake_in_the_file(tmp_path: Path) -> None:
    (tmp_path / "nothing.icnf").write_text("p inccnf\n1 0\n")
    ended = compare("run formula nothing.icnf --solver minisat22", cwd=tmp_path, status=2)
    assert ended.stderr == "nothing.icnf:1:1: nothing is asked: the text has no line `a ... 0`\n"


FINDINGS = {
    "the empty formula": ("p cnf 0 0\n", "1 CRASH", "killed by SIGSEGV"),
    "proofs": (
        "p cnf 2 4\n1 2 0\n1 -2 0\n-1 2 0\n-1 -2 0\n",
        "1 WRONG",
        "its proof is wrong: step 2: the empty clause does not follow ",
    ),
}
"""What is wrong with python-sat's maplesat: a formula that shows it, and how it is said."""


@pytest.mark.slow
@pytest.mark.parametrize("name", FINDINGS)
def test_what_is_wrong_in_python_sat_is_still_wrong(name: str, tmp_path: Path) -> None:
    text, grade, detail = FINDINGS[name]
    (tmp_path / "formula.cnf").write_text(text)
    ended = compare(
        "run formula formula.cnf --solver maplesat --solver minisat22", cwd=tmp_path, status=1
    )
    assert ended.last_line.startswith(f"models:sat@maplesat FAILED on 1 of 1: {grade}")
    assert detail in ended.stdout.replace("\n", " ")
