"""Counts the models of a formula exactly, on a decision diagram that PySDD compiles."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from models.cnf import Formula
from puzzles.backend import Unsupported
from puzzles.extras import not_installed


def models_of(formula: Formula) -> int:
    """The number of assignments that satisfy the formula; auxiliary variables are counted like any other.

    The diagram orders the variables by their numbers. It stays small if few clauses reach over any cut in that order. PySDD counts
    up to 2^64.

    Raises:
        Unsupported: PySDD is missing, or there are more than 64 variables.
    """
    if find_spec("pysdd") is None:
        raise Unsupported(not_installed(["pysdd"]))
    if not formula.variables:  # the package would crash
        return int(not formula.clauses)
    from pysdd.sdd import SddManager, Vtree

    if formula.variables > 64:
        raise Unsupported(f"{formula.variables} variables are more than the 64 that the package counts over exactly")
    manager = SddManager.from_vtree(Vtree(var_count=formula.variables, vtree_type="right"))
    whole: Any = manager.true()
    for clause in sorted(formula.clauses, key=lambda clause: (max(map(abs, clause)), len(clause))):
        disjunction = manager.false()
        for literal in sorted(clause, key=abs, reverse=True):
            disjunction = manager.literal(literal) | disjunction
        whole &= disjunction
    return int(whole.global_model_count())
