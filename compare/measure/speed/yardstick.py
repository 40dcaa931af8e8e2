"""The yardstick of everything that is no race: a fixed piece of Python and NumPy, measured before and after each job."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import TypeVar

import numpy as np

T = TypeVar("T")

NAME = "a fixed piece of Python and NumPy"

_STEPS, _NUMBERS = 600_000, 600_000


def yardstick_seconds() -> float:
    """Wall seconds of the fixed piece of work: about a tenth of a second."""
    started = perf_counter()
    value = 1
    for step in range(_STEPS):
        value = (value * 5 + step) & 0xFFFF
    np.sort(np.random.default_rng(value).integers(0, _NUMBERS, _NUMBERS))
    return perf_counter() - started


def beside_yardstick(job: Callable[[], T]) -> tuple[T, float]:
    """What the job returns, and the mean of the yardstick's seconds before and after the job."""
    before = yardstick_seconds()
    value = job()
    return value, (before + yardstick_seconds()) / 2
