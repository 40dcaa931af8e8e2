"""What a lemma is: one claim of a write-up, how it is settled, and how a concrete board is seen to
refute it. A lemma is a statement about an unknown board: it is proved for all boards up to a size
at once, or refuted.

The lemmas of a puzzle are the `LEMMAS` of a module `lemmas` in its folder of `models`. The module
is imported when its lemmas are first used. No backend uses it.

There are three kinds. A `FormulaLemma` is a formula whose models are its counterexamples. An
`ExhaustiveLemma` is tried on every small board. A `CountingLemma` claims that a formula has a
published number of models.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from importlib import import_module
from importlib.util import find_spec
from math import prod
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

import puzzles
from models.cnf import Formula
from models.dimacs import Encoding, text
from models.proofs.drat import additions
from models.proofs.refutation import Checker, Unproved, own_checker, refutation
from models.session import session
from models.solvers.sat_solver import NoVerdict, SolverFailure
from models.solvers.solver_names import DEFAULT_SOLVER
from puzzles.answer import Answer
from puzzles.backend import Unsupported
from puzzles.extras import not_installed
from puzzles.shell.output_files import write_file
from puzzles.space.grid_space import shapes
from puzzles.text import UnknownName

Assignment = NDArray[np.bool_]
"""A model of a formula: the value of variable v at index v; index 0 is not used."""

Shape = tuple[int, int]
"""Rows and columns."""


@dataclass(frozen=True)
class Counterexample:
    """A concrete board, and the details that show how the claim fails on it.

    Attributes:
        rows: the rows of the board in the contest's characters. The contest may not allow such a
            board.
        details: plain values by name: cells as (row, column) counted from 0, directions, stones to
            be played, ...
    """

    rows: tuple[str, ...]
    details: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return "\n".join(self.rows)


@dataclass(frozen=True)
class CounterexampleFormula:
    """The counterexamples of a lemma on one shape of board, as the models of a formula. The board's
    cells are variables.

    Attributes:
        formula: its models are exactly the counterexamples, so it is unsatisfiable if the claim is
            true. It also defines all auxiliary variables that the script mentions; each definition
            can be satisfied on every board.
        decode: the counterexample of a model.
        script: makes a proof, for formulas that are too hard for a solver: clauses in order, each
            of which follows by unit propagation from the formula and the clauses before it. The
            last one is the empty clause; it may be left out if propagation alone ends there. None:
            a solver searches for a proof. Without the hypothesis nothing is proved, and nobody asks
            for the script.
    """

    formula: Formula
    decode: Callable[[Assignment], Counterexample]
    script: Callable[[], Iterable[Sequence[int]]] | None = None

    def model(self, solver: str = DEFAULT_SOLVER) -> Counterexample | None:
        """Some counterexample; None if there is none."""
        with session(self.formula, solver) as opened:
            return self.decode(opened.model()) if opened.solve() else None


class LemmaVerdict(StrEnum):
    """PROVED up to a size; REFUTED by a board; UNPROVED if a proof, a vacuity check or a board is
    wrong.

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
        extent: the boards that the verdict speaks of: the largest size that is proved, or the shape
            of the smallest board that refutes. method: `search`, `script`, `sweep` (every board
            tried) or `count`. clauses, steps: the sizes of all formulas and of all proofs; None if
            there are none. boards_tried: the number of boards tried one by one. counterexample,
            failure: the smallest board that refutes the claim, and how the claim fails on it.
            dropped, vacuity_board, vacuity_failure: the vacuity check: the hypothesis left out, a
            board on which the claim then fails, and how. reason: what is wrong if the lemma is
            UNPROVED; what is known if there is NO COUNTEREXAMPLE.
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
    dropped: str = ""
    vacuity_board: Counterexample | None = None
    vacuity_failure: str = ""
    reason: str = ""


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

    def write_formula(
        self, lemma: Lemma, shape: Shape, formula: Formula, meaning: str
    ) -> Path | None:
        """Count the formula's clauses and write it to the folder, if there is one; raises
        `UserError` if it cannot be written.
        """
        self.clauses += len(formula.clauses)
        if self.folder is None:
            return None
        path = self.folder / f"{lemma.name}-{shape[0]}x{shape[1]}.cnf"
        write_file(path, text(Encoding(formula, meaning, [], columns=shape[1])))
        return path

    def is_refuted(
        self, lemma: Lemma, shape: Shape, formula: Formula, script: Iterable[Sequence[int]] | None
    ) -> bool:
        """Whether the formula is unsatisfiable, so that the lemma holds on this shape. If it is,
        the proof has been checked.

        Args:
            script: the proof to check; None: the solver searches for one.

        Raises:
            Unproved: the checker refuses the proof.
            UserError: the formula or the proof cannot be written, or the checker cannot be run.
        """
        meaning = (
            f"satisfiable if and only if this fails on some {shape[0]}x{shape[1]} board: "
            f"{lemma.statement}"
        )
        proof = refutation(formula, self.solver) if script is None else additions(script)
        cnf = self.write_formula(lemma, shape, formula, meaning)
        if proof is None:
            return False
        steps = list(proof)
        self.steps += sum(not step.deletes for step in steps)
        if cnf is not None:
            write_file(cnf.with_suffix(".drat"), (f"{step}\n" for step in steps))
        self.check(formula, meaning, steps)
        return True


