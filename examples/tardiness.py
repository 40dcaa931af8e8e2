"""Total tardiness on one machine: `python -m compare run examples/tardiness.py`

A case is a line `N`, the number of jobs, then N lines `time due`: how long a job takes, and when it
is due. The machine does one job after the other. A job that ends at time E is late by
max(0, E - due). The answer is the least sum of all that jobs are late, and an order of the jobs,
counted from 1, that has it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, permutations
from typing import Any, ClassVar, Self

from ortools.sat.python import cp_model

from models.cpsat import CpSatEncoding, best_found, report_incumbents
from puzzles.backend import backend
from puzzles.case import Case
from puzzles.case_solution import CaseSolution, CaseSolutionPuzzle
from puzzles.puzzle import Family
from puzzles.text import Reader


@dataclass(frozen=True, eq=False, repr=False)
class Jobs(Case[CaseSolution]):
    """The jobs as (time, due)."""

    puzzle: ClassVar[str] = "tardiness"
    jobs: tuple[tuple[int, int], ...]

    def text(self) -> str:
        return f"{len(self.jobs)}\n" + "".join(f"{time} {due}\n" for time, due in self.jobs)

    @classmethod
    def read(cls, reader: Reader) -> Self:
        (number,) = reader.numbers("the number of jobs")
        jobs = [
            reader.numbers("how long it takes", "when it is due", least=(1, 0))
            for _ in range(number)
        ]
        return cls(tuple((time, due) for time, due in jobs))

    @property
    def size(self) -> int:
        return len(self.jobs)


class TardinessPuzzle(CaseSolutionPuzzle[Jobs, CaseSolution]):
    """The rules, and cases to try.

    Nobody writes a short proof that no order is better. So the check tries all orders where they
    are few, and says where they are too many.
    """

    name = "tardiness"
    case_type = Jobs
    better = "less"
    value_name = "the total tardiness"

    def broken_rule(self, case: Jobs, witness: Sequence[int], /) -> str:
        """Each job stands once in the order."""
        jobs = [*range(1, len(case.jobs) + 1)]
        return "" if sorted(witness) == jobs else "the solution is no order of all jobs"

    def value(self, case: Jobs, witness: Sequence[int], /) -> int:
        end = late = 0
        for job in witness:
            time, due = case.jobs[job - 1]
            end += time
            late += max(0, end - due)
        return late

    def candidates(self, case: Jobs, /) -> Iterable[Sequence[int]]:
        return permutations(range(1, len(case.jobs) + 1))

    @property
    def families(self) -> Mapping[str, Family[Jobs]]:
        sizes = ((2, 1), (4, 1), (6, 2), (7, 3))
        return {
            "random": Family(random_jobs, "size jobs, due at any time", sizes, most=40),
            "early": Family(early_jobs, "size jobs, all due in the first half", sizes, most=40),
        }


def random_jobs(size: int, seed: int) -> Jobs:
    """A size and a seed always give the same case."""
    rng = random.Random(f"{size} {seed}")
    times = [rng.randint(1, 20) for _ in range(size)]
    return Jobs(tuple((time, rng.randint(0, sum(times))) for time in times))


def early_jobs(size: int, seed: int) -> Jobs:
    """A size and a seed always give the same case."""
    rng = random.Random(f"early {size} {seed}")
    times = [rng.randint(1, 100) for _ in range(size)]
    return Jobs(tuple((time, rng.randint(time, time + sum(times) // 2)) for time in times))


@backend(
    "tardiness",
    "subsets",
    side="direct",
    source="dynamic programme over subsets; Held and Karp 1962",
    limit=16,
)
def subsets(case: Jobs, *, certify: bool = False) -> CaseSolution:
    """`late[done]`: the least sum if the jobs of this set are done first; `last[done]`: which of
    them is the last one then. A set is a number with a bit for each job.
    """
    everything = (1 << len(case.jobs)) - 1
    late, last, end = [0] * (everything + 1), [0] * (everything + 1), [0] * (everything + 1)
    for done in range(1, everything + 1):
        lowest = done & -done
        end[done] = end[done ^ lowest] + case.jobs[lowest.bit_length() - 1][0]
        late[done], last[done] = min(
            (late[done ^ 1 << job] + max(0, end[done] - due), job)
            for job, (_, due) in enumerate(case.jobs)
            if done >> job & 1
        )
    order: list[int] = []
    done = everything
    while done:
        order.append(last[done] + 1)
        done ^= 1 << last[done]
    return CaseSolution.optimal(late[everything], reversed(order))


def encode(case: Jobs) -> CpSatEncoding:
    """An interval for each job, of which no two overlap, and a variable for how late it is. The
    names are those of the ends.
    """
    model = cp_model.CpModel()
    horizon = sum(time for time, _ in case.jobs)
    ends: list[cp_model.IntVar] = []
    late: list[cp_model.IntVar] = []
    intervals: list[cp_model.IntervalVar] = []
    for time, due in case.jobs:
        start = model.new_int_var(0, horizon - time, "")
        ends.append(model.new_int_var(time, horizon, ""))
        late.append(model.new_int_var(0, horizon, ""))
        intervals.append(model.new_interval_var(start, time, ends[-1], ""))
        model.add(late[-1] >= ends[-1] - due)
    model.add_no_overlap(intervals)
    model.minimize(cp_model.LinearExpr.sum(late))
    return CpSatEncoding(model, [(end, f"job {job} ends at") for job, end in enumerate(ends, 1)])


@backend(
    "tardiness",
    "cpsat",
    side="models",
    source="intervals that do not overlap",
    limit=7,
    encode=encode,
)
def by_intervals(case: Jobs, *, certify: bool = False) -> CaseSolution:
    (model, names), solver = encode(case), cp_model.CpSolver()
    solver.parameters.num_workers = 1

    def read_order(found: Any) -> list[int]:
        at = [found.value(end) for end, _ in names]
        return sorted(range(1, len(at) + 1), key=lambda job: at[job - 1])

    def worth(order: Sequence[int]) -> int:
        jobs = [case.jobs[job - 1] for job in order]
        totals = accumulate(time for time, _ in jobs)
        return sum(max(0, end - due) for end, (_, due) in zip(totals, jobs, strict=True))

    reports = report_incumbents(solver, read_order, better="less", worth=worth)
    status = solver.solve(model, reports)
    return best_found(solver, status, lambda: read_order(solver), better="less", worth=worth)


@backend(
    "tardiness",
    "due-first",
    side="direct",
    source="earliest due date first; Jackson 1955",
    complete=False,
)
def due_first(case: Jobs, *, certify: bool = False) -> CaseSolution:
    """The jobs in the order in which they are due. That is best for the job that is latest, and not
    always for the sum.
    """
    order = sorted(range(len(case.jobs)), key=lambda job: case.jobs[job][1])
    end = late = 0
    for job in order:
        end += case.jobs[job][0]
        late += max(0, end - case.jobs[job][1])
    return CaseSolution.feasible(late, (job + 1 for job in order))


PUZZLE = TardinessPuzzle()
