"""Small answers to tiny instances, right and wrong, to set a check against them.

Each field of an answer takes all small values of the kind that answers have there: numbers, words,
boards, and tuples of numbers or of parts of the instance. A field of another kind takes the values
that answers have shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from itertools import chain, combinations_with_replacement, islice, product
from typing import Any

import numpy as np

from puzzles.answer import Answer
from puzzles.grid import Board
from puzzles.instance import Instance

MAX_VALUES = 400
"""Values of one field."""

MAX_SEEN = 40
"""Values that answers to other instances have shown in a field."""

MAX_ANSWERS = 10_000
"""Answers to one instance."""

MAX_PARTS = 6
"""Different numbers, characters or parts of the instance of which tuples and words are made."""

MAX_LENGTH = 4
"""Parts of a tuple and characters of a word, if no answer to the instance has as many."""

SPARED = {"effort", "mines"}
"""Fields that claim nothing of an instance."""


def small_answers(
    instance: Instance, own: Sequence[Answer], seen: Sequence[Answer]
) -> Iterator[Answer]:
    """Answers to an instance, all without a certificate.

    Args:
        own: answers to this instance, at least one.
        seen: answers to any instances; they show what kinds of values a field has.
    """
    names = [each.name for each in fields(own[0]) if each.name not in {*SPARED, "certificate"}]
    choices = [values_of(name, instance, own, seen) for name in names]
    for values in islice(product(*choices), MAX_ANSWERS):
        with suppress(Exception):  # the class itself may refuse some values
            yield replace(own[0], certificate=None, **dict(zip(names, values, strict=True)))


def values_of(
    name: str, instance: Instance, own: Sequence[Answer], seen: Sequence[Answer]
) -> list[Any]:
    """Values of one field of an answer, those of answers to this instance first, each once."""
    shown, every = ([getattr(each, name) for each in answers] for answers in (own, seen))
    kinds = {type(value) for value in every} - {type(None)}
    small: Iterator[Any] = iter(())
    if kinds == {bool}:
        small = iter((False, True))
    elif kinds == {int}:
        near = {value + more for value in shown if value is not None for more in (-2, -1, 1, 2)}
        small = iter(sorted({*range(MAX_PARTS), *(value for value in near if value >= 0)}))
    elif kinds == {str}:
        small = map("".join, _sequences(_parts_of_tuples(shown, every), shown))
    elif kinds == {tuple}:
        parts = _parts_of_tuples(shown, every)
        alike = {_kind(part) for part in parts}
        parts += [part for part in _parts([*own, instance]) if _kind(part) in alike]
        small = _sequences([*parts, *(range(MAX_PARTS) if int in alike else ())], shown)
    elif kinds and all(issubclass(kind, Board) for kind in kinds):
        boards = [value for value in shown if value is not None]
        small = chain.from_iterable(map(_boards, boards[:1]))
    none = [None] if any(value is None for value in every) else []
    values = chain(shown, none, small, every[:MAX_SEEN])
    return list(islice(_once(values), MAX_VALUES))


def _parts_of_tuples(shown: Sequence[Any], every: Sequence[Any]) -> list[Any]:
    """The parts of some tuples or words, those of the first ones first; of the others only if they
    are few.
    """
    own, others = (
        list(_once(part for value in values if value is not None for part in value))
        for values in (shown, every)
    )
    return list(_once([*own, *(others if len(others) <= MAX_PARTS else others[:1])]))


def _kind(value: Any) -> Any:
    """What kind of value a part of a tuple is: its type, and the length of a tuple."""
    return (tuple, len(value)) if isinstance(value, tuple) else type(value)


def _parts(values: Iterable[Any]) -> Iterator[Any]:
    """All numbers and tuples in some values, at any depth."""
    for value in values:
        if is_dataclass(value) and not isinstance(value, type):
            yield from _parts(
                getattr(value, each.name) for each in fields(value) if each.name not in SPARED
            )
        elif isinstance(value, tuple):
            yield value
            yield from _parts(value)
        elif isinstance(value, int) and not isinstance(value, bool):
            yield value


def _sequences(parts: Sequence[Any], shown: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """Tuples of some parts, the short ones first: in every order, or in one where those are too
    many. They may be longer by one than those that are shown.
    """
    parts = list(_once(parts))[:MAX_PARTS]
    longest = max((len(value) for value in shown if value is not None), default=0)
    for length in range(max(MAX_LENGTH, longest + 1) + 1):
        yield from (
            product(parts, repeat=length)
            if len(parts) ** length <= MAX_VALUES
            else combinations_with_replacement(parts, length)
        )


def _boards(board: Board) -> Iterator[Board]:
    """All boards of one shape, if they are few."""
    if len(board.alphabet) ** board.cells <= MAX_VALUES:
        for cells in product(board.alphabet, repeat=board.cells):
            with suppress(Exception):  # a class may refuse some boards
                yield replace(board, grid=np.array(cells, np.uint8).reshape(board.grid.shape))


def _once(values: Iterable[Any]) -> Iterator[Any]:
    """The values, each once; arrays and other values without a hash are left as they are."""
    known = set[Any]()
    for value in values:
        try:
            new = (type(value), value) not in known
            known.add((type(value), value))
        except TypeError:
            new = True
        if new:
            yield value
