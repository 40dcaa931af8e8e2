"""Counters, gates, choices and ranks."""

from __future__ import annotations

from itertools import product

import pytest

from models.cnf import Formula
from models.lemmas.logic import all_of, any_of, less_than, new_variables, one_hot, ranks, unary_count
from models.session import session


@pytest.mark.parametrize("most", [1, 3, 5])
def test_counters_gates_choices_and_ranks(most: int) -> None:
    formula = Formula()
    inputs = new_variables(formula, 5)
    least = unary_count(formula, inputs, most)
    conjunction, disjunction = all_of(formula, *inputs), any_of(formula, *inputs)
    with session(formula) as opened:
        for values in product((False, True), repeat=5):
            assert opened.solve([x if value else -x for x, value in zip(inputs, values, strict=True)])
            model = opened.model()
            assert [bool(model[x]) for x in least] == [sum(values) > k for k in range(min(most, 5))]
            assert (model[conjunction], not model[-disjunction]) == (all(values), any(values))
    formula = Formula()
    chosen, (lower, higher), condition = one_hot(formula, 6), ranks(formula, 2, 4), formula.new()
    less_than(formula, condition, lower, higher)
    with session(formula) as opened:
        for one, other in product(range(6), repeat=2):
            assert opened.solve([chosen[one], chosen[other]]) is (one == other)
        assert not opened.solve([-x for x in chosen])
        for a, b in product(range(5), repeat=2):
            exact = [x if k < n else -x for number, n in ((lower, a), (higher, b)) for k, x in enumerate(number)]
            assert opened.solve([condition, *exact]) is (a < b)
            assert opened.solve([-condition, *exact])
