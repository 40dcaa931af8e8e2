"""What a lemma is: one claim of a write-up, a way to look for counterexamples, and a test of a concrete counterexample.

There are three kinds. A `FormulaLemma` is a formula whose models are its counterexamples. An `ExhaustiveLemma` is tried on every
small board. A `CountingLemma` claims that a formula has a published number of models.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.cnf import Formula
from puzzles.answer import Answer
from puzzles.grid import Board, grid_of

Assignment = NDArray[np.bool_]
"""A model of a formula: the value of variable v at index v; index 0 is not used."""

Shape = tuple[int, int]
"""Rows and columns."""


@dataclass(frozen=True)
class Counterexample:
    """A concrete board, and the details that show how the claim fails on it.

    Attributes:
        rows: the rows of the board in the contest's characters. The contest may not allow such a board.
        details: plain values by name: cells as (row, column) counted from 0, directions, stones to be played, ...
    """

    rows: tuple[str, ...]
    details: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return "\n".join(self.rows)


@dataclass(frozen=True)
class CounterexampleFormula:
    """The counterexamples of a lemma on one shape of board, as the models of a formula. The board's cells are variables.

    Attributes:
        formula: its models are exactly the counterexamples, so it is unsatisfiable if the claim is true. It also defines all
            auxiliary variables that the script mentions; each definition can be satisfied on every board.
        decode: the counterexample of a model.
        script: makes a proof, for formulas that are too hard for a solver: clauses in order, each of which follows by unit
            propagation from the formula and the clauses before it. The last one is the empty clause; it may be left out if
            propagation alone ends there. None: a solver searches for a proof.
        names: what each named variable says, for comments in DIMACS; all other variables are auxiliary.
    """

    formula: Formula
    decode: Callable[[Assignment], Counterexample]
    script: Callable[[], Iterable[Sequence[int]]] | None = None
    names: Sequence[tuple[int, str]] = ()


@dataclass(frozen=True, kw_only=True)
class Lemma:
    """What all kinds of lemmas share.

    Attributes:
        name: unique among all puzzles, and the name that the user types: `beams-reversible`.
        statement: the claim, in one sentence.
        source: who says so, in full.
        quote: the source's own sentence.
        translation: the same in English, if the sentence is not.
        size: the size up to which `compare prove` settles it by default. What a size means depends on the kind.
        smallest_size: a smaller size says nothing.
        largest_size, why_largest: there is no larger size, and the reason; None if there is no such limit.
        expected_to_hold: False for a claim that is known to fail. `compare prove` fails if the verdict is not the expected one.
            Sizes without a counterexample do not prove a claim that is known to fail.
        naive_answer: (board) -> the answer of somebody who relies on the claim. On a board that refutes the claim, either the check
            refutes this answer or a proved answer of a backend contradicts it. None if no answer depends on the claim.
    """

    name: str
    puzzle: str
    statement: str
    source: str
    quote: str
    size: int
    smallest_size: int = 1
    largest_size: int | None = None
    why_largest: str = ""
    expected_to_hold: bool = True
    naive_answer: Callable[[Any], Answer] | None = None
    translation: str = ""

    def clipped(self, size: int) -> int:
        """The size, or the largest one that there is."""
        return size if self.largest_size is None else min(size, self.largest_size)

    def size_in_words(self, size: int) -> str:
        """What a size stands for."""
        return f"{size} cell{'s' * (size > 1)}"


@dataclass(frozen=True, kw_only=True)
class FormulaLemma(Lemma):
    """A claim about all boards of a shape, as one formula.

    Size n stands for boards of n x n. They cover smaller boards if a board can be padded with walls. Counterexamples are searched
    on all shapes that fit into n x n. Below `smallest_size` there are no counterexamples even without the hypothesis.

    Attributes:
        build: (rows, columns, without_hypothesis) -> the formula of the counterexamples. With `without_hypothesis`, the formula for
            the vacuity check: one hypothesis is left out. This formula must be satisfiable; otherwise the lemma says nothing.
        hypothesis: the hypothesis that the vacuity check leaves out, in a few words.
        failure_on: (counterexample) -> how the claim fails on this board, in words; empty if it does not fail. It follows the rules
            in the plainest way and never uses the formula.
    """

    build: Callable[[int, int, bool], CounterexampleFormula]
    hypothesis: str
    failure_on: Callable[[Counterexample], str]
    smallest_size: int = 2

    def size_in_words(self, size: int) -> str:
        return f"{size}x{size}"


@dataclass(frozen=True)
class ExhaustiveSearch:
    """All boards of one shape tried: how many there were, and the first board on which the claim fails, or None."""

    boards_tried: int
    counterexample: Counterexample | None


@dataclass(frozen=True, kw_only=True)
class ExhaustiveLemma(Lemma):
    """A claim that is no single formula, because it speaks of all layouts of a board: every small board is tried.

    Size n stands for all shapes of at most n cells.

    Attributes:
        search: (rows, columns) -> the search over all boards of that shape.
        failure_on: as in `FormulaLemma`.
    """

    search: Callable[[int, int], ExhaustiveSearch]
    failure_on: Callable[[Counterexample], str]


@dataclass(frozen=True, kw_only=True)
class CountingLemma(Lemma):
    """A claim that a formula has a published number of models.

    Size n stands for the published shapes of at most n cells.

    Attributes:
        published: shape -> number.
        build: (rows, columns) -> the formula. It has no auxiliary variables, since they would be counted as well.
    """

    published: Mapping[Shape, int]
    build: Callable[[int, int], Formula]
    why_largest: str = "the published numbers end there"


def shapes(cells: int) -> list[Shape]:
    """The shapes of exactly `cells` cells that are no taller than wide: no claim changes if a board is mirrored in its diagonal."""
    return [(rows, cells // rows) for rows in range(1, cells + 1) if cells % rows == 0 and rows * rows <= cells]


def shapes_within(size: int) -> list[Shape]:
    """The shapes that fit into size x size and are no taller than wide, in the order of their number of cells."""
    return [shape for cells in range(1, size**2 + 1) for shape in shapes(cells) if shape[1] <= size]


def board_of(example: Board, counterexample: Counterexample) -> Board:
    """The counterexample as a board of the same puzzle as `example`; raises `ValueError` if it is not a valid board."""
    return replace(example, grid=grid_of(counterexample.rows))
