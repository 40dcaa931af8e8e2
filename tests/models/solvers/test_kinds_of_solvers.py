"""Solvers in IPASIR libraries and in Python classes: right ones against brute force, and what they
do wrong, by name.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import models
import puzzles
from compare.commands.fuzz_formula.formula_check import check_trace
from compare.commands.fuzz_formula.formula_puzzle import Trace, by_solver, clause, solver_call
from models.cnf import Formula
from models.proofs.refutation import refutation
from models.session import Session, session
from models.solvers.opening import open_solver, verifying
from models.solvers.sat_solver import SolverFailure, broken_clause
from models.solvers.solver_names import runs_foreign_code, solver_name
from puzzles.answer import Verdict
from puzzles.text import UserError
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


def test_a_library_is_asked_only_for_variables_that_it_has_seen(small: str) -> None:
    """IPASIR promises nothing of the others, and a formula may leave out a million of them."""
    formula = Formula.of(400, [[9, 5], [200], [-7]])
    with open_solver(formula, small) as opened:
        assert opened.solve([-9, 8])
        assert opened.get_model() == [5, -7, 8, -9, 200]
        opened.add_clause([6])
        assert opened.solve([-9, -8])
        assert opened.get_model() == [5, 6, -7, -8, -9, 200]
    with session(formula, small) as opened:
        assert opened.solve()
        assert len(opened.model()) == 401


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
    "ONE_SIGN": "returned -1 from ipasir_val(1) and 1 from ipasir_val(-1): expected 1 from both if "
    "the variable is true, -1 if it is false, 0 if it may be either",
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
    with open_solver(formula, solver) as loaded:
        lazy = Session(loaded, solver, 3)
        with pytest.raises(SolverFailure, match="violates a clause added before it: "):
            lazy.solve_lazily(lambda: [[1, 2, 3]] if not lazy.model().any() else [])
    with session(formula, f"ipasir:{library()}") as opened:
        assert opened.solve_lazily(lambda: [[1, 2, 3]] if not opened.model().any() else [])


@pytest.mark.parametrize(
    ("method", "line", "what"),
    [
        ("solve", "return 20", "returned 20 from solve: expected True, False or None"),
        ("solve", "raise KeyError('oops')", "raised KeyError: 'oops' "),
        ("solve", "raise SystemExit(0)", "raised SystemExit: 0 "),
        ("solve", "raise SystemExit", "raised SystemExit "),
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


EVERY_METHOD = """
from pysat.solvers import Glucose4


class Every:
    def __init__(self, with_proof=False):
        self.solver = Glucose4(with_proof=with_proof)

    def __getattr__(self, name):
        return getattr(self.solver, name)

    def add_clause(self, literals):
        self.solver.add_clause(literals)

    def solve(self, assumptions=()):
        return self.solver.solve(assumptions=list(assumptions))

    def get_model(self):
        return self.solver.get_model()


class Odd(Every):
    def METHOD(self, *_, **__):
        return VALUE
