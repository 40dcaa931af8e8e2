"""Proofs of unsatisfiability, as a solver writes them: in the DRAT format, which any checker can replay."""

from __future__ import annotations

from models.cnf import Formula
from models.solvers.external import PROOF_PLACE, is_command
from models.solvers.ipasir import is_library
from models.solvers.opening import open_solver
from models.solvers.solver_names import DEFAULT_SOLVER, solver_name, solvers
from puzzles.text import UnknownName, UserError

WITHOUT_PROOFS = ("kissat404", "mergesat3", "minicard", "minisat22", "minisatep")
"""Solvers of python-sat that keep no proof."""


def refutation(formula: Formula, solver: str = DEFAULT_SOLVER) -> list[str] | None:
    """The steps of a proof that the formula is unsatisfiable, the empty clause last; None if the formula is satisfiable.

    A step is a line of the DRAT format: a clause that follows from those before, or `d` and a clause that is no longer needed
    (Wetzler, Heule and Hunt, "DRAT-trim", SAT 2014).

    Raises:
        NotImplementedError: a solver of python-sat writes no proofs; `proof_solver` says so beforehand.
        UserError: a solver of somebody's own fails, or writes no proofs.
    """
    with open_solver(formula, solver_name(solver), with_proof=True) as opened:
        if opened.solve():
            return None
        try:
            steps = [str(step) for step in opened.get_proof() or []]
        except NotImplementedError:
            raise UserError(f"the solver {solver!r} keeps no proofs: its class has no method get_proof") from None
    # Glucose writes no step if unit propagation alone contradicts the formula; cadical still deletes clauses after the last step.
    return steps[: steps.index("0") + 1] if "0" in steps else [*steps, "0"]


def proof_solver(name: str) -> str:
    """The full name of a solver that writes proofs: one of python-sat's, a command with `{proof}` in it, or a Python class.

    Raises:
        UserError: it writes none, or there is no such solver; the message says which do.
    """
    able = [each for each in solvers() if each not in WITHOUT_PROOFS]
    try:
        full = solver_name(name)
    except UnknownName:
        raise UnknownName("solver", name, able) from None
    if is_command(full) and PROOF_PLACE not in full:
        raise UserError(
            f"the command {full!r} has no place for a proof: say where the name of its file goes, as in "
            f"'cadical -q --no-binary {{cnf}} {PROOF_PLACE}'"
        )
    if full in WITHOUT_PROOFS or is_library(full):
        raise UserError(f"{name} keeps no proofs; those that do: {', '.join(able)}, and commands with {PROOF_PLACE} in them")
    return full
