"""What is known of a question without the solver on trial: nothing is believed that is not confirmed here.

A yes is confirmed by a model that satisfies each clause by our own evaluation. A no is confirmed by a proof that our own check of
unit propagation accepts. The solvers that find models and proofs are not trusted; if none of them is confirmed, nothing is known.

A solver's own proof is judged by all checkers at hand. Our own check follows unit propagation only. A step that it refuses may be
a RAT step, which it cannot judge. But if the empty clause does not follow even where each step before it is granted, the proof is
wrong for certain. Otherwise others are asked: the package `dratify`, and the programs drat-trim and dpr-trim, where they are
installed. If some of them refuse the proof and none accepts it, it is wrong.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Collection, Sequence
from importlib import import_module
from importlib.util import find_spec

from compare.solvers.script import Literals, Query, Script
from models.cnf import Formula
from models.proofs import rup
from models.proofs.refutation import OUTSIDE, Unproved, checker_named, refutation
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


_STEP = re.compile(r"(d )?(-?[1-9][0-9]{0,8} )*0")

PACKAGE = "dratify"
"""A checker of DRAT proofs in Python; an extra."""

MAX_NEW = 10_000
"""New variables that a proof may use; our own check would take much memory for more."""

MAX_STEPS = 5000
"""Steps of a proof above which the package is not asked: it is slow."""


def why_wrong(query: Query, lines: Sequence[str]) -> str:
    """Why a proof is wrong; empty if it is right, or if nobody here can judge it.

    Args:
        lines: of a DRAT proof. What follows the empty clause is passed over, and an empty clause at the end may be left out.
    """
    lines = [" ".join(line.split()) for line in lines]
    strange = next((line for line in lines if _STEP.fullmatch(line) is None), None)
    if strange is not None:
        return f"its proof has the line {strange[:40]!r}"
    lines = [*lines[: lines.index("0")], "0"] if "0" in lines else [*lines, "0"]
    steps = list(rup.steps(lines))
    formula = formula_of(query.clauses)
    if any(abs(literal) > formula.variables + MAX_NEW for step in steps for literal in step):
        return _by_others(query, lines, "its proof has many variables that the formula does not have")
    try:
        rup.check(formula, steps)
        return ""
    except rup.WrongStep as wrong:
        why = f"its proof is wrong: {wrong}"
    try:
        rup.check(formula_of([*query.clauses, *map(tuple, steps[:-1])]), [[]])
    except rup.WrongStep:
        return f"{why}; and granted each step, the empty clause does not follow"
    return _by_others(query, lines, why)


def other_checkers() -> tuple[str, ...]:
    """The names of the checkers beside our own that are installed here."""
    package = (PACKAGE,) if find_spec(PACKAGE) is not None else ()
    return (*package, *(name for name in OUTSIDE if shutil.which(name) is not None))


def _by_others(query: Query, lines: Sequence[str], why: str) -> str:
    """Why a proof is wrong that our own check refuses or cannot judge; empty if another accepts it, or if there is no other."""
    refusals: list[str] = []
    for name in other_checkers():
        if name == PACKAGE and len(lines) > MAX_STEPS:
            continue
        accepts = _package_accepts(query, lines) if name == PACKAGE else _program_accepts(name, query, lines)
        if accepts:
            return ""
        refusals.append(name)
    return f"{why}; refused by {' and '.join(refusals)} too" if refusals else ""


def _package_accepts(query: Query, lines: Sequence[str]) -> bool:
    package = import_module(PACKAGE)
    formula = Script.formula(formula_of(query.clauses).variables, query.clauses)
    try:
        return bool(package.check_proof(package.parse_dimacs(formula.text()), "".join(f"{line}\n" for line in lines)).ok)
    except ValueError:
        return False


def _program_accepts(name: str, query: Query, lines: Sequence[str]) -> bool:
    _, check = checker_named(name)
    try:
        check(formula_of(query.clauses), "", lines)
    except Unproved:
        return False
    return True
