"""Solvers in IPASIR libraries and in Python classes: right ones against brute force, and what they
do wrong, by name.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import models
import puzzles
from models.cnf import Formula
from models.proofs.refutation import refutation
from models.session import Session, session
from models.solvers.opening import open_solver, verifying
from models.solvers.sat_solver import SolverFailure, broken_clause
from models.solvers.solver_names import runs_foreign_code, solver_name
from puzzles.text import UserError
from puzzles.verdict import Verdict
from tests.models import solver_kinds
from tests.planted.solvers.libraries import FAULTS, cadical_library, library
from tests.processes import compare

CLASS = """
from pysat.solvers import Minisat22


class Mine:
    def __init__(self):
        self.solver = Minisat22()

    def add_clause(self, literals):
        self.solver.add_clause(literals)

    def solve(self, assumptions=()):
        return self.solver.solve(assumptions=assumptions)

    def get_model(self):
        return self.solver.get_model()
"""


@pytest.fixture
def small() -> str:
    return f"ipasir:{library()}"


@pytest.fixture
def mine(tmp_path: Path) -> str:
    (tmp_path / "mine.py").write_text(CLASS)
    return f"{tmp_path / 'mine.py'}:Mine"


def test_right_solvers_are_right_call_after_call_and_faulty_ones_are_blamed(mine: str) -> None:
    for questions in solver_kinds.cases(5, 40):
        solver_kinds.examine(questions)
        assert solver_kinds.mistake(questions, mine) is None


@pytest.mark.parametrize(
    "name", ["small", "mine", "cadical", "cadical195", "glucose4", "minisat22", "maplechrono"]
)
def test_every_puzzle_is_solved_and_certified(
    name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """By a library and a class of the tests, a real library, and solvers of python-sat."""
    solver, few = name, name in ("small", "mine")
    if few:
        solver = request.getfixturevalue(name)
    elif name == "cadical":
        solver = f"ipasir:{cadical_library(tmp_path)}"
    assert runs_foreign_code(solver) == (few or name == "cadical")
    for puzzle in map(puzzles.get, puzzles.names()):
        boards = puzzle.parse(puzzle.example, "<example>")
        boards += [] if few else [next(iter(puzzle.families.values())).board(7, 1)]
        for board in boards:
            if board.size <= 12 or not few:
                answer = models.solve(board, solver=solver, certify=True)
                assert puzzle.check(board, answer).verdict is Verdict.PROVED, puzzle.name


def test_a_relative_path_becomes_absolute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mine: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert solver_name("mine.py:Mine") == mine


def test_a_library_without_the_interface_is_a_message_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "no.so").write_text("no library")
    ended = compare("run", "nogo", "-k", "sample", "-b", "cnf", "--solver", str(tmp_path / "no.so"))
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"--solver {tmp_path / 'no.so'} cannot be loaded: ")


WHAT = {
    "KEEPS_ASSUMPTIONS": "said that clauses that have a model are unsatisfiable",
    "NO_CORE": "named a core that does not contradict the clauses",
    "LOSES_CLAUSES": "gave a model that satisfies no literal of clause 2: -1 -2 -3 0",
    "WRONG_VALUE": "gave a model that does not hold the assumption 3",
    "ODD_STATUS": "returned 30; IPASIR knows 10 (satisfiable), 20 (unsatisfiable) and 0 (unknown)",
}


def _ask(solver: str) -> None:
    """Four questions, the last one after one more clause; raises `SolverFailure` at the first wrong
    answer.
    """
    formula = Formula.of(3, [[1, 2, 3]])
    with verifying(), session(formula, solver) as opened:
        assert opened.solve([-1, -2, 3])
        assert not opened.solve([-1, -2, -3])
        assert {*opened.core()} == {-1, -2, -3}
        assert opened.solve([1, 2])
        opened.add([-1, -2, -3])
        assert not opened.solve([1, 2, 3])


@pytest.mark.parametrize("fault", FAULTS)
def test_a_verified_solver_is_blamed_by_name(fault: str) -> None:
    solver = f"ipasir:{library(fault)}"
    with pytest.raises(SolverFailure) as failed:
        _ask(solver)
    assert (failed.value.solver, failed.value.what) == (solver, WHAT[fault])
    _ask(f"ipasir:{library()}")  # the same library without the fault


def test_a_cut_that_comes_twice_is_the_solvers_fault() -> None:
    formula = Formula.of(3, [])
    solver = f"ipasir:{library('LOSES_CLAUSES')}"
    with (
        open_solver(formula, solver) as opened,
        pytest.raises(SolverFailure, match="violates a clause added before it: "),
    ):
        Session(opened, solver, 3).solve_lazily(
            lambda model: [[1, 2, 3]] if not model.any() else []
        )
    with session(formula, f"ipasir:{library()}") as opened:
        assert opened.solve_lazily(lambda model: [[1, 2, 3]] if not model.any() else [])


@pytest.mark.parametrize(
    ("method", "line", "what"),
    [
        ("solve", "return 20", "returned 20 from solve: expected True, False or None"),
        ("solve", "raise KeyError('oops')", "raised KeyError: 'oops' "),
        ("get_model", "return 'abc'", "returned 'abc' from get_model: expected a list of literals"),
        ("get_model", "return [0]", "returned a literal 0 from get_model: variables count from 1"),
        (
            "get_model",
            "return [-1, -2]",
            "gave a model that satisfies no literal of clause 1: 1 2 0",
        ),
    ],
)
def test_what_a_class_returns_is_not_taken_on_trust(
    tmp_path: Path, method: str, line: str, what: str
) -> None:
    (tmp_path / "odd.py").write_text(
        f"{CLASS}\n\nclass Odd(Mine):\n    def {method}(self, **words):\n        {line}\n"
    )
    formula = Formula.of(2, [[1, 2]])
    with (
        session(formula, f"{tmp_path / 'odd.py'}:Odd") as opened,
        pytest.raises(SolverFailure) as failed,
    ):
        opened.solve()  # which asks for the model, too
    assert failed.value.what.startswith(what)


def test_a_class_without_proofs_says_so(mine: str) -> None:
    formula = Formula.of(1, [[1], [-1]])
    with pytest.raises(UserError, match="keeps no proofs: its class has no method get_proof"):
        refutation(formula, mine)


@pytest.mark.parametrize(
    ("clauses", "true", "broken"),
    [
        ([[1, -2], [3, -3], [2]], [1, 2], None),
        ([[1, -2], [3, -3], [-1, 3]], [1, 2], [-1, 3]),
        ([[1], []], [1], []),
        ([[1]], [1, 10**12], None),
        ([], [5], None),
    ],
)
def test_the_broken_clause_is_no_tautology(
    clauses: list[list[int]], true: list[int], broken: list[int] | None
) -> None:
    assert broken_clause(clauses, true) == broken
