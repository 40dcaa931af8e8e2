"""Strict DIMACS: the clauses of a text as one flat array of literals, with the place of each
mistake.

A text holds the header `p cnf VARIABLES CLAUSES` and clauses. A clause is a list of literals (+v or
-v) that ends in 0; it may span lines, and a line may hold several. A line that begins with `c` is
a comment. A line that begins with `%` ends the text, as SATLIB's files have it. This module knows
no puzzle.
"""

from __future__ import annotations

import codecs
import re
from itertools import islice
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from puzzles.text import Reader

_FORM = "p cnf VARIABLES CLAUSES"
_COMMENT = re.compile(rb"(?m)^[ \t]*c[^\n]*$")
_END = re.compile(rb"(?m)^[ \t]*%")
_AFTER_END = re.compile(rb"[^\s%0]")
_WORD = re.compile(rb"\S+")
_NO_LINE_END = re.compile(rb"\r(?!\n)|[\f\v]")
_MARKS = {
    codecs.BOM_UTF8: "a byte order mark (BOM): save the file as UTF-8 without one",
    codecs.BOM_UTF16_LE: "the byte order mark of UTF-16: save the file as UTF-8",
    codecs.BOM_UTF16_BE: "the byte order mark of UTF-16: save the file as UTF-8",
}
_MAX_DIGITS, _MAX_HEADER_DIGITS = 18, 20
"""Digits of a literal, and of a number of the header, zeros in front not counted; a longer one is
out of every range.
"""


class FlatClauses(NamedTuple):
    """Clauses in the order of the text.

    Attributes:
        literals: int64, the literals of all clauses, each clause followed by a 0.
        ends: int64 (clauses), the index of each clause's 0.
    """

    literals: NDArray[np.int64]
    ends: NDArray[np.int64]

    def lists(self) -> list[list[int]]:
        """Each clause as a list of its literals."""
        flat, begin = self.literals.tolist(), 0
        clauses: list[list[int]] = []
        for end in self.ends.tolist():
            clauses.append(flat[begin:end])
            begin = end + 1
        return clauses


def without_comments(data: bytes) -> bytes:
    """The data with blanks in the place of each comment, so every other place stays where it is."""
    return _COMMENT.sub(_blank, data) if b"c" in data else data


def refuse_other_encodings(reader: Reader) -> None:
    """Raise `InputError` if the data begins with a byte order mark, or has a CR without LF, a form
    feed or a vertical tab.
    """
    for mark, what in _MARKS.items():
        if reader.data.startswith(mark):
            reader.fail(f"the text begins with {what}", 0)
    some = any(each in reader.data for each in (b"\r", b"\f", b"\v"))
    strange = _NO_LINE_END.search(reader.data) if some else None
    if strange is not None:
        what = {b"\r": "a CR without LF", b"\f": "a form feed"}.get(strange[0], "a vertical tab")
        reader.fail(f"{what}: lines end in LF or CR LF", strange.start())


def read_header(
    reader: Reader, begin: int, end: int, form: str, *, least: int, most_variables: int
) -> list[int]:
    """The numbers of the header between these places of the data.

    Args:
        form: the words of the header, such as `p cnf VARIABLES CLAUSES`.
        least: how many numbers it must have at least.

    Raises:
        InputError: it has another form, or more than `most_variables` variables.
    """
    kind, names = form.split()[:2], form.split()[2:]
    words = list(_WORD.finditer(reader.data, begin, end))
    if [word[0].decode("utf-8", "replace") for word in words[:2]] != kind:
        line = reader.data[begin:end].strip()
        reader.fail(f"expected {form}; found {_quote(line)!r}", begin)
    numbers: list[int] = []
    for name, word in zip(names, words[2:], strict=False):
        if not word[0].isdigit():
            what = f"found {_quote(word[0])!r} in the place of {name}"
            reader.fail(f"expected {form}; {what}", word.start())
        digits = word[0].lstrip(b"0") or b"0"
        is_long = len(digits) > _MAX_HEADER_DIGITS
        if name == "VARIABLES" and (is_long or int(digits) > most_variables):
            reader.fail(f"more than {most_variables} variables", word.start())
        if is_long:
            reader.fail(f"{name} has more than {_MAX_HEADER_DIGITS} digits", word.start())
        numbers.append(int(digits))
    if len(numbers) < least:
        missing = names[len(numbers)]
        reader.fail(f"expected {form}; the line ends before {missing}", words[-1].end())
    for word in words[2 + len(names) :]:
        what = f"found {_quote(word[0])!r} behind {names[-1]}"
        reader.fail(f"expected {form}; {what}", word.start())
    return numbers


