"""Thresholds between algorithms forced low: so the smallest boards run what is meant for large
ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from random import Random
from types import ModuleType

LOW = {
    "direct.geography.thresholds": {
        "SHORT_SEARCH": 1,
        "FARTHEST": 1,
        "ROUNDS_ALONE": 10**9,
        "CELLS_A_VAIN_PUSH": 10**9,
    },
    "direct.minesweeper.thresholds": {
        "FEW_PAIRS": 2,
        "COUNTED_LAYOUTS": 2,
        "JOINED_NUMBERS": 0,
        "LAST_REGION": 8,
        "MAX_LEFT_OUT": 1,
        "MAX_BRANCHES": 0,
    },
    "models.beams.thresholds": {"STACKED_CELLS": 1},
    "models.geography.portfolio": {"FIRST_BUDGET": 1},
    "models.geography.thresholds": {"STACKED_CELLS": 1, "COVER_CELLS": 1},
    "models.minesweeper.thresholds": {
        "STACKED_CELLS": 1,
        "ASKED_TOGETHER": 1,
        "CORE_BLOCK": 2,
        "CORE_MARGIN": 1,
    },
}
"""By module and threshold, a value at which the smallest boards are solved in the other way."""


def import_thresholds() -> list[ModuleType]:
    """The modules of the thresholds, imported: a process that has forgotten the solvers has
    forgotten them too.
    """
    return [import_module(name) for name in LOW]


@contextmanager
def forced(seed: int, number: int | None) -> Iterator[None]:
    """A subset of the thresholds, each with probability 1/2, forced low for as long as the context
    lasts: in this process, and in forks that begin meanwhile.

    Args:
        number: of the subset; None for no threshold at all.
    """
    modules = import_thresholds()
    before = [{name: getattr(module, name) for name in LOW[module.__name__]} for module in modules]
    rng = Random(f"{seed} {number}")
    for module in modules if number is not None else ():
        lowered = {name: low for name, low in LOW[module.__name__].items() if rng.random() < 0.5}
        vars(module).update(lowered)
    try:
        yield
    finally:
        for module, values in zip(modules, before, strict=True):
            vars(module).update(values)
