"""Checkers by their names, and programs as checkers."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from models.lemmas.lemma import (
    FormulaLemma,
    LemmaVerdict,
    Prover,
)
from models.proofs.checkers import Unproved, checker_named
from puzzles.text import UserError
from tests.models.lemmas.brute_force import (
    ids,
    lemma,
    lines,
)

OUTSIDE = f"{sys.executable} -m models.proofs.rup {{cnf}} {{proof}}"


@pytest.mark.parametrize("claim", [lemma("nogo-permanence"), lemma("geography-exclusive")], ids=ids)
def test_the_verdict_of_an_outside_checker_is_used(claim: FormulaLemma) -> None:
    name, check = checker_named(OUTSIDE)
    assert name == f"{Path(sys.executable).name} -m models.proofs.rup"
    assert claim.settle(3, Prover(check=check)).verdict is LemmaVerdict.PROVED
    counterexamples = claim.build(3, 3, False)
    with pytest.raises(Unproved, match="does not verify the proof: s NOT VERIFIED"):
        check(counterexamples.formula, "a formula", lines(counterexamples)[-1:])


@pytest.mark.parametrize("name", ["drat-trimmed", "no-such-checker {cnf} {proof}", "rup {cnf}", "a '{cnf} {proof}"])
def test_a_checker_that_is_none(name: str) -> None:
    with pytest.raises(UserError, match="checker"):
        checker_named(name)
