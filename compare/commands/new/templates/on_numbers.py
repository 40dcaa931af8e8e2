"""Subset sum: choose some of N numbers that add up to a total.

A case is a line `TOTAL N`, then a line with N numbers, which are at least 1. A solution is the
places of the numbers, counted from 1.

REPLACE this text by the rules of your puzzle. `python -m compare rules` prints it.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from ortools.sat.python import cp_model

from puzzles.answer import BeyondCheck
from puzzles.backend import backend
from puzzles.case import Case
from puzzles.case_solution import CaseSolution, CaseSolutionPuzzle
from puzzles.puzzle import Family
from puzzles.text import Reader

MAX_NUMBERS = 16
"""The check goes through all choices of this many numbers, and proves no IMPOSSIBLE of more."""


@dataclass(frozen=True, eq=False, repr=False)
class Template(Case[CaseSolution]):
    """REPLACE the fields, the text, and the reader. What `text` prints, `read` takes."""

    puzzle: ClassVar[str] = "template"
    total: int
    numbers: tuple[int, ...]

    def text(self) -> str:
        return f"{self.total} {len(self.numbers)}\n{' '.join(map(str, self.numbers))}\n"

    @classmethod
    def read(cls, reader: Reader) -> Self:
        total, count = reader.numbers("the total", "how many numbers there are", least=(0, 1))
        return cls(total, reader.numbers(*[f"number {place}" for place in range(1, count + 1)]))


class TemplatePuzzle(CaseSolutionPuzzle[Template, CaseSolution]):
    """The rules, and cases to try.

    No solver may use what is here: its answers are judged by it.
    """

    name = "template"
    case_type = Template

    def broken_rule(self, case: Template, witness: Sequence[int], /) -> str:
        """REPLACE: the first rule that a solution breaks, in words for people; an empty text if it
        breaks none.
        """
        if len({*witness}) < len(witness) or not all(
            1 <= place <= len(case.numbers) for place in witness
        ):
            return "the solution is no set of places"
        added = sum(case.numbers[place - 1] for place in witness)
        return "" if added == case.total else f"the numbers add up to {added}, not {case.total}"

    def core_fault(self, case: Template, core: Any, /) -> str:
        """REPLACE: why a core does not prove that there is no solution; an empty text if it does. A
        core may be any value.

        No short proof is known here. So the check tries all choices itself, where they are few, and
        needs no core.
        """
        if len(case.numbers) > MAX_NUMBERS:
            raise BeyondCheck(f"more than {MAX_NUMBERS} numbers have too many choices")
        sums = [0]
        for number in case.numbers:
            sums += [each + number for each in sums]
        return "some numbers add up to the total" if case.total in sums else ""

    @property
    def families(self) -> Mapping[str, Family[Template]]:
        """REPLACE or add: cases to try."""
        return {
            "random": Family(
                random_case, "up to size numbers, and a total that some of them may have", most=2000
            )
        }


def random_case(size: int, seed: int) -> Template:
    """REPLACE: a case of this size. A size and a seed always give the same case."""
    rng = random.Random(f"{size} {seed}")
    numbers = [rng.randint(1, 3 * size) for _ in range(rng.randint(1, size))]
    return Template(rng.randint(0, sum(numbers)), tuple(numbers))


@backend(
    "template", "sums", side="direct", source="dynamic programme; Bellman 1957", certifies=True
)
def by_sums(case: Template, *, certify: bool = False) -> CaseSolution:
    """REPLACE by your algorithm.

    `reached[k]` has bit s set if some of the first k numbers add up to s.
    """
    reached = [1]
    for number in case.numbers:
        reached.append(reached[-1] | reached[-1] << number)
    left = case.total
    if not reached[-1] >> left & 1:
        return CaseSolution(False, certificate=())
    places: list[int] = []
    for place in range(len(case.numbers), 0, -1):
        if not reached[place - 1] >> left & 1:
            places.append(place)
            left -= case.numbers[place - 1]
    return CaseSolution(True, tuple(reversed(places)))


@backend("template", "cpsat", side="models", source="a 0-1 equation", certifies=True, limit=500)
def by_cpsat(case: Template, *, certify: bool = False) -> CaseSolution:
    """REPLACE by your model. A variable for each number: whether it is chosen."""
    model, solver = cp_model.CpModel(), cp_model.CpSolver()
    chosen = [model.new_bool_var("") for _ in case.numbers]
    model.add(cp_model.LinearExpr.weighted_sum(chosen, list(case.numbers)) == case.total)
    solver.parameters.num_workers = 1
    if solver.solve(model) == cp_model.INFEASIBLE:
        return CaseSolution(False, certificate=())
    return CaseSolution(
        True, tuple(place for place, each in enumerate(chosen, 1) if solver.boolean_value(each))
    )


PUZZLE = TemplatePuzzle()
