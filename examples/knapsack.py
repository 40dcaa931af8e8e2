"""The knapsack problem: `python -m compare run examples/knapsack.py`

A case is a line `C N`, the capacity and the number of items, then N lines `weight value`. The
answer is the largest value of items that weigh C at most together, and those items, counted from 1.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from ortools.sat.python import cp_model

from puzzles.answer import Beaten, BeyondCheck
from puzzles.backend import backend
from puzzles.case import Case
from puzzles.case_solution import CaseSolution, CaseSolutionPuzzle
from puzzles.puzzle import Family
from puzzles.text import Reader

MAX_PAIRS = 50_000
"""Pairs of a weight and a value that the check keeps; beyond them it proves nothing."""


@dataclass(frozen=True, eq=False, repr=False)
class Knapsack(Case):
    """The capacity, and the items as (weight, value)."""

    puzzle: ClassVar[str] = "knapsack"
    capacity: int
    items: tuple[tuple[int, int], ...]

    def text(self) -> str:
        return f"{self.capacity} {len(self.items)}\n" + "".join(
            f"{weight} {value}\n" for weight, value in self.items
        )

    @classmethod
    def read(cls, reader: Reader) -> Self:
        capacity, number = reader.numbers("the capacity", "the number of items", least=0)
        items = [reader.numbers("the weight", "the value", least=(1, 0)) for _ in range(number)]
        return cls(capacity, tuple((weight, value) for weight, value in items))


class KnapsackPuzzle(CaseSolutionPuzzle[Knapsack, CaseSolution]):
    """The rules, and cases to try.

    Nothing here may be used by a backend: then agreement would prove nothing.
    """

    name = "knapsack"
    case_type = Knapsack
    better = "greater"
    value_name = "the value"

    def broken_rule(self, case: Knapsack, witness: Sequence[int], /) -> str:
        """The items are there, each once, and not too heavy."""
        if len({*witness}) < len(witness) or not all(
            1 <= item <= len(case.items) for item in witness
        ):
            return "the solution is no set of items"
        weight = sum(case.items[item - 1][0] for item in witness)
        return (
            f"the items weigh {weight}, more than {case.capacity}" if weight > case.capacity else ""
        )

    def value(self, case: Knapsack, witness: Sequence[int], /) -> int:
        return sum(case.items[item - 1][1] for item in witness)

    def bound_fault(self, case: Knapsack, value: int, bound: Any, /) -> str:
        """No short proof of the best value is known.

        So this lists what can be packed, without what is heavier and no better.
        """
        packed = {0: 0}
        for weight, worth in case.items:
            both = packed | {
                w + weight: v + worth
                for w, v in packed.items()
                if packed.get(w + weight, -1) < v + worth
            }
            packed, best = {}, -1
            for w, v in sorted(both.items()):
                if w <= case.capacity and v > best:
                    packed[w], best = v, v
            if len(packed) > MAX_PAIRS:
                raise BeyondCheck(
                    f"there are more than {MAX_PAIRS} ways to pack that are not worse than another"
                )
        most = max(packed.values())
        if most > value:
            raise Beaten(most)
        return ""

    @property
    def families(self) -> Mapping[str, Family[Knapsack]]:
        return {
            "random": Family(random_knapsack, "up to size items of any weight"),
            "alike": Family(
                alike,
                "up to size items, each worth its weight and a little more; half of them fit",
                most=500,
            ),
        }


def random_knapsack(size: int, seed: int) -> Knapsack:
    """A size and a seed always give the same case."""
    rng = random.Random(f"{size} {seed}")
    items = [
        (rng.randint(1, size + 2), rng.randint(0, size + 2)) for _ in range(rng.randint(0, size))
    ]
    return Knapsack(rng.randint(0, 1 + sum(weight for weight, _ in items)), tuple(items))


def alike(size: int, seed: int) -> Knapsack:
    """A size and a seed always give the same case."""
    rng = random.Random(f"alike {size} {seed}")
    weights = [rng.randint(1, size + 2) for _ in range(size)]
    return Knapsack(
        sum(weights) // 2, tuple((weight, weight + rng.randint(0, 2)) for weight in weights)
    )


@backend(
    "knapsack",
    "by-weight",
    side="direct",
    source="dynamic programme over weights; Bellman 1957",
    certifies=True,
)
def by_weight(case: Knapsack, *, certify: bool = False) -> CaseSolution:
    """`best[w]`: the largest value that weighs at most w; `taken[i, w]`: whether item i is in it,
    among the items up to i.
    """
    capacity = min(case.capacity, sum(weight for weight, _ in case.items))
    best = np.zeros(capacity + 1, np.int64)
    taken = np.zeros((len(case.items), capacity + 1), bool)
    for i, (weight, value) in enumerate(case.items):
        if weight <= capacity:
            with_it = best[: capacity + 1 - weight] + value
            taken[i, weight:] = with_it > best[weight:]
            best[weight:] = np.maximum(best[weight:], with_it)
    room, items = capacity, list[int]()
    for i in reversed(range(len(case.items))):
        if taken[i, room]:
            items.append(i + 1)
            room -= case.items[i][0]
    return CaseSolution(True, tuple(reversed(items)), int(best[capacity]))


@backend("knapsack", "cpsat", side="models", source="a 0-1 programme", certifies=True, limit=500)
def by_cpsat(case: Knapsack, *, certify: bool = False) -> CaseSolution:
    """A variable for each item: whether it is packed."""
    model, solver = cp_model.CpModel(), cp_model.CpSolver()
    packed = [model.new_bool_var("") for _ in case.items]
    model.add(
        cp_model.LinearExpr.weighted_sum(packed, [weight for weight, _ in case.items])
        <= case.capacity
    )
    model.maximize(cp_model.LinearExpr.weighted_sum(packed, [value for _, value in case.items]))
    solver.parameters.num_workers = 1
    if solver.solve(model) != cp_model.OPTIMAL:
        raise RuntimeError("CP-SAT found no optimum")
    items = tuple(k for k, each in enumerate(packed, 1) if solver.boolean_value(each))
    return CaseSolution(True, items, round(solver.objective_value))


PUZZLE = KnapsackPuzzle()
