"""Answers: what a solver says of an instance, what it claims, and what it cost."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from puzzles.deprecated import Renamed
from puzzles.value import Value

Claims = NDArray[np.int64]

UNDECIDED = 2
"""The claim that neither value is forced; only complete answers make it."""

UNCLAIMED = -1
"""No claim, in an incomplete answer."""


@dataclass(frozen=True)
class Effort:
    """What an answer cost: seconds to build and to solve, and the size of the formula; None for what does not apply."""

    build_s: float | None = None
    solve_s: float | None = None
    variables: int | None = None
    clauses: int | None = None

    def share(self, instances: int) -> Effort:
        """The cost of each of `instances` that were solved together; the size stays that of the whole formula."""
        build_s, solve_s = (None if seconds is None else seconds / instances for seconds in (self.build_s, self.solve_s))
        return replace(self, build_s=build_s, solve_s=solve_s)


@dataclass(frozen=True, eq=False, kw_only=True)
class Answer(Value, ABC):
    """What a backend says of an instance.

    Attributes:
        certificate: lets the check prove every claim; None if the caller did not ask for it or the backend has none.
        effort: what the answer cost; not part of equality.
    """

    certificate: Any = None
    effort: Effort = field(default=Effort(), compare=False)

    @property
    @abstractmethod
    def claims(self) -> Claims | None:
        """The claims as one flat array of small integers; None if the answer claims nothing that can be compared."""

    def as_incomplete(self) -> Self:
        """The same answer from somebody who claims only a part of it; by default the answer itself, which has no parts."""
        return self

    in_part = Renamed("as_incomplete")

    @property
    def exact(self) -> Mapping[str, object]:
        """Further exact claims by name. If two answers have the same name, the values must be equal."""
        return {}
