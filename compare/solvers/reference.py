"""What is known of a question without the solver on trial: nothing is believed that is not confirmed here.

A yes is confirmed by a model that satisfies each clause by our own evaluation. A no is confirmed by a proof that our own check of
unit propagation accepts. The solvers that find models and proofs are not trusted; if none of them is confirmed, nothing is known.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from compare.solvers.script import Literals, Query, Script
from models.cnf import Formula
from models.proofs import rup
from models.proofs.refutation import refutation
from models.solvers.opening import open_solver

SOLVERS = ("cadical153", "minisat22")
"""Solvers that look for models, in turn; a no of theirs says nothing."""

PROVERS = ("glucose4", "cadical153")
"""Solvers that write proofs, in turn."""


def statuses(script: Script) -> tuple[bool | None, ...]:
    """For each call of the script, whether there is a model; None if that is not known."""
    return tuple(status(query) for query in script.queries())


def status(query: Query) -> bool | None:
    """Whether the clauses have a model under the assumptions; None if neither a model nor a proof could be confirmed."""
    clauses = [*query.clauses, *((literal,) for literal in query.assumptions)]
    if not all(clauses):
        return False  # an empty clause
    if model_of(clauses) is not None:
        return True
    return False if is_refuted(clauses) else None


def model_of(clauses: Sequence[Literals]) -> set[int] | None:
    """Literals of a model that our own evaluation confirms; None if no solver finds one."""
    for solver in SOLVERS:
        with open_solver(formula_of(clauses), solver) as session:
            if session.solve():
                model = set(session.get_model() or ())
                if consistent(model) and first_unsatisfied(clauses, model) is None:
                    return model
    return None


def is_refuted(clauses: Sequence[Literals]) -> bool:
    """Whether some solver writes a proof that our check accepts."""
    formula = formula_of(clauses)
    for solver in PROVERS:
        proof = refutation(formula, solver)
        if proof is None:
            continue
        try:
            rup.check(formula, rup.steps(proof))
        except rup.WrongStep:
            continue
        return True
    return False


def formula_of(clauses: Sequence[Literals], variables: int = 0) -> Formula:
    """The formula of these clauses; it has no fewer than `variables` variables."""
    formula = Formula()
    formula.variables = max([variables, *(abs(literal) for each in clauses for literal in each)])
    formula.clauses = [list(each) for each in clauses]
    return formula


def consistent(literals: Collection[int]) -> bool:
    """Whether no literal stands beside its opposite."""
    return not any(-literal in literals for literal in literals)


def first_unsatisfied(clauses: Sequence[Literals], true: Collection[int]) -> Literals | None:
    """The first clause of which no literal is among these. A variable that is not mentioned satisfies only tautologies."""
    unsatisfied = (each for each in clauses if not any(literal in true for literal in each))
    return next((each for each in unsatisfied if consistent(each)), None)
