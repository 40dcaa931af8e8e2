"""The solver that the checks refute with, against all assignments."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

from puzzles.cardinality import Cardinality, LimitReached, clause, find_solution, irreducible


def test_cardinality_constraints_against_all_assignments() -> None:
    rng = np.random.default_rng(3)
    verdicts = set()
    for _ in range(2000):
        variables = int(rng.integers(1, 6))
        constraints = []
        for _ in range(int(rng.integers(1, 6))):
            literals = rng.integers(1, variables + 1, int(rng.integers(1, 5))) * rng.choice([-1, 1])
            low = int(rng.integers(0, 4))
            constraints.append(Cardinality(tuple(literals.tolist()), low, low + int(rng.integers(0, 2))))
        solution = find_solution(constraints)
        possible = any(
            all(low <= sum(values[abs(x) - 1] == (x > 0) for x in literals) <= high for literals, low, high in constraints)
            for values in product([False, True], repeat=variables)
        )
        assert (solution is not None) == possible
        if solution is not None:
            assert all(low <= sum(solution[abs(x)] == (x > 0) for x in xs) <= high for xs, low, high in constraints)
        verdicts.add(possible)
    assert verdicts == {False, True}


def test_an_empty_clause_and_an_empty_formula() -> None:
    assert find_solution([clause()]) is None
    assert find_solution([]) == {}


def test_the_limit_is_no_verdict() -> None:
    holes = 7
    pigeons = [clause(*(p * holes + h + 1 for h in range(holes))) for p in range(holes + 1)]
    alone = [Cardinality(tuple(p * holes + h + 1 for p in range(holes + 1)), 0, 1) for h in range(holes)]
    with pytest.raises(LimitReached):
        find_solution(pigeons + alone, most_branches=50)


def test_an_irreducible_part_is_found_in_few_calls() -> None:
    calls: list[int] = []

    def refutes(parts: Sequence[int]) -> bool:
        calls.append(len(parts))
        return {3, 70, 71} <= set(parts)

    assert irreducible(range(100), refutes) == [3, 70, 71]
    assert len(calls) <= 2 * 3 * 7


def test_an_irreducible_part_is_given_up_when_its_time_is_over() -> None:
    assert irreducible(range(100), lambda parts: True, seconds=-1) == list(range(100))
