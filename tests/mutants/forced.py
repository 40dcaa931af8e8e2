"""Which boards of a stream are solved with thresholds forced low, and with which of them, as a batch of `compare fuzz` does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from random import Random
from types import ModuleType

from compare.work.solving import force_thresholds

_EVERY, _FORCED = 8, 3
"""Of `_EVERY` boards in turn the last `_FORCED` are solved with forced thresholds, each with its own subset."""

_SAME = 256
"""After this many boards the subsets change."""

_THRESHOLDS = ("direct.thresholds", "models.model_thresholds")


def subset(k: int) -> int | None:
    """The number of the subset of the thresholds that is forced low for the k-th board; None for no threshold at all."""
    return k // _SAME * _EVERY + k % _EVERY if k % _EVERY >= _EVERY - _FORCED else None


def import_thresholds() -> list[ModuleType]:
    """The modules of the thresholds, imported: a process that has forgotten the solvers has forgotten them too."""
    return [import_module(name) for name in _THRESHOLDS]


@contextmanager
def forced(seed: int, number: int | None) -> Iterator[None]:
    """The subset of this number forced low for as long as the context lasts."""
    modules = import_thresholds()
    before = [{name: getattr(module, name) for name in module.LOW} for module in modules]
    if number is not None:
        force_thresholds(Random(f"{seed} {number}"))
    try:
        yield
    finally:
        for module, values in zip(modules, before, strict=True):
            vars(module).update(values)