def _blank(match: re.Match[bytes]) -> bytes:
    return b" " * len(match[0])


class DimacsReader:
    """A DIMACS text."""

    def __init__(self, text: str | bytes, name: str = "<text>") -> None:
        self._reader = Reader(text, name)
        self._is_empty = not self._reader.data.strip()
        self._reader.data = without_comments(self._reader.data)
        self._begin = 0

    def formula(self, most_variables: int) -> tuple[int, FlatClauses]:
        """The number of variables and the clauses of a formula.

        Raises:
            InputError: the text breaks the format, has more than `most_variables` variables, or
                another number of clauses than its header announces.
        """
        reader = self._reader
        refuse_other_encodings(reader)
        end = _END.search(reader.data) if b"%" in reader.data else None
        if end is not None:
            after = _AFTER_END.search(reader.data, end.end())
            if after is not None:
                reader.fail("% ends the file; expected nothing but a 0 after it", after.start())
            reader.data = reader.data[: end.start()] + b"\n"
        first = _WORD.search(reader.data)
        if first is None:
            what, at = (
                ("the text is empty", 0)
                if self._is_empty
                else ("the text ends here", len(reader.data))
            )
            reader.fail(f"{what}; expected {_FORM}", at)
        self._begin = reader.data.index(b"\n", first.start())
        variables, announced = read_header(
            reader, first.start(), self._begin, _FORM, least=2, most_variables=most_variables
        )
        literals = self._literals(variables)
        clauses = FlatClauses(literals, np.flatnonzero(literals == 0))
        if len(clauses.ends) != announced:
            reader.fail(
                f"the header announces {announced} clauses, the text has {len(clauses.ends)}",
                first.start(),
            )
        return variables, clauses

    def fail(self, index: int, message: str) -> NoReturn:
        """Raise `InputError` at the literal with this index in `FlatClauses.literals`."""
        words = _WORD.finditer(self._reader.data, self._begin)
        self._reader.fail(message, next(islice(words, index, None)).start())

    def _literals(self, variables: int) -> NDArray[np.int64]:
        """All literals and zeros of the rest of the text."""
        words = self._reader.data[self._begin :].split()
        known = _all_numbers(words, variables)
        if known is not None:
            return known
        literals: list[int] = []
        before = 0
        for word in words:
            digits = word.removeprefix(b"-")
            is_zero = not digits.strip(b"0")
            if not digits.isdigit() or (is_zero and digits != word):
                self.fail(len(literals), f"expected a literal or 0; found {_quote(word)!r}")
            if len(digits) > _MAX_DIGITS:
                digits = digits.lstrip(b"0") or b"0"
            if len(digits) > _MAX_DIGITS or int(digits) > variables:
                self.fail(
                    len(literals),
                    f"literal {_quote(word)} is out of range for {variables} variables",
                )
            before = int(digits) if word[:1] != b"-" else -int(digits)
            literals.append(before)
        if before != 0:
            self._reader.fail(
                "the text ends within a clause; expected 0", len(self._reader.data.rstrip())
            )
        return np.array(literals, np.int64)


def _all_numbers(words: list[bytes], variables: int) -> NDArray[np.int64] | None:
    """What the words write, if all of it is right; None lets the caller look for the mistake."""
    joined = b"".join(words)
    if joined.translate(None, b"-0123456789") or b"-0" in joined:
        return None
    try:
        numbers = np.array(list(map(int, words)), np.int64)
    except (ValueError, OverflowError):
        return None
    if numbers.size and (numbers[-1] != 0 or numbers.max() > variables):
        return None
    return numbers if not numbers.size or numbers.min() >= -variables else None


def _quote(word: bytes) -> str:
    return word[:20].decode("utf-8", "replace")
