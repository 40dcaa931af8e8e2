"""The proofs of claims, searched and by script: replayed by plain propagation, and refused where a
step is wrong.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from compare.commands.prove.lemma import FormulaLemma, LemmaVerdict, Prover
from models.proofs import rup
from models.proofs.drat import ProofStep, additions
from models.proofs.refutation import Unproved, checker_named, refutation
from models.session import session
from tests.compare.commands.prove.brute_force import SCRIPTED, TRUE, ids, lemma, steps_of
from tests.models.propagation import refutes


@pytest.mark.parametrize("claim", TRUE, ids=ids)
def test_proofs_by_search_and_by_script_are_replayed_by_plain_propagation(
    claim: FormulaLemma,
) -> None:
    counterexamples = claim.build(2, 2, False)
    steps = steps_of(counterexamples)
    assert refutes(counterexamples.formula.clauses, steps)
    assert rup.check_refutation(counterexamples.formula, steps) > 1
    search = refutation(counterexamples.formula, "glucose4")
    assert search is not None
    assert refutes(counterexamples.formula.clauses, search)


@pytest.mark.parametrize("claim", SCRIPTED, ids=ids)
def test_a_wrong_step_is_refused_where_it_stands(claim: FormulaLemma) -> None:
    counterexamples = claim.build(3, 3, False)
    assert counterexamples.script is not None
    steps = list(additions(counterexamples.script()))
    with session(counterexamples.formula, "glucose4") as opened:
        variables = range(1, counterexamples.formula.variables + 1)
        wrong = next(ProofStep(False, (x,)) for x in variables if opened.consistent([-x]))
    for place in (0, 7, 20):
        with pytest.raises(rup.WrongStep) as caught:
            rup.check_refutation(counterexamples.formula, [*steps[:place], wrong, *steps[place:]])
        assert (caught.value.step, caught.value.clause) == (place + 1, wrong.literals)
    with pytest.raises(rup.WrongStep, match=r"step 1: the empty clause does not follow"):
        rup.check_refutation(counterexamples.formula, steps[-1:])
    with pytest.raises(rup.WrongStep):
        rup.check_refutation(counterexamples.formula, steps[: len(steps) // 2])


OUTSIDE = f"{sys.executable} -m models.proofs.rup {{cnf}} {{proof}}"


@pytest.mark.parametrize("claim", [lemma("nogo-permanence"), lemma("geography-exclusive")], ids=ids)
def test_the_verdict_of_an_outside_checker_is_used(claim: FormulaLemma) -> None:
    name, check = checker_named(OUTSIDE)
    assert name == f"{Path(sys.executable).name} -m models.proofs.rup"
    assert claim.settle(3, Prover(check=check)).verdict is LemmaVerdict.PROVED
    counterexamples = claim.build(3, 3, False)
    with pytest.raises(Unproved, match="does not verify the proof: step 1: the empty clause "):
        check(counterexamples.formula, "a formula", steps_of(counterexamples)[-1:])
