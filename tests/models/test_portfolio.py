"""A portfolio: solvers that take turns decide what one would, and rules that are added lazily hold
for all of them.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import direct
import models
import puzzles
from models.cnf import Formula
from models.geography.portfolio import portfolio
from models.solvers.sat_solver import SolverFailure


@pytest.mark.parametrize("solver", ["cadical153", "glucose4", "kissat404", "lingeling"])
def test_a_portfolio_decides(solver: str) -> None:
    formula = Formula.of(3, [[1, 2], [-1, 2], [-2, 3]])
    model = portfolio(formula, [[-1, -2, -3], [1, 2, 3]], solver)
    assert model is not None
    assert model[2:].all()
    formula.extend(np.array([[-2, -3]]))
    assert portfolio(formula, [[1], [-1]], solver) is None


def test_a_hard_part_takes_more_than_one_turn_of_the_portfolio(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("models.geography.portfolio.FIRST_BUDGET", 1)
    board = puzzles.get("geography").family("walls-05").board(20, 3)
    for other in (board, puzzles.get("geography").family("walls-20").board(24, 5)):
        for backend in ("cnf", "cnf-cover"):
            assert models.solve(other, backend) == direct.solve(other)


@pytest.mark.parametrize("solver", ["cadical153", "minisat22"])
def test_cuts_go_to_every_solver_of_a_portfolio(solver: str) -> None:
    """Each model's lowest true variable is forbidden, until all but the last are: then no clause is
    violated.
    """
    formula = Formula.of(5, [[1, 2, 3, 4, 5]])

    def cuts(model: NDArray[np.bool_]) -> list[list[int]]:
        return [[-variable] for variable in np.flatnonzero(model).tolist() if variable < 5]

    model = portfolio(formula, [[1, 2, 3, 4, 5], []], solver, cuts)
    assert model is not None
    assert np.flatnonzero(model).tolist() == [5]
    with pytest.raises(SolverFailure, match="violates a clause added before it"):
        portfolio(formula, [[]], solver, lambda model: [[1, 2]])
