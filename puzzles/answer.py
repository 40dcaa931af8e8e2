"""Answers: what a solver says of an instance, what it claims and what it cost; and the verdict of
the independent check.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from puzzles import registry
from puzzles.instance import Value

if TYPE_CHECKING:
    from puzzles.instance import Instance

Claims = NDArray[np.int64]

UNDECIDED = 2
"""The claim that neither value is forced; only complete answers make it."""

UNCLAIMED = -1
"""No claim, in an incomplete answer."""


@dataclass(frozen=True)
class Effort:
    """What an answer cost: seconds to build and to solve, the size of the formula, and the steps of
    the search.

    None stands for what does not apply. The steps of all calls of all solvers are added up.
    """

    build_s: float | None = None
    solve_s: float | None = None
    variables: int | None = None
    clauses: int | None = None
    conflicts: int | None = None
    decisions: int | None = None
    propagations: int | None = None

    def share(self, instances: int) -> Effort:
        """The cost of each of `instances` that were solved together; the size stays that of the
        whole formula.
        """
        build_s, solve_s = (
            None if seconds is None else seconds / instances
            for seconds in (self.build_s, self.solve_s)
        )
        return replace(self, build_s=build_s, solve_s=solve_s)


class Worth(NamedTuple):
    """What an answer says of the best value of its instance, if the puzzle asks for the best.

    Attributes:
        value: what its solution is worth; None if it says that of none.
        bound: no solution is better than this; None if it says nothing of the kind.
    """

    value: int | None = None
    bound: int | None = None

    @property
    def is_optimum(self) -> bool:
        """Whether it names the best value."""
        return self.value is not None and self.value == self.bound


CLAIMS_NO_WORTH = Worth()


class Question(NamedTuple):
    """What an answer answers.

    Attributes:
        instance: the instance that was solved.
        certified: solves it again the same way, and returns the answer with its certificate.
    """

    instance: Instance
    certified: Callable[[], Answer]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Answer(Value, ABC):
    """What a backend says of an instance.

    Attributes:
        certificate: lets the check prove every claim; None if the caller did not ask for it or the
            backend has none.
        effort: what the answer cost; not part of equality.
        question: what it answers, if `direct.solve` or `models.solve` returned it; else None. It is
            no field: neither equality nor a record has it.
        certified_later: gives the same answer with its certificate, from what solving has left
            over. It takes the options that ask for exact claims. None if only a second solve can.
            Like `question` it is no field, and it stays in its process.
    """

    kept_here: ClassVar[tuple[str, ...]] = ("certified_later",)
    """What stays in the process that has solved."""

    question: ClassVar[Question | None] = None
    certified_later: ClassVar[Callable[..., Answer] | None] = None

    certificate: Any = None
    effort: Effort = field(default=Effort(), compare=False)

    @property
    @abstractmethod
    def claims(self) -> Claims | None:
        """The claims as one flat array of small integers; None if the answer claims nothing that
        can be compared.
        """

    def as_incomplete(self) -> Self:
        """This answer from somebody who claims only a part of it; by default the answer itself,
        which has no parts.
        """
        return self

    @property
    def worth(self) -> Worth:
        """What it says of the best value; by default nothing."""
        return CLAIMS_NO_WORTH

    @property
    def without_verdict(self) -> str:
        """Why it leaves the question open, if whoever was asked does not know; empty, the default,
        if it answers.
        """
        return ""

    @property
    def proves_itself(self) -> bool:
        """Whether the check needs no certificate for this answer, because it shows all that it
        claims, as a solution does.
        """
        return False

    def later(self, certified: Callable[..., Answer]) -> Self:
        """This answer, which from now on can be certified without a second solve."""
        return self.knowing(certified_later=certified)

    def knowing(self, **known: Any) -> Self:
        """This answer, with values that are no fields."""
        vars(self).update(known)
        return self

    def certified(self, **exact_options: Any) -> Answer | None:
        """This answer with all that the check needs; None if that takes a second solve.

        Args:
            exact_options: options of the backend that ask for exact claims as well.
        """
        if self.certified_later is not None:
            return self.certified_later(**exact_options)
        return (
            self
            if (self.proves_itself or self.certificate is not None) and not exact_options
            else None
        )

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in self.kept_here}

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {str(self).partition(chr(10))[0]}>"

    def _repr_svg_(self) -> str | None:
        """The instance with this answer drawn into it, and with the core of a no; None if the
        answer does not know its instance.
        """
        if self.question is None:
            board = getattr(self, "board", None)
            return None if board is None else registry.get(board.puzzle).picture(board, self)
        instance = self.question.instance
        shown = self if self.certificate is not None else self.question.certified()
        return registry.get(instance.puzzle).picture(instance, shown)

    @property
    def exact(self) -> Mapping[str, object]:
        """Further exact claims by name.

        If two answers have the same name, the values must be equal.
        """
        return {}


class Verdict(StrEnum):
    """PROVED: every claim is certified. UNPROVED: some claim has no valid certificate.

    REFUTED: some claim is false.
    """

    PROVED = "PROVED"
    UNPROVED = "UNPROVED"
    REFUTED = "REFUTED"


class BeyondCheck(Exception):
    """Raised where a check cannot decide: the instance is too large, or a search has stopped at its
    limit. The message says why, as a clause.
    """


class Beaten(Exception):
    """Raised by a check of a bound that has found a better solution.

    Attributes:
        value: what that solution is worth.
    """

    def __init__(self, value: int) -> None:
        super().__init__(f"a solution worth {value} exists")
        self.value = value


@dataclass(frozen=True)
class Check:
    """The verdict on one answer, and its reason.

    Attributes:
        limited: UNPROVED only because the check stopped at a limit of its own. The certificate may
            be valid.
        part: which part of the answer is wrong, in a word, if fuzzing is to tell such faults apart;
            else empty.
        value: what the solution is worth that the answer shows and that breaks no rule, whatever
            becomes of its other claims; None if the puzzle has no values, or if there is no such
            solution.
    """

    verdict: Verdict
    detail: str = ""
    limited: bool = False
    part: str = ""
    value: int | None = None
