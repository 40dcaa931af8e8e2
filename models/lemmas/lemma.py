"""What a lemma is: a claim, the formula whose models are its counterexamples, and what shows that a counterexample is one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.cnf import Formula
from puzzles.answer import Answer
from puzzles.grid import Board, grid_of

Model = NDArray[np.bool_]
"""The values of a formula's variables at their own numbers; entry 0 is not used."""

Shape = tuple[int, int]
"""Rows and columns."""


@dataclass(frozen=True)
class Counterexample:
    """A concrete board, and what else has to be known to see a conclusion fail on it.

    Attributes:
        rows: the board's rows, in the contest's characters; not necessarily a board that the contest would give.
        told: further plain values: cells as (row, column) counted from 0, directions, stones to be played, ...
    """

    rows: tuple[str, ...]
    told: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return "\n".join(self.rows)


@dataclass(frozen=True)
class Symbolic:
    """A lemma on one shape of board, the board itself unknown.

    Attributes:
        formula: its models are exactly the counterexamples, so it is unsatisfiable where the lemma is true. It holds the
            definitions of whatever else the script mentions, each satisfiable for every board.
        decode: a model's counterexample.
        script: the proof, where search would not find it: clauses each of which follows from the formula and those before it
            by unit propagation, the empty one last (it may be left out where propagation alone ends there). Made anew at
            each call, and best lazily. None: a solver searches.
        names: what each named variable says, for comments in DIMACS; the others are auxiliary.
    """

    formula: Formula
    decode: Callable[[Model], Counterexample]
    script: Callable[[], Iterable[Sequence[int]]] | None = None
    names: Sequence[tuple[int, str]] = ()


@dataclass(frozen=True, kw_only=True)
class Claim:
    """What lemmas of all kinds have.

    Attributes:
        name: unique among all puzzles, as it is typed: `beams-reversible`.
        statement: what is claimed, in one sentence.
        source: the write-up.
        quote: its sentence, in its own words.
        size: the default for `--size`.
        bar: the size up to which the claim is meant to be settled.
        least: the smallest size that says anything.
        most, ends: the largest size that there is, and why; None where there is none.
        holds: what is expected; another verdict is a failure of the run. Where a claim is known to fail, sizes without a
            counterexample do not prove it.
        believed: (board) -> the answer of somebody who takes the claim for granted; on the board of a refuted claim the check
            refutes it, or a proved answer of a backend contradicts it. None where the claim is about something that no answer
            shows.
    """

    name: str
    puzzle: str
    statement: str
    source: str
    quote: str
    size: int
    bar: int
    least: int = 1
    most: int | None = None
    ends: str = ""
    holds: bool = True
    believed: Callable[[Any], Answer] | None = None

    def within(self, size: int) -> int:
        """The size that is settled where this one is asked for."""
        return size if self.most is None else min(size, self.most)

    def extent(self, size: int) -> str:
        """What a size stands for, in words."""
        return f"{size} cell{'s' * (size > 1)}"


@dataclass(frozen=True, kw_only=True)
class Lemma(Claim):
    """A claim about all boards of a shape, as one formula.

    `size` n stands for boards of n x n, which cover the smaller ones where a board can be padded with walls; a counterexample is
    looked for on all shapes that fit into n x n. Smaller than `least` no board is a counterexample even without the hypothesis.

    Attributes:
        state: (rows, columns, dropped) -> the formula. With `dropped` the hypothesis that `drops` names is left out: the
            formula's twin, which must be satisfiable, or else the formula says nothing.
        drops: that hypothesis, in a few words.
        fails: (counterexample) -> how the conclusion fails on the concrete board, found by following the rules in the
            plainest way and never by the formula; empty where it does not fail.
    """

    state: Callable[[int, int, bool], Symbolic]
    drops: str
    fails: Callable[[Counterexample], str]
    least: int = 2

    def extent(self, size: int) -> str:
        return f"{size}x{size}"


@dataclass(frozen=True)
class Sweep:
    """All boards of a shape looked through: how many there were, and the first on which the claim fails."""

    tried: int
    found: Counterexample | None


@dataclass(frozen=True, kw_only=True)
class Swept(Claim):
    """A claim that is no single formula, for it says of a board what holds in all its layouts: every small board is tried.

    `size` n stands for all shapes of up to n cells.

    Attributes:
        sweep: (rows, columns) -> what was found among the boards of that shape.
        fails: as of a `Lemma`.
    """

    sweep: Callable[[int, int], Sweep]
    fails: Callable[[Counterexample], str]


@dataclass(frozen=True, kw_only=True)
class Count(Claim):
    """A claim that a formula has a published number of models.

    `size` n stands for the published shapes of up to n cells.

    Attributes:
        published: the number by shape.
        state: (rows, columns) -> the formula, each variable of which is part of what is counted.
    """

    published: Mapping[Shape, int]
    state: Callable[[int, int], Formula]
    ends: str = "the published numbers end there"


def shapes(cells: int) -> list[Shape]:
    """The shapes of so many cells, no taller than wide: no claim changes when a board is mirrored in its diagonal."""
    return [(rows, cells // rows) for rows in range(1, cells + 1) if cells % rows == 0 and rows * rows <= cells]


def fitting(size: int) -> list[Shape]:
    """The shapes that fit into size x size, no taller than wide, those of fewer cells first."""
    return [shape for cells in range(1, size**2 + 1) for shape in shapes(cells) if shape[1] <= size]


def board_of(example: Board, counterexample: Counterexample) -> Board:
    """The counterexample as a board of the puzzle that the example is of; raises `ValueError` where it is none."""
    return replace(example, grid=grid_of(counterexample.rows))
