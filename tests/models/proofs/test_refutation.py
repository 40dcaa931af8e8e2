"""DRAT proofs of several solvers, replayed by plain unit propagation; and programs as checkers."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from compare.general.abilities import abilities
from models.cnf import Formula
from models.lemmas.lemma import FormulaLemma, LemmaVerdict, Prover
from models.proofs.refutation import (
    WITHOUT_PROOFS,
    Unproved,
    checker_named,
    proof_solver,
    refutation,
)
from models.solvers.sat_solver import SolverFailure
from models.solvers.solver_names import solvers
from puzzles.text import UserError
from tests.models.lemmas.brute_force import ids, lemma, lines
from tests.models.propagation import PIGEONS, refutes


@pytest.mark.parametrize("solver", solvers())
def test_the_proofs_of_all_solvers_but_those_that_say_so(solver: str) -> None:
    """Three pigeons in two holes; and clauses that units alone contradict, of which Glucose writes
    nothing down.
    """
    if solver in WITHOUT_PROOFS:
        assert not abilities(solver).proofs
        return
    for clauses in (PIGEONS, [[1], [-1, 2], [-2]]):
        formula = Formula.of(6, clauses)
        steps = refutation(formula, solver)
        assert steps is not None
        assert steps[-1] == "0"
        assert refutes(clauses, steps)
        formula.clauses = clauses[:-1]
        assert refutation(formula, solver) is None


def test_a_wrong_proof_is_told_from_a_right_one() -> None:
    assert refutes(PIGEONS, ["1 0", "0"])
    assert not refutes(PIGEONS, ["0"])
    assert not refutes(PIGEONS[1:], ["1 0", "0"])
    assert not refutes(PIGEONS, ["1 0"])


WRITES = """
import sys
from pysat.formula import CNF
from pysat.solvers import Solver

clauses = CNF(from_file=sys.argv[1]).clauses
with Solver("cadical153", bootstrap_with=clauses, with_proof=True) as solver:
    satisfiable = solver.solve()
    if satisfiable:
        print("s SATISFIABLE\\nv", *solver.get_model(), 0)
        sys.exit(10)
    with open(sys.argv[2], "wb") as out:
        out.write({body})
    print("s UNSATISFIABLE")
    sys.exit(20)
"""


def writing(folder: Path, body: str) -> str:
    """A command for a program that solves a formula and writes these bytes as its proof."""
    (folder / "program.py").write_text(WRITES.replace("{body}", body))
    return f"{sys.executable} {folder / 'program.py'} {{cnf}} {{proof}}"


def test_the_proof_of_a_program(tmp_path: Path) -> None:
    formula = Formula.of(6, PIGEONS)
    command = writing(tmp_path, '"\\n".join(map(str, solver.get_proof())).encode()')
    assert proof_solver(command) == command
    steps = refutation(formula, command)
    assert steps is not None
    assert refutes(PIGEONS, steps)
    formula.clauses = PIGEONS[:-1]
    assert refutation(formula, command) is None


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('b""', "said that there is no model and wrote no proof"),
        ('b"a\\x02\\x00"', "wrote a proof that is no DRAT text"),
    ],
)
def test_a_program_without_a_proof_is_blamed_by_name(
    body: str, message: str, tmp_path: Path
) -> None:
    formula = Formula.of(6, PIGEONS)
    command = writing(tmp_path, body)
    with pytest.raises(SolverFailure, match=message) as failure:
        refutation(formula, command)
    assert failure.value.solver == command


@pytest.mark.parametrize(
    ("solver", "message"),
    [
        ("minicard", "minicard keeps no proofs; those that do: cadical103, "),
        ("nope", "unknown solver 'nope': choose from cadical103, "),
        (
            f"{sys.executable} {{cnf}}",
            "has no place for a proof: say where the name of its file goes, as in 'cadical -q ",
        ),
    ],
)
def test_who_writes_no_proofs(solver: str, message: str) -> None:
    with pytest.raises(UserError) as refusal:
        proof_solver(solver)
    assert message in str(refusal.value)


OUTSIDE = f"{sys.executable} -m models.proofs.rup {{cnf}} {{proof}}"


@pytest.mark.parametrize("claim", [lemma("nogo-permanence"), lemma("geography-exclusive")], ids=ids)
def test_the_verdict_of_an_outside_checker_is_used(claim: FormulaLemma) -> None:
    name, check = checker_named(OUTSIDE)
    assert name == f"{Path(sys.executable).name} -m models.proofs.rup"
    assert claim.settle(3, Prover(check=check)).verdict is LemmaVerdict.PROVED
    counterexamples = claim.build(3, 3, False)
    with pytest.raises(Unproved, match="does not verify the proof: s NOT VERIFIED"):
        check(counterexamples.formula, "a formula", lines(counterexamples)[-1:])


@pytest.mark.parametrize(
    "name", ["drat-trimmed", "no-such-checker {cnf} {proof}", "rup {cnf}", "a '{cnf} {proof}"]
)
def test_a_checker_that_is_none(name: str) -> None:
    with pytest.raises(UserError, match="checker"):
        checker_named(name)
