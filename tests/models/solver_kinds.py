"""Seeded questions for solvers of every kind, right and faulty: answers, what is recorded, and who
is blamed.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest

from models.cnf import Formula
from models.session import session
from models.solvers.ipasir import PREFIX
from models.solvers.opening import SolverStep, is_verifying, record_solvers, verifying
from models.solvers.sat_solver import SolverFailure
from models.solvers.solver_names import SOLVER_ARGUMENT, runs_foreign_code, solver_name
from puzzles.shell.argument_parser import ArgumentParser
from puzzles.text import UserError
from tests.models.solvers.brute_force import random_formula, satisfiable, units
from tests.places import PLANTED
from tests.planted.solvers.libraries import FAULTS, library

PROGRAMS = {"cc": "gcc"}
"""What the cases start, each with Debian's package that has it."""

SOLVERS = ("cadical153", "glucose4", "minisat22")
"""The solvers of python-sat that they name."""

WRAPPERS = PLANTED / "solvers" / "wrappers.py"
RIGHT = ("minisat22", "small library", f"{WRAPPERS}:RightSolver")
"""Solvers without a fault, one of each kind."""


@dataclass(frozen=True)
class Questions:
    """A formula, then literals to assume, a clause to add, literals to assume, and so on."""

    formula: Formula
    asked: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
    number: int


def cases(seed: int, count: int) -> list[Questions]:
    """Formulas of up to five variables with four questions each."""
    rng, drawn = Random(seed), list[Questions]()
    for number in range(count):
        formula = random_formula(rng)
        variables = range(1, formula.variables + 1)
        asked = tuple(
            (
                tuple(rng.choice((-1, 1)) * v for v in variables if rng.random() < 0.4),
                tuple(rng.choice((-1, 1)) * v for v in variables if rng.random() < 0.7) or (1,),
            )
            for _ in range(4)
        )
        drawn.append(Questions(formula, asked, number))
    return drawn


def examine(case: Questions) -> None:
    """Raise `AssertionError` unless right solvers are right, and a faulty one that is verified is
    blamed for its mistake.
    """
    for name in RIGHT:
        solver = _named(name, "")
        assert runs_foreign_code(solver) == (name != "minisat22")
        for within in (nullcontext, verifying):
            with within():
                assert is_verifying() == (within is verifying)
                assert mistake(case, solver) is None
    faulty = _named("small library", FAULTS[case.number % len(FAULTS)])
    if mistake(case, faulty) is not None:
        with verifying():
            assert mistake(case, faulty) == "blamed"
    if case.number % 8 == 0:
        _examine_names()


def mistake(case: Questions, solver: str) -> str | None:
    """What a solver first does wrong; `blamed` if it is blamed for it by its name."""
    try:
        return _first_mistake(case, solver)
    except SolverFailure as failure:
        assert failure.solver == solver
        assert str(failure) == f"the solver {solver!r} {failure.what}"
        return "blamed"


def _named(name: str, fault: str) -> str:
    return solver_name(f"{PREFIX}{library(fault)}" if name == "small library" else name)


def _first_mistake(case: Questions, solver: str) -> str | None:
    """What a solver first does wrong by brute force; what it was asked must be what was
    recorded.
    """
    clauses = [list(clause) for clause in case.formula.clauses]
    steps = [SolverStep(False, tuple(clause)) for clause in clauses]
    with record_solvers() as recordings, session(case.formula, solver) as opened:
        assert recordings[0].variables == case.formula.variables
        for assumed, clause in case.asked:
            expected = satisfiable(case.formula.variables, [*clauses, *units(assumed)])
            steps.append(SolverStep(True, assumed))
            if opened.solve(assumed) != expected:
                return "verdict"
            if expected:
                true = {v if value else -v for v, value in enumerate(opened.model().tolist()) if v}
                if not all(true & {*each} for each in [*clauses, *units(assumed)]):
                    return "model"
            else:
                core = opened.core()
                if not {*core} <= {*assumed} or satisfiable(
                    case.formula.variables, [*clauses, *units(core)]
                ):
                    return "core"
            opened.add(list(clause))
            clauses.append(list(clause))
            steps.append(SolverStep(False, clause))
            assert recordings[0].steps == steps
    return None


def _examine_names() -> None:
    """Names and options of solvers, and what cannot be used."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "broken.py").write_text("1 / 0\n")
        (folder / "lacking.py").write_text("class Mine:\n    def solve(self): pass\n")
        for wrong, message in (
            (f"{PREFIX}{folder}/none.so", "--solver .*/none.so: there is no such file"),
            (f"{PREFIX}{folder}/broken.py", "--solver .*/broken.py cannot be loaded: "),
            (f"{folder}/none.py:Mine", "--solver .*/none.py:Mine: there is no file .*/none.py"),
            (
                f"{folder}/broken.py:Mine",
                "--solver .*/broken.py:Mine: .*/broken.py:1: importing the file raised ZeroDiv",
            ),
            (
                f"{folder}/lacking.py:Mine",
                "the class Mine has no method add_clause; it needs add_clause, solve, get_model",
            ),
            (f"{folder}/lacking.py:Other", "has no class Other"),
        ):
            with pytest.raises(UserError, match=message), session(Formula(), wrong):
                pass
    parser, several = ArgumentParser(), ArgumentParser()
    parser.add(SOLVER_ARGUMENT)
    several.add(replace(SOLVER_ARGUMENT, repeatable=True))
    path = library("")
    assert parser.parse_args([]).solver is None
    assert parser.parse_args(["--solver", "g4"]).solver == "g4"
    assert several.parse_args(["--solver", "g4", "--solver", "true {cnf}"]).solver == [
        "g4",
        "true {cnf}",
    ]
    assert solver_name(str(path)) == solver_name(f"{PREFIX}{path}") == f"{PREFIX}{path.resolve()}"
    assert solver_name("true {cnf}") == "true {cnf}"
    for wrong, message in (
        ("none.so", "--solver none.so: there is no such file"),
        ("glucos4", r"unknown solver 'glucos4': did you mean glucose4\? Or choose from "),
        ("true", r"or a command with \{cnf\}"),
    ):
        with pytest.raises(UserError, match=message):
            solver_name(wrong)
