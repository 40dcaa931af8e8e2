"""MaxSAT sessions: the best model, its cost and its bounds against brute force, on every solver
that RC2 can call.
"""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest

from models.cnf import MAX_COST, Formula
from models.dimacs import Encoding, text
from models.maxsat import cost_of, maxsat_session
from models.solvers.sat_solver import SolverFailure
from models.solvers.solver_names import solvers
from models.stopwatch import Stopwatch
from puzzles.backend import Unsupported

REFUSED = ("kissat404", "lingeling", "maplesat")


def random_formula(rng: random.Random) -> Formula:
    """Up to five variables; soft clauses may be empty, tautologies or duplicates."""
    formula, variables = Formula(), rng.randint(1, 5)
    formula.new(variables)

    def clause(least: int) -> list[int]:
        return [
            rng.choice((1, -1)) * rng.randint(1, variables) for _ in range(rng.randint(least, 3))
        ]

    for _ in range(rng.randint(0, 6)):
        formula.add(*clause(1))
    for _ in range(rng.randint(0, 7)):
        formula.add_soft(rng.randint(1, 5), *clause(0))
    return formula


def least_cost(formula: Formula) -> int | None:
    """By trying all assignments; None if the hard clauses have no model."""
    costs = [
        cost_of(formula, values)
        for values in map(np.array, product([False], *[(False, True)] * formula.variables))
        if all(
            any(values[abs(literal)] == (literal > 0) for literal in clause)
            for clause in formula.clauses
        )
    ]
    return min(costs, default=None)


@pytest.mark.parametrize("solver", [each for each in solvers() if each not in REFUSED])
def test_the_best_model_is_that_of_brute_force(solver: str) -> None:
    rng = random.Random(solver)
    for _ in range(60):
        formula = random_formula(rng)
        best, bounds = least_cost(formula), list[int]()
        with maxsat_session(formula, solver, bound_grew=bounds.append) as opened:
            assert opened.solve() == (best is not None)
            if best is not None:
                assert opened.cost == opened.bound == cost_of(formula, opened.model()) == best
        assert bounds == sorted(set(bounds))
        if best is not None and bounds:
            assert bounds[-1] <= best


@pytest.mark.parametrize("solver", REFUSED)
def test_a_solver_that_rc2_cannot_call_is_refused(solver: str) -> None:
    with pytest.raises(Unsupported, match=solver), maxsat_session(Formula(), solver):
        pass


def test_a_model_that_is_worth_something_else_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from pysat.examples.rc2 import RC2

    formula = Formula.of(2, [[1, 2]])
    formula.add_soft(3, -1)
    formula.add_soft(4, -2)
    monkeypatch.setattr(RC2, "compute", lambda self: [-1, 2])
    with maxsat_session(formula) as opened, pytest.raises(SolverFailure, match="has 4"):
        opened.solve()
    monkeypatch.setattr(RC2, "compute", lambda self: [-1, -2])
    with maxsat_session(formula) as opened, pytest.raises(SolverFailure, match=r"\[1, 2\]"):
        opened.solve()


def test_the_effort_counts_the_steps_of_all_calls() -> None:
    formula, watch = Formula(), Stopwatch()
    first = formula.new(12)
    for one in range(12):
        for other in range(one):
            formula.add(first + one, first + other)
        formula.add_soft(1, -(first + one))
    watch.start_solving()
    with maxsat_session(formula, "glucose4", watch) as opened:
        assert opened.solve()
        assert opened.cost == 11
    effort = watch.effort(formula.variables, len(formula.clauses))
    assert effort.propagations is not None
    assert effort.propagations > 11


@pytest.mark.parametrize("weight", [0, -1, True, 1.5, "2"])
def test_a_weight_is_a_whole_number_from_1_on(weight: int) -> None:
    formula = Formula.of(1, [])
    with pytest.raises(ValueError, match=r"^a weight is a whole number from 1 on, and not "):
        formula.add_soft(weight, 1)
    assert formula.soft == []


def test_weights_do_not_overflow() -> None:
    formula = Formula.of(1, [])
    formula.add_soft(MAX_COST - 1, 1)
    formula.add_soft(1, -1)
    with pytest.raises(ValueError, match="add up to more than"):
        formula.add_soft(1, -1)
    with maxsat_session(formula) as opened:
        assert opened.solve()
        assert opened.cost == 1


def test_a_formula_with_soft_clauses_is_written_as_wcnf() -> None:
    from pysat.formula import WCNF

    formula = Formula.of(3, [[1, -2], [3]])
    formula.add_soft(7, -1, 2)
    formula.add_soft(2, -3)
    written = text(Encoding(formula, "best", [(1, "one")]))
    assert written == "c best\nc 1 one\nh 1 -2 0\nh 3 0\n7 -1 2 0\n2 -3 0\n"
    read = WCNF(from_string=written)
    assert (read.hard, read.soft, read.wght) == ([[1, -2], [3]], [[-1, 2], [-3]], [7, 2])
