"""Texts: strict reading of the contests' formats, where an error names its place; and what makes a
text fit to be shown.
"""

from __future__ import annotations

import codecs
import re
import sys
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from inspect import getdoc
from itertools import zip_longest
from operator import ge
from pathlib import Path
from typing import NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

Grid = NDArray[np.uint8]

T = TypeVar("T")

_NUMBERS = re.compile(rb"(?:0|[1-9][0-9]{0,8})(?: (?:0|[1-9][0-9]{0,8}))*\n")
_PLAIN_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,19})")
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]{0,19})\.([0-9]{1,20})")
_TOKEN = re.compile(rb"[^ \t]+")
_VISIBLE = re.compile(rb"\S")
_BLANK = b" \t\r"
_MAX_DIGITS = 9

_SHOWN = 80
"""Characters of a wrong text that a message repeats."""


class UserError(Exception):
    """A mistake of the user; the command lines print its message without a traceback and exit with
    status 2.
    """


class UnknownName(UserError, LookupError):
    """A name that does not exist; the message names the nearest one, and lists those that do."""

    def __init__(self, kind: str, name: str, known: list[str], more: str = "") -> None:
        from difflib import get_close_matches  # late: it is needed for a mistake only

        by_short_name = {each.rpartition(":")[2]: each for each in known}
        near = get_close_matches(name.lower(), [*known, *by_short_name], 1)
        perhaps = f"did you mean {by_short_name.get(near[0], near[0])}? Or " if near else ""
        super().__init__(
            f"unknown {kind} {quote_beginning(name)}: {perhaps}choose from "
            f"{', '.join(dict.fromkeys(known)) or '(none)'}{more}"
        )


def choose_by_name(kind: str, name: str, known: Mapping[str, T]) -> T:
    """The one of this name; raises `UnknownName`."""
    if name not in known:
        raise UnknownName(kind, name, list(known))
    return known[name]


def quote_beginning(text: str) -> str:
    """The text in quotes, as a message repeats it: of a long one only the beginning."""
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")


def abridge(message: str) -> str:
    """A message of another library without its middle, if it repeats a long text there."""
    return (
        message if len(message) <= 2 * _SHOWN + 5 else f"{message[:_SHOWN]} ... {message[-_SHOWN:]}"
    )


class InputError(UserError, ValueError):
    """A text that breaks its format; `str()` is `name:line:column: message`, line and column
    counted from 1.
    """

    def __init__(self, name: str, line: int, column: int, message: str) -> None:
        super().__init__(name, line, column, message)
        self.name, self.line, self.column, self.message = name, line, column, message

    def __str__(self) -> str:
        return f"{self.name}:{self.line}:{self.column}: {self.message}"


def read_source(path: str | None) -> tuple[bytes, str]:
    """The bytes of a file, decompressed, and the name that errors give it; standard input if `path`
    is None or `-`.

    Raises:
        UserError: it cannot be read or decompressed.
    """
    name = "<stdin>" if path is None or path == "-" else path
    try:
        data = sys.stdin.buffer.read() if name == "<stdin>" else Path(name).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a name with a null character
        raise UserError(f"{name}: {getattr(error, 'strerror', None) or error}") from None
    return _decompress(data, name), name


COMPRESSED = {".gz": b"\x1f\x8b", ".xz": b"\xfd7zXZ\0", ".bz2": b"BZh"}
"""How the names of compressed files end that can be read, and how the files begin."""

_OTHERS = {"zstd": b"\x28\xb5\x2f\xfd", "zip": b"PK\x03\x04", "7z": b"7z\xbc\xaf\x27\x1c"}


def _decompress(data: bytes, name: str) -> bytes:
    """The text of a file, by the bytes with which it begins; raises `UserError`."""
    known = (*COMPRESSED.items(), *_OTHERS.items())
    packed = next((each for each, start in known if data.startswith(start)), None)
    if packed is None:
        return data
    if packed in _OTHERS:
        raise UserError(
            f"{name} is compressed by {packed}: decompress it first, or use one of "
            f"{', '.join(COMPRESSED)}"
        )
    import bz2  # late: few files need them
    import gzip
    import lzma
    import zlib

    decompress = {".gz": gzip.decompress, ".xz": lzma.decompress, ".bz2": bz2.decompress}[packed]
    try:
        return decompress(data)
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
        raise UserError(f"{name} cannot be decompressed ({packed}): {error}") from None


