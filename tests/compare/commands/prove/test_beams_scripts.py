"""The proof scripts of the beams lemmas, checked by propagation alone."""

from __future__ import annotations

import random

import pytest

from models.cnf import Formula
from models.proofs import rup
from models.proofs.drat import ProofStep, additions
from tests.compare.commands.prove.beams_brute_force import CLAIMS, TRUE


def scripted(name: str, size: int) -> tuple[Formula, list[ProofStep]]:
    """The formula of a claim, and the steps of its script."""
    counterexamples = CLAIMS[name].build(size, size, False)
    assert counterexamples.script is not None
    return counterexamples.formula, list(additions(counterexamples.script()))


@pytest.mark.parametrize("name", TRUE)
@pytest.mark.parametrize("size", [1, 3])
def test_a_script_is_a_proof_and_search_agrees(name: str, size: int) -> None:
    assert rup.check_refutation(*scripted(name, size)) > 0
    assert CLAIMS[name].build(size, size, False).model() is None


LARGE = {"beams-two-literals": 4, "beams-forced": 20, "beams-greedy": 20}
"""A size that search does not reach and a script does at once, where it is not 5."""


@pytest.mark.parametrize(
    ("name", "size", "least"),
    [
        *((name, LARGE.get(name, 5), 100) for name in TRUE),
        *(pytest.param(name, CLAIMS[name].size, 1000, marks=pytest.mark.slow) for name in TRUE),
    ],
)
def test_a_script_proves_what_search_would_not(name: str, size: int, least: int) -> None:
    assert rup.check_refutation(*scripted(name, size)) > least


@pytest.mark.slow
@pytest.mark.parametrize("name", TRUE)
def test_a_script_with_a_clause_missing_or_wrong_is_refused(name: str) -> None:
    formula, script = scripted(name, 3)
    chance, refused = random.Random(4), {"missing": 0, "shortened": 0}
    tries = 40 if len(script) < 2000 else 10
    for at in chance.sample(range(len(script) - 1), tries):
        for damage, put in (
            ("missing", []),
            ("shortened", [ProofStep(False, script[at].literals[:-1])]),
        ):
            try:
                rup.check_refutation(formula, script[:at] + put + script[at + 1 :])
            except rup.WrongStep:
                refused[damage] += 1
    assert refused["missing"] >= tries // 20 + 1
    assert refused["shortened"] >= tries // 3
