"""ac-library-python: the AtCoder Library in pure Python (https://pypi.org/project/ac-library-python/)."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from compare.measure.benchmarks import EdgeList, TwoCnf, components, satisfiability

MODULE = "atcoder"


def _two_sat(formula: TwoCnf) -> Callable[[], bool]:
    """`satisfiable` may be called again on clauses that were added once."""
    solver: Any = import_module("atcoder.twosat").TwoSAT(formula.variables)
    for a, b in formula.clauses.tolist():
        solver.add_clause(abs(a) - 1, a > 0, abs(b) - 1, b > 0)
    return lambda: solver.satisfiable()


def _merged(given: EdgeList) -> Callable[[], int]:
    """Every call starts from single elements, as ours does."""
    make: Callable[[int], Any] = import_module("atcoder.dsu").DSU
    pairs = given.pairs.tolist()

    def sets() -> int:
        union = make(given.size)
        for a, b in pairs:
            union.merge(a, b)
        return sum(each < 0 for each in union.parent_or_size)

    return sets


RACES = (
    satisfiability("two_sat", "TwoSAT", _two_sat),
    components("union_find", "DSU", _merged),
)
