"""Finds a proof that a formula is unsatisfiable, has it checked, and writes both to files on request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from models.dimacs import Encoding, lines, text
from models.lemmas.lemma import CounterexampleFormula, FormulaLemma, Shape
from models.proofs import rup
from models.proofs.checkers import Checker, Unproved, own_checker, write
from models.proofs.refutation import refutation
from models.solvers.solver_names import DEFAULT_SOLVER


@dataclass
class Prover:
    """A solver that finds proofs, a checker, a folder for files, and counters of the work so far.

    Attributes:
        solver: one of python-sat's solvers that write proofs.
        check: see `checker_named`.
        folder: where each formula is written, with its proof beside it; None: nowhere.
        clauses: the number of clauses of all formulas so far.
        steps: the number of steps of all proofs so far, without deletions.
    """

    solver: str = DEFAULT_SOLVER
    check: Checker = own_checker
    folder: Path | None = None
    clauses: int = 0
    steps: int = 0

    def refuted(
        self, lemma: FormulaLemma, shape: Shape, counterexamples: CounterexampleFormula, *, by_script: bool = False
    ) -> bool:
        """Whether the formula is unsatisfiable, so that the lemma holds on this shape. If it is, the proof has been checked.

        Args:
            by_script: check the lemma's own script; otherwise the solver searches for a proof.

        Raises:
            Unproved: the checker refuses the proof.
            UserError: the formula or the proof cannot be written, or the checker cannot be run.
        """
        formula = counterexamples.formula
        meaning = f"satisfiable if and only if this fails on some {shape[0]}x{shape[1]} board: {lemma.statement}"
        self.clauses += len(formula.clauses)
        script = counterexamples.script if by_script else None
        proof = _lines(script()) if script else refutation(formula, self.solver)
        cnf = None if self.folder is None else self.folder / f"{lemma.name}-{shape[0]}x{shape[1]}.cnf"
        if cnf is not None:
            write(cnf, [text(Encoding(formula, meaning, list(counterexamples.names)))])
        if proof is None:
            return False
        counted = self._counted(proof)
        try:
            if cnf is None:
                self.check(formula, meaning, counted)
                return True
            drat = cnf.with_suffix(".drat")
            write(drat, (f"{line}\n" for line in counted))
            with drat.open() as stream:
                self.check(formula, meaning, (line.rstrip() for line in stream))
        except Unproved as why:
            if isinstance(why.__cause__, rup.WrongStep) and why.__cause__.clause and not by_script:
                raise Unproved(f"{why}; {rup.MAYBE_RAT}") from None
            raise
        return True

    def _counted(self, proof: Iterable[str]) -> Iterator[str]:
        """The same lines; counts the steps as they pass."""
        for line in proof:
            self.steps += not line.startswith("d")
            yield line


def _lines(script: Iterable[Sequence[int]]) -> Iterator[str]:
    """The clauses of a script as lines of a DRAT proof."""
    return (line.rstrip() for line in lines(script))
