"""A forward check of proofs by reverse unit propagation, on a solver's propagation alone: nothing is searched.

A clause follows by unit propagation (is RUP) where the negation of its literals propagates to a conflict. Each clause of a
proof is checked so against the formula and the clauses before it, and then joins them; deletions are passed over, since
what follows from some of the clauses follows from all. E. Goldberg and Y. Novikov, Verification of proofs of unsatisfiability for
CNF formulas, DATE 2003.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from models.cnf import Formula, paused_collector

PROPAGATOR = "minisat22"
"""The solver that propagates: one that gives no proofs, so that none checks its own."""


class WrongStep(Exception):
    """A clause of a proof that does not follow by unit propagation, or a proof that does not end in a contradiction.

    Attributes:
        step: the clause's number, counted from 1; one past the last where the end is wrong.
        clause: its literals.
    """

    def __init__(self, step: int, clause: Sequence[int]) -> None:
        what = f"the clause {' '.join(map(str, clause))}" if clause else "the empty clause"
        super().__init__(f"step {step}: {what} does not follow by unit propagation")
        self.step, self.clause = step, tuple(clause)

    def __reduce__(self) -> tuple[type[WrongStep], tuple[int, tuple[int, ...]]]:
        return WrongStep, (self.step, self.clause)


def check(formula: Formula, proof: Iterable[Sequence[int]]) -> int:
    """Check that the proof refutes the formula; returns the number of steps it took, the empty clause among them.

    Args:
        proof: clauses in order. It may end with the empty clause, or where propagation alone comes to it.

    Raises:
        WrongStep: a clause does not follow, or in the end the empty clause does not.
    """
    from pysat.solvers import Solver

    step = 0
    with paused_collector(), Solver(name=PROPAGATOR, bootstrap_with=formula.clauses) as propagator:
        for step, clause in enumerate(proof, 1):
            if _consistent(propagator, [-literal for literal in clause]):
                raise WrongStep(step, clause)
            if not clause:
                return step
            propagator.add_clause(clause)
        if _consistent(propagator, []):
            raise WrongStep(step + 1, ())
    return step + 1


def _consistent(propagator: Any, literals: list[int]) -> bool:
    return propagator.propagate(assumptions=literals)[0]


def steps(proof: Iterable[str]) -> Iterator[list[int]]:
    """The clauses that a DRAT proof's lines add, in order; deletions are left out."""
    for line in proof:
        if not line.startswith("d"):
            yield [int(word) for word in line.split()[:-1]]
