"""What symbolic boards have in common: choices, gates, numbers that count, ranks that forbid going round in circles."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product

from models.cnf import Formula
from models.lemmas.lemma import Model

Near = list[list[int]]


def grid(rows: int, columns: int) -> Near:
    """The cells beside each cell of a board, as flat indices."""
    return [
        [
            (row + down) * columns + column + right
            for down, right in ((-1, 0), (0, -1), (0, 1), (1, 0))
            if 0 <= row + down < rows and 0 <= column + right < columns
        ]
        for row in range(rows)
        for column in range(columns)
    ]


def around(rows: int, columns: int) -> list[list[int]]:
    """The at most eight cells around each cell of a board, as flat indices."""
    return [
        [
            r * columns + c
            for r in range(max(0, row - 1), min(rows, row + 2))
            for c in range(max(0, column - 1), min(columns, column + 2))
            if (r, c) != (row, column)
        ]
        for row, column in product(range(rows), range(columns))
    ]


def some(formula: Formula, count: int) -> list[int]:
    """So many new variables."""
    first = formula.new(count) if count else 0
    return list(range(first, first + count))


def at_most_one(formula: Formula, literals: Sequence[int]) -> None:
    """At most one of these; along a chain of new variables, each of which says whether one so far is true."""
    if len(literals) < 2:
        return
    reached = some(formula, len(literals) - 1)
    for k, (literal, so_far) in enumerate(zip(literals, reached, strict=False)):
        formula.add(-literal, so_far)
        formula.add(-so_far, -literals[k + 1])
        if k:
            formula.add(-reached[k - 1], so_far)
            formula.add(-so_far, reached[k - 1], literal)
    formula.add(-reached[0], literals[0])


def one_of(formula: Formula, count: int) -> list[int]:
    """New variables of which exactly one is true."""
    chosen = some(formula, count)
    formula.add(*chosen)
    at_most_one(formula, chosen)
    return chosen


def both(formula: Formula, *literals: int) -> int:
    """A new variable that is true exactly where all these literals are."""
    made = formula.new()
    for literal in literals:
        formula.add(-made, literal)
    formula.add(made, *(-literal for literal in literals))
    return made


def either(formula: Formula, *literals: int) -> int:
    """A literal of a new variable that is true exactly where one of these literals is, or several."""
    return -both(formula, *(-literal for literal in literals))


def count(formula: Formula, literals: Sequence[int], most: int) -> list[int]:
    """New variables that say whether at least 1, 2, ..., `most` of the literals are true; fewer where there are fewer literals.

    A balanced tree of unary numbers, each cut off at `most`, and each both ways: a totalizer (O. Bailleux and
    Y. Boufkhad, CP 2003).
    """
    if len(literals) < 2:
        return list(literals[:most])
    half = len(literals) // 2
    left, right = count(formula, literals[:half], most), count(formula, literals[half:], most)
    made = some(formula, min(most, len(left) + len(right)))
    for i in range(len(left) + 1):
        for j in range(len(right) + 1):
            if i + j:
                at_least = [-left[i - 1]] * (i > 0) + [-right[j - 1]] * (j > 0)
                formula.add(*at_least, made[min(i + j, len(made)) - 1])
            if i + j < len(made):
                at_most = left[i : i + 1] + right[j : j + 1]
                formula.add(*at_most, -made[i + j])
    return made


def ranks(formula: Formula, count: int, most: int) -> list[list[int]]:
    """For each of `count` things a number from 0 to `most`: entry k - 1 says that it is at least k."""
    made = [some(formula, most) for _ in range(count)]
    for number in made:
        for lower, higher in pairwise(number):
            formula.add(-higher, lower)
    return made


def below(formula: Formula, condition: int, lower: Sequence[int], higher: Sequence[int]) -> None:
    """Where `condition` holds, one of the numbers of `ranks` is less than the other."""
    formula.add(-condition, higher[0]) if higher else formula.add(-condition)
    for less, more in zip(lower, higher[1:], strict=False):
        formula.add(-condition, -less, more)
    if lower:
        formula.add(-condition, -lower[-1])


def chosen(model: Model, variables: Sequence[int]) -> int:
    """Which of these variables is the first true one."""
    return next(k for k, variable in enumerate(variables) if model[variable])


def named(variables: Sequence[int], columns: int, saying: str) -> list[tuple[int, str]]:
    """Names for variables that say the same of one cell each; `{}` is the place, row and column from 1."""
    return [(variable, saying.format(f"{cell // columns + 1},{cell % columns + 1}")) for cell, variable in enumerate(variables)]


def rows_of(characters: str, columns: int) -> tuple[str, ...]:
    """A board's characters in row-major order as its rows."""
    return tuple(characters[start : start + columns] for start in range(0, len(characters), columns))
