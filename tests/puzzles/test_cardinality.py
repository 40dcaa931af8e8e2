"""The search that the checks refute with, against all assignments."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from puzzles.answer import BeyondCheck
from puzzles.cardinality import Cardinality, find_solution, irreducible


def fixed(true: int, false: int) -> list[Cardinality]:
    """These variables are true, and those are false."""
    return [Cardinality(true, true.bit_count(), true.bit_count()), Cardinality(false, 0, 0)]


def test_limits_on_sums_against_all_assignments() -> None:
    rng = Random(4)
    verdicts: list[bool] = []
    for _ in range(3000):
        variables = rng.randint(1, 7)
        constraints: list[Cardinality] = []
        for _ in range(rng.randint(1, 5)):
            low = rng.randint(0, 3)
            constraints.append(
                Cardinality(rng.getrandbits(variables), low, low + rng.randint(0, 2))
            )
        false = rng.getrandbits(variables) & rng.getrandbits(variables) & rng.getrandbits(variables)
        true = rng.getrandbits(variables) & rng.getrandbits(variables) & ~false
        fitting = [
            assignment
            for assignment in range(1 << variables)
            if assignment & true == true
            and not assignment & false
            and all(
                low <= (assignment & some).bit_count() <= high for some, low, high in constraints
            )
        ]
        solution = find_solution([*constraints, *fixed(true, false)])
        assert solution in fitting or (solution is None and not fitting)
        verdicts.append(bool(fitting))
    assert verdicts.count(True) > 200
    assert verdicts.count(False) > 200


def test_no_constraints_and_one_of_no_variables() -> None:
    assert find_solution([]) == 0
    assert find_solution([Cardinality(0, 0, 0), *fixed(1, 2)]) == 1
    assert find_solution([Cardinality(0, 1, 1)]) is None
    assert find_solution([Cardinality(0, 1, 1), *fixed(1, 2)]) is None
    assert find_solution([Cardinality(3, -1, -1)]) is None


def test_the_limit_is_no_verdict() -> None:
    """Each two of five variables hold one that is true: no two of three can differ all from one
    another.
    """
    pairs = [Cardinality(1 << a | 1 << b, 1, 1) for a in range(5) for b in range(a)]
    assert find_solution(pairs, max_branches=1) is None
    with pytest.raises(BeyondCheck, match="no refutation within 0 branches"):
        find_solution(pairs, max_branches=0)


def test_the_limit_is_reached_by_pigeons() -> None:
    holes = 7
    pigeons = [Cardinality((1 << holes) - 1 << p * holes, 1, holes) for p in range(holes + 1)]
    alone = [
        Cardinality(sum(1 << p * holes + h for p in range(holes + 1)), 0, 1) for h in range(holes)
    ]
    with pytest.raises(BeyondCheck):
        find_solution(pigeons + alone, max_branches=50)


def test_an_irreducible_part_is_found_in_few_calls() -> None:
    calls: list[int] = []

    def refutes(parts: Sequence[int]) -> bool:
        calls.append(len(parts))
        return {3, 70, 71} <= set(parts)

    assert irreducible(range(100), refutes) == [3, 70, 71]
    assert len(calls) <= 2 * 3 * 7


def test_an_irreducible_part_is_given_up_when_its_time_is_over() -> None:
    assert irreducible(range(100), lambda parts: True, seconds=-1) == list(range(100))
