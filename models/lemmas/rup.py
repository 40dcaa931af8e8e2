"""`python -m models.lemmas.rup FORMULA PROOF`: a forward check of proofs on a solver's propagation alone: nothing is searched.

A clause follows by unit propagation (is RUP) where the negation of its literals propagates to a conflict. Each clause of a
proof is checked so against the formula and the clauses before it, and then joins them; deletions are passed over, since
what follows from some of the clauses follows from all. E. Goldberg and Y. Novikov, Verification of proofs of unsatisfiability for
CNF formulas, DATE 2003.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from models.cnf import Formula, paused_collector
from puzzles.text import UserError, read_source

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


def _literals(line: str, name: str, number: int) -> list[int]:
    try:
        *literals, zero = map(int, line.split())
    except ValueError:
        literals, zero = [], 1
    if zero:
        raise UserError(f"{name}:{number}:1: this line is not a clause ended by 0, but {line[:40]!r}")
    return literals


def _lines(path: str) -> tuple[list[tuple[int, str]], str]:
    """The lines of a file that are neither empty nor a comment, with their numbers, and the name for errors."""
    data, name = read_source(path)
    kept = [(number, line.strip()) for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1)]
    return [(number, line) for number, line in kept if line and not line.startswith("c")], name


def read_formula(path: str) -> Formula:
    """The formula in a DIMACS file, a line a clause.

    Raises:
        UserError: the file cannot be read, or is none.
    """
    lines, name = _lines(path)
    formula = Formula()
    header = lines[0][1].split() if lines else []
    if header[:2] != ["p", "cnf"] or len(header) != 4 or not all(word.isdecimal() for word in header[2:]):
        raise UserError(f"{name}:{lines[0][0] if lines else 1}:1: a formula begins with `p cnf VARIABLES CLAUSES`")
    formula.variables = int(header[2])
    for number, line in lines[1:]:
        try:
            formula.add(*_literals(line, name, number))
        except ValueError as error:
            raise UserError(f"{name}:{number}:1: {error}") from None
    if len(formula.clauses) != int(header[3]):
        raise UserError(f"{name}: {header[3]} clauses are announced, and there are {len(formula.clauses)}")
    return formula


def read_proof(path: str) -> Iterator[list[int]]:
    """The clauses that a DRAT file adds; raises `UserError` as `read_formula` does."""
    lines, name = _lines(path)
    return (_literals(line, name, number) for number, line in lines if not line.startswith("d"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 0 for a proof, 1 for none, 2 for a text that cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m models.lemmas.rup", description="Check a proof by unit propagation.")
    parser.add_argument("formula", metavar="FORMULA", help="DIMACS")
    parser.add_argument("proof", metavar="PROOF", help="DRAT as text, whose steps are all RUP; deletions are passed over")
    options = parser.parse_args(arguments)
    try:
        print(f"c {check(read_formula(options.formula), read_proof(options.proof))} steps\ns VERIFIED")
    except WrongStep as wrong:
        print(f"c {wrong}\ns NOT VERIFIED")
        return 1
    except UserError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
