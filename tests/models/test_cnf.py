"""Formulas, sessions and cores of `models.cnf`, on every solver of python-sat that opens here."""

from __future__ import annotations

import numpy as np
import pytest

from models.cnf import MOST_VARIABLES, Formula, core, session, solver_name, solvers
from puzzles.backend import Unsupported
from puzzles.text import UnknownName


def chain(length: int, *, guarded: bool = False) -> Formula:
    """x1, x1 -> x2, ..., each a demand of origin 10 k; then not x_length, of origin 7."""
    formula = Formula(guarded=guarded)
    first = formula.new(length)
    formula.demand([0], np.array([[first]]))
    for k in range(1, length):
        formula.demand([10 * k], np.array([[-(first + k - 1), first + k]]))
    formula.demand([7], np.array([[-(first + length - 1)]]))
    return formula


@pytest.mark.parametrize("literal", [0, 3, -3, 2**31])
def test_literals_out_of_range_never_reach_a_solver(literal: int) -> None:
    formula = Formula()
    formula.new(2)
    with pytest.raises(ValueError, match="out of range"):
        formula.add(1, literal)
    with pytest.raises(ValueError, match="out of range"):
        formula.extend(np.array([[1, 2], [2, literal]]))
    assert formula.clauses == []


def test_too_many_variables_are_refused_before_anything_is_allocated() -> None:
    formula = Formula()
    with pytest.raises(Unsupported, match="more than"):
        formula.new(MOST_VARIABLES + 1)
    assert formula.new(MOST_VARIABLES) == 1


@pytest.mark.parametrize("solver", solvers())
def test_every_solver_decides_and_names_a_core(solver: str) -> None:
    formula = chain(5)
    with session(formula, solver) as opened:
        assert not opened.solve()
    formula.clauses.pop()
    with session(formula, solver) as opened:
        assert opened.solve()
        assert opened.model().tolist() == [False] + [True] * 5
    assert core(chain(5, guarded=True), solver) == (0, 7, 10, 20, 30, 40)


def test_a_core_leaves_out_what_it_does_not_need() -> None:
    formula = chain(4, guarded=True)
    spare = formula.new(3)
    formula.demand([99], np.array([[spare]]))
    formula.demand([98], np.array([[-spare, spare + 1]]))
    assert 99 not in core(formula)
    assert 98 not in core(formula)


def test_a_satisfiable_formula_has_no_core() -> None:
    formula = Formula(guarded=True)
    formula.demand([3], np.array([[formula.new()]]))
    with pytest.raises(ValueError, match="no core"):
        core(formula)


def test_lazy_cuts_are_added_until_none_is_violated() -> None:
    formula = Formula()
    first = formula.new(6)
    formula.add(*range(first, first + 6))
    asked = []

    def at_most_one(model: np.ndarray) -> list[list[int]]:
        true = np.flatnonzero(model).tolist()
        asked.append(true)
        return [[-true[0], -true[1]]] if len(true) > 1 else []

    with session(formula) as opened:
        opened.phases([1, 2, 3, 4, 5, 6])
        assert opened.solve_lazily(at_most_one)
        assert opened.model().sum() == 1
        assert not opened.solve_lazily(lambda model: [[-k] for k in np.flatnonzero(model).tolist()])
    assert len(asked[-1]) == 1


def test_a_solver_for_one_call_refuses_a_clause_after_it() -> None:
    with session(chain(3), "kissat404") as opened:
        assert not opened.solve()
        with pytest.raises(Unsupported, match="called but once"):
            opened.add([1])


def test_names_of_solvers() -> None:
    assert solver_name("g4") == "glucose4"
    assert solver_name("Cadical153") == "cadical153"
    with pytest.raises(UnknownName, match="choose from"):
        solver_name("cryptominisat")
