"""The proof scripts of the beams lemmas, checked by propagation alone."""

from __future__ import annotations

import random

import pytest

from models.proofs import rup
from tests.models.lemmas.beams_brute_force import (
    CLAIMS,
    TRUE,
)


@pytest.mark.parametrize("name", TRUE)
@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_script_is_a_proof_and_search_agrees(name: str, size: int) -> None:
    counterexamples = CLAIMS[name].build(size, size, False)
    assert counterexamples.script is not None
    assert rup.check(counterexamples.formula, counterexamples.script()) > 0
    assert counterexamples.model() is None


@pytest.mark.parametrize("name", TRUE)
def test_a_script_proves_what_search_would_not(name: str) -> None:
    size = {"beams-two-literals": 4, "beams-forced": 20, "beams-greedy": 20}.get(name, 5)
    counterexamples = CLAIMS[name].build(size, size, False)
    assert counterexamples.script is not None
    assert rup.check(counterexamples.formula, counterexamples.script()) > 100


@pytest.mark.slow
@pytest.mark.parametrize("name", TRUE)
def test_a_script_reaches_the_size_of_its_lemma(name: str) -> None:
    counterexamples = CLAIMS[name].build(CLAIMS[name].size, CLAIMS[name].size, False)
    assert counterexamples.script is not None
    assert rup.check(counterexamples.formula, counterexamples.script()) > 1000


@pytest.mark.parametrize("name", TRUE)
def test_a_script_with_a_clause_missing_or_wrong_is_refused(name: str) -> None:
    counterexamples = CLAIMS[name].build(3, 3, False)
    assert counterexamples.script is not None
    script = list(counterexamples.script())
    chance, refused = random.Random(4), {"missing": 0, "shortened": 0}
    tries = 40 if len(script) < 2000 else 10
    for at in chance.sample(range(len(script) - 1), tries):
        for damage, put in (("missing", []), ("shortened", [script[at][:-1]])):
            try:
                rup.check(counterexamples.formula, script[:at] + put + script[at + 1 :])
            except rup.WrongStep:
                refused[damage] += 1
    assert refused["missing"] >= tries // 20 + 1
    assert refused["shortened"] >= tries // 3
