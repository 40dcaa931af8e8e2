"""The plain format: values of foreign code as JSON text, and our own values built from that text,
answers above all.

Pickle runs what the text names, so nothing of foreign code crosses as pickle. `to_plain` writes a
value in the process of the foreign code. `from_plain` trusts nothing of that text: it takes values
of exact types only, and it builds only classes that it is given, by their constructors. Both raise
`Malformed` with a sentence that says what is wrong.
"""

from __future__ import annotations

import json
import math
import sys
from base64 import b64decode, b64encode
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from functools import cache, reduce
from inspect import isabstract
from operator import or_
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from puzzles.answer import Answer, Effort
from puzzles.case_solution import CaseSolution
from puzzles.grid import GridSolution
from puzzles.instance import Instance

Classes = Mapping[str, type]
"""The dataclasses and NamedTuples that may cross, by name."""

_SMALL = 2**63
"""Integers below this cross in decimal digits; larger ones, of which `str` refuses the longest, in
hexadecimal digits.
"""

_SHOWN = 40
"""Characters of a wrong value that a message shows."""


class Malformed(ValueError):
    """A value that is not what was expected; the message is a sentence."""


def is_record(kind: object) -> bool:
    """Whether this is a class whose values are made of named fields: a dataclass or a NamedTuple
    that can be built.
    """
    if not isinstance(kind, type) or isabstract(kind):
        return False
    return is_dataclass(kind) or (issubclass(kind, tuple) and hasattr(kind, "_fields"))


def to_plain(value: object, classes: Classes) -> str:
    """The text of a value; it may hold records of `classes`, tuples, lists, arrays, and what
    `_scalar` takes.

    Raises:
        Malformed: a part of the value is of another type; a subclass is another type.
    """
    return json.dumps(_write(value, classes, ""))