@dataclass(frozen=True, kw_only=True)
class Lemma:
    """What all kinds of lemmas share.

    Attributes:
        kind: what JSON calls this kind of lemma.
        name: unique among all puzzles, and the name that the user types: the puzzle, a hyphen and
            the rest.
        statement: the claim, in one sentence.
        source: who says so, in full.
        quote: the source's own sentence.
        translation: the same in English, if the sentence is not.
        size: the size up to which it is settled by default. What a size means depends
            on the kind.
        smallest_size: a smaller size says nothing.
        largest_size, why_largest: there is no larger size, and the reason; None if there is no such
            limit.
        expected_to_hold: False for a claim that is known to fail. Sizes without a
            counterexample do not prove it.
        dependents: the backends that rest on the claim.
        naive_answer: (board) -> the answer of a solver that relies on the claim. On a board that
            refutes the claim, either the check refutes this answer or a proved answer of a backend
            contradicts it. None if no answer depends on the claim.
        failure: (rows, **details) -> how the claim fails on a counterexample with these, in words;
            empty if it does not fail. It follows the rules in the plainest way and never uses the
            formula. A claim without counterexamples has none.
    """

    kind: ClassVar[str]

    name: str
    statement: str
    source: str
    quote: str
    size: int
    smallest_size: int = 1
    largest_size: int | None = None
    why_largest: str = ""
    expected_to_hold: bool = True
    dependents: tuple[str, ...] = ()
    naive_answer: Callable[[Any], Answer] | None = None
    translation: str = ""
    failure: Callable[..., str] = lambda rows: ""

    @property
    def puzzle(self) -> str:
        return self.name.partition("-")[0]

    def failure_on(self, example: Counterexample) -> str:
        """How the claim fails on this board, in words; empty if it does not fail."""
        return self.failure(example.rows, **example.details)

    def clip_size(self, size: int) -> int:
        """The size, or the largest one that there is."""
        return size if self.largest_size is None else min(size, self.largest_size)

    def size_in_words(self, size: int) -> str:
        """What a size stands for."""
        return f"{size} cell{'s' * (size > 1)}"

    def settle(self, size: int, prover: Prover) -> LemmaResult:
        """Prove or refute the lemma up to a size.

        What the solver does wrong leaves the lemma UNPROVED, such as no proof at all.

        Raises:
            NoVerdict: the solver does not know.
            Unsupported: a package that it needs is missing.
            UserError: a file cannot be written, or the checker cannot be run.
        """
        result = LemmaResult(self.name, LemmaVerdict.UNPROVED, size)
        try:
            return self._settle(result, prover)
        except NoVerdict:
            raise
        except (Unproved, SolverFailure) as why:
            return replace(result, reason=str(why), clauses=prover.clauses, steps=prover.steps)

    def _settle(self, result: LemmaResult, prover: Prover) -> LemmaResult:
        """As `settle`; raises `Unproved` if a proof, a vacuity check or a board is wrong."""
        raise NotImplementedError

    def _no_counterexample(self, result: LemmaResult) -> LemmaResult:
        """The result if no board up to its size is a counterexample."""
        extent = self.size_in_words(result.size)
        if self.expected_to_hold:
            return replace(result, verdict=LemmaVerdict.PROVED, extent=extent)
        known = "" if result.size >= self.size else f"; REFUTED at {self.size_in_words(self.size)}"
        reason = f"no counterexample up to {extent}{known}"
        return replace(result, verdict=LemmaVerdict.NO_COUNTEREXAMPLE, extent=extent, reason=reason)

    def _refutation(self, result: LemmaResult, example: Counterexample | None) -> LemmaResult:
        """The result if a board refutes the lemma; raises `Unproved` if the claim does not fail
        there.
        """
        failure = "" if example is None else self.failure_on(example)
        if example is None or not failure:
            raise Unproved(f"the claim does not fail on the board that was found:\n{example}")
        return replace(
            result,
            verdict=LemmaVerdict.REFUTED,
            extent=f"{len(example.rows)}x{len(example.rows[0])}",
            counterexample=example,
            failure=failure,
        )


