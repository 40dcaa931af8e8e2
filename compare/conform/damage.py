"""Random damage to answers and certificates, whatever they are made of."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from random import Random
from typing import Any

import numpy as np

from puzzles.answer import Answer
from puzzles.grid import Board

SPARED = {"effort", "mines"}
"""Fields that claim nothing of a board."""


def damaged(answer: Answer, rng: Random) -> Answer:
    """The answer with one thing in it changed, at any depth; its parts may refuse a change, then another is made."""
    for _ in range(50):
        try:
            changed = _damaged(answer, rng)
        except (ValueError, TypeError, IndexError):  # what the class itself refuses
            continue
        if changed != answer:
            return changed
    return answer


def _damaged(value: Any, rng: Random) -> Any:
    if isinstance(value, Board):
        grid = value.grid.copy()
        grid.flat[rng.randrange(grid.size)] = rng.choice(value.alphabet)
        return replace(value, grid=grid if rng.random() < 0.95 else grid[:-1])
    if is_dataclass(value) and not isinstance(value, type):
        names = [f.name for f in fields(value) if f.name not in SPARED and getattr(value, f.name) is not None]
        name = rng.choice(names)
        return replace(value, **{name: _damaged(getattr(value, name), rng)})
    if isinstance(value, np.ndarray):
        return _damaged_array(value, rng)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return rng.choice((value - 1, value + 1, rng.randint(-2, 12)))
    if isinstance(value, bytes):
        return bytes(_damaged(tuple(value), rng)[: 1 << 20]) if value else b"\1"
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return _damaged_tuple(value, rng)
    return value


def _damaged_array(value: np.ndarray, rng: Random) -> np.ndarray:
    if value.ndim == 1 and (value.size == 0 or rng.random() < 0.3):
        at = rng.randint(0, value.size)
        return np.insert(value, at, rng.randint(0, 9)) if rng.random() < 0.5 or at == value.size else np.delete(value, at)
    array = value.copy()
    at = rng.randrange(array.size)
    other = int(array.flat[rng.randrange(array.size)])
    array.flat[at] = rng.choice((int(array.flat[at]) - 1, int(array.flat[at]) + 1, -1, rng.randrange(array.size), other))
    return array


def _damaged_tuple(value: tuple[Any, ...], rng: Random) -> tuple[Any, ...]:
    items = list(value)
    how = rng.random()
    if items and (how < 0.5 or hasattr(value, "_fields")):
        at = rng.randrange(len(items))
        items[at] = _damaged(items[at], rng)
    elif items and how < 0.8:
        del items[rng.randrange(len(items))]
    else:
        items.insert(rng.randint(0, len(items)), rng.choice(items) if items else rng.randint(0, 9))
    return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
