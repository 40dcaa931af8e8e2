"""What CP-SAT says of a model with an objective, as an answer that claims as much.

Its package is imported in the tests: each process of the tests loads this file, and would fork
more slowly with it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import inf
from types import SimpleNamespace
from typing import Any

import pytest

from models.cpsat import best_found, report_incumbents
from models.solvers.sat_solver import NoVerdict
from puzzles.backend import hear_reports
from puzzles.case_solution import CaseSolution

OPTIMAL, FEASIBLE = CaseSolution.optimal, CaseSolution.feasible


def found(
    status: str, value: float, bound: float, better: str = "less", worth: int = 9
) -> CaseSolution:
    """The answer, if CP-SAT ends so with this value and this bound; a solution is `worth` this."""
    from ortools.sat.python import cp_model

    solver = SimpleNamespace(
        objective_value=value, best_objective_bound=bound, status_name=lambda status: "SO"
    )
    return best_found(
        solver, getattr(cp_model, status), lambda: [2, 1], better=better, worth=lambda _: worth
    )


@pytest.mark.parametrize(
    ("ended", "expected"),
    [
        (("OPTIMAL", 7.0, 7.0), OPTIMAL(7, [2, 1])),
        (("FEASIBLE", 9.0, 6.2), FEASIBLE(9, [2, 1], 7)),
        (("FEASIBLE", 12.0, 6.2, "less", 8), FEASIBLE(8, [2, 1], 7)),
        (("FEASIBLE", 9.0, 7.0000000001), FEASIBLE(9, [2, 1], 7)),
        (("FEASIBLE", 9.0, -inf), FEASIBLE(9, [2, 1])),
        (("FEASIBLE", 9.0, 12.8, "greater"), FEASIBLE(9, [2, 1], 12)),
        (("FEASIBLE", 9.0, 11.9999999999, "greater"), FEASIBLE(9, [2, 1], 12)),
        (("UNKNOWN", 0.0, 6.2), CaseSolution.only_bound(7)),
        (("INFEASIBLE", 0.0, 0.0), CaseSolution.infeasible()),
    ],
)
def test_a_status_claims_as_much_as_it_says(ended: tuple[Any, ...], expected: CaseSolution) -> None:
    assert found(*ended) == expected


def test_what_a_float_may_have_rounded_is_not_claimed() -> None:
    assert found("FEASIBLE", 9.0, -float(2**60)) == FEASIBLE(9, [2, 1])
    exact = 2**60 + 1
    assert found("OPTIMAL", float(exact), float(exact), worth=exact) == OPTIMAL(exact, [2, 1])


@pytest.mark.parametrize("better", ["less", "greater"])
def test_each_incumbent_is_reported_with_its_witness_and_each_bound(better: str) -> None:
    from ortools.sat.python import cp_model

    model, solver, rng = cp_model.CpModel(), cp_model.CpSolver(), random.Random(7)
    chosen = [model.new_bool_var("") for _ in range(40)]
    weights = [rng.randint(1, 9) for _ in chosen]
    for _ in range(80):
        one, other = rng.sample(chosen, 2)
        if better == "less":
            model.add(one + other >= 1)
        else:
            model.add(one + other <= 1)
    total = cp_model.LinearExpr.weighted_sum(chosen, weights)
    if better == "less":
        model.minimize(total)
    else:
        model.maximize(total)
    solver.parameters.num_workers = 1

    def witness(found: Any) -> list[int]:
        return [k for k, each in enumerate(chosen) if found.boolean_value(each)]

    def worth(solution: Sequence[int]) -> int:
        return sum(weights[k] for k in solution)

    heard: list[CaseSolution] = []
    with hear_reports(heard.append):  # pyright: ignore[reportArgumentType]
        reports = report_incumbents(solver, witness, better=better, worth=worth)
        status = solver.solve(model, reports)
    best = best_found(solver, status, lambda: witness(solver), better=better, worth=worth)
    assert best.value is not None
    sign = 1 if better == "less" else -1
    solutions = [each for each in heard if each.value is not None]
    bounds = [sign * each.bound for each in heard if each.bound is not None]
    values = [sign * each.value for each in solutions if each.value is not None]
    assert values == sorted(values, reverse=True)
    assert values[-1] == sign * best.value
    assert all(sum(weights[k] for k in each.witness or ()) == each.value for each in solutions)
    assert bounds == sorted(bounds)
    assert len(bounds) > len(solutions) > 1
    assert bounds[-1] <= sign * best.value


def test_what_is_no_answer_is_raised() -> None:
    with pytest.raises(NoVerdict, match="stopped before it knew a solution or a bound"):
        found("UNKNOWN", 0.0, -inf)
    with pytest.raises(RuntimeError, match="CP-SAT ended with SO"):
        found("MODEL_INVALID", 0.0, 0.0)


def test_a_solution_is_not_said_to_be_worth_what_the_objective_says() -> None:
    from ortools.sat.python import cp_model

    model, solver = cp_model.CpModel(), cp_model.CpSolver()
    end, late = model.new_int_var(0, 9, ""), model.new_int_var(0, 9, "")
    model.add(end >= 4)
    model.add(late >= end - 3)
    model.minimize(late)
    for variable, value in ((end, 5), (late, 8)):  # late by 2, and said to be late by 8
        model.add_hint(variable, value)
    solver.parameters.num_workers = 1
    solver.parameters.cp_model_presolve = False
    solver.parameters.stop_after_first_solution = True
    heard: list[CaseSolution] = []

    def witness(solution: Any) -> list[int]:
        return [solution.value(end)]

    def worth(solution: Sequence[int]) -> int:
        return solution[0] - 3

    with hear_reports(heard.append):  # pyright: ignore[reportArgumentType]
        reports = report_incumbents(solver, witness, better="less", worth=worth)
        status = solver.solve(model, reports)
    answer = best_found(solver, status, lambda: witness(solver), better="less", worth=worth)
    assert solver.objective_value == 8
    assert (answer.witness, answer.value) == ((5,), 2)
    assert [(each.witness, each.value) for each in heard if each.value is not None] == [((5,), 2)]


def test_a_search_that_is_stopped_at_once_claims_nothing_false() -> None:
    from ortools.sat.python import cp_model

    model, solver = cp_model.CpModel(), cp_model.CpSolver()
    parts = [model.new_bool_var("") for _ in range(30)]
    model.add(cp_model.LinearExpr.sum(parts) >= 7)
    model.minimize(cp_model.LinearExpr.sum(parts))
    solver.parameters.num_workers = 1
    solver.parameters.stop_after_first_solution = True
    status = solver.solve(model)
    answer = best_found(
        solver,
        status,
        lambda: [k for k, part in enumerate(parts) if solver.boolean_value(part)],
        better="less",
        worth=len,
    )
    assert answer.value is not None
    assert answer.witness is not None
    assert len(answer.witness) == answer.value >= 7
    assert answer.worth.bound is not None
    assert answer.worth.bound <= 7
