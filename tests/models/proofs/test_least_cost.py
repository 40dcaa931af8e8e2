"""A bound that nobody certified: shown by a checked refutation, or beaten by a model."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest

import puzzles
from models.cnf import Formula
from models.proofs.least_cost import model_or_none, refute_greater, refute_less
from puzzles.answer import Beaten, BeyondCheck, Verdict
from puzzles.case_solution import CaseSolution
from tests.places import ROOT

Clauses = list[list[int]]


def is_true(clause: list[int], values: tuple[bool, ...]) -> bool:
    return any(values[abs(literal) - 1] == (literal > 0) for literal in clause)


def least_cost(variables: int, hard: Clauses, soft: list[tuple[int, list[int]]]) -> int | None:
    """By trying all assignments; None if there is no model."""
    models = (
        values
        for values in product((False, True), repeat=variables)
        if all(is_true(clause, values) for clause in hard)
    )
    costs = (sum(w for w, clause in soft if not is_true(clause, values)) for values in models)
    return min(costs, default=None)


def formula_of(variables: int, hard: Clauses, soft: list[tuple[int, list[int]]]) -> Formula:
    formula = Formula.of(variables, hard)
    for weight, clause in soft:
        formula.add_soft(weight, *clause)
    return formula


def test_the_least_cost_and_the_greatest_value_are_shown_and_no_more() -> None:
    rng, shown = random.Random(5), 0
    for _ in range(60):
        variables = rng.randint(1, 5)
        literals = [sign * v for v in range(1, variables + 1) for sign in (1, -1)]
        hard = [rng.sample(literals, min(2, len(literals))) for _ in range(rng.randint(0, 5))]
        soft = [
            (rng.randint(1, 4), rng.sample(literals, rng.randint(0, 2)))
            for _ in range(rng.randint(0, 6))
        ]
        formula, least = formula_of(variables, hard, soft), least_cost(variables, hard, soft)
        if least is None:
            assert model_or_none(formula) is None
            assert refute_less(formula, 100) == ""
            continue
        assert refute_less(formula, least) == ""
        with pytest.raises(Beaten) as beaten:
            refute_less(formula, least + 1)
        assert beaten.value.value == least
        most = sum(weight for weight, _ in soft) - least
        assert refute_greater(formula, most) == refute_greater(formula, most + 1) == ""
        with pytest.raises(Beaten) as beaten:
            refute_greater(formula, most - 1)
        assert beaten.value.value == most
        shown += 1
    assert shown > 20


def test_too_many_sums_are_beyond_the_check() -> None:
    soft = [(2**k, [k + 1]) for k in range(20)]
    with pytest.raises(BeyondCheck, match="the weights have more than 200000 sums"):
        refute_less(formula_of(20, [], soft), 2**20)


def test_a_puzzle_without_certificates_has_its_optimum_proved() -> None:
    covers: Any = puzzles.find(str(ROOT / "examples" / "weighted_cover.py"))
    (case,) = covers.parse("1\n4 4\n3 1 1 3\n1 2\n2 3\n3 4\n1 4\n", "<case>")

    class Uncertified(type(covers)):
        def candidates(self, case: Any, /) -> None:
            return None

        def bound_fault(self, case: Any, value: int, bound: Any, /) -> str:
            formula = Formula()
            taken = [formula.new() for _ in case.weights]
            for one, other in case.edges:
                formula.add(taken[one - 1], taken[other - 1])
            for weight, vertex in zip(case.weights, taken, strict=True):
                formula.add_soft(weight, -vertex)
            return refute_less(formula, value)

    def verdict(answer: CaseSolution) -> tuple[Verdict, str]:
        check = Uncertified().check(case, answer)
        return check.verdict, check.detail

    shown = "every rule holds, and no solution is better"
    assert verdict(CaseSolution.optimal(4, [1, 3])) == (Verdict.PROVED, shown)
    assert verdict(CaseSolution.optimal(6, [1, 2, 4])) == (
        Verdict.REFUTED,
        "the weight is said to be 6, and the solution's is 7",
    )
    beaten = "a solution worth 4 exists"
    assert verdict(CaseSolution.only_bound(5)) == (Verdict.REFUTED, beaten)
    assert verdict(CaseSolution.only_bound(4))[0] is Verdict.PROVED
