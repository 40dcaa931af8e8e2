"""Whether an output is the same as the reference's, and where it differs first, for people."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, ROUND_UP, Context, Decimal
from itertools import zip_longest
from typing import NamedTuple

from puzzles.text import first_difference

_MAX_SHOWN = 60
"""Characters of a line or of a word that a sentence shows."""

_ESCAPED = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}

_NUMBER = re.compile(rb"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,9})?")
"""What is a number in an output of a contest: `7`, `-0.5`, `.5`, `1e-9`."""

_UNSURE = 1e-14
"""How near to what is allowed a distance of doubles may be, relatively, so that rounding may decide
which of them is larger.
"""

_TOLERANCE_DIGITS = 17
"""The most digits of a tolerance: those of a double."""

_Place = tuple[int, int]
"""Line and column of a character, from 0."""


@dataclass(frozen=True)
class OutputDifference:
    """The first difference between the reference's output and another one.

    Attributes:
        places: where it is, in the reference's output and in the other one.
        sentence: where it is and what stands there, of the reference first:
            `line 251: 250 / 251`.
    """

    places: tuple[_Place, _Place]
    sentence: str


def output_difference(
    reference: bytes, output: bytes, *, exact: bool, tolerance: float | None
) -> OutputDifference | None:
    """The first difference; None if the output counts as the same. Linear in the outputs.

    Args:
        exact: whether they must be the same byte by byte; else word by word.
        tolerance: by which two numbers may differ, absolutely or relatively; None for not at all.
    """
    if reference == output:
        return None
    if exact:
        return _by_characters(reference, output)
    words, others = reference.split(), output.split()
    if words == others:
        return None
    number = next(
        (
            k
            for k, (one, other) in enumerate(zip_longest(words, others))
            if one != other and not _is_near(one, other, tolerance)
        ),
        None,
    )
    return None if number is None else _by_words(reference, output, number, tolerance)


def _is_near(one: bytes | None, other: bytes | None, tolerance: float | None) -> bool:
    """Whether two words are numbers that differ by no more than is allowed.

    Doubles say it where rounding cannot matter, which is quick.
    """
    if one is None or other is None or tolerance is None:
        return False
    if not (_NUMBER.fullmatch(one) and _NUMBER.fullmatch(other)):
        return False
    first, second = float(one), float(other)
    largest = max(1.0, abs(first), abs(second))
    apart, allowed = abs(first - second), tolerance * largest
    if _UNSURE * (largest + allowed) < abs(apart - allowed) < math.inf:
        return apart < allowed
    distance = _Distance.of(one, other, tolerance)
    return distance.apart <= distance.allowed


class _Distance(NamedTuple):
    """By how much two numbers differ, and by how much they may."""

    apart: Decimal
    allowed: Decimal

    @classmethod
    def of(cls, one: bytes, other: bytes, tolerance: float) -> _Distance:
        """The distance of two words that are numbers.

        What is allowed is exact. The distance is rounded up to as many digits, so it is more than
        what is allowed if and only if the exact one is, which may have a thousand million digits.
        """
        digits = len(one) + len(other) + _TOLERANCE_DIGITS
        context = Context(prec=digits, rounding=ROUND_UP, Emin=MIN_EMIN, Emax=MAX_EMAX)
        first, second = (Decimal(word.decode()) for word in (one, other))
        largest = max(Decimal(1), first.copy_abs(), second.copy_abs())
        return cls(
            apart=context.subtract(first, second).copy_abs(),
            allowed=context.multiply(Decimal(repr(tolerance)), largest),
        )


def _by_characters(reference: bytes, output: bytes) -> OutputDifference:
    """The difference of two outputs that are not the same byte by byte."""
    texts = [each.decode("utf-8", "surrogateescape") for each in (reference, output)]
    place = first_difference(texts)
    assert place is not None
    row, column = place
    lines = [text.split("\n")[row] + "\n" * (text.count("\n") > row) for text in texts]
    rests = [line[column:] for line in lines]
    if not all(rests):
        shortest = min(texts, key=len)
        last = shortest.count("\n", 0, max(0, len(shortest) - 1)) + 1
        goes_on = _cut(max(rests, key=len), 0, quote=True)
        return OutputDifference((place, place), _ends(not rests[1], shortest, last, goes_on))
    one, other = (_cut(line, column, quote=True) for line in lines)
    return OutputDifference((place, place), f"line {row + 1}, column {column + 1}: {one} / {other}")


def _by_words(
    reference: bytes, output: bytes, number: int, tolerance: float | None
) -> OutputDifference:
    """The difference of two outputs whose words of this number, from 0, are not the same."""
    outputs = (reference, output)
    rests = [b"".join(each.split(None, number)[number:]) for each in outputs]
    starts = [
        len(data) - len(rest) if rest else len(data.rstrip())
        for data, rest in zip(outputs, rests, strict=True)
    ]
    places = [
        (data.count(b"\n", 0, start), len(_text(data[data.rfind(b"\n", 0, start) + 1 : start])))
        for data, start in zip(outputs, starts, strict=True)
    ]
    words = [b"".join(rest.split(None, 1)[:1]) for rest in rests]
    one, other = map(_text, words)
    if not (one and other):
        shorter = 1 if one else 0
        goes_on = _cut(one or other, 0)
        ended = _text(outputs[shorter][: starts[shorter]])
        says = _ends(bool(shorter), ended, places[shorter][0] + 1, goes_on)
        return OutputDifference((places[0], places[1]), says)
    _, at = first_difference([one, other]) or (0, 0)
    if max(len(one), len(other)) > _MAX_SHOWN:
        places = [(row, column + at) for row, column in places]
    quote = not all(each.isascii() and each.isprintable() for each in (one, other))
    says = f"{_where(places)}: {_cut(one, at, quote=quote)} / {_cut(other, at, quote=quote)}"
    return OutputDifference((places[0], places[1]), says + _apart(words[0], words[1], tolerance))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _where(places: list[_Place]) -> str:
    """`line 3`, or `line 3, column 7` if something stands before it in the line; of both outputs if
    the places are not the same.
    """
    named = [
        f"line {row + 1}" + (f", column {column + 1}" if column else "") for row, column in places
    ]
    return " / ".join(dict.fromkeys(named))


def _ends(is_output: bool, ended: str, line: int, goes_on: str) -> str:
    """That one output is a beginning of the other.

    Args:
        is_output: whether the reference's is longer.
        ended: the shorter one, whose last line this is.
    """
    one, other = ("output", "reference") if is_output else ("reference", "output")
    if not ended:
        return f"the {one} is empty; the {other} begins with {goes_on}"
    return f"the {one} ends at line {line}; the {other} goes on with {goes_on}"


def _apart(one: bytes, other: bytes, tolerance: float | None) -> str:
    """By how much two numbers differ, and by how much they may; empty if nothing is allowed, if
    they are no numbers, or if they are too large for a short text.
    """
    if tolerance is None or not (_NUMBER.fullmatch(one) and _NUMBER.fullmatch(other)):
        return ""
    apart, allowed = map(float, _Distance.of(one, other, tolerance))
    if math.isinf(max(apart, allowed)):
        return ""
    return f", {apart:.3g} apart, where {allowed:.3g} is allowed"


def _cut(text: str, column: int, *, quote: bool = False) -> str:
    """A text, of a long one the part around a column.

    Args:
        quote: whether it is written in quotes, with escapes for all but the printable characters
            of ASCII, so that all of it can be seen.
    """
    begin = max(0, column - _MAX_SHOWN // 2) if len(text) > _MAX_SHOWN else 0
    part = text[begin : begin + _MAX_SHOWN]
    left_out = "..." if begin else "", "..." if begin + _MAX_SHOWN < len(text) else ""
    return (_quote(part) if quote else part).join(left_out)


def _quote(text: str) -> str:
    """A text in quotes: `"1\\r\\n"`; a byte that is no UTF-8 is `\\xff`."""
    escaped = (
        _ESCAPED.get(each)
        or (each if " " <= each <= "~" else "")
        or (f"\\x{ord(each) - 0xDC00:02x}" if "\udc80" <= each <= "\udcff" else "")
        or f"\\u{ord(each):04x}"
        for each in text
    )
    return f'"{"".join(escaped)}"'
