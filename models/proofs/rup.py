"""`python -m models.proofs.rup FORMULA PROOF`: checks a DRAT proof step by step, by unit
propagation alone; nothing is searched.

A clause follows by unit propagation (it is RUP) if propagation from the negations of its literals
comes to a conflict. Each clause of a proof is checked in this way against the clauses that are
there, and then joins them. A clause that does not follow may be RAT: for one of its literals, all
resolvents with clauses that have the opposite literal follow. Then it may join them too, for the
clauses are satisfiable with it if they are without it. Sources: E. Goldberg and Y. Novikov,
Verification of proofs of unsatisfiability for CNF formulas, DATE 2003; N. Wetzler, M. Heule and
W. Hunt, DRAT-trim, SAT 2014.

Deletions are obeyed as drat-trim obeys them: a step follows from the clauses that have not been
deleted (`models.proofs.clause_database` says what holds for units). Each step is checked, though;
drat-trim passes over those that the empty clause does not need.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress

from models.cnf import MAX_VARIABLES, Formula
from models.proofs import drat
from models.proofs.clause_database import ClauseDatabase
from models.proofs.drat import ProofStep
from puzzles.dimacs_reader import DimacsReader
from puzzles.text import UserError, read_source


class WrongStep(Exception):
    """A clause of a proof that does not follow, or a proof that does not end with a contradiction.

    Attributes:
        step: the clause's number, counted from 1 without the deletions; one more than the last
            clause's number if the end is wrong.
        clause: its literals.
        deleted: whether it follows if no clause is deleted.
    """

    def __init__(self, step: int, clause: Sequence[int], deleted: bool = False) -> None:
        what = f"the clause {' '.join(map(str, clause))}" if clause else "the empty clause"
        not_rat = ", nor is it RAT" if clause else ""
        why = "; the proof has deleted a clause that it needs" if deleted else ""
        super().__init__(f"step {step}: {what} does not follow by unit propagation{not_rat}{why}")
        self.step, self.clause, self.deleted = step, tuple(clause), deleted

    def __reduce__(self) -> tuple[type[WrongStep], tuple[int, tuple[int, ...], bool]]:
        return WrongStep, (self.step, self.clause, self.deleted)


def check_refutation(formula: Formula, proof: Iterable[ProofStep]) -> int:
    """Check that the proof refutes the formula; returns the number of clauses that it adds, up to
    the empty one.

    Args:
        proof: the empty clause at the end may be left out if propagation alone finds the
            contradiction. Nothing that comes after it is checked.

    Raises:
        WrongStep: a clause, or at the end the empty clause, does not follow.
    """
    steps = [*proof, ProofStep(False, ())]
    start = added = 0
    with ClauseDatabase(formula) as database:
        while True:
            stretch = database.stretch(steps, start)
            for place, (deletes, clause) in enumerate(stretch, start):
                if deletes:
                    database.delete(clause)
                    continue
                added += 1
                if not (database.entails(clause) or database.is_rat(clause)):
                    raise WrongStep(
                        added,
                        steps[place].literals,
                        _follows_undeleted(formula, steps[: place + 1]),
                    )
                if not clause:
                    return added
                database.add(clause)
            start += len(stretch)


def _follows_undeleted(formula: Formula, steps: Sequence[ProofStep]) -> bool:
    """Whether the last step follows from all clauses, the deleted ones among them."""
    kept = [step for step in steps if not step.deletes]
    if len(kept) == len(steps):
        return False
    with ClauseDatabase(formula) as database:
        *before, last = database.stretch(kept, 0)
        for step in before:
            database.add(step.literals)
        return database.entails(last.literals)


def read_formula(path: str) -> Formula:
    """The formula in a DIMACS file.

    Raises:
        UserError: the file cannot be read, is not DIMACS, or has more than `MAX_VARIABLES`
            variables.
    """
    variables, clauses = DimacsReader(*read_source(path)).formula(MAX_VARIABLES)
    return Formula.of(variables, clauses.lists())


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
        help="DRAT as text; deletions are obeyed, but those of units, as drat-trim does",
    )
    options = parser.parse_args(arguments)
    status = 0
    try:
        status, verdict = _judge(options.formula, options.proof)
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


def _judge(formula_path: str, proof_path: str) -> tuple[int, str]:
    """The exit status and what is printed; raises `UserError` as the readers do."""
    formula = read_formula(formula_path)
    proof = drat.read_steps(*read_source(proof_path), len(formula.clauses))
    try:
        return 0, f"c {check_refutation(formula, proof)} steps\ns VERIFIED"
    except WrongStep as wrong:
        return 1, f"c {wrong}\ns NOT VERIFIED"


if __name__ == "__main__":
    sys.exit(main())
