"""DRAT proofs of several solvers, replayed by plain unit propagation; and programs as checkers."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from compare.engine.work.abilities import abilities
from models.cnf import Formula
from models.proofs.drat import OtherFormat
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
        assert str(steps[-1]) == "0"
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
        (
            'b"1 0\\n2 x 0\\n"',
            "wrote a proof that is no DRAT: line 2, column 3: expected a literal, 0 or d; found ",
        ),
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
    ("body", "said"),
    [
        ('b"a\\x02\\x00"', "is binary: "),
        ('b"99 1 0 1 2 0\\n99 d 1 0\\n100 0 99 0\\n"', "is LRAT, not DRAT: "),
        ('b"o 1 1 2 0\\n"', "is FRAT, not DRAT: "),
        ('b"pseudo-Boolean proof version 2.0\\n"', "is VeriPB, not DRAT: "),
    ],
)
def test_a_program_that_writes_another_format_is_not_blamed(
    body: str, said: str, tmp_path: Path
) -> None:
    command = writing(tmp_path, body)
    with pytest.raises(OtherFormat) as other:
        refutation(Formula.of(6, PIGEONS), command)
    assert not isinstance(other.value, SolverFailure)
    assert str(other.value).startswith(
        f"the proof of the solver {command!r} {said}let the solver write DRAT as text (cadical: "
    )


CADICAL = pytest.mark.skipif(shutil.which("cadical") is None, reason="cadical is not installed")


@CADICAL
def test_the_proofs_of_the_program_cadical() -> None:
    formula = Formula.of(6, PIGEONS)
    steps = refutation(formula, "cadical -q --no-binary {cnf} {proof}")
    assert steps is not None
    assert refutes(PIGEONS, steps)
    with pytest.raises(OtherFormat, match="is binary: let the solver write DRAT as text"):
        refutation(formula, "cadical -q {cnf} {proof}")
    helped = subprocess.run(["cadical", "--help"], capture_output=True, text=True, check=False)
    for option, format in (("--lrat", "LRAT"), ("--frat", "FRAT"), ("--veripb", "VeriPB")):
        if f" {option}" in helped.stdout:
            with pytest.raises(OtherFormat, match=f"is {format}, not DRAT: "):
                refutation(formula, f"cadical -q {option} --no-binary {{cnf}} {{proof}}")


@pytest.mark.parametrize(
    ("printed", "reason"),
    [
        ("c parsing\nc conflict claimed, but not detected\n\ns NOT VERIFIED\nc time: 0.1 s\n", 1),
        ("c parsing\n\rc failed at proof line 3\n\rs NOT VERIFIED\n\rc time: 0.1 s\n", 1),
        ("no such option\n", 0),
        ("s NOT VERIFIED\nc time\n", 0),
        ("", None),
    ],
)
def test_the_reason_of_another_checker_is_said(
    printed: str, reason: int | None, tmp_path: Path
) -> None:
    """As drat-trim prints it: the reason, then the verdict, then the time."""
    (tmp_path / "printed.txt").write_text(printed)
    (tmp_path / "checks.sh").write_text(f"cat {tmp_path}/printed.txt; exit 1\n")
    _, check = checker_named(f"sh {tmp_path}/checks.sh {{cnf}} {{proof}}")
    with pytest.raises(Unproved) as refused:
        check(Formula.of(6, PIGEONS), "", [])
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    said = "exit status 1" if reason is None else lines[reason].removeprefix("c ")
    assert str(refused.value) == f"sh does not verify the proof: {said}"


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


@pytest.mark.parametrize(
    "name", ["drat-trimmed", "no-such-checker {cnf} {proof}", "rup {cnf}", "a '{cnf} {proof}"]
)
def test_a_checker_that_is_none(name: str) -> None:
    with pytest.raises(UserError, match="checker"):
        checker_named(name)
