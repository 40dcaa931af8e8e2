"""Building blocks for formulas over an unknown board: choices, gates, unary counters, and ranks, which forbid circular support.

And the cells of a concrete board.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product

from models.cnf import Formula
from models.lemmas.lemma import Assignment

Near = list[list[int]]

Cell = tuple[int, int]
"""Row and column, counted from 0."""

Characters = dict[Cell, str]
"""The cells of a board, each with its character."""


def cells_beside(rows: int, columns: int) -> Near:
    """For each cell of a board the cells beside it, as flat indices."""
    return [
        [
            (row + down) * columns + column + right
            for down, right in ((-1, 0), (0, -1), (0, 1), (1, 0))
            if 0 <= row + down < rows and 0 <= column + right < columns
        ]
        for row in range(rows)
        for column in range(columns)
    ]


def cells_around(rows: int, columns: int) -> list[list[int]]:
    """For each cell of a board the up to eight cells around it, as flat indices."""
    return [
        [
            r * columns + c
            for r in range(max(0, row - 1), min(rows, row + 2))
            for c in range(max(0, column - 1), min(columns, column + 2))
            if (r, c) != (row, column)
        ]
        for row, column in product(range(rows), range(columns))
    ]


def new_variables(formula: Formula, count: int) -> list[int]:
    """`count` new variables."""
    first = formula.new(count) if count else 0
    return list(range(first, first + count))


def at_most_one(formula: Formula, literals: Sequence[int]) -> None:
    """State that at most one of the literals is true. New variables say, for each position, whether one has been true so far."""
    if len(literals) < 2:
        return
    reached = new_variables(formula, len(literals) - 1)
    for k, (literal, so_far) in enumerate(zip(literals, reached, strict=False)):
        formula.add(-literal, so_far)
        formula.add(-so_far, -literals[k + 1])
        if k:
            formula.add(-reached[k - 1], so_far)
            formula.add(-so_far, reached[k - 1], literal)
    formula.add(-reached[0], literals[0])


def one_hot(formula: Formula, count: int) -> list[int]:
    """New variables of which exactly one is true."""
    chosen = new_variables(formula, count)
    formula.add(*chosen)
    at_most_one(formula, chosen)
    return chosen


def all_of(formula: Formula, *literals: int) -> int:
    """A new variable that is true if and only if all these literals are true."""
    gate = formula.new()
    for literal in literals:
        formula.add(-gate, literal)
    formula.add(gate, *(-literal for literal in literals))
    return gate


def any_of(formula: Formula, *literals: int) -> int:
    """A literal of a new variable; it is true if and only if at least one of these literals is true."""
    return -all_of(formula, *(-literal for literal in literals))


def unary_count(formula: Formula, literals: Sequence[int], most: int) -> list[int]:
    """Count the true literals: the k-th new variable, from 1, is true if and only if at least k literals are true.

    There are `most` new variables, or as many as there are literals if that is less. The counter is a totalizer: a balanced tree of
    unary numbers, each cut off at `most` and defined in both directions (O. Bailleux and Y. Boufkhad, CP 2003).
    """
    if len(literals) < 2:
        return list(literals[:most])
    half = len(literals) // 2
    left, right = unary_count(formula, literals[:half], most), unary_count(formula, literals[half:], most)
    total = new_variables(formula, min(most, len(left) + len(right)))
    for i in range(len(left) + 1):
        for j in range(len(right) + 1):
            if i + j:
                at_least = [-left[i - 1]] * (i > 0) + [-right[j - 1]] * (j > 0)
                formula.add(*at_least, total[min(i + j, len(total)) - 1])
            if i + j < len(total):
                at_most = left[i : i + 1] + right[j : j + 1]
                formula.add(*at_most, -total[i + j])
    return total


def ranks(formula: Formula, count: int, most: int) -> list[list[int]]:
    """`count` unary numbers from 0 to `most`: entry k - 1 of a number says that it is at least k."""
    numbers = [new_variables(formula, most) for _ in range(count)]
    for number in numbers:
        for lower, higher in pairwise(number):
            formula.add(-higher, lower)
    return numbers


def less_than(formula: Formula, condition: int, lower: Sequence[int], higher: Sequence[int]) -> None:
    """State that if `condition` is true, the first of two numbers of `ranks` is less than the second."""
    formula.add(-condition, higher[0]) if higher else formula.add(-condition)
    for less, more in zip(lower, higher[1:], strict=False):
        formula.add(-condition, -less, more)
    if lower:
        formula.add(-condition, -lower[-1])


def true_index(model: Assignment, variables: Sequence[int]) -> int:
    """The index of the first of these variables that is true."""
    return next(k for k, variable in enumerate(variables) if model[variable])


def cell_names(variables: Sequence[int], columns: int, template: str) -> list[tuple[int, str]]:
    """Names for variables that say the same thing, each about its own cell. `{}` becomes the cell's row and column, from 1."""
    return [(variable, template.format(f"{cell // columns + 1},{cell % columns + 1}")) for cell, variable in enumerate(variables)]


def rows_of(characters: str, columns: int) -> tuple[str, ...]:
    """A board's characters in row-major order as its rows."""
    return tuple(characters[start : start + columns] for start in range(0, len(characters), columns))


def characters_of(rows: Sequence[str]) -> Characters:
    """The cells of a board in row-major order."""
    return {(row, column): character for row, line in enumerate(rows) for column, character in enumerate(line)}
