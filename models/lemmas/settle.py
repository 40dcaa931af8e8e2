"""Settles lemmas: by search, by a script of the proof, by trying every small board, or by counting models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from importlib.util import find_spec
from math import prod
from pathlib import Path
from typing import Any

from models.cnf import Formula
from models.dimacs import Encoding, lines, text
from models.lemmas.lemma import (
    Counterexample,
    CounterexampleFormula,
    CountingLemma,
    ExhaustiveLemma,
    FormulaLemma,
    Lemma,
    Shape,
    shapes,
    shapes_within,
)
from models.proofs import rup
from models.proofs.checkers import Checker, Unproved, own_checker, write
from models.proofs.refutation import refutation
from models.session import session
from models.solvers.solver_names import DEFAULT_SOLVER
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


_SCRIPT_FALLBACK_SIZE = 3
"""If a lemma's script is refused, a solver searches for counterexamples up to this size."""


class LemmaVerdict(StrEnum):
    """PROVED up to a size; REFUTED by a board; UNPROVED if a proof, a vacuity check or a board is wrong.

    NO COUNTEREXAMPLE: the claim is known to fail, but not on boards as small as these.
    """

    PROVED = "PROVED"
    REFUTED = "REFUTED"
    NO_COUNTEREXAMPLE = "NO COUNTEREXAMPLE"
    UNPROVED = "UNPROVED"


@dataclass(frozen=True)
class LemmaResult:
    """The verdict on a lemma, and what supports it.

    Attributes:
        extent: the boards that the verdict speaks of: the largest size that is proved, or the shape of the smallest board that
            refutes. method: `search`, `script`, `sweep` (every board tried) or `count`. clauses, steps: the sizes of all formulas
            and of all proofs; None if there are none. boards_tried: the number of boards tried one by one. counterexample, failure:
            the smallest board that refutes the claim, and how the claim fails on it. vacuity_board, vacuity_failure: the vacuity
            check: a board on which the claim fails without its hypothesis, and how. reason: what is wrong if the lemma is UNPROVED;
            what is known if there is NO COUNTEREXAMPLE.
    """

    name: str
    verdict: LemmaVerdict
    size: int
    extent: str = ""
    method: str = ""
    clauses: int | None = None
    steps: int | None = None
    boards_tried: int | None = None
    counterexample: Counterexample | None = None
    failure: str = ""
    vacuity_board: Counterexample | None = None
    vacuity_failure: str = ""
    reason: str = ""


def settle(lemma: Lemma, size: int, prover: Prover) -> LemmaResult:
    """Prove or refute a lemma up to a size.

    Raises:
        Unsupported: a package that it needs is missing.
        UserError: a file cannot be written, or the checker cannot be run.
    """
    result = LemmaResult(lemma.name, LemmaVerdict.UNPROVED, size)
    try:
        if isinstance(lemma, FormulaLemma):
            return _by_formula(lemma, result, prover)
        if isinstance(lemma, ExhaustiveLemma):
            return _by_trying_all(lemma, result)
        if isinstance(lemma, CountingLemma):
            return _by_counting(lemma, result, prover.folder)
    except Unproved as why:
        return replace(result, reason=str(why), clauses=prover.clauses, steps=prover.steps)
    raise TypeError(f"{lemma.name} is of no kind that can be settled")


def _by_formula(lemma: FormulaLemma, result: LemmaResult, prover: Prover) -> LemmaResult:
    """Check that the lemma is not vacuous, then prove it, or search for a smallest counterexample."""
    result = replace(_vacuity_checked(lemma, result, prover), method="search")
    if lemma.expected_to_hold:
        counterexamples = lemma.build(result.size, result.size, False)
        by_script = counterexamples.script is not None
        try:
            if prover.refuted(lemma, (result.size, result.size), counterexamples, by_script=by_script):
                result = replace(result, verdict=LemmaVerdict.PROVED, extent=lemma.size_in_words(result.size))
                return replace(result, method="script" if by_script else "search", clauses=prover.clauses, steps=prover.steps)
        except Unproved:
            size = min(result.size, _SCRIPT_FALLBACK_SIZE)
            refuted = _refuted_by_smallest(lemma, result, size, prover) if by_script else None
            if refuted is None:
                raise
            return refuted
    refuted = _refuted_by_smallest(lemma, result, result.size, prover)
    if refuted is not None:
        return refuted
    return replace(_no_counterexample(lemma, result), clauses=prover.clauses, steps=prover.steps)


