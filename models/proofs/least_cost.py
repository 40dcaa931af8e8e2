"""A proof that no solution is better, where nobody wrote a certificate: a solver refutes "it costs
less", and our own check replays its proof. Neither is trusted without the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from models.cnf import Formula
from models.maxsat import cost_of
from models.proofs.refutation import has_checked_proof
from models.session import session
from puzzles.answer import Beaten, BeyondCheck

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MAX_SUMS = 200_000
"""Partial sums of weights in the formula that says that a model costs less; beyond them nothing is
proved.
"""


def refute_less(formula: Formula, value: int) -> str:
    """Show that no model of the hard clauses costs less; for the `bound_fault` of a puzzle that
    asks for the least value, whose rules state the formula.

    What a model costs are the weights of the soft clauses that it violates (`Formula.add_soft`).

    Returns:
        An empty text: it is shown. There is no other outcome.

    Raises:
        Beaten: a model costs less.
        BeyondCheck: the weights have too many sums, or no proof could be confirmed.
    """
    cost = _cost_below(formula, value)
    if cost is None:
        return ""
    raise Beaten(cost)


def refute_greater(formula: Formula, value: int) -> str:
    """Show that no model of the hard clauses is worth more; for the `bound_fault` of a puzzle that
    asks for the greatest value. Else it is as `refute_less`.

    What a model is worth are the weights of the soft clauses that it satisfies.
    """
    cost = _cost_below(formula, formula.soft_weight - value)
    if cost is None:
        return ""
    raise Beaten(formula.soft_weight - cost)


def _cost_below(formula: Formula, cost: int) -> int | None:
    """What a model costs that costs less than this; None if there is none.

    Raises:
        BeyondCheck: neither can be confirmed.
    """
    cheaper = _cheaper_than(formula, cost)
    model = None if cheaper is None else model_or_none(cheaper)
    return None if model is None else cost_of(formula, model[: formula.variables + 1])


def model_or_none(formula: Formula) -> NDArray[np.bool_] | None:
    """A model that satisfies each clause, as the value of variable v at index v; None if a checked
    proof says that there is none. Soft clauses are left out.

    Raises:
        BeyondCheck: neither can be confirmed.
    """
    with session(formula) as opened:
        values = opened.model() if opened.solve() else None
    if values is not None:
        for clause in formula.clauses:
            if not any(values[abs(literal)] == (literal > 0) for literal in clause):
                raise BeyondCheck("a solver's model is wrong")
        return values
    if has_checked_proof(formula):
        return None
    raise BeyondCheck("no proof could be confirmed")


def _cheaper_than(formula: Formula, cost: int) -> Formula | None:
    """The hard clauses, and that the violated soft clauses weigh less than the cost together; None
    if nothing weighs less.

    The soft clauses are passed in their order. For each weight that those up to here can have
    together, a variable says that they have at least that.

    Raises:
        BeyondCheck: there are too many such weights.
    """
    if cost <= 0:
        return None
    cheaper = Formula.of(formula.variables, formula.clauses)
    at_least: dict[int, int] = {}  # by weight; 0 is always reached
    variables = 0
    for weight, clause in formula.soft:
        violated = cheaper.new()
        cheaper.clauses.append([*clause, violated])
        sums = {0, *at_least}
        reached = {min(each + weight, cost) for each in sums} | {*at_least}
        variables += len(reached)
        if variables > _MAX_SUMS:
            raise BeyondCheck(f"the weights have more than {_MAX_SUMS} sums")
        after = {each: cheaper.new() for each in sorted(reached)}
        for each, variable in at_least.items():
            cheaper.add(-variable, after[each])
        for each in sums:
            before = [-at_least[each]] if each else []
            cheaper.add(*before, -violated, after[min(each + weight, cost)])
        at_least = after
    if cost in at_least:
        cheaper.add(-at_least[cost])
    return cheaper
