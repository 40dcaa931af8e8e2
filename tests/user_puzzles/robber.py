"""Robber: houses of a row are chosen, no two of them neighbours, with the greatest loot.

A case is a line `n`, then a line with the loot of each of n houses. An answer is the loot, then the
chosen houses in increasing order.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Self

from ortools.sat.python import cp_model

from models.cpsat import best_found
from puzzles.backend import backend
from puzzles.case import Case
from puzzles.case_solution import CaseSolution, CaseSolutionPuzzle
from puzzles.puzzle import Family
from puzzles.text import Reader


@dataclass(frozen=True, eq=False, repr=False)
class Houses(Case[CaseSolution]):
    puzzle: ClassVar[str] = "robber"
    loot: tuple[int, ...]

    def text(self) -> str:
        return f"{len(self.loot)}\n{' '.join(map(str, self.loot))}\n"

    @classmethod
    def read(cls, reader: Reader) -> Self:
        (count,) = reader.numbers("how many houses there are")
        return cls(reader.numbers(*[f"house {place}" for place in range(1, count + 1)]))


class RobberPuzzle(CaseSolutionPuzzle[Houses, CaseSolution]):
    name = "robber"
    case_type = Houses
    better = "greater"
    value_name = "the loot"

    def broken_rule(self, case: Houses, witness: Sequence[int], /) -> str:
        if any(one >= other for one, other in pairwise(witness)):
            return "the houses are not in increasing order"
        if not all(1 <= house <= len(case.loot) for house in witness):
            return "there is no such house"
        return "neighbours are chosen" if any(b == a + 1 for a, b in pairwise(witness)) else ""

    def value(self, case: Houses, witness: Sequence[int], /) -> int:
        return sum(case.loot[house - 1] for house in witness)

    def bound_fault(self, case: Houses, value: int, bound: Any, /) -> str:
        """A bound is a price for each house and the next one. The prices for a house are at least
        its loot, and all prices together are the value.
        """
        if not isinstance(bound, tuple) or len(bound) != len(case.loot):
            return "the bound is no price for each house and the next one"
        if not all(isinstance(price, int) and price >= 0 for price in bound):
            return "a price is no number from 0 on"
        if any(sum(two) < loot for two, loot in zip(pairwise((0, *bound)), case.loot, strict=True)):
            return "a house costs less than its loot"
        return "" if sum(bound) <= value else f"the prices add up to {sum(bound)}"

    @property
    def families(self) -> Mapping[str, Family[Houses]]:
        return {"random": Family(random_houses, "size houses", most=200)}


def random_houses(size: int, seed: int) -> Houses:
    rng = random.Random(f"{size} {seed}")
    return Houses(tuple(rng.randint(1, 2 * size) for _ in range(size)))


@backend("robber", "table", side="direct", source="dynamic programme", certifies=True)
def by_table(case: Houses, *, certify: bool = False) -> CaseSolution:
    best: list[tuple[int, tuple[int, ...]]] = [(0, ()), (0, ())]
    prices: list[int] = []
    for house, loot in enumerate(case.loot, 1):
        value, chosen = best[-2]
        best.append(max(best[-1], (value + loot, (*chosen, house))))
        prices.append(max(0, loot - (prices[-1] if prices else 0)))
    return CaseSolution.optimal(*best[-1], certificate=tuple(prices))


@backend("robber", "cpsat", side="models", source="a 0-1 programme")
def by_cpsat(case: Houses, *, certify: bool = False) -> CaseSolution:
    model, solver = cp_model.CpModel(), cp_model.CpSolver()
    houses = [model.new_bool_var("") for _ in case.loot]
    for one, other in pairwise(houses):
        model.add_bool_or(~one, ~other)
    model.maximize(cp_model.LinearExpr.weighted_sum(houses, case.loot))
    solver.parameters.num_workers = 1

    def worth(chosen: Sequence[int]) -> int:
        return sum(case.loot[house - 1] for house in chosen)

    status = solver.solve(model)
    return best_found(
        solver,
        status,
        lambda: [place for place, each in enumerate(houses, 1) if solver.boolean_value(each)],
        better="greater",
        worth=worth,
    )


PUZZLE = RobberPuzzle()