def _vacuity_checked(lemma: FormulaLemma, result: LemmaResult, prover: Prover) -> LemmaResult:
    """The vacuity check: without its hypothesis the claim fails on some board. Adds that board.

    Raises:
        Unproved: there is no such board, so the formula says nothing; or the claim does not fail on the board.
    """
    board = model_of(lemma.build(result.size, result.size, True), prover.solver)
    if board is None:
        raise Unproved(
            f"the formula says nothing of {result.size}x{result.size} boards: "
            f"no model even without the hypothesis that {lemma.hypothesis}"
        )
    failure = lemma.failure_on(board)
    if not failure:
        raise Unproved(
            f"without the hypothesis that {lemma.hypothesis} the formula has a board on which the claim does not fail:\n{board}"
        )
    return replace(result, vacuity_board=board, vacuity_failure=failure)


def _no_counterexample(lemma: Lemma, result: LemmaResult) -> LemmaResult:
    """The result if no board up to its size is a counterexample."""
    extent = lemma.size_in_words(result.size)
    if lemma.expected_to_hold:
        return replace(result, verdict=LemmaVerdict.PROVED, extent=extent)
    known = "" if result.size >= lemma.size else f"; REFUTED at {lemma.size_in_words(lemma.size)}"
    reason = f"no counterexample up to {extent}{known}"
    return replace(result, verdict=LemmaVerdict.NO_COUNTEREXAMPLE, extent=extent, reason=reason)


def _refuted_by_smallest(lemma: FormulaLemma, result: LemmaResult, size: int, prover: Prover) -> LemmaResult | None:
    """The lemma refuted by a smallest board that fits into size x size, all smaller shapes proved; None if no board does."""
    for shape in shapes_within(size):
        counterexamples = lemma.build(*shape, False)
        if not prover.refuted(lemma, shape, counterexamples):
            result = replace(result, clauses=prover.clauses, steps=prover.steps)
            return _refuted(result, model_of(counterexamples, prover.solver), lemma.failure_on)
    return None


def model_of(counterexamples: CounterexampleFormula, solver: str = DEFAULT_SOLVER) -> Counterexample | None:
    """Some counterexample; None if there is none."""
    with session(counterexamples.formula, solver) as opened:
        return counterexamples.decode(opened.model()) if opened.solve() else None


def _refuted(
    result: LemmaResult, counterexample: Counterexample | None, failure_on: Callable[[Counterexample], str]
) -> LemmaResult:
    """The lemma refuted by a board on which it fails.

    Raises:
        Unproved: it does not fail there.
    """
    failure = "" if counterexample is None else failure_on(counterexample)
    if counterexample is None or not failure:
        raise Unproved(f"the claim does not fail on the board that was found:\n{counterexample}")
    extent = f"{len(counterexample.rows)}x{len(counterexample.rows[0])}"
    return replace(result, verdict=LemmaVerdict.REFUTED, extent=extent, counterexample=counterexample, failure=failure)


def _by_trying_all(lemma: ExhaustiveLemma, result: LemmaResult) -> LemmaResult:
    """Try every board of every shape, smaller ones first."""
    result = replace(result, method="sweep", boards_tried=0)
    for cells in range(1, result.size + 1):
        for shape in shapes(cells):
            search = lemma.search(*shape)
            result = replace(result, boards_tried=(result.boards_tried or 0) + search.boards_tried)
            if search.counterexample is not None:
                return _refuted(result, search.counterexample, lemma.failure_on)
    return _no_counterexample(lemma, result)


def _by_counting(lemma: CountingLemma, result: LemmaResult, folder: Path | None) -> LemmaResult:
    """Count the models for each published shape, smaller ones first; `folder`: where the formulas are written."""
    result = replace(result, method="count", clauses=0)
    largest = 0
    for (rows, columns), published in sorted(lemma.published.items(), key=lambda item: prod(item[0])):
        if rows * columns > result.size:
            break
        formula = lemma.build(rows, columns)
        if folder is not None:
            cnf = folder / f"{lemma.name}-{rows}x{columns}.cnf"
            write(cnf, [text(Encoding(formula, f"satisfied by {published} assignments", []))])
        models = models_of(formula)
        if models != published:
            raise Unproved(f"{rows}x{columns}: {models} models, and {published} published")
        result = replace(result, clauses=(result.clauses or 0) + len(formula.clauses), extent=f"{rows}x{columns}")
        largest = max(largest, rows * columns)
    if not largest:
        raise Unproved(f"no number is published of so few cells as {result.size}")
    return replace(result, verdict=LemmaVerdict.PROVED)
