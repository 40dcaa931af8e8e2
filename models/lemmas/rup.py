"""`python -m models.lemmas.rup FORMULA PROOF`: checks a proof step by step, by unit propagation alone; nothing is searched.

A clause follows by unit propagation (it is RUP) if propagation from the negations of its literals comes to a conflict. Each clause
of a proof is checked in this way against the formula and the clauses before it, and then joins them. Deletions are ignored: what
follows from some of the clauses follows from all of them. Source: E. Goldberg and Y. Novikov, Verification of proofs of
unsatisfiability for CNF formulas, DATE 2003.

A proof may use only the variables of the formula, because no RUP step needs another one.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from models.cnf import MOST_VARIABLES, Formula
from models.session import loaded
from puzzles.text import InputError, UserError, read_source

PROPAGATOR = "minisat22"
"""The solver that propagates. It is one that writes no proofs, so no solver checks its own proof."""

MAYBE_RAT = "it may be a RAT step, which only a checker such as drat-trim can judge"
"""What a clause that does not follow may be instead. Proofs of MapleSAT have such steps."""

_WHOLE = re.compile(r"\s*(?:-?[1-9][0-9]{0,9}\s+)*0\s*")
_INTEGER = re.compile(r"-?[0-9]{1,18}")


class WrongStep(Exception):
    """A clause of a proof that does not follow by unit propagation, or a proof that does not end with a contradiction.

    Attributes:
        step: the clause's number, counted from 1; one more than the last clause's number if the end is wrong.
        clause: its literals.
    """

    def __init__(self, step: int, clause: Sequence[int]) -> None:
        what = f"the clause {' '.join(map(str, clause))}" if clause else "the empty clause"
        super().__init__(f"step {step}: {what} does not follow by unit propagation")
        self.step, self.clause = step, tuple(clause)

    def __reduce__(self) -> tuple[type[WrongStep], tuple[int, tuple[int, ...]]]:
        return WrongStep, (self.step, self.clause)


def check(formula: Formula, proof: Iterable[Sequence[int]]) -> int:
    """Check that the proof refutes the formula; returns the number of steps, including the empty clause.

    Args:
        proof: clauses in order. The empty clause at the end may be left out if propagation alone finds the contradiction.

    Raises:
        WrongStep: a clause, or at the end the empty clause, does not follow.
    """
    step = 0
    with loaded(formula, PROPAGATOR) as propagator:
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


def _lines(path: str) -> tuple[list[tuple[int, str]], str]:
    """The lines of a file that are neither empty nor a comment, with their numbers, and the name for errors."""
    data, name = read_source(path)
    kept = enumerate(data.decode("utf-8", "replace").split("\n"), 1)
    return [(number, line) for number, line in kept if line.strip() and not line.lstrip().startswith("c")], name


def _clauses(lines: Iterable[tuple[int, str]], name: str, beyond: str, variables: int, *, proof: bool) -> Iterator[list[int]]:
    """The clauses, each ended by 0, on one line or several; of a proof those that are added.

    Raises:
        InputError: a word is no literal, a variable is `beyond` those of the formula, or the last clause is not ended.
    """
    clause: list[int] = []
    number, line, begun, deleted = 1, "", False, False
    for number, line in lines:
        if not begun and _WHOLE.fullmatch(line):  # a line a clause, as solvers write them
            whole = list(map(int, line.split()))
            if -variables <= min(whole) and max(whole) <= variables:
                yield whole[:-1]
                continue
        for word in re.finditer(r"\S+", line):
            if proof and not begun and word[0] == "d":
                begun = deleted = True
                continue
            if not _INTEGER.fullmatch(word[0]):
                raise InputError(name, number, word.start() + 1, f"{word[0][:40]!r} is neither a literal nor the 0 after a clause")
            literal = int(word[0])
            if abs(literal) > variables:
                raise InputError(name, number, word.start() + 1, beyond.format(literal, variables))
            if literal:
                clause.append(literal)
                begun = True
                continue
            if not deleted:
                yield clause
            clause, begun, deleted = [], False, False
    if begun:
        raise InputError(name, number, len(line.rstrip()) + 1, "the text ends within a clause; expected 0")


def read_formula(path: str) -> Formula:
    """The formula in a DIMACS file.

    Raises:
        UserError: the file cannot be read, is none, or has more than `MOST_VARIABLES` variables.
    """
    lines, name = _lines(path)
    at, first = lines[0] if lines else (1, "")
    header = first.split()
    if header[:2] != ["p", "cnf"] or len(header) != 4 or not all(re.fullmatch(r"[0-9]{1,18}", word) for word in header[2:]):
        raise InputError(name, at, 1, "a formula begins with `p cnf VARIABLES CLAUSES`")
    formula, announced = Formula(), int(header[3])
    formula.variables = int(header[2])
    if formula.variables > MOST_VARIABLES:
        raise InputError(name, at, first.index(header[2]) + 1, f"more than {MOST_VARIABLES} variables")
    beyond = "literal {} is out of range for {} variables"
    formula.clauses.extend(_clauses(lines[1:], name, beyond, formula.variables, proof=False))
    if len(formula.clauses) != announced:
        raise UserError(f"{name}: {announced} clauses are announced, and there are {len(formula.clauses)}")
    return formula


def read_proof(path: str, variables: int) -> Iterator[list[int]]:
    """The clauses that a DRAT file adds to a formula of so many variables; raises `UserError` as `read_formula` does."""
    lines, name = _lines(path)
    beyond = "literal {} is beyond the formula's {} variables: a step that follows by unit propagation needs no new one"
    return _clauses(lines, name, beyond, variables, proof=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 0 for a proof, 1 for none, 2 for a text that cannot be read or an output that cannot be written."""
    parser = argparse.ArgumentParser(
        prog="python -m models.lemmas.rup",
        description="Check a proof by unit propagation.",
        epilog="Exit status: 0 verified; 1 not verified; 2 bad usage or input; 130 interrupted.",
    )
    parser.add_argument("formula", metavar="FORMULA", help="DIMACS")
    parser.add_argument(
        "proof",
        metavar="PROOF",
        help="DRAT as text, all steps RUP and over the formula's variables; deletions are passed over",
    )
    options = parser.parse_args(arguments)
    status = 0
    try:
        status, said = _judged(options.formula, options.proof)
        print(said, flush=True)
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
