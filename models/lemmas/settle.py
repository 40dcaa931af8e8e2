"""Settles a lemma: proves it, with a proof that a checker has confirmed, or refutes it by a smallest board."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from math import prod
from pathlib import Path

from models.dimacs import Encoding, text
from models.lemmas.diagram import models_of
from models.lemmas.lemma import (
    Counterexample,
    CounterexampleFormula,
    CountingLemma,
    ExhaustiveLemma,
    FormulaLemma,
    Lemma,
    shapes,
    shapes_within,
)
from models.lemmas.prover import Prover
from models.proofs.checkers import Unproved, write
from models.session import session
from models.solvers.solver_names import DEFAULT_SOLVER

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