"""

LINES = "a list of strings, the lines of a DRAT proof"
PAIR = "a pair of True or False and a list of literals"


@pytest.mark.parametrize(
    ("method", "value", "expected"),
    [
        *(("solve", value, "True, False or None") for value in ("20", "'SAT'", "[True]", "1.0")),
        *(("solve_limited", value, "True, False or None") for value in ("10", "'UNSAT'")),
        *(
            ("get_model", value, "a list of literals")
            for value in ("5", "True", "[1.5]", "['1']", "{1: True}", "[True, True]", "None")
        ),
        *(
            ("get_core", value, "a list of literals")
            for value in ("5", "'1 2'", "[None]", "(False,)")
        ),
        *(
            ("get_proof", value, LINES)
            for value in ("5", "[[-9], []]", "'1 0'", "b'1 0'", "['0', 0]", "True", "[b'0']")
        ),
        *(
            ("propagate", value, PAIR)
            for value in ("5", "None", "True", "(1, [])", "(True,)", "(False, [], [])", "'no'")
        ),
        ("propagate", "(True, 5)", "a list of literals"),
    ],
)
def test_each_method_of_a_class_is_examined(
    tmp_path: Path, method: str, value: str, expected: str
) -> None:
    """The message names the method, what it returned and what was expected; the class without the
    fault is right.
    """
    text = EVERY_METHOD.replace("METHOD", method).replace("VALUE", value)
    (tmp_path / "odd.py").write_text(text)
    formula = Formula.of(2, [[1, 2], [-1, 2]])

    def ask(name: str) -> None:
        with open_solver(formula, f"{tmp_path}/odd.py:{name}", with_proof=True) as opened:
            assert opened.solve()
            assert opened.solve_limited()
            assert 2 in (opened.get_model() or [])
            assert opened.propagate(assumptions=[1, -2])[0] is False
            assert not opened.solve(assumptions=[1, -2])
            assert opened.get_core() == [-2]
            opened.add_clause([-2])
            assert not opened.solve()
            assert "d -2 0" in (opened.get_proof() or [])

    ask("Every")
    with pytest.raises(SolverFailure) as failed:
        ask("Odd")
    shown = value if value != "(True, 5)" else "5"
    assert failed.value.what == f"returned {shown} from {method}: expected {expected}"


def test_what_a_class_returns_may_be_any_list_and_may_be_none(tmp_path: Path) -> None:
    """Tuples, generators and numbers of NumPy are lists of literals too."""
    text = EVERY_METHOD.replace("METHOD", "get_proof").replace("VALUE", "(x for x in ('2 0', '0'))")
    (tmp_path / "odd.py").write_text(text)
    formula = Formula.of(2, [[1, 2], [-1, 2], [1, -2], [-1, -2]])
    steps = refutation(formula, f"{tmp_path}/odd.py:Odd")
    assert [str(step) for step in steps or []] == ["2 0", "0"]


def test_no_core_is_right_only_where_no_assumption_is_needed(tmp_path: Path) -> None:
    """As in python-sat, whose solvers return None there."""
    text = EVERY_METHOD.replace("METHOD", "get_core").replace("VALUE", "None")
    (tmp_path / "odd.py").write_text(text)
    solver = f"{tmp_path}/odd.py:Odd"
    trace = Trace(1, (solver_call(1, -1),))
    with verifying(), session(Formula.of(1, []), solver) as opened:
        assert not opened.solve([1, -1])
        with pytest.raises(SolverFailure) as failed:
            opened.core()
    assert failed.value.what == "returned None from get_core: expected a list of literals"
    check = check_trace(trace, by_solver(trace, solver=solver))
    assert check.verdict is Verdict.REFUTED
    assert check.detail == f"its core () does not contradict the clauses: it {failed.value.what}"
    none_needed = Trace(2, (clause(1), clause(-1), solver_call(2)))
    for name in (solver, "glucose4"):
        with verifying(), session(Formula.of(2, [[1], [-1]]), name) as opened:
            assert not opened.solve([2])
            assert opened.core() == []
        check = check_trace(none_needed, by_solver(none_needed, solver=name))
        assert check.verdict is Verdict.PROVED


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        (["1 0", "2 x 0"], "wrote a proof that is no DRAT: line 2, column 3: expected a literal, "),
        (["1 0 2"], "wrote a proof that is no DRAT: line 1, column 6: the text ends within a "),
    ],
)
def test_a_proof_of_a_class_that_is_no_drat(tmp_path: Path, lines: list[str], what: str) -> None:
    text = EVERY_METHOD.replace("METHOD", "get_proof").replace("VALUE", repr(lines))
    (tmp_path / "odd.py").write_text(text)
    with pytest.raises(SolverFailure) as failed:
        refutation(Formula.of(1, [[1], [-1]]), f"{tmp_path}/odd.py:Odd")
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