def from_plain(text: str | bytes, expected: Any, classes: Classes) -> Any:
    """The value of a text.

    Args:
        expected: the type of the value, as an annotation would say it: a class of `classes`, a
            union, `tuple[int, ...]`.

    Raises:
        Malformed: the text is damaged, or the value does not have that type.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"the text cannot be read: {error}") from None
    try:
        value = _read(data, classes, "")
    except Malformed:
        raise
    except (
        ArithmeticError,
        AttributeError,
        KeyError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        raise Malformed(f"the text is damaged: {type(error).__name__}: {error}") from None
    require(value, expected)
    return value


def require(value: object, expected: Any, where: str = "") -> None:
    """Raise `Malformed` unless the value has exactly the type of an annotation, and each of its
    parts too.

    For a record a more special one may stand, since only those that may cross can be built.
    """
    if not _fits(value, expected):
        raise Malformed(_sentence(value, where, _type_name(expected)))


def _write(content: Any, classes: Classes, where: str) -> object:
    is_scalar = isinstance(content, np.generic) and type(content).__module__ == "numpy"
    value: Any = content.item() if is_scalar else content
    kind = type(value)
    if value is None or kind in (bool, str, float):
        return value
    if kind is int:
        return value if -_SMALL <= value < _SMALL else {"int": f"{value:x}"}
    if kind is bytes:
        return {"bytes": b64encode(value).decode()}
    if kind is Fraction:
        return {"fraction": [f"{value.numerator:x}", f"{value.denominator:x}"]}
    if kind is tuple or kind is list:
        if _are_integers(value) and min(value) >= -_SMALL and max(value) < _SMALL:
            return {kind.__name__: list(value)}
        return {
            kind.__name__: [_write(each, classes, f"{where}[{k}]") for k, each in enumerate(value)]
        }
    if kind is np.ndarray and value.dtype.kind in "biuf":
        return {
            "array": b64encode(value.tobytes()).decode(),
            "dtype": value.dtype.str,
            "shape": list(value.shape),
        }
    if classes.get(kind.__name__) is kind:
        return {
            "class": kind.__name__,
            "fields": {name: _field(value, name, classes, where) for name in _hints(kind)},
        }
    raise Malformed(
        _sentence(value, where, f"a plain value or one of {', '.join(sorted(classes))}")
    )


def _are_integers(values: Collection[object]) -> bool:
    """Whether these are integers only, at least one: models of a million literals are, and are
    written and read as a whole.
    """
    return set(map(type, values)) == {int}


def _field(value: object, name: str, classes: Classes, where: str) -> object:
    try:
        content = getattr(value, name)
    except AttributeError:
        raise Malformed(f"{where or type(value).__name__} has no {name}") from None
    return _write(content, classes, f"{where}.{name}" if where else name)


def _read(data: Any, classes: Classes, where: str) -> object:
    """The value of one node of the text, its parts first; every part has exactly one of the types
    that `_write` knows.
    """
    if not isinstance(data, dict):
        if isinstance(data, list):
            raise Malformed("the text is damaged: a list without its kind")
        return data
    match data:
        case {"int": str(digits)}:
            return int(digits, 16)
        case {"bytes": str(text)}:
            return b64decode(text, validate=True)
        case {"fraction": [str(numerator), str(denominator)]}:
            return Fraction(int(numerator, 16), int(denominator, 16))
        case {"tuple": list(parts)} if _are_integers(parts):
            return tuple(parts)
        case {"tuple": list(parts)}:
            return tuple(_read(each, classes, f"{where}[{k}]") for k, each in enumerate(parts))
        case {"list": list(parts)}:
            return [_read(each, classes, f"{where}[{k}]") for k, each in enumerate(parts)]
        case {"array": str(text), "dtype": str(dtype), "shape": list(shape)} if (
            np.dtype(dtype).kind in "biuf"
        ):
            return np.frombuffer(b64decode(text, validate=True), dtype).reshape(shape)
        case {"class": str(name), "fields": dict(parts)} if name in classes:
            prefix = f"{where}." if where else ""
            values = {key: _read(each, classes, prefix + key) for key, each in parts.items()}
            return _build(classes[name], values, where)
    raise Malformed(
        f"the text is damaged: {', '.join(map(str, data))[:_SHOWN]} is no kind of value"
    )


def _build(kind: type, values: dict[str, object], where: str) -> object:
    """A record from its fields, each of which has the type that the class declares."""
    hints = _hints(kind)
    if values.keys() != hints.keys():
        raise Malformed(
            f"the text is damaged: the fields of {kind.__name__} are {', '.join(hints)}"
        )
    for name, hint in hints.items():
        require(values[name], hint, f"{where}.{name}" if where else name)
    try:
        return kind(**values)
    except Exception as error:
        raise Malformed(f"{where or kind.__name__} cannot be built: {error}") from None


@cache
def _hints(kind: type) -> dict[str, Any]:
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
        if parts == (int, ...) and _are_integers(value):
            return True
        kinds = parts[:1] * len(value) if parts[1:] == (...,) else parts
        return len(value) == len(kinds) and all(map(_fits, value, kinds))
    if expected is None:
        return value is None
    return is_record(expected) and expected in kind.__mro__


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


def _sentence(value: object, where: str, expected: str) -> str:
    kind = type(value)
    if value is None:
        shown = "None"
    elif kind in (bool, float, str, bytes) or (type(value) is int and -_SMALL <= value < _SMALL):
        shown = f"{repr(value)[:_SHOWN]} of type {kind.__name__}"
    elif kind is np.ndarray:
        shown = f"an array of {getattr(value, 'dtype', '')}"
    else:
        shown = f"a value of type {kind.__name__}"
    return (
        f"{where}: expected {expected}, got {shown}"
        if where
        else f"expected {expected}, got {shown}"
    )


@dataclass(frozen=True)
class Refused:
    """Stands for a value that the plain format cannot say; the sentence is the reason."""

    sentence: str


def pack_answer(board: Instance, answer: object) -> str:
    """What a backend returned, in the plain format; a `Refused` if that is impossible."""
    classes = _classes(type(board))
    try:
        return to_plain(answer, classes)
    except Malformed as error:
        return to_plain(Refused(str(error)), {"Refused": Refused})


def rebuilt(board: Instance, text: str | bytes) -> Answer:
    """The answer that `pack_answer` wrote, built by our own classes from values of exact types.

    Raises:
        Malformed: it is no answer of this puzzle, or a part of it is of another type than the class
            declares.
    """
    classes = _classes(type(board))
    answer = from_plain(text, Any, {**classes, "Refused": Refused})
    if type(answer) is Refused:
        raise Malformed(answer.sentence)
    require(answer, reduce(or_, [each for each in classes.values() if issubclass(each, Answer)]))
    return answer


@cache
def _classes(instance: type[Instance]) -> Mapping[str, type]:
    """The records that the puzzle's statement defines, and those that every answer has."""
    module = instance.__module__
    package = module.rpartition(".")[0] or module
    stated = [
        each
        for each in vars(sys.modules[module]).values()
        if is_record(each) and each.__module__.startswith(package)
    ]
    if not any(issubclass(each, Answer) for each in stated):
        stated += [
            GridSolution,
            CaseSolution,
        ]  # a user's puzzle may do without an answer of its own
    return {each.__name__: each for each in [*stated, Effort]}
