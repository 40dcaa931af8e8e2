"""DRAT proofs of several solvers, replayed by plain unit propagation."""

from __future__ import annotations

import pytest

from models.cnf import Formula
from models.proof import refutation
from tests.models.propagation import refutes


@pytest.mark.parametrize("solver", ["cadical153", "cadical195", "glucose4", "lingeling", "maplechrono"])
def test_the_proofs_of_several_solvers(solver: str) -> None:
    """Three pigeons in two holes; and clauses that units alone contradict, of which Glucose writes nothing down."""
    for clauses in (
        [[1, 2], [3, 4], [5, 6], [-1, -3], [-1, -5], [-3, -5], [-2, -4], [-2, -6], [-4, -6]],
        [[1], [-1, 2], [-2]],
    ):
        formula = Formula()
        formula.new(6)
        formula.clauses = clauses
        steps = refutation(formula, solver)
        assert steps is not None
        assert steps[-1] == "0"
        assert refutes(clauses, steps)
        formula.clauses = clauses[:-1]
        assert refutation(formula, solver) is None


def test_a_wrong_proof_is_told_from_a_right_one() -> None:
    pigeons = [[1, 2], [3, 4], [5, 6], [-1, -3], [-1, -5], [-3, -5], [-2, -4], [-2, -6], [-4, -6]]
    assert refutes(pigeons, ["1 0", "0"])
    assert not refutes(pigeons, ["0"])
    assert not refutes(pigeons[1:], ["1 0", "0"])
    assert not refutes(pigeons, ["1 0"])
