"""Instances that are no grids: any frozen value with a text and a strict reader, and what puzzles of such cases share.

The default format of an input file is the number of cases, then the text of each.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Self, TypeVar

from puzzles.answer import Answer
from puzzles.instance import Instance
from puzzles.puzzle import Family, Puzzle
from puzzles.text import Reader

_MAX_ROOT = 100
"""The largest size of the default family, whose cases have about size x size words."""


class ForbiddenCase(ValueError):
    """Raised where a case is built that its puzzle does not allow; the message says why, as a clause."""


@dataclass(frozen=True, eq=False, repr=False)
class Case(Instance, ABC):
    """An instance that is no grid. A subclass names its puzzle, its fields, its text and its reader.

    The text consists of lines of words, parted by single blanks. What `text` prints, `read` takes, and it gives the same case.
    """

    def __post_init__(self) -> None:
        forbidden = self.forbidden()
        if forbidden:
            raise ForbiddenCase(forbidden)

    @classmethod
    @abstractmethod
    def read(cls, reader: Reader) -> Self:
        """Read one case and leave the cursor behind it; whatever the format does not allow is a call of `reader.fail`."""

    def forbidden(self) -> str:
        """Why the puzzle allows no such case, as a clause for people; empty if it allows it, as it does by default."""
        return ""

    @property
    def size(self) -> int:
        """The number of words in the text."""
        return len(self.text().split())

    def __str__(self) -> str:
        return self.text().removesuffix("\n")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.shown_size}>"


CaseT = TypeVar("CaseT", bound=Case)
AnswerT = TypeVar("AnswerT", bound=Answer)


class CasePuzzle(Puzzle[CaseT, AnswerT]):
    """A puzzle whose instances are no grids, with defaults for reading, printing, generating, shrinking and drawing them.

    Attributes:
        case_type: the class of the instances.
    """

    case_type: type[CaseT]

    def parse(self, text: str | bytes, name: str = "<text>") -> list[CaseT]:
        """The cases of an input file; `name` is what errors call the file.

        Raises:
            InputError: the text breaks the format.
        """
        reader = Reader(text, name)
        count = reader.numbers("the number of cases")[0] if self.many_instances else 1
        cases = [self._read(reader) for _ in range(count)]
        reader.end("the last case" if self.many_instances else "the case")
        return cases

    def _read(self, reader: Reader) -> CaseT:
        start = reader.position
        try:
            case = self.case_type.read(reader)
        except ForbiddenCase as reason:
            reader.fail(str(reason), start)
        if not isinstance(case, self.case_type):
            raise TypeError(f"{self.case_type.__name__}.read returned {case!r:.60}: return a {self.case_type.__name__}")
        return case

    @property
    def families(self) -> Mapping[str, Family[CaseT]]:
        """One family, `random`: what becomes of the cases of `example` by random changes that the reader accepts."""
        return {"random": Family(self._random_case, "the example, with random changes", most=_MAX_ROOT)} if self.example else {}

    def _random_case(self, size: int, seed: int) -> CaseT:
        """About size x size words."""
        from puzzles.space.text_space import TextSpace

        rng = Random(f"{self.name} {size} {seed}")
        example = rng.choice(self.parse(self.example, "<example>"))
        return TextSpace(self).grown(example, rng.randint(1, size * size), rng)

    def picture(self, case: CaseT, /, answer: AnswerT | None = None) -> str:
        """The text of the case, and of the answer; see `puzzles.pictures`."""
        from puzzles.pictures import text_picture

        printed = "" if answer is None else self.print_answers([answer], self.formats[0])
        return text_picture(f"{self.name}, {case.shown_size}", str(case), printed)