def whole_number(text: str, most_digits: int = _MAX_DIGITS) -> int | None:
    """The number that these ASCII digits write; None for another text, or for more digits.

    Zeros in front do not count.
    """
    digits = text.strip().lstrip("0")
    if not (text.isascii() and text.strip().isdigit()) or len(digits) > most_digits:
        return None
    return int(digits or "0")


def number(word: str) -> int | None:
    """The number that a word writes, without zeros in front and with at most 20 digits; None for
    any other word.
    """
    return int(word) if _PLAIN_NUMBER.fullmatch(word) else None


def decimals(word: str) -> int | None:
    """How many digits a number has behind its point; 0 for one that `number` reads, None for any
    other word.
    """
    if number(word) is not None:
        return 0
    matched = _DECIMAL.fullmatch(word)
    return None if matched is None else len(matched[1])


def scale_number(word: str, digits: int) -> int:
    """The number that a word writes, in units of so many digits behind the point; it has no more
    of them.
    """
    whole, _, behind = word.partition(".")
    return int(whole + behind.ljust(digits, "0"))


def with_point(value: int, digits: int) -> str:
    """The word for so many units: `with_point(150, 2)` is `1.50`."""
    if not digits:
        return str(value)
    text = str(abs(value)).zfill(digits + 1)
    return f"{'-' * (value < 0)}{text[:-digits]}.{text[-digits:]}"


