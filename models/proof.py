"""Proofs of unsatisfiability, as a solver writes them: in the DRAT format, which any checker can replay."""

from __future__ import annotations

from models.cnf import Formula
from models.solvers.opening import open_solver
from models.solvers.solver_names import DEFAULT_SOLVER, solver_name


def refutation(formula: Formula, solver: str = DEFAULT_SOLVER) -> list[str] | None:
    """The steps of a proof that the formula is unsatisfiable, the empty clause last; None if the formula is satisfiable.

    A step is a line of the DRAT format: a clause that follows from those before, or `d` and a clause that is no longer needed
    (Wetzler, Heule and Hunt, "DRAT-trim", SAT 2014).

    Raises:
        NotImplementedError: the solver writes no proofs.
    """
    with open_solver(formula, solver_name(solver), with_proof=True) as opened:
        if opened.solve():
            return None
        steps = [str(step) for step in opened.get_proof() or []]
    # Glucose writes no step if unit propagation alone contradicts the formula; cadical still deletes clauses after the last step.
    return steps[: steps.index("0") + 1] if "0" in steps else [*steps, "0"]
