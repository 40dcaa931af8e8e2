"""What CP-SAT says of a model with an objective, as an answer that claims as much."""

from __future__ import annotations

from math import inf
from types import SimpleNamespace
from typing import Any

import pytest
from ortools.sat.python import cp_model

from models.cpsat import best_found
from models.solvers.sat_solver import NoVerdict
from puzzles.case_solution import CaseSolution

OPTIMAL, FEASIBLE = CaseSolution.optimal, CaseSolution.feasible


def found(status: Any, value: float, bound: float, better: str = "less") -> CaseSolution:
    """The answer, if CP-SAT ends so with this value and this bound."""
    solver = SimpleNamespace(
        objective_value=value, best_objective_bound=bound, status_name=lambda status: "SO"
    )
    return best_found(solver, status, lambda: [2, 1], better=better)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (found(cp_model.OPTIMAL, 7.0, 7.0), OPTIMAL(7, [2, 1])),
        (found(cp_model.FEASIBLE, 9.0, 6.2), FEASIBLE(9, [2, 1], 7)),
        (found(cp_model.FEASIBLE, 9.0, 7.0000000001), FEASIBLE(9, [2, 1], 7)),
        (found(cp_model.FEASIBLE, 9.0, -inf), FEASIBLE(9, [2, 1])),
        (found(cp_model.FEASIBLE, 9.0, 12.8, "greater"), FEASIBLE(9, [2, 1], 12)),
        (found(cp_model.FEASIBLE, 9.0, 11.9999999999, "greater"), FEASIBLE(9, [2, 1], 12)),
        (found(cp_model.UNKNOWN, 0.0, 6.2), CaseSolution.only_bound(7)),
        (found(cp_model.INFEASIBLE, 0.0, 0.0), CaseSolution.infeasible()),
    ],
)
def test_a_status_claims_as_much_as_it_says(answer: CaseSolution, expected: CaseSolution) -> None:
    assert answer == expected


def test_what_a_float_may_have_rounded_is_not_claimed() -> None:
    assert found(cp_model.FEASIBLE, 9.0, -float(2**60)) == FEASIBLE(9, [2, 1])
    with pytest.raises(OverflowError, match="may be rounded above 2"):
        found(cp_model.OPTIMAL, float(2**60), float(2**60))


def test_what_is_no_answer_is_raised() -> None:
    with pytest.raises(NoVerdict, match="stopped before it knew a solution or a bound"):
        found(cp_model.UNKNOWN, 0.0, -inf)
    with pytest.raises(RuntimeError, match="CP-SAT ended with SO"):
        found(cp_model.MODEL_INVALID, 0.0, 0.0)


def test_a_search_that_is_stopped_at_once_claims_nothing_false() -> None:
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
    )
    assert answer.value is not None
    assert answer.witness is not None
    assert len(answer.witness) == answer.value >= 7
    assert answer.worth.bound is not None
    assert answer.worth.bound <= 7
