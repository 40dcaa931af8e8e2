"""Instances: the inputs of a puzzle, as frozen values that print back to their canonical text."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from puzzles import registry
from puzzles.value import Value


def size_text(size: int, shape: tuple[int, int] | None) -> str:
    """A size, for people: `3x4` of a board, `size 12` of an instance that is no grid."""
    return f"size {size}" if shape is None else f"{shape[0]}x{shape[1]}"


def limit_text(size: int, noun: str) -> str:
    """A limit on the size, for people: `64 cells` of boards, `size 64` of other instances. `noun`: see `Puzzle`."""
    return f"{size} cells" if noun == "board" else f"size {size}"


@dataclass(frozen=True, eq=False)
class Instance(Value, ABC):
    """One input of a puzzle.

    Attributes:
        puzzle: the name of the puzzle.
    """

    puzzle: ClassVar[str]

    @abstractmethod
    def text(self) -> str:
        """The canonical text of this one instance, ended by LF."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How large the instance is, as one number: the cells of a board."""

    @property
    def shape(self) -> tuple[int, int] | None:
        """Rows and columns of a board; None of an instance that is no grid."""
        return None

    @property
    def shown_size(self) -> str:
        """The size, for people."""
        return size_text(self.size, self.shape)

    @property
    def in_contest_format(self) -> bool:
        """Whether the contest's format can express the whole instance. Contest programs read only such instances."""
        return True

    @cached_property
    def digest(self) -> str:
        """16 hexadecimal digits of the SHA-256 of the canonical text."""
        return hashlib.sha256(self.text().encode()).hexdigest()[:16]

    def _repr_svg_(self) -> str:
        return registry.get(self.puzzle).picture(self)
