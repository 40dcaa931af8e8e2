"""Steps: put N numbers in an order so that the sum of all steps is the least.

A step leads from one number to the next one, and is as long as their distance. A case is a line N,
then a line with N numbers, which are at least 1. An answer is the sum, then the places of the
numbers in their order, counted from 1.

REPLACE this text by the rules of your puzzle. `python -m compare rules` prints it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations
from typing import Any, ClassVar, Self

from ortools.sat.python import cp_model

from models.cpsat import best_found, report_incumbents
from puzzles.backend import backend
from puzzles.case import Case
from puzzles.case_solution import CaseSolution, CaseSolutionPuzzle
from puzzles.puzzle import Family
from puzzles.text import Reader


@dataclass(frozen=True, eq=False, repr=False)
class Template(Case[CaseSolution]):
    """REPLACE the fields, the text, and the reader. What `text` prints, `read` takes."""

    puzzle: ClassVar[str] = "template"
    numbers: tuple[int, ...]

    def text(self) -> str:
        return f"{len(self.numbers)}\n{' '.join(map(str, self.numbers))}\n"

    @classmethod
    def read(cls, reader: Reader) -> Self:
        (count,) = reader.numbers("how many numbers there are")
        return cls(reader.numbers(*[f"number {place}" for place in range(1, count + 1)]))

    @property
    def size(self) -> int:
        """REPLACE: how large the case is. The `limit` of a solver below is of this number."""
        return len(self.numbers)


class TemplatePuzzle(CaseSolutionPuzzle[Template, CaseSolution]):
    """The rules, and cases to try. REPLACE `value_name`: what messages call the value.

    No solver may use what is here: its answers are judged by it.
    """

    name = "template"
    case_type = Template
    better = "less"
    value_name = "the sum of the steps"

    def broken_rule(self, case: Template, witness: Sequence[int], /) -> str:
        """REPLACE: the first rule that a solution breaks, in words for people; an empty text if it
        breaks none. A solution is any list of numbers, also an empty one.
        """
        places = list(range(1, len(case.numbers) + 1))
        return "" if sorted(witness) == places else "the solution is no order of all places"

    def value(self, case: Template, witness: Sequence[int], /) -> int:
        """REPLACE: what a solution is worth that breaks no rule."""
        return sum(abs(case.numbers[a - 1] - case.numbers[b - 1]) for a, b in pairwise(witness))

    def candidates(self, case: Template, /) -> Iterable[Sequence[int]]:
        """REPLACE: solutions of which one is a best one, such as all orders, or all subsets; they
        may break rules. Up to 50,000 are tried by the check, which proves that none is better. If
        there are more, an optimum is not PROVED, unless `bound_fault` checks a certificate.
        """
        return permutations(range(1, len(case.numbers) + 1))

    @property
    def families(self) -> Mapping[str, Family[Template]]:
        """REPLACE or add: cases to try."""
        return {"random": Family(random_case, "size numbers", most=1000)}


def random_case(size: int, seed: int) -> Template:
    """REPLACE: a case of this size. A size and a seed always give the same case."""
    rng = random.Random(f"{size} {seed}")
    return Template(tuple(rng.randint(1, 3 * size) for _ in range(size)))


@backend(
    "template",
    "subsets",
    side="direct",
    source="dynamic programme over subsets; Held and Karp 1962",
    limit=12,
)
def by_subsets(case: Template, *, certify: bool = False) -> CaseSolution:
    """REPLACE by your algorithm. `CaseSolution.infeasible()` says that there is no solution.

    `best[done, last]`: the best sum over the numbers of a set that ends with one of them, and the
    order that has it. A set is a number with a bit for each place.
    """
    count = len(case.numbers)
    best: dict[tuple[int, int], tuple[int, tuple[int, ...]]]
    best = {(1 << last, last): (0, (last + 1,)) for last in range(count)}
    for done in range(1, 1 << count):
        members = [place for place in range(count) if done >> place & 1]
        for last in members if len(members) > 1 else []:
            others = [
                (best[done ^ 1 << last, before], before) for before in members if before != last
            ]
            best[done, last] = min(
                (
                    total + abs(case.numbers[before] - case.numbers[last]),
                    (*order, last + 1),
                )
                for (total, order), before in others
            )
    total, order = min(best[(1 << count) - 1, last] for last in range(count))
    return CaseSolution.optimal(total, order)


@backend("template", "cpsat", side="models", source="a circuit through a place of its own", limit=9)
def by_circuit(case: Template, *, certify: bool = False) -> CaseSolution:
    """REPLACE by your model. `best_found` claims no more than CP-SAT has proved, and
    `report_incumbents` says each better solution on the way, so that a stopped run keeps the last.

    A circuit through all numbers; it begins and ends at place 0, from which each step is 0.
    """
    model, solver = cp_model.CpModel(), cp_model.CpSolver()
    numbers = (0, *case.numbers)
    steps = {
        (a, b): model.new_bool_var("")
        for a in range(len(numbers))
        for b in range(len(numbers))
        if a != b
    }
    model.add_circuit([(a, b, step) for (a, b), step in steps.items()])
    lengths = [abs(numbers[a] - numbers[b]) if a and b else 0 for a, b in steps]
    model.minimize(cp_model.LinearExpr.weighted_sum(list(steps.values()), lengths))
    solver.parameters.num_workers = 1

    def order(found: Any) -> list[int]:
        following = {a: b for (a, b), step in steps.items() if found.boolean_value(step)}
        places = [following[0]]
        while following[places[-1]]:
            places.append(following[places[-1]])
        return places

    def worth(places: Sequence[int]) -> int:
        return sum(abs(numbers[a] - numbers[b]) for a, b in pairwise(places))

    reports = report_incumbents(solver, order, better="less", worth=worth)
    status = solver.solve(model, reports)
    return best_found(solver, status, lambda: order(solver), better="less", worth=worth)


@backend(
    "template",
    "greedy",
    side="direct",
    source="always the next number with the best step",
    complete=False,
)
def by_greedy(case: Template, *, certify: bool = False) -> CaseSolution:
    """REPLACE by a heuristic, or take it out. `complete=False` and `CaseSolution.feasible` say that
    its solution may not be the best; tables show how far it is from that.
    """
    numbers, order, total = case.numbers, [0], 0
    left = set(range(1, len(numbers)))
    while left:
        step, place = min((abs(numbers[order[-1]] - numbers[each]), each) for each in left)
        order.append(place)
        left.remove(place)
        total += step
    return CaseSolution.feasible(total, (place + 1 for place in order))


PUZZLE = TemplatePuzzle()
