"""Instances: the inputs of a puzzle, as frozen values that print back to their canonical text."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from puzzles import registry

if TYPE_CHECKING:
    from puzzles.answer import Answer


def read_only(values: ArrayLike, dtype: DTypeLike) -> NDArray[Any]:
    """The values as a contiguous array of this type that nobody can change; a copy, if somebody
    can.
    """
    array = np.ascontiguousarray(values, dtype)
    if array.flags.writeable:
        array = array.copy()
        array.flags.writeable = False
    return array


@dataclass(frozen=True, eq=False)
class Value:
    """Equality and hash for frozen dataclasses that have arrays among their fields."""

    def _key(self) -> tuple[object, ...]:
        values = (getattr(self, f.name) for f in fields(self) if f.compare)
        return tuple(v if not isinstance(v, np.ndarray) else (v.shape, v.tobytes()) for v in values)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Value) and type(self) is type(other) and self._key() == other._key()
        )

    def __hash__(self) -> int:
        return hash((type(self), self._key()))

    @classmethod
    def unchecked(cls, **values: Any) -> Self:
        """A value with these attributes, which must be valid.

        Four times as fast as `__init__`; this matters for long files.
        """
        instance = object.__new__(cls)
        object.__setattr__(instance, "__dict__", values)
        return instance


def size_text(size: int, shape: tuple[int, int] | None) -> str:
    """A size, for people: `3x4` of a board, `size 12` of an instance that is no grid."""
    return f"size {size}" if shape is None else f"{shape[0]}x{shape[1]}"


def limit_text(size: int, noun: str) -> str:
    """A limit on the size, for people: `64 cells` of boards, `size 64` of other instances.

    `noun`: see `Puzzle`.
    """
    return f"{size} cells" if noun == "board" else f"size {size}"


class Forbidden(ValueError):
    """Raised where an instance is built that its puzzle does not allow; the message says why, as a
    clause.
    """


AnswerT = TypeVar("AnswerT", bound="Answer")


@dataclass(frozen=True, eq=False, repr=False)
class Instance(Value, ABC, Generic[AnswerT]):
    """One input of a puzzle. A subclass may name the class of its answers, for type checkers.

    Attributes:
        puzzle: the name of the puzzle.
    """

    puzzle: ClassVar[str]

    def __post_init__(self) -> None:
        forbidden = self.forbidden()
        if forbidden:
            raise Forbidden(forbidden)

    def forbidden(self) -> str:
        """Why the puzzle allows no such instance, as a clause for people; empty if it allows it, as
        it does by default.
        """
        return ""

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
    def suffix(self) -> str:
        """How the name of a file with this instance ends."""
        return ".in"

    @property
    def in_contest_format(self) -> bool:
        """Whether the contest's format can express the whole instance.

        Contest programs read only such instances.
        """
        return True

    @cached_property
    def digest(self) -> str:
        """16 hexadecimal digits of the SHA-256 of the canonical text."""
        return hashlib.sha256(self.text().encode()).hexdigest()[:16]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.shown_size}>"

    def _repr_svg_(self) -> str:
        return registry.get(self.puzzle).picture(self)
