"""Instances: the inputs of a puzzle, as frozen values that print back to their canonical text."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import puzzles
from puzzles.value import Value


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
    def shape(self) -> tuple[int, ...] | None:
        """The lengths of the instance along its axes: rows and columns of a board. None if it has no axes."""
        return None

    @property
    def in_contest_format(self) -> bool:
        """Whether the contest's format can express the whole instance. Contest programs read only such instances."""
        return True

    @cached_property
    def digest(self) -> str:
        """16 hexadecimal digits of the SHA-256 of the canonical text."""
        return hashlib.sha256(self.text().encode()).hexdigest()[:16]

    def _repr_svg_(self) -> str:
        return puzzles.get(self.puzzle).picture(self)
