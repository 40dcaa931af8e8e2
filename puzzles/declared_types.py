"""The types that the fields of a record declare, such as an answer of somebody's own backend, and
whether its values have them. What is wrong is a sentence: `bound: expected int or None, got ...`.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import fields, is_dataclass
from functools import cache
from inspect import isabstract
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

MAX_SHOWN = 40
"""Characters of a wrong value that a message shows."""

_SMALL = 2**63
"""Integers below this are shown; `str` refuses the longest ones."""


class Malformed(ValueError):
    """A value that is not what was expected; the message is a sentence."""


def is_record(kind: object) -> bool:
    """Whether this is a class whose values are made of named fields: a dataclass or a NamedTuple
    that can be built.
    """
    if not isinstance(kind, type) or isabstract(kind):
        return False
    return is_dataclass(kind) or (issubclass(kind, tuple) and hasattr(kind, "_fields"))


def require(value: object, expected: Any, where: str = "") -> None:
    """Raise `Malformed` unless the value has exactly the type of an annotation, and each of its
    parts too.

    For a record a more special one may stand, since only those that may cross can be built.
    """
    if not _fits(value, expected):
        part, place, kind = _wrong_part(value, expected, where)
        raise Malformed(wrong_type(part, place, _type_name(kind)))


def refuse_wrong_fields(record: object) -> None:
    """Raise `Malformed` unless each field of a record has the type that its class declares. NumPy's
    numbers count as Python's.
    """
    for name, expected in declared_types(type(record)).items():
        require(field_of(record, name), expected, name)


def field_of(record: object, name: str, where: str = "") -> Any:
    """The value of a field; raises `Malformed` if the record lacks it."""
    try:
        return getattr(record, name)
    except AttributeError:
        raise Malformed(f"{where or type(record).__name__} has no {name}") from None


def are_integers(values: Collection[object]) -> bool:
    """Whether these are integers only, at least one: models of a million literals are, and are
    written, read and looked at as a whole.
    """
    return set(map(type, values)) == {int}


@cache
def declared_types(kind: type) -> dict[str, Any]:
    """The declared type of each field of a record, in their order."""
    hints = get_type_hints(kind)
    names = (
        [each.name for each in fields(kind)]
        if is_dataclass(kind)
        else list(getattr(kind, "_fields", ()))
    )
    return {name: hints[name] for name in names}


def _fits(value: Any, expected: Any) -> bool:
    """Whether a value has exactly the type of an annotation, and each of its parts too."""
    if isinstance(value, np.generic):
        value = value.item()
    kind = type(value)
    if expected is float:
        return kind in (int, float) and math.isfinite(value)
    if kind is expected or expected is Any:
        return True
    origin, parts = _taken_apart(expected)
    if origin in (Union, UnionType):
        return any(_fits(value, each) for each in parts)
    if origin is Literal:
        return any(kind is type(each) and value == each for each in parts)
    if origin is np.ndarray:
        return kind is np.ndarray and value.dtype == get_args(parts[1])[0]
    if origin is tuple:
        if kind is not tuple:
            return False
        if parts == (int, ...) and are_integers(value):
            return True
        kinds = parts[:1] * len(value) if parts[1:] == (...,) else parts
        return len(value) == len(kinds) and all(map(_fits, value, kinds))
    if expected is None:
        return value is None
    return is_record(expected) and expected in kind.__mro__


def _wrong_part(value: Any, expected: Any, where: str) -> tuple[Any, str, Any]:
    """The innermost part of a value that does not fit, its place, and what is expected there.

    Of a tuple of the right length that is its first wrong element; of any other value the whole.
    """
    origin, parts = _taken_apart(expected)
    if origin in (Union, UnionType):
        tuples = [each for each in parts if _taken_apart(each)[0] is tuple]
        if type(value) is tuple and len(tuples) == 1:
            return _wrong_part(value, tuples[0], where)
    elif origin is tuple and type(value) is tuple:
        kinds = parts[:1] * len(value) if parts[1:] == (...,) else parts
        if len(value) == len(kinds):
            for k, (each, kind) in enumerate(zip(value, kinds, strict=True)):
                if not _fits(each, kind):
                    return _wrong_part(each, kind, f"{where}[{k}]")
    return value, where, expected


@cache
def _taken_apart(expected: Any) -> tuple[Any, tuple[Any, ...]]:
    """To take an annotation apart costs more than most values do."""
    return get_origin(expected), get_args(expected)


def _type_name(expected: Any) -> str:
    """A type, for people."""
    origin, parts = get_origin(expected), get_args(expected)
    if origin in (Union, UnionType):
        return " or ".join(map(_type_name, parts))
    if origin is Literal:
        return " or ".join(map(repr, parts))
    if origin is np.ndarray:
        return f"an array of {get_args(parts[1])[0].__name__}"
    if expected is NoneType:
        return "None"
    return expected.__name__ if isinstance(expected, type) and origin is None else str(expected)


def wrong_type(value: object, where: str, expected: str) -> str:
    """The sentence that a value, at a place if it has one, is not of the type that is expected."""
    if isinstance(value, np.generic):
        value = value.item()
    kind = type(value)
    if value is None:
        shown = "None"
    elif kind in (bool, float, str, bytes) or (type(value) is int and -_SMALL <= value < _SMALL):
        shown = f"{repr(value)[:MAX_SHOWN]} of type {kind.__name__}"
    elif kind is np.ndarray:
        shown = f"an array of {getattr(value, 'dtype', '')}"
    else:
        shown = f"a value of type {kind.__name__}"
    return (
        f"{where}: expected {expected}, got {shown}"
        if where
        else f"expected {expected}, got {shown}"
    )