@dataclass(frozen=True, kw_only=True)
class FormulaLemma(Lemma):
    """A claim about all boards of a shape, as one formula.

    Size n stands for boards of n x n. They cover smaller boards if a board can be padded with
    walls. Counterexamples are searched on all shapes that fit into n x n. Below `smallest_size`
    there are no counterexamples even without the hypothesis.

    Attributes:
        build: (rows, columns, without_hypothesis) -> the formula of the counterexamples. With
            `without_hypothesis`, the formula for the vacuity check: one hypothesis is left out.
            This formula must be satisfiable; otherwise the lemma says nothing.
        hypothesis: the hypothesis that the vacuity check leaves out, in a few words.
    """

    kind = "lemma"

    build: Callable[[int, int, bool], CounterexampleFormula]
    hypothesis: str
    smallest_size: int = 2

    def size_in_words(self, size: int) -> str:
        return f"{size}x{size}"

    def _settle(self, result: LemmaResult, prover: Prover) -> LemmaResult:
        """Check that the lemma is not vacuous, then prove it, or search for a smallest
        counterexample.
        """
        result, size = replace(self._vacuity_checked(result, prover), method="search"), result.size
        if self.expected_to_hold:
            whole = self.build(size, size, False)
            script = None if whole.script is None else whole.script()
            try:
                if prover.is_refuted(self, (size, size), whole.formula, script):
                    method = "search" if script is None else "script"
                    result = replace(
                        result, method=method, clauses=prover.clauses, steps=prover.steps
                    )
                    return self._no_counterexample(result)
            except Unproved:
                if script is None:
                    raise
                refuted = self._refuted_by_smallest(
                    result, min(size, _SCRIPT_FALLBACK_SIZE), prover
                )
                if refuted is None:
                    raise
                return refuted
        refuted = self._refuted_by_smallest(result, size, prover)
        if refuted is not None:
            return refuted
        return self._no_counterexample(replace(result, clauses=prover.clauses, steps=prover.steps))

    def _vacuity_checked(self, result: LemmaResult, prover: Prover) -> LemmaResult:
        """The vacuity check: without its hypothesis the claim fails on some board. Adds that board.

        Raises:
            Unproved: there is no such board, so the formula says nothing; or the claim does not
                fail on the board.
        """
        board = self.build(result.size, result.size, True).model(prover.solver)
        if board is None:
            raise Unproved(
                f"the formula says nothing of {result.size}x{result.size} boards: "
                f"no model even without the hypothesis that {self.hypothesis}"
            )
        failure = self.failure_on(board)
        if not failure:
            raise Unproved(
                f"without the hypothesis that {self.hypothesis} the formula has a board on which "
                f"the claim does not fail:\n{board}"
            )
        return replace(
            result, dropped=self.hypothesis, vacuity_board=board, vacuity_failure=failure
        )

    def _refuted_by_smallest(
        self, result: LemmaResult, size: int, prover: Prover
    ) -> LemmaResult | None:
        """The lemma refuted by a smallest board that fits into size x size, all smaller shapes
        proved; None if no board does.
        """
        for shape in shapes_within(size):
            counterexamples = self.build(*shape, False)
            if not prover.is_refuted(self, shape, counterexamples.formula, None):
                result = replace(result, clauses=prover.clauses, steps=prover.steps)
                return self._refutation(result, counterexamples.model(prover.solver))
        return None


_SCRIPT_FALLBACK_SIZE = 3
"""If a lemma's script is refused, a solver searches for counterexamples up to this size."""


@dataclass(frozen=True)
class ExhaustiveSearch:
    """All boards of one shape tried: how many there were, and the first board on which the claim
    fails, or None.
    """

    boards_tried: int
    counterexample: Counterexample | None


