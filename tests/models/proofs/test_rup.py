"""Our checker of proofs: it accepts proofs that follow, and refuses wrong steps where they
stand.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from models.cnf import Formula
from models.lemmas.lemma import (
    FormulaLemma,
)
from models.proofs import rup
from models.proofs.refutation import refutation
from models.session import session
from tests.models.lemmas.brute_force import (
    SCRIPTED,
    TRUE,
    ids,
    lines,
)
from tests.models.propagation import refutes
from tests.processes import run_module, start_module


@pytest.mark.parametrize("claim", TRUE, ids=ids)
def test_proofs_by_search_and_by_script_are_replayed_by_plain_propagation(
    claim: FormulaLemma,
) -> None:
    counterexamples = claim.build(2, 2, False)
    steps = lines(counterexamples)
    assert refutes(counterexamples.formula.clauses, steps)
    assert rup.check(counterexamples.formula, rup.steps(steps)) > 1
    search = refutation(counterexamples.formula, "glucose4")
    assert search is not None
    assert refutes(counterexamples.formula.clauses, search)


@pytest.mark.parametrize("claim", SCRIPTED, ids=ids)
def test_a_wrong_step_is_refused_where_it_stands(claim: FormulaLemma) -> None:
    counterexamples = claim.build(3, 3, False)
    assert counterexamples.script is not None
    steps = [list(clause) for clause in counterexamples.script()]
    with session(counterexamples.formula, "glucose4") as opened:
        variables = range(1, counterexamples.formula.variables + 1)
        wrong = next([x] for x in variables if opened.consistent([-x]))
    for place in (0, 7, 20):
        with pytest.raises(rup.WrongStep) as caught:
            rup.check(counterexamples.formula, [*steps[:place], wrong, *steps[place:]])
        assert (caught.value.step, caught.value.clause) == (place + 1, tuple(wrong))
    with pytest.raises(rup.WrongStep, match=r"step 1: the empty clause does not follow"):
        rup.check(counterexamples.formula, steps[-1:])
    with pytest.raises(rup.WrongStep):
        rup.check(counterexamples.formula, steps[: len(steps) // 2])


def test_a_step_that_keeps_satisfiability_but_does_not_follow_is_refused() -> None:
    """A unit clause over a new variable may be added to any formula (RAT), and follows from
    none.
    """
    formula = Formula.of(3, [[1, 2], [-1, 2], [1, -2], [-1, -2]])
    assert rup.check(formula, [[2], []]) == 2
    with pytest.raises(rup.WrongStep, match="step 1: the clause 3 does not follow"):
        rup.check(formula, [[3], [2], []])


@pytest.mark.parametrize(
    ("cnf", "proof", "status", "message"),
    [
        ("p cnf 1 2\n1 0\n-1 0\n", "0\n", 0, "s VERIFIED"),
        ("c free\np cnf 2 3\n1 2 0\n-1 2 0\n-2 0\n", "2 0\nd 1 2 0\n0\n", 0, "s VERIFIED"),
        ("p cnf 2 1\n1 2 0\n", "1 0\n0\n", 1, "s NOT VERIFIED"),
        ("p cnf 9999999999 1\n1 0\n", "0\n", 2, "formula.cnf:1:7: more than 67108864 variables"),
        (
            "p cnf 2 4\n1 2 0 -1 2 0\n1\n-2 0 -1 -2 0\n",
            "2 0 d 1 2 0 0\n",
            0,
            "c 2 steps\ns VERIFIED",
        ),
        (
            "p cnf 2 1\n1 2 0\n",
            "2 2000000000 0\n",
            2,
            "proof.drat:1:3: literal 2000000000 is beyond the formula's 2 variables",
        ),
        (
            "p cnf 2 1\n1 2 0\n",
            "1 0\n",
            1,
            "step 1: the clause 1 does not follow by unit propagation; it may be a RAT step",
        ),
        (
            "p cnf 2 1\n1 2 0\n",
            "",
            1,
            "step 1: the empty clause does not follow by unit propagation\ns NOT",
        ),
    ],
)
def test_the_checker_as_a_program(
    cnf: str,
    proof: str,
    status: int,
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "formula.cnf").write_text(cnf)
    (tmp_path / "proof.drat").write_text(proof)
    assert rup.main([str(tmp_path / "formula.cnf"), str(tmp_path / "proof.drat")]) == status
    captured = capsys.readouterr()
    assert message in (captured.err if status == 2 else captured.out)


def test_the_checker_interrupted_or_without_room_for_what_it_says(tmp_path: Path) -> None:
    cnf, drat = tmp_path / "formula.cnf", tmp_path / "proof.drat"
    cnf.write_text("p cnf 1 2\n1 0\n-1 0\n")
    os.mkfifo(drat)
    # the proof can be opened as soon as the checker waits for it
    with start_module("models.proofs.rup", str(cnf), str(drat)) as started, drat.open("w"):
        started.send_signal(signal.SIGINT)
        assert started.communicate(timeout=60) == ("", "interrupted\n")
    assert started.returncode == 130
    drat.unlink()
    drat.write_text("0\n")
    if Path("/dev/full").exists():
        with Path("/dev/full").open("w") as full:
            ended = run_module("models.proofs.rup", str(cnf), str(drat), stdout=full)
        assert (ended.returncode, ended.stderr) == (2, "standard output: No space left on device\n")
