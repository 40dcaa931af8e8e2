"""`python -m models.proofs.rup FORMULA PROOF`: checks a proof step by step, by unit propagation
alone; nothing is searched.

A clause follows by unit propagation (it is RUP) if propagation from the negations of its literals
comes to a conflict. Each clause of a proof is checked in this way against the formula and the
clauses before it, and then joins them. Deletions are ignored: what follows from some of the clauses
follows from all of them. Source: E. Goldberg and Y. Novikov, Verification of proofs of
unsatisfiability for CNF formulas, DATE 2003.

A proof may use only the variables of the formula, because no RUP step needs another one.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from models.cnf import MAX_VARIABLES, Formula
from models.solvers.opening import open_solver
from puzzles.dimacs_reader import DimacsReader
from puzzles.text import UserError, read_source

PROPAGATOR = "minisat22"
"""The solver that propagates.

It is one that writes no proofs, so no solver checks its own proof.
"""

MAYBE_RAT = "it may be a RAT step, which only a checker such as drat-trim can judge"
"""What a clause that does not follow may be instead."""


class WrongStep(Exception):
    """A clause of a proof that does not follow by unit propagation, or a proof that does not end
    with a contradiction.

    Attributes:
        step: the clause's number, counted from 1; one more than the last clause's number if the end
            is wrong.
        clause: its literals.
    """

    def __init__(self, step: int, clause: Sequence[int]) -> None:
        what = f"the clause {' '.join(map(str, clause))}" if clause else "the empty clause"
        super().__init__(f"step {step}: {what} does not follow by unit propagation")
        self.step, self.clause = step, tuple(clause)

    def __reduce__(self) -> tuple[type[WrongStep], tuple[int, tuple[int, ...]]]:
        return WrongStep, (self.step, self.clause)


def check(formula: Formula, proof: Iterable[Sequence[int]]) -> int:
    """Check that the proof refutes the formula; returns the number of steps, including the empty
    clause.

    Args:
        proof: clauses in order. The empty clause at the end may be left out if propagation alone
            finds the contradiction.

    Raises:
        WrongStep: a clause, or at the end the empty clause, does not follow.
    """
    step = 0
    with open_solver(formula, PROPAGATOR) as propagator:
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
    """The clauses that the lines of a DRAT proof add, in order; deletions are left out."""
    for line in proof:
        if not line.startswith("d"):
            yield [int(word) for word in line.split()[:-1]]


def read_formula(path: str) -> Formula:
    """The formula in a DIMACS file.

    Raises:
        UserError: the file cannot be read, is not DIMACS, or has more than `MAX_VARIABLES`
            variables.
    """
    variables, clauses = DimacsReader(*read_source(path)).formula(MAX_VARIABLES)
    return Formula.of(variables, clauses.lists())


def read_proof(path: str, variables: int) -> list[list[int]]:
    """The clauses that a DRAT file adds to a formula with `variables` variables; raises `UserError`
    as `read_formula` does.
    """
    beyond = (
        "literal {} is beyond the formula's {} variables: a step that follows by unit propagation "
        "needs no new one"
    )
    return DimacsReader(*read_source(path)).proof(variables, beyond)


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 0 for a proof, 1 for none, 2 for a text that cannot be read or an output that
    cannot be written.
    """
    parser = argparse.ArgumentParser(
        prog="python -m models.proofs.rup",
        description="Check a proof by unit propagation.",
        epilog="Exit status: 0 verified; 1 not verified; 2 bad usage or input; 130 interrupted.",
    )
    parser.add_argument("formula", metavar="FORMULA", help="DIMACS")
    parser.add_argument(
        "proof",
        metavar="PROOF",
        help="DRAT as text, all steps RUP and over the formula's variables; deletions are "
        "passed over",
    )
    options = parser.parse_args(arguments)
    status = 0
    try:
        status, verdict = _judged(options.formula, options.proof)
        print(verdict, flush=True)
    except UserError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except OSError as error:
        with suppress(OSError):  # what is left in the buffer would be written again at the end
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            print(f"standard output: {error.strerror or error}", file=sys.stderr)
            return 2
    return status


def _judged(formula_path: str, proof_path: str) -> tuple[int, str]:
    """The exit status and what is printed; raises `UserError` as the readers do."""
    formula = read_formula(formula_path)
    try:
        return 0, f"c {check(formula, read_proof(proof_path, formula.variables))} steps\ns VERIFIED"
    except WrongStep as wrong:
        return 1, f"c {wrong}{f'; {MAYBE_RAT}' if wrong.clause else ''}\ns NOT VERIFIED"


if __name__ == "__main__":
    sys.exit(main())
