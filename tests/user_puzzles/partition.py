"""Parting numbers into two groups of equal sums: a case is a line `n`, then a line of n numbers.

An answer is POSSIBLE and the places of one group, or IMPOSSIBLE.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar, Self

from ortools.sat.python import cp_model

from puzzles.backend import backend
from puzzles.case import Case
from puzzles.case_solution import CaseSolution, CaseSolutionPuzzle
from puzzles.puzzle import Family
from puzzles.text import Reader


@dataclass(frozen=True, eq=False, repr=False)
class Numbers(Case):
    puzzle: ClassVar[str] = "partition"
    numbers: tuple[int, ...]

    def text(self) -> str:
        return f"{len(self.numbers)}\n{' '.join(map(str, self.numbers))}\n"

    @classmethod
    def read(cls, reader: Reader) -> Self:
        (count,) = reader.numbers("how many numbers there are")
        start = reader.position
        numbers = reader.list_of_numbers("the first number", rest="a number")
        if len(numbers) != count:
            reader.fail(f"expected {count} numbers; found {len(numbers)}", start)
        return cls(tuple(numbers))


class PartitionPuzzle(CaseSolutionPuzzle[Numbers, CaseSolution]):
    name = "partition"
    case_type = Numbers

    def broken_rule(self, case: Numbers, witness: Sequence[int], /) -> str:
        if not all(1 <= place <= len(case.numbers) for place in witness):
            return "it names a place that is not there"
        if len({*witness}) < len(witness):
            return "it names a place twice"
        chosen = sum(case.numbers[place - 1] for place in witness)
        return "" if 2 * chosen == sum(case.numbers) else "the sums differ"

    def core_fault(self, case: Numbers, core: Any, /) -> str:
        half = sum(case.numbers) / 2
        groups = (
            group
            for size in range(len(case.numbers) + 1)
            for group in combinations(case.numbers, size)
        )
        return "there is such a group" if any(sum(group) == half for group in groups) else ""

    @property
    def families(self) -> Mapping[str, Family[Numbers]]:
        return {"random": Family(random_numbers, "size numbers from 1 to 9", most=12)}


def random_numbers(size: int, seed: int) -> Numbers:
    rng = random.Random(f"{size} {seed}")
    return Numbers(tuple(rng.randint(1, 9) for _ in range(size)))


@backend("partition", "sums", side="direct", source="a table of sums", certifies=True)
def by_sums(case: Numbers, *, certify: bool = False) -> CaseSolution:
    groups: dict[int, tuple[int, ...]] = {0: ()}
    for place, number in enumerate(case.numbers, 1):
        groups = {total + number: (*group, place) for total, group in groups.items()} | groups
    half, odd = divmod(sum(case.numbers), 2)
    if odd or half not in groups:
        return CaseSolution(False, certificate=())
    return CaseSolution(True, groups[half])


@backend("partition", "cpsat", side="models", source="a 0-1 programme", certifies=True)
def by_cpsat(case: Numbers, *, certify: bool = False) -> CaseSolution:
    model = cp_model.CpModel()
    chosen = [model.new_bool_var("") for _ in case.numbers]
    model.add(
        2 * sum(number * each for number, each in zip(case.numbers, chosen, strict=True))
        == sum(case.numbers)
    )
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    if solver.solve(model) != cp_model.OPTIMAL:
        return CaseSolution(False, certificate=())
    return CaseSolution(
        True, tuple(place for place, each in enumerate(chosen, 1) if solver.boolean_value(each))
    )


PUZZLE = PartitionPuzzle()
