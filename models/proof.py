"""Proofs of unsatisfiability as a solver writes them down: DRAT, for any checker to replay."""

from __future__ import annotations

from models.cnf import DEFAULT_SOLVER, Formula, loaded, solver_name


def refutation(formula: Formula, solver: str = DEFAULT_SOLVER) -> list[str] | None:
    """The steps of a proof that the formula is unsatisfiable, the empty clause at their end; None where it is satisfiable.

    A step is a line of the DRAT format: a clause that follows, or `d` and a clause that is needed no more (Wetzler, Heule and
    Hunt, "DRAT-trim", SAT 2014).

    Raises:
        NotImplementedError: the solver keeps no proof.
    """
    with loaded(formula, solver_name(solver), with_proof=True) as opened:
        if opened.solve():
            return None
        steps = [str(step) for step in opened.get_proof() or []]
    # Glucose says nothing where the clauses contradict each other by units alone; cadical deletes clauses after the last step.
    return steps[: steps.index("0") + 1] if "0" in steps else [*steps, "0"]
