"""Strict DIMACS: the clauses of a text as one flat array of literals, with the place of each
mistake.

A text holds comment lines (`c`), the header `p cnf VARIABLES CLAUSES`, and clauses. A clause is a
list of literals (+v or -v) that ends in 0; it may span lines, and a line may hold several. This
module knows no puzzle.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from puzzles.text import Reader

_HEADER = re.compile(rb"p[ \t]+cnf[ \t]+(\d{1,18})[ \t]+(\d{1,18})[ \t\r]*")
_COMMENT = re.compile(rb"(?m)^[ \t]*c[^\n]*$")
_WORD = re.compile(rb"\S+")
_MAX_DIGITS = 18
"""Digits of a number, zeros in front not counted; a longer one is out of every range."""


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


class DimacsReader:
    """A DIMACS text; comment lines are blanked, so every other place stays where it is."""

    def __init__(self, text: str | bytes, name: str = "<text>") -> None:
        self._reader = Reader(text, name)
        data = self._reader.data
        self._is_empty = not data.strip()
        self._reader.data = (
            _COMMENT.sub(lambda comment: b" " * len(comment[0]), data) if b"c" in data else data
        )
        self._begin = 0

    def formula(self, most_variables: int) -> tuple[int, FlatClauses]:
        """The number of variables and the clauses of a formula.

        Raises:
            InputError: the text breaks the format, has more than `most_variables` variables, or
                another number of clauses than its header announces.
        """
        reader, expected = self._reader, "expected p cnf VARIABLES CLAUSES"
        first = _WORD.search(reader.data)
        if first is None:
            what, at = (
                ("the text is empty", 0)
                if self._is_empty
                else ("the text ends here", len(reader.data))
            )
            reader.fail(f"{what}; {expected}", at)
        self._begin = reader.data.index(b"\n", first.start())
        header = _HEADER.fullmatch(reader.data, first.start(), self._begin)
        if header is None:
            reader.fail(expected, first.start())
        variables, announced = int(header[1]), int(header[2])
        if variables > most_variables:
            reader.fail(f"more than {most_variables} variables", header.start(1))
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
        literals: list[int] = []
        before = 0
        for word in self._reader.data[self._begin :].split():
            digits = word.removeprefix(b"-")
            if digits.isdigit():
                if len(digits) > _MAX_DIGITS:
                    digits = digits.lstrip(b"0") or b"0"
                if len(digits) > _MAX_DIGITS or int(digits) > variables:
                    self.fail(
                        len(literals),
                        f"literal {_shown(word)} is out of range for {variables} variables",
                    )
                before = int(digits) if word[:1] != b"-" else -int(digits)
            else:
                self.fail(len(literals), f"expected a literal or 0; found {_shown(word)!r}")
            literals.append(before)
        if before != 0:
            self._reader.fail(
                "the text ends within a clause; expected 0", len(self._reader.data.rstrip())
            )
        return np.array(literals, np.int64)


def _shown(word: bytes) -> str:
    return word[:20].decode("utf-8", "replace")
