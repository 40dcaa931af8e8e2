"""Answers: what a solver says of an instance, what it claims, and what it cost."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from puzzles.value import Value

Claims = NDArray[np.int64]

UNDECIDED = 2
"""A claim that neither value follows; only complete answers make it."""

UNCLAIMED = -1
"""Where an incomplete answer claims nothing."""


@dataclass(frozen=True)
class Effort:
    """What an answer cost: seconds to build and to solve, and the size of the formula; None where it does not apply."""

    build_s: float | None = None
    solve_s: float | None = None
    variables: int | None = None
    clauses: int | None = None

    def share(self, boards: int) -> Effort:
        """What each of so many boards cost that were solved together; the size stays that of the formula."""
        build_s, solve_s = (None if seconds is None else seconds / boards for seconds in (self.build_s, self.solve_s))
        return replace(self, build_s=build_s, solve_s=solve_s)


@dataclass(frozen=True, eq=False, kw_only=True)
class Answer(Value, ABC):
    """What a backend says of a board.

    Attributes:
        certificate: what lets the check prove every claim; None where it was not asked for or is not to be had.
        effort: what the answer cost; not part of equality.
    """

    certificate: Any = None
    effort: Effort = field(default=Effort(), compare=False)

    @property
    @abstractmethod
    def claims(self) -> Claims | None:
        """What is claimed, as one flat array of small integers; None where nothing that can be related is claimed."""

    def as_incomplete(self) -> Self:
        """The same answer from somebody who claims only part of one; itself where the puzzle knows no part."""
        return self

    @property
    def exact(self) -> Mapping[str, object]:
        """Further exact claims by name; two answers agree on a name that both have only where the values are equal."""
        return {}
