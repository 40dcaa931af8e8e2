"""Instances that are no grids: any frozen value with a text and a strict reader, and what puzzles
of such cases share.

The default format of an input file is the number of cases, then the text of each.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Self, TypeVar

from puzzles.instance import AnswerT, Forbidden, Instance
from puzzles.puzzle import Family, Puzzle
from puzzles.text import Reader

_NUMBER = re.compile(r"[-+]?[0-9]+(?:\.[0-9]+)?")

_MAX_ROOT = 100
"""The largest size of the default family, whose cases have about that size squared."""


@dataclass(frozen=True, eq=False, repr=False)
class Case(Instance[AnswerT], ABC):
    """An instance that is no grid. A subclass names its puzzle, its fields, its text and its
    reader.

    The text consists of lines of words, parted by single blanks. What `text` prints, `read` takes,
    and it gives the same case.
    """

    @classmethod
    @abstractmethod
    def read(cls, reader: Reader) -> Self:
        """Read one case and leave the cursor behind it; whatever the format does not allow is a
        call of `reader.fail`.
        """

    @property
    def size(self) -> int:
        """How many numbers the text holds, and characters of other words."""
        return sum(1 if _NUMBER.fullmatch(word) else len(word) for word in self.text().split())

    def __str__(self) -> str:
        return self.text().removesuffix("\n")


CaseT = TypeVar("CaseT", bound=Case)


class CasePuzzle(Puzzle[CaseT, AnswerT]):
    """A puzzle whose instances are no grids, with defaults for reading, printing, generating,
    shrinking and drawing them.

    Attributes:
        case_type: the class of the instances.
    """

    case_type: type[CaseT]

    def read_instances(self, reader: Reader, count: int) -> list[CaseT]:
        return [self._read(reader) for _ in range(count)]

    def _read(self, reader: Reader) -> CaseT:
        start = reader.position
        try:
            case = self.case_type.read(reader)
        except Forbidden as reason:
            reader.fail(str(reason), start)
        if not isinstance(case, self.case_type):
            raise TypeError(
                f"{self.case_type.__name__}.read returned {case!r:.60}: return a "
                f"{self.case_type.__name__}"
            )
        return case

    @property
    def families(self) -> Mapping[str, Family[CaseT]]:
        """One family, `random`: what becomes of the cases of `example` by random changes that the
        reader accepts.
        """
        return (
            {
                "random": Family(
                    self._random_case, "the example, with random changes", most=_MAX_ROOT
                )
            }
            if self.example
            else {}
        )

    def _random_case(self, size: int, seed: int) -> CaseT:
        """A case of size x size numbers or characters, at most about so many."""
        from puzzles.space.text_space import TextSpace

        rng = Random(f"{self.name} {size} {seed}")
        example = rng.choice(self.parse(self.example, "<example>"))
        return TextSpace(self).grow(example, rng.randint(1, size * size), rng)

    def picture(self, case: CaseT, /, answer: AnswerT | None = None) -> str:
        """The text of the case, and of the answer; see `puzzles.pictures`."""
        from puzzles.pictures import text_picture

        printed = "" if answer is None else self.print_answers([answer], self.formats[0])
        return text_picture(f"{self.name}, {case.shown_size}", str(case), printed)
