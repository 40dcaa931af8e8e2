"""The plain format: values of foreign code as JSON text, and our own values built from that text,
answers above all.

Pickle runs what the text names, so nothing of foreign code crosses as pickle. `to_plain` writes a
value in the process of the foreign code. `from_plain` trusts nothing of that text: it takes values
of exact types only, and it builds only classes that it is given, by their constructors. Both raise
`Malformed` with a sentence that says what is wrong.
"""

from __future__ import annotations

import json
import sys
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, reduce
from operator import or_
from typing import Any

import numpy as np

from puzzles.answer import Answer, Effort
from puzzles.case_solution import CaseSolution
from puzzles.declared_types import (
    MAX_SHOWN,
    Malformed,
    are_integers,
    declared_types,
    field_of,
    is_record,
    refuse_wrong_fields,
    require,
    wrong_type,
)
from puzzles.grid import GridSolution
from puzzles.instance import Instance

Classes = Mapping[str, type]
"""The dataclasses and NamedTuples that may cross, by name."""

_SMALL = 2**63
"""Integers below this cross in decimal digits; larger ones, of which `str` refuses the longest, in
hexadecimal digits.
"""


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
        if are_integers(value) and min(value) >= -_SMALL and max(value) < _SMALL:
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
            "fields": {
                name: _write(
                    field_of(value, name, where), classes, f"{where}.{name}" if where else name
                )
                for name in declared_types(kind)
            },
        }
    raise Malformed(
        wrong_type(value, where, f"a plain value or one of {', '.join(sorted(classes))}")
    )


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
        case {"tuple": list(parts)} if are_integers(parts):
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
        f"the text is damaged: {', '.join(map(str, data))[:MAX_SHOWN]} is no kind of value"
    )


def _build(kind: type, values: dict[str, object], where: str) -> object:
    """A record from its fields, each of which has the type that the class declares."""
    hints = declared_types(kind)
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
        sentence = str(error)
    if classes.get(type(answer).__name__) is type(answer):
        try:
            refuse_wrong_fields(answer)
        except Malformed as error:  # it says what the field should hold, and not all that can cross
            sentence = str(error)
    return to_plain(Refused(sentence), {"Refused": Refused})


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