def misread(written: str, printed: str, comment: str = "") -> tuple[int, str] | None:
    """Where a text says something else than what was read of it, which is printed back: the line,
    and what was written and read there; None if it nowhere does.

    Words are compared, and numbers by their values. Lines that begin with `comment` are passed
    over.
    """
    if written == printed or (not comment and written.split() == printed.split()):
        return None
    one, other = (
        [
            (row, word)
            for row, line in enumerate(text.split("\n"), 1)
            if not (comment and line.startswith(comment))
            for word in line.split()
        ]
        for text in (written, printed)
    )
    pairs = enumerate(zip_longest(one, other, fillvalue=(0, "")))
    at = next((k for k, (mine, theirs) in pairs if not _same_word(mine[1], theirs[1])), None)
    if at is None:
        return None
    line = one[min(at, len(one) - 1)][0] if one else 1
    first = next((k for k, (row, _) in enumerate(one) if row == line), 0)
    last = other[at if at >= len(one) else first][0] if first < len(other) else 0
    texts = [
        " ".join(word for row, word in words[first:] if row <= until)
        for words, until in ((one, line), (other, last))
    ]
    common = len(common_start(texts))
    begin = max(0, common - _SHOWN // 4) if max(map(len, texts)) > _SHOWN else 0
    said, read = (
        quote_beginning("..." * (begin > 0) + text[begin:]) if text else "nothing" for text in texts
    )
    return line, f"{said} was written, and {read} was read"


def _same_word(one: str, other: str) -> bool:
    """Whether two words are the same, or write the same number."""
    try:
        return one == other or Decimal(one) == Decimal(other)
    except InvalidOperation:
        return False


def excerpt(
    text: str,
    lines: int,
    columns: int | None = None,
    at: tuple[int, int] | None = None,
    indent: str = "",
) -> list[str]:
    """The first `lines` lines of a text, each cut after `columns` characters, and lines that say
    how many more there are.

    Args:
        at: a line and a column from 0. An arrow points this place out; shown are the lines around
            it, and the first one, and of long lines the part around the column.
        indent: what stands before each line; of the line `at`, `-->` does.
    """
    every = text.rstrip("\n").split("\n")
    row, column = at or (0, 0)
    first, last = 0, min(lines, len(every))
    if row >= last:
        last = min(row + lines // 2, len(every))
        first = last - lines + 1
    shown: list[str] = []
    for k in range(last) if first <= 1 else [0, *range(first, last)]:
        if k == first > 1:
            shown.append(f"{indent}... {count_noun(first - 1, 'more line')}")
        line, begin = every[k], 0
        if columns is not None and len(line) > columns:
            begin = max(0, column - columns // 2)
            end = begin + columns
            line = f"{'...' if begin else ''}{line[begin:end]}{'...' if end < len(line) else ''}"
        pointed_out = at is not None and k == row
        shown.append(f"{'--> ' if pointed_out else indent}{line}")
        if pointed_out and column:
            shown.append(f"{indent}{' ' * (column - begin + (3 if begin else 0))}^")
    if last < len(every):
        shown.append(f"{indent}... {count_noun(len(every) - last, 'more line')}")
    return shown


def first_paragraph(documented: object) -> str:
    """The first paragraph of a docstring, in one line; empty if there is none."""
    return " ".join((getdoc(documented) or "").partition("\n\n")[0].split())


def common_start(texts: Sequence[str]) -> str:
    """The beginning that all texts have, in linear time: it is sought by halves."""
    low, high = 0, min(map(len, texts))
    while low < high:
        middle = (low + high + 1) // 2
        if len({text[low:middle] for text in texts}) == 1:
            low = middle
        else:
            high = middle - 1
    return texts[0][:low]


def first_difference(texts: Sequence[str]) -> tuple[int, int] | None:
    """Line and column, from 0, of the first place where the texts are not all the same, or where
    the shortest one ends; None if they are the same.
    """
    if len(set(texts)) < 2:
        return None
    alike = common_start(texts)
    return alike.count("\n"), len(alike) - alike.rfind("\n") - 1


def exception_text(error: BaseException) -> str:
    """The class of an exception, and what it says unless that is nothing."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def count_noun(number: int, noun: str) -> str:
    """The number and the noun, in the plural unless the number is 1: `1 run`, `2 runs`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)

_IN_ASCII = {"µ": "u", "∥": "||", "±": "+-", "·": "-", "×": "x"}


def visible(text: str) -> str:
    """The text with its control characters escaped, except the ends of lines and tabs: they must
    not act on a terminal. Bytes that were no UTF-8 are escaped too.
    """
    return _CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def label_lines(label: str, text: str) -> str:
    """The text, visible, with a label before each line."""
    return "\n".join(visible(f"{label}: {line}") for line in text.split("\n"))


def escape(text: str) -> str:
    """The text, with an escape sequence for each byte that was no UTF-8: such a byte cannot be
    printed.
    """
    return text if text.isascii() else text.encode(errors="backslashreplace").decode()


def printable(text: str) -> str:
    """The text as standard output shows it: visible, and with ASCII in place of what its encoding
    lacks.
    """
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return visible(text).encode(encoding, IN_PLACE_OF_LACKING).decode(encoding)


def _in_place_of_lacking(error: UnicodeError) -> tuple[str, int]:
    """What stands for characters that an encoding lacks: a likeness in ASCII, else an escape."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(
        _IN_ASCII.get(c) or c.encode("unicode_escape").decode("ascii") for c in lacking
    ), error.end


IN_PLACE_OF_LACKING = _in_place_of_lacking.__name__
"""The `errors` of a stream that raises for no character."""

codecs.register_error(IN_PLACE_OF_LACKING, _in_place_of_lacking)


class Reader:
    """A cursor over one text.

    Lines end in LF or CR LF. Blanks at the end of a line and blank lines at the end of the text are
    ignored. Everything else that the format does not allow raises `InputError`. A header's numbers
    alone allocate nothing: time and memory are linear in the text.

    Attributes:
        written: the text, byte for byte.
        data: the same with an LF at its end.
    """

    def __init__(self, text: str | bytes, name: str = "<text>") -> None:
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        self.written = data
        self.data = data if data.endswith(b"\n") else data + b"\n"
        self.name = name
        self.position = 0

    def fail(self, message: str, position: int | None = None) -> NoReturn:
        """Raise `InputError` at a byte position (default: the cursor)."""
        at = self.position if position is None else position
        start = self.data.rfind(b"\n", 0, at) + 1
        column = len(self.data[start:at].decode("utf-8", "replace")) + 1
        raise InputError(self.name, self.data.count(b"\n", 0, at) + 1, column, message)

    def character(self, position: int) -> str:
        """How a message shows the character at a byte position."""
        return repr(self.data[position : position + 4].decode("utf-8", "replace")[0])

    @property
    def exhausted(self) -> bool:
        """Whether only blanks are left."""
        if self.position == len(self.data):
            return True
        return _VISIBLE.search(self.data, self.position) is None

    def _line(self, expected: str) -> bytes:
        """The line at the cursor without its end and trailing blanks; the cursor does not move."""
        if self.exhausted:
            empty = "the text is empty" if self.position == 0 else "the text ends here"
            self.fail(f"{empty}; expected {expected}")
        return self.data[self.position : self.data.index(b"\n", self.position)].rstrip(_BLANK)

    def _next_line(self) -> None:
        self.position = self.data.index(b"\n", self.position) + 1

    def line(self, expected: str) -> str:
        """One whole line as text; `expected` names the line's content in an error."""
        line = self._line(expected)
        self._next_line()
        return line.decode("utf-8", "replace")

    def numbers(
        self,
        *names: str,
        optional: int = 0,
        least: int | tuple[int, ...] = 1,
        signed: bool = False,
        most_digits: int = _MAX_DIGITS,
    ) -> tuple[int, ...]:
        """One line of whole numbers, called `names` in errors. The last `optional` of them may be
        missing.

        Each is at least `least`, which is one number for all or one for each. With `signed` it may
        be any integer. None has more than `most_digits` digits, zeros in front left out.
        """
        leasts = (least,) * len(names) if isinstance(least, int) else least
        plain = _NUMBERS.match(self.data, self.position)
        if plain is not None:
            numbers = tuple(map(int, plain[0].split()))
            if len(names) - optional <= len(numbers) <= len(names) and (
                signed or all(map(ge, numbers, leasts))
            ):
                self.position = plain.end()
                return numbers
        what = " and ".join(names[: len(names) - optional])
        line = self._line(what)
        start = self.position
        if line[:1] in (b" ", b"\t"):
            self.fail(f"a blank before {what}")
        tokens = list(_TOKEN.finditer(line))
        values: list[int] = []
        for name, least_here, token in zip(names, leasts, tokens, strict=False):
            word, at = token.group(), start + token.start()
            digits = word[1:] if signed and word[:1] == b"-" else word
            if not (digits.isascii() and digits.isdigit()):
                shown = word[:20].decode("utf-8", "replace")
                self.fail(
                    f"expected {name}, a whole "
                    f"number{'' if signed else f' of at least {least_here}'}; found {shown!r}",
                    at,
                )
            significant = digits.lstrip(b"0")
            if len(significant) > most_digits:
                self.fail(f"{name} is absurdly large ({len(significant)} digits)", at)
            value = int(
                significant or b"0"
            )  # Python refuses to read thousands of digits, zeros in front included
            if not signed and value < least_here:
                self.fail(f"{name} must be at least {least_here}, found {value}", at)
            values.append(value if digits is word else -value)
        if len(tokens) < len(names) - optional:
            self.fail(f"expected {names[len(tokens)]}, the line ends here", start + len(line))
        if len(tokens) > len(names):
            self.fail(
                f"expected the end of the line after {names[-1]}",
                start + tokens[len(names)].start(),
            )
        self._next_line()
        return tuple(values)

    def list_of_numbers(
        self,
        *names: str,
        rest: str = "a number",
        least: int = 1,
        signed: bool = False,
        most_digits: int = _MAX_DIGITS,
    ) -> tuple[int, ...]:
        """One line of whole numbers, of which those after `names` are all called `rest` in errors;
        there may be none of them.
        """
        count = len(self._line(" and ".join(names) or rest).split())
        if count == 0 == len(names):
            self._next_line()
            return ()
        called = (*names, *[rest] * (count - len(names)))
        return self.numbers(*called, least=least, signed=signed, most_digits=most_digits)

    def grid(self, rows: int, columns: int, alphabet: bytes) -> Grid:
        """`rows` lines of exactly `columns` characters of `alphabet`, as a read-only uint8 array of
        character codes.
        """
        start = self.position
        stop = start + rows * (columns + 1)
        if stop <= len(self.data):
            block, ends = self.data[start:stop], b"\n" * rows
            if block[columns :: columns + 1] == ends == block.translate(None, alphabet):
                self.position = stop
                grid = np.frombuffer(block, np.uint8).reshape(rows, columns + 1)[:, :columns].copy()
                grid.setflags(write=False)
                return grid
        return self._grid_by_lines(rows, columns, alphabet)

    def _grid_by_lines(self, rows: int, columns: int, alphabet: bytes) -> Grid:
        kept: list[bytes] = []
        for row in range(1, rows + 1):
            line = self._line(f"row {row} of {rows}")
            strange = line.translate(None, alphabet)
            if strange:
                at = self.position + line.index(strange[:1])
                self.fail(f"{self.character(at)} is not one of {' '.join(alphabet.decode())}", at)
            if len(line) != columns:
                at = self.position + min(len(line), columns)
                self.fail(
                    f"row {row} of {rows} has {count_noun(len(line), 'character')}, expected "
                    f"{columns}",
                    at,
                )
            kept.append(line)
            self._next_line()
        return np.frombuffer(b"".join(kept), np.uint8).reshape(rows, columns)

    def end(self, after: str) -> None:
        """Raise `InputError` unless only blanks follow."""
        if not self.exhausted:
            rest = self.data[self.position :]
            at = self.position + len(rest) - len(rest.lstrip())
            self.fail(f"unexpected text after {after}", at)
