"""Counters, gates, choices and ranks."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from compare.commands.prove.symbolic import SymbolicBoard
from models.session import session


@pytest.mark.parametrize("most", [1, 3, 5])
def test_counters_gates_choices_and_ranks(most: int) -> None:
    board = SymbolicBoard(1, 6)
    inputs = board.new(5)
    least, every, some = (
        board.unary_count(inputs, most),
        board.all_of(*inputs),
        board.any_of(*inputs),
    )
    chosen, condition, (own, joint) = board.choose("{} is chosen"), board.new(1), board.new(2)
    lower, higher = board.ranks(2, 4)
    board.less_than(condition, lower[None], higher[None])
    board.equal(own[None], joint[None])
    with session(board.formula) as opened:
        for values in product((False, True), repeat=5):
            assert opened.solve(np.where(values, inputs, -inputs).tolist())
            model = opened.model()
            assert model[least].tolist() == [sum(values) > k for k in range(min(most, 5))]
            assert model[every[0]] == all(values)
            assert model[-some[0]] != any(values)
            assert model[own] == model[joint]
        for first, second in product(range(6), repeat=2):
            assert opened.solve(chosen[[first, second]].tolist()) is (first == second)
        assert not opened.solve((-chosen).tolist())
        for a, b in product(range(5), repeat=2):
            exact = [
                *np.where(np.arange(4) < a, lower, -lower).tolist(),
                *np.where(np.arange(4) < b, higher, -higher).tolist(),
            ]
            assert opened.solve([int(condition[0]), *exact]) is (a < b)
            assert opened.solve([-int(condition[0]), *exact])
