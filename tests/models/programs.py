"""Random formulas for solvers that are programs, and what makes a call right: only a true model and
a clear verdict count.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest

from models.cnf import Formula
from models.session import core_groups, session
from models.solvers.external import ExternalSolver, TooMuch, command_of, printed_by, solver_file
from models.solvers.sat_solver import SolverFailure
from models.solvers.solver_names import SINGLE_CALL, called_once, core_solver, solver_name
from puzzles.backend import Unsupported
from puzzles.text import UnknownName, UserError
from tests.models.solvers.brute_force import models_of

PROGRAMS = {"sh": "dash", "cp": "coreutils", "cat": "coreutils"}
"""What the cases start, each with Debian's package that has it."""

SOLVERS = ("cadical153", "glucose4", "kissat404")
"""The solvers of python-sat that they name."""

SCRIPT = """#!/bin/sh
cp "$1" {folder}/read
cat {folder}/says
cat {folder}/complains >&2
[ -n "$2" ] && cat {folder}/writes > "$2"
exit $(cat {folder}/status)
"""
"""A solver that says what it is told to say, and keeps the formula that it reads."""


@dataclass(frozen=True)
class Asked:
    """A formula of up to four variables, and literals to assume."""

    variables: int
    clauses: list[list[int]]
    assumed: list[int]
    number: int

    @property
    def every_clause(self) -> list[list[int]]:
        return [*self.clauses, *([literal] for literal in self.assumed)]


def cases(seed: int, count: int) -> list[Asked]:
    """Formulas of which about half are satisfiable."""
    rng, drawn = Random(seed), list[Asked]()
    for number in range(count):
        variables = rng.randint(1, 4)
        literals = [sign * variable for variable in range(1, variables + 1) for sign in (-1, 1)]
        clauses = [
            rng.sample(literals, rng.randint(1, min(3, len(literals))))
            for _ in range(rng.randint(1, 3 * variables))
        ]
        assumed = rng.sample(literals, 1) if rng.random() < 0.5 else []
        drawn.append(Asked(variables, clauses, assumed, number))
    return drawn


def examine(case: Asked) -> None:
    """Raise `AssertionError` unless right answers are taken, wrong ones refused, and the program
    reads the whole formula.
    """
    formula = Formula.of(case.variables, case.clauses[:-1])
    with TemporaryDirectory() as name:
        folder = Path(name)
        script = folder / "solver"
        script.write_text(SCRIPT.format(folder=shlex.quote(name)))
        script.chmod(0o755)
        command = f"{script} {{cnf}}" + (" {out}" if case.number % 2 else "")
        assert solver_name(command) == command
        assert core_solver(command) == "cadical153"
        models = models_of(case.variables, case.every_clause)
        right = models[case.number % len(models)] if models else None
        with session(formula, command) as opened:
            opened.add(case.clauses[-1])
            for says, status, accepted in _sayings(case, right):
                _instruct(folder, case, says, status)
                if not accepted:
                    with pytest.raises(
                        SolverFailure, match="gave no verdict|gave a model|which says"
                    ):
                        opened.solve(case.assumed)
                    continue
                assert opened.solve(case.assumed) == (status != 20)
                if status != 20:
                    assert right is not None
                    assert opened.model().tolist() == [False, *(literal > 0 for literal in right)]
                elif case.assumed:
                    assert opened.core() == case.assumed
        clauses = [f"{' '.join(map(str, clause))} 0" for clause in case.every_clause]
        assert (folder / "read").read_text().splitlines() == [
            f"p cnf {case.variables} {len(clauses)}",
            *clauses,
        ]
    if case.number % 16 == 0:
        _examine_names(case)


def _sayings(case: Asked, right: list[int] | None) -> list[tuple[str, int, bool]]:
    """What the program says, its exit status, and whether that is to be taken."""
    sayings = [
        ("s UNSATISFIABLE", 20, True),
        ("s UNKNOWN", 0, False),
        ("s SATISFIABLE", 20, False),
        ("s UNSATISFIABLE", 10, False),
    ]
    if right is not None:
        words = " ".join(map(str, right))
        every, models = (models_of(case.variables, some) for some in ([], case.every_clause))
        wrong = next((model for model in every if model not in models), None)
        sayings += [(f"s SATISFIABLE\nv {words} 0", status, True) for status in (0, 1, 10, 30)]
        sayings += [
            (f"s SATISFIABLE\nv {words} {more} 0", 10, False)
            for more in (-right[0], "x", case.variables + 1)
        ]
        if wrong is not None:
            sayings.append((f"s SATISFIABLE\nv {' '.join(map(str, wrong))} 0", 10, False))
    return sayings


def _instruct(folder: Path, case: Asked, says: str, status: int) -> None:
    """Tell the program what to say; every second one writes it into its file, in minisat's form."""
    into_a_file = case.number % 2 == 1
    plain = "\n".join(line.removeprefix("s ").removeprefix("v ") for line in says.splitlines())
    (folder / "writes").write_text(plain + "\n" if into_a_file else "")
    (folder / "says").write_text("c nothing\n" if into_a_file else says + "\n")
    (folder / "complains").write_text("some words\n")
    (folder / "status").write_text(str(status))


def _examine_names(case: Asked) -> None:
    assert solver_name("g4") == "glucose4"
    assert solver_name("Cadical153") == "cadical153"
    assert core_solver("glucose4") == "glucose4"
    assert core_solver("kissat404") == "cadical153"
    assert called_once(solver="kissat404")
    assert not called_once(solver="glucose4")
    for none, refused, words in (
        ("nosuch", UnknownName, "choose from"),
        ("nosuch-program {cnf}", UserError, "no executable 'nosuch-program'"),
        ("'{cnf}", UserError, "cannot be read"),
        ("cat {cnf", UserError, "cat"),
    ):
        with pytest.raises(refused, match=words):
            solver_name(none)
    for text in ("sh", "", "sh -c"):
        with pytest.raises(UserError, match="where the formula's file goes"):
            command_of(text)
    assert not ExternalSolver("sh -c 'echo s UNSATISFIABLE; exit 20' {cnf}", 2**20, []).solve()
    with solver_file("content", b"12345") as file:
        assert file.read(5) == b"12345"
        with pytest.raises(TooMuch):
            file.read(4)
    assert printed_by(["printf", "12345"], {}, 5).stdout == b"12345"
    with pytest.raises(TooMuch):
        printed_by(["printf", "12345"], {}, 4)
    with pytest.raises(TooMuch):
        printed_by(["sh", "-c", "head -c 100000 /dev/zero; exec sleep 60"], {}, 1000)
    _examine_single_call()
    grouped = Formula.of(case.variables, [])
    with pytest.raises(ValueError, match="a satisfiable formula has no core"):
        core_groups(grouped)


def _examine_single_call() -> None:
    """A solver that can be called only once is asked once; after that it is refused, whatever is
    asked.
    """
    (name,) = SINGLE_CALL
    formula = Formula.of(1, [[1]])
    with session(formula, name) as opened:
        opened.add([1])
        with pytest.raises(Unsupported):
            opened.solve([1])
    with session(formula, name) as opened:
        assert opened.solve()
        for ask in (opened.solve, lambda: opened.add([1])):
            with pytest.raises(Unsupported, match="called but once"):
                ask()
