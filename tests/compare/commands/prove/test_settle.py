"""Lemmas settled: what is true is proved, what is false is refuted by a smallest board, what is
vacuous or wrong is unproved.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from compare.commands.prove.lemma import (
    CounterexampleFormula,
    CountingLemma,
    ExhaustiveLemma,
    FormulaLemma,
    Lemma,
    LemmaVerdict,
    Prover,
    lemma_named,
    shapes_of_cells,
)
from models.nogo import lemmas as nogo
from tests.compare.commands.prove.brute_force import (
    OURS,
    SMALL,
    TRUE,
    Brute,
    clues,
    ids,
    lemma,
    permanences,
    settled,
    without_its_hypothesis,
)

COUNTED = [claim for claim in OURS if isinstance(claim, CountingLemma)]


@pytest.mark.parametrize(
    ("claim", "most"),
    [
        *((claim, SMALL) for claim in OURS if isinstance(claim, FormulaLemma)),
        *((claim, 9) for claim in COUNTED),
        *(pytest.param(claim, claim.size, marks=pytest.mark.slow) for claim in COUNTED),
        *((claim, claim.size) for claim in OURS if isinstance(claim, ExhaustiveLemma)),
    ],
    ids=lambda value: value.name if isinstance(value, Lemma) else str(value),
)
def test_a_claim_is_settled_as_expected(claim: Lemma, most: int) -> None:
    proof = settled(claim.name, min(claim.size, most))
    assert proof.verdict is (
        LemmaVerdict.PROVED if claim.expected_to_hold else LemmaVerdict.REFUTED
    )
    assert bool(proof.failure) is not claim.expected_to_hold
    if isinstance(claim, FormulaLemma):
        assert proof.vacuity_board is not None
        assert proof.vacuity_failure == claim.failure_on(proof.vacuity_board) != ""


@pytest.mark.slow
@pytest.mark.parametrize(
    "claim", [claim for claim in TRUE if claim.name != "geography-one-less"], ids=ids
)
def test_a_lemma_is_proved_up_to_its_size(claim: FormulaLemma) -> None:
    proof = claim.settle(claim.size, Prover())
    assert (proof.verdict, proof.extent) == (LemmaVerdict.PROVED, f"{claim.size}x{claim.size}")


def test_a_wrong_number_is_not_proved() -> None:
    pytest.importorskip("pysdd")
    claim = lemma_named("nogo-positions")
    assert isinstance(claim, CountingLemma)
    proof = replace(claim, published={(1, 1): 1, (2, 2): 56}).settle(16, Prover())
    assert (proof.verdict, proof.reason) == (
        LemmaVerdict.UNPROVED,
        "2x2: 57 models, and 56 published",
    )


def test_a_script_with_a_wrong_step_leaves_the_claim_unproved() -> None:
    def build(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
        counterexamples = nogo._permanence(rows, columns, without_hypothesis)
        return replace(counterexamples, script=lambda: [[1], *(counterexamples.script or tuple)()])

    proof = replace(lemma("nogo-permanence"), build=build).settle(2, Prover())
    assert (proof.verdict, proof.reason) == (
        LemmaVerdict.UNPROVED,
        "step 1: the clause 1 does not follow by unit propagation, nor is it RAT",
    )


def test_a_proof_of_a_solver_with_a_wrong_step_leaves_the_claim_unproved() -> None:
    proof = lemma("nogo-liberties").settle(2, Prover("maplesat"))
    assert proof.verdict is LemmaVerdict.UNPROVED
    assert proof.reason.endswith("does not follow by unit propagation, nor is it RAT")


@pytest.mark.parametrize(
    ("claim", "every", "largest"),
    [(lemma("nogo-permanence"), permanences, 4), (lemma("minesweeper-sound"), clues, 3)],
    ids=lambda value: value.name if isinstance(value, FormulaLemma) else "",
)
def test_a_false_lemma_is_refuted_by_a_minimal_board(
    claim: FormulaLemma, every: Brute, largest: int
) -> None:
    proof = without_its_hypothesis(claim).settle(3, Prover())
    assert proof.verdict is LemmaVerdict.REFUTED
    assert proof.counterexample is not None
    assert claim.failure_on(proof.counterexample) == proof.failure != ""
    smallest = len("".join(proof.counterexample.rows))
    failing = [
        shape
        for size in range(1, largest + 1)
        for shape in shapes_of_cells(size)
        if any(map(claim.failure_on, every(*shape)))
    ]
    assert failing[0][0] * failing[0][1] == smallest


def test_a_formula_that_says_nothing_and_a_board_that_is_no_failure_are_not_believed() -> None:
    claim = lemma("geography-exclusive")
    vacuous = replace(
        claim, build=lambda rows, columns, without_hypothesis: claim.build(rows, columns, False)
    )
    proof = vacuous.settle(2, Prover())
    assert (proof.verdict, proof.reason[:36]) == (
        LemmaVerdict.UNPROVED,
        "the formula says nothing of 2x2 boar",
    )
    proof = replace(claim, failure=lambda rows, **details: "").settle(2, Prover())
    assert (proof.verdict, proof.reason[:32]) == (
        LemmaVerdict.UNPROVED,
        "without the hypothesis that the ",
    )
    wrong = replace(lemma("nogo-distinct"), failure=partial(nogo._counted_failure, distinct=False))
    proof = wrong.settle(3, Prover())
    assert proof.verdict is LemmaVerdict.UNPROVED
