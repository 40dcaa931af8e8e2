"""Sessions, cores and lazy clauses, on every solver of python-sat that opens here."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest

from models.cnf import Formula
from models.session import Session, core_groups, session
from models.solvers.sat_solver import SatSolver
from models.solvers.solver_names import DEFAULT_SOLVER, solvers
from models.stopwatch import Stopwatch
from puzzles.answer import Effort


def chain(length: int, *, grouped: bool = False) -> Formula:
    """x1, x1 -> x2, ..., each in clause group 10 k; then not x_length, in group 7."""
    formula = Formula(grouped=grouped)
    first = formula.new(length)
    formula.extend_groups([0], np.array([[first]]))
    for k in range(1, length):
        formula.extend_groups([10 * k], np.array([[-(first + k - 1), first + k]]))
    formula.extend_groups([7], np.array([[-(first + length - 1)]]))
    return formula


@pytest.mark.parametrize("solver", solvers())
def test_every_solver_names_all_variables_in_order(solver: str) -> None:
    """`Session` relies on this where it reads a model. Variables 3 and 8 occur in no clause."""
    formula = Formula.of(9, [[1, 7], [-2], [9, 2], [-4, 5], [4, 6], [-6]])
    with session(formula, solver) as opened:
        assert opened.solve()
        model = opened.model()
        assert all(
            any(model[abs(literal)] == (literal > 0) for literal in clause)
            for clause in formula.clauses
        )
        for first in range(1, 10):
            for count in range(11 - first):
                true = np.flatnonzero(model[first : first + count]) + first
                assert opened.true_among(first, count) == true.tolist()


def test_the_model_of_other_solvers_is_read_in_any_order() -> None:
    class Shuffled:
        def get_model(self) -> list[int]:
            return [5, -2, 12, 3, -1, 4]

    opened = Session(cast("SatSolver", Shuffled()), "solver.py:Shuffled", 5)
    assert opened.true_among(2, 3) == [3, 4]
    assert opened.model().tolist() == [False, False, False, True, True, True]
    in_order = Session(cast("SatSolver", Shuffled()), DEFAULT_SOLVER, 5)
    assert in_order.true_among(2, 3) != [3, 4]


@pytest.mark.parametrize("solver", solvers())
def test_every_solver_decides_and_names_a_core(solver: str) -> None:
    formula = chain(5)
    with session(formula, solver) as opened:
        assert not opened.solve()
    formula.clauses.pop()
    with session(formula, solver) as opened:
        assert opened.solve()
        assert opened.model().tolist() == [False] + [True] * 5
    assert core_groups(chain(5, grouped=True), solver) == (0, 7, 10, 20, 30, 40)


def test_a_core_leaves_out_what_it_does_not_need() -> None:
    formula = chain(4, grouped=True)
    spare = formula.new(3)
    formula.extend_groups([99], np.array([[spare]]))
    formula.extend_groups([98], np.array([[-spare, spare + 1]]))
    assert 99 not in core_groups(formula)
    assert 98 not in core_groups(formula)


def test_lazy_cuts_are_added_until_none_is_violated() -> None:
    formula = Formula()
    first = formula.new(6)
    formula.add(*range(first, first + 6))
    asked = []

    def at_most_one() -> list[list[int]]:
        true = np.flatnonzero(opened.model()).tolist()
        asked.append(true)
        return [[-true[0], -true[1]]] if len(true) > 1 else []

    with session(formula) as opened:
        opened.phases([1, 2, 3, 4, 5, 6])
        assert opened.solve_lazily(at_most_one)
        assert opened.model().sum() == 1
        assert not opened.solve_lazily(
            lambda: [[-k] for k in np.flatnonzero(opened.model()).tolist()]
        )
    assert len(asked[-1]) == 1


def test_a_stopwatch_is_told_the_steps_of_every_solver() -> None:
    """Glucose counts each decision: two sessions of the same formula take the same number, and both
    are added.
    """
    formula = Formula()
    first = formula.new(4)
    formula.add(first, first + 1)
    formula.add(first + 2, first + 3)
    efforts: list[Effort] = []
    for sessions in (1, 2):
        watch = Stopwatch()
        for _ in range(sessions):
            with session(formula, "glucose4", watch) as opened:
                assert opened.solve()
        efforts.append(watch.effort(4, 2))
    one, two = efforts
    assert one.decisions is not None
    assert (one.decisions > 0, two.decisions) == (True, 2 * one.decisions)
    with session(formula, "kissat404", watch := Stopwatch()) as opened:
        assert opened.solve()
    assert watch.effort(4, 2).decisions is None
