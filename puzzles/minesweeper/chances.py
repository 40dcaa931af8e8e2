"""How likely each covered cell is a mine, exactly: layouts are counted in integers of any size."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Chances:
    """The number of layouts that agree with a board, in all and with a mine at each cell; every
    layout weighs the same.

    Attributes:
        layouts: the number of layouts.
        mines: the least and the most mines that a layout has on the whole board, given ones
            included.
        value_of: int32 array, for each cell the index of its probability in `values`; -1 at opened
            cells.
        values: (numerator, denominator) of each probability, not reduced.
        factors: the numbers of layouts by mines beyond the least, as a product of polynomials:
            (ascending coefficients, exponent). The product is a constant if the board gives its
            number of mines.
    """

    layouts: int
    mines: tuple[int, int]
    value_of: NDArray[np.int32]
    values: tuple[tuple[int, int], ...]
    factors: tuple[tuple[tuple[int, ...], int], ...]

    @cached_property
    def fractions(self) -> tuple[Fraction, ...]:
        """`values`, reduced."""
        return tuple(Fraction(*value) for value in self.values)

    def of(self, cell: int) -> Fraction | None:
        """The probability that a cell (flat index) is a mine; None if it is opened."""
        value = int(self.value_of[cell])
        return None if value < 0 else self.fractions[value]

    def misfit(self, cells: int) -> str:
        """Why these cannot be the counts of a board with `cells` cells, as a clause for people;
        empty if they may be.
        """
        values = self.value_of
        if values.shape != (cells,) or values.min() < -1 or values.max() >= len(self.values):
            return "the probabilities are not one for each cell"
        if any(denominator <= 0 for _, denominator in self.values) or any(
            sum(counts) <= 0 for counts, _ in self.factors
        ):
            return "a probability or a factor of the counts has no positive number of layouts"
        return ""

    @property
    def percent(self) -> NDArray[np.float64]:
        """The probabilities in percent, rounded to the nearest float; -1 at opened cells."""
        rounded = [
            100 * numerator / denominator for numerator, denominator in self.values
        ]  # Python rounds a quotient of integers once
        return np.array([*rounded, -1.0]).take(self.value_of)

    @property
    def expected(self) -> Fraction:
        """The expected number of mines on the whole board: the sum of the probabilities."""
        return sum(
            (self.fractions[value] * times for value, times in self._uses.items()), Fraction(0)
        )

    @property
    def mean(self) -> Fraction:
        """The expected number of mines on the whole board, computed from `factors`; equal to
        `expected`.
        """
        mean = Fraction(self.mines[0])
        for coefficients, times in self.factors:
            weighted = sum(k * count for k, count in enumerate(coefficients))
            mean += Fraction(times * weighted, sum(coefficients))
        return mean

    @property
    def total(self) -> int:
        """The number of layouts, computed from `factors`; equal to `layouts`."""
        return prod(sum(coefficients) ** times for coefficients, times in self.factors)

    @cached_property
    def safest(self) -> NDArray[np.int64]:
        """The covered cells least likely to be a mine, as ascending flat indices; none that is
        certainly a mine.
        """
        least = min((self.fractions[value] for value in self._uses), default=1)
        values = [value for value in self._uses if self.fractions[value] == least < 1]
        return np.flatnonzero(np.isin(self.value_of, values))

    @property
    def exact(self) -> Mapping[str, object]:
        """What another count must agree with: digests of `layouts` and of every cell's reduced
        fraction, and `mines`.
        """
        probabilities = hashlib.sha256()
        names = [f"{each.numerator:x}/{each.denominator:x}" for each in self.fractions]
        for value in self.value_of.tolist():
            probabilities.update(b"." if value < 0 else names[value].encode() + b" ")
        return {
            "layouts": hashlib.sha256(f"{self.layouts:x}".encode()).hexdigest()[:16],
            "mines": list(self.mines),
            "probability": probabilities.hexdigest()[:16],
        }

    @cached_property
    def _uses(self) -> Counter[int]:
        """How many cells have each of `values`."""
        return Counter(self.value_of[self.value_of >= 0].tolist())


def decimal(number: int) -> str:
    """An integer of any size in decimal digits; `str` refuses above 4300 digits."""
    if number.bit_length() < 10_000:
        return str(number)
    from flint import fmpz

    return str(fmpz(number))


def fraction_text(value: Fraction) -> str:
    """A fraction as `Fraction` prints it, of any size."""
    return decimal(value.numerator) + (
        "" if value.denominator == 1 else f"/{decimal(value.denominator)}"
    )


def percentage(chance: Fraction) -> str:
    """A probability in whole percent; 0 and 100 only if the cell is certain."""
    if chance in (0, 1):
        return str(100 * chance.numerator)
    percent = round(100 * chance)
    return "<1" if percent < 1 else ">99" if percent > 99 else str(percent)
