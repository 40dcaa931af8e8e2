"""How time grows with size: a power law fitted to medians."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Growth:
    """seconds = factor * cells ** exponent.

    Attributes:
        error: standard error of the exponent.
        cells: the smallest and the largest size that the fit rests on.
    """

    exponent: float
    error: float
    factor: float
    cells: tuple[int, int]

    def seconds(self, cells: float) -> float:
        return self.factor * cells**self.exponent


def fit(cells: Sequence[int], seconds: Sequence[float]) -> Growth | None:
    """Least squares on logarithms, over the larger half of the range of sizes (on a logarithmic scale) where it can be.

    Small boards cost what any board costs, so they say little on growth. None with less than three sizes or where the
    largest is not four times the smallest.
    """
    x, y = np.log(np.asarray(cells, float)), np.log(np.maximum(np.asarray(seconds, float), 1e-9))
    if x.size == 0:
        return None
    large = x >= (x.min() + x.max()) / 2
    if np.unique(x[large]).size >= 3 and np.exp(np.ptp(x[large])) >= 4:
        x, y = x[large], y[large]
    if np.unique(x).size < 3 or np.exp(np.ptp(x)) < 3.99:
        return None
    centred = x - x.mean()
    exponent = float(centred @ y / (centred @ centred))
    intercept = float(y.mean() - exponent * x.mean())
    rest = y - intercept - exponent * x
    error = float(np.sqrt(rest @ rest / max(1, x.size - 2) / (centred @ centred)))
    return Growth(exponent, error, float(np.exp(intercept)), (round(np.exp(x.min())), round(np.exp(x.max()))))
