"""What a SAT solver prints, or writes into a file: verdicts and models.

The form of the SAT competitions: a line `s SATISFIABLE`, `s UNSATISFIABLE` or `s UNKNOWN`, and the
model on lines that begin with `v`, before it or after it. The form of minisat's result file: a line
`SAT`, `UNSAT` or `INDET`, then the model without a letter. Lines of any other kind are passed over:
comments, warnings, statistics.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

_VERDICTS: dict[str, bool | None] = {
    "SATISFIABLE": True,
    "SAT": True,
    "UNSATISFIABLE": False,
    "UNSAT": False,
    "UNKNOWN": None,
    "INDETERMINATE": None,
    "INDET": None,
}
_LITERAL = re.compile(r"-?[0-9]{1,10}")
_LITERALS = re.compile(r"(-?[0-9]{1,10}( |$))*")
_LINE_END = re.compile(r"\r\n|\n|\r")

_SHOWN = 40
"""Characters of a wrong word that a message repeats."""


class Unreadable(ValueError):
    """Lines that are no output of a solver; the message is a sentence without its place.

    Attributes:
        line: counted from 1.
    """

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


@dataclass
class SolverOutput:
    """What a solver says to one call.

    Attributes:
        word: its verdict, as it stands there; empty if there is none.
        literals: the model without its zeros; None if there is no line of a model.
        is_complete: whether a 0 ends the model.
        unreadable: what is wrong with the model, if it is no list of numbers.
    """

    word: str = ""
    literals: list[int] | None = None
    is_complete: bool = False
    unreadable: Unreadable | None = None

    @property
    def verdict(self) -> bool | None:
        """Whether there is a model; None if the solver does not know, or gives no verdict."""
        return _VERDICTS[self.word] if self.word else None

    def add_model(self, words: list[str], line: int) -> None:
        """Take in the words of one line of the model, up to the 0 that ends it: what follows is
        another model.
        """
        self.literals = [] if self.literals is None else self.literals
        if self.is_complete or self.unreadable is not None:
            return
        are_literals = _LITERALS.fullmatch(" ".join(words)) is not None  # a model has many lines
        some = words if are_literals else takewhile(_LITERAL.fullmatch, words)
        numbers = [int(word) for word in some]
        self.is_complete = 0 in numbers
        if self.is_complete:
            numbers = numbers[: numbers.index(0)]
        elif len(numbers) < len(words):
            strange = words[len(numbers)][:_SHOWN]
            self.unreadable = Unreadable(line, f"expected a literal or 0; found {strange!r}")
        self.literals += numbers


def read_reply(text: str) -> SolverOutput:
    """What a solver says to a single call, wherever the lines stand. Of several models the first
    counts.

    Raises:
        Unreadable: a verdict that is none, or two different ones.
    """
    reply, first = SolverOutput(), 0
    for line, words in _lines(text):
        if words[0] == "v":
            reply.add_model(words[1:], line)
            continue
        word = _verdict_word(words, line)
        if reply.word and _VERDICTS[word] is not reply.verdict:
            raise Unreadable(line, f"says {word}, and line {first} says {reply.word}")
        reply.word, first = word, first or line
    return reply


def read_replies(text: str) -> list[SolverOutput]:
    """What a solver says to several calls, in their order. A verdict and its model stand together,
    in either order; a model of several lines ends in 0.

    Raises:
        Unreadable: a verdict or a model that is none.
    """
    replies: list[SolverOutput] = []
    for line, words in _lines(text):
        last = replies[-1] if replies else None
        if words[0] == "v":
            belongs = last is not None and not last.is_complete and last.verdict is not False
            if last is None or not belongs:
                replies.append(last := SolverOutput())
            last.add_model(words[1:], line)
            if last.unreadable is not None:
                raise last.unreadable
        else:
            if last is None or last.word:
                replies.append(last := SolverOutput())
            last.word = _verdict_word(words, line)
    return replies


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """The lines with a verdict or with a part of a model: their numbers, counted from 1, and their
    words, of which the first is `s` or `v`.
    """
    in_result = False  # after a verdict without a letter, lines of numbers are the model
    for number, line in enumerate(_LINE_END.split(text.removeprefix("\ufeff")), 1):
        words = line.split()
        if not words:
            continue
        if words[0] in ("s", "v"):
            in_result = False
            yield number, words
        elif len(words) == 1 and words[0] in _VERDICTS:
            in_result = True
            yield number, ["s", *words]
        elif in_result and _LITERAL.fullmatch(words[0]):
            yield number, ["v", *words]
        else:
            in_result = False


def _verdict_word(words: list[str], line: int) -> str:
    word = " ".join(words[1:])
    if word not in _VERDICTS:
        raise Unreadable(
            line,
            f"expected s SATISFIABLE, s UNSATISFIABLE or s UNKNOWN; found {'s ' + word[:_SHOWN]!r}",
        )
    return word