@dataclass(frozen=True, kw_only=True)
class ExhaustiveLemma(Lemma):
    """A claim that is no single formula, because it speaks of all layouts of a board: every small
    board is tried.

    Size n stands for all shapes of at most n cells.

    Attributes:
        search: (rows, columns) -> the search over all boards of that shape.
    """

    kind = "sweep"

    search: Callable[[int, int], ExhaustiveSearch]

    def _settle(self, result: LemmaResult, prover: Prover) -> LemmaResult:
        """Try every board of every shape, smaller ones first."""
        tried = 0
        for cells in range(1, result.size + 1):
            for shape in shapes_of_cells(cells):
                search = self.search(*shape)
                tried += search.boards_tried
                result = replace(result, method="sweep", boards_tried=tried)
                if search.counterexample is not None:
                    return self._refutation(result, search.counterexample)
        return self._no_counterexample(result)


@dataclass(frozen=True, kw_only=True)
class CountingLemma(Lemma):
    """A claim that a formula has a published number of models.

    Size n stands for the published shapes of at most n cells.

    Attributes:
        published: shape -> number.
        build: (rows, columns) -> the formula. It has no auxiliary variables, since they would be
            counted as well.
    """

    kind = "count"

    published: Mapping[Shape, int]
    build: Callable[[int, int], Formula]
    why_largest: str = "the published numbers end there"

    def _settle(self, result: LemmaResult, prover: Prover) -> LemmaResult:
        """Count the models for each published shape, smaller ones first."""
        largest = 0
        for shape, published in sorted(self.published.items(), key=lambda item: prod(item[0])):
            if prod(shape) > result.size:
                break
            formula = self.build(*shape)
            prover.write_formula(self, shape, formula, f"satisfied by {published} assignments")
            largest, extent = prod(shape), f"{shape[0]}x{shape[1]}"
            models = models_of(formula)
            if models != published:
                raise Unproved(f"{extent}: {models} models, and {published} published")
            result = replace(result, method="count", clauses=prover.clauses, extent=extent)
        if not largest:
            raise Unproved(f"no number is published of so few cells as {result.size}")
        return replace(result, verdict=LemmaVerdict.PROVED)


def models_of(formula: Formula) -> int:
    """The number of assignments that satisfy the formula; auxiliary variables are counted like any
    other.

    The diagram orders the variables by their numbers. It stays small if few clauses reach over any
    cut in that order. PySDD counts up to 2^64.

    Raises:
        Unsupported: PySDD is missing, or there are more than 64 variables.
    """
    if find_spec("pysdd") is None:
        raise Unsupported(not_installed(["pysdd"]))
    if not formula.variables:  # the package would crash
        return int(not formula.clauses)
    from pysdd.sdd import SddManager, Vtree

    if formula.variables > 64:
        raise Unsupported(
            f"{formula.variables} variables are more than the 64 that the package counts over "
            "exactly"
        )
    manager = SddManager.from_vtree(Vtree(var_count=formula.variables, vtree_type="right"))
    whole: Any = manager.true()
    for clause in sorted(formula.clauses, key=lambda clause: (max(map(abs, clause)), len(clause))):
        disjunction = manager.false()
        for literal in sorted(clause, key=abs, reverse=True):
            disjunction = manager.literal(literal) | disjunction
        whole &= disjunction
    return int(whole.global_model_count())


def shapes_of_cells(cells: int, size: int | None = None) -> list[Shape]:
    """The shapes of exactly `cells` cells that are no taller than wide, and no wider than `size`:
    no claim changes if a board is mirrored in its diagonal.
    """
    return [shape for shape in shapes(cells, square=False, size=size) if shape[0] <= shape[1]]


def shapes_within(size: int) -> list[Shape]:
    """The shapes that fit into size x size and are no taller than wide, in the order of their
    number of cells.
    """
    return [shape for cells in range(1, size**2 + 1) for shape in shapes_of_cells(cells, size)]


def lemmas_of(puzzle: str) -> tuple[Lemma, ...]:
    """The lemmas of a puzzle, in the order of its module; empty if it has no such module."""
    module = f"models.{puzzle}.lemmas"
    if find_spec(f"models.{puzzle}") is None or find_spec(module) is None:
        return ()
    return import_module(module).LEMMAS


def all_lemmas() -> list[Lemma]:
    """The lemmas of all puzzles."""
    return [lemma for puzzle in puzzles.names() for lemma in lemmas_of(puzzle)]


def lemma_named(name: str) -> Lemma:
    """The lemma of that name; raises `UnknownName`."""
    known = {lemma.name: lemma for lemma in all_lemmas()}
    if name not in known:
        raise UnknownName("lemma", name, list(known))
    return known[name]
