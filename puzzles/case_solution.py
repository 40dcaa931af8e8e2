"""Puzzles of cases that ask for a solution, for the best one, or for a number: the answer shows a
witness, a list of numbers.

In an output file each answer is a line: IMPOSSIBLE; or POSSIBLE and the witness; or, where a number
is asked for, the number and the witness.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from puzzles.answer import Answer, Check, Claims, Verdict
from puzzles.case import CasePuzzle, CaseT
from puzzles.puzzle import WitnessPuzzle
from puzzles.text import Reader, number

MAX_DIGITS = 18
"""Digits of a number in an answer; so claims are 64-bit integers."""

_PART = "a number of the solution"


@dataclass(frozen=True, eq=False, repr=False)
class CaseSolution(Answer):
    """Whether a case has a solution, what it is worth, and the solution.

    Attributes:
        possible: whether it has one.
        witness: the solution as a list of numbers; None if there is none, or if it is not shown.
        value: the number that the puzzle asks for; None if it asks for none, or if the case has no
            solution.
        certificate: a core if impossible; a bound if no solution has a better value. In plain
            values: tuples, numbers, texts, bytes, arrays. The check knows its form.
    """

    possible: bool
    witness: tuple[int, ...] | None = None
    value: int | None = None

    @property
    def claims(self) -> Claims:
        """`[possible]`; `[possible, value]` if there is a value."""
        return np.array(
            [self.possible] if self.value is None else [self.possible, self.value], np.int64
        )

    def __str__(self) -> str:
        if not self.possible:
            return "IMPOSSIBLE"
        first = "POSSIBLE" if self.value is None else str(self.value)
        return " ".join([first, *map(str, self.witness or ())])


CaseSolutionT = TypeVar("CaseSolutionT", bound=CaseSolution)


class CaseSolutionPuzzle(WitnessPuzzle[CaseT, CaseSolutionT], CasePuzzle[CaseT, CaseSolutionT]):
    """A puzzle whose answers are solutions of cases, with defaults for all but its name, its cases
    and its rules.

    The rules are `broken_rule`; `value` if the answer has a number; `core_fault` and `bound_fault`
    for what is to be PROVED. Each may raise `BeyondCheck` on an instance that is too large for it.
    Or `check` does it all.

    Attributes:
        answer_type: the class of the answers; a subclass of `CaseSolution` may add to it.
        value_name: what errors call the number that is asked for, such as `the size of the cover`;
            empty if there is none.
    """

    answer_type = CaseSolution
    value_name: str = ""

    def value(self, case: CaseT, witness: Sequence[int], /) -> int:
        """The number of a solution that breaks no rule; by default how many numbers it has."""
        return len(witness)

    def bound_fault(self, case: CaseT, value: int, bound: Any, /) -> str:
        """Why a bound does not prove that no solution has a better value, as a clause for people;
        empty if it does prove it.

        The bound is the answer's certificate, so it may be any value, and None if there is none. A
        rule that needs no certificate can prove it by itself.
        """
        return f"{self.name} has no check of bounds"

    def check_solution(self, case: CaseT, answer: CaseSolutionT, /) -> Check:
        """Judge a solution by its witness, and its number also by its bound."""
        if answer.witness is None:
            return Check(Verdict.UNPROVED, "it shows no solution")
        broken = self.broken_rule(case, answer.witness)
        if broken:
            return Check(Verdict.REFUTED, broken)
        if not self.value_name and answer.value is None:
            return Check(Verdict.PROVED, "every rule holds")
        if answer.value is None or not self.value_name:
            return Check(
                Verdict.UNPROVED,
                "it names "
                f"{'no value' if self.value_name else 'a value, and nobody asked for one'}",
            )
        worth = self.value(case, answer.witness)
        if worth != answer.value:
            return Check(
                Verdict.REFUTED,
                f"{self.value_name} is said to be {answer.value}, and the solution's is {worth}",
            )
        fault = self.bound_fault(case, worth, answer.certificate)
        if fault:
            if answer.certificate is None:
                fault = f"a solution without a bound; of None the check says: {fault}"
            return Check(Verdict.UNPROVED, fault)
        return Check(Verdict.PROVED, "every rule holds, and no solution is better")

    def answer_from(self, case: CaseT, /, value: object) -> CaseSolutionT:
        """As `WitnessPuzzle.answer_from`; also the number that is asked for, and a solution as a
        list.

        A solution of a puzzle that asks for a number is worth what `value` says.
        """
        if isinstance(value, int | np.integer) and not isinstance(value, bool) and self.value_name:
            return self.answer_type(True, None, int(value))
        if isinstance(value, list | tuple) and all(
            isinstance(each, int | np.integer) for each in value
        ):
            witness = tuple(int(each) for each in value)
            valued = self.value_name and not self.broken_rule(case, witness)
            return self.answer_type(True, witness, self.value(case, witness) if valued else None)
        return super().answer_from(case, value)

    def print_answers(self, answers: Sequence[CaseSolutionT], format: str) -> str:
        """An output file, a line for each answer."""
        return "".join(f"{answer}\n" for answer in answers)

    def read_answer(
        self, reader: Reader, instance: CaseT, /, case: int, format: str
    ) -> CaseSolutionT:
        start = reader.position
        expected = f"{self.value_name or 'POSSIBLE'} and a solution, or IMPOSSIBLE"
        line = reader.line(expected)
        word = line.partition(" ")[0]
        if line.upper() == "IMPOSSIBLE":
            return self.answer_type(False)
        known = number(word) is not None if self.value_name else word.upper() == "POSSIBLE"
        if not known:
            reader.fail(f"expected {expected}; found {line[:40]!r}", start)
        if self.value_name:
            reader.position = start
            value, *witness = reader.list_of_numbers(
                self.value_name, rest=_PART, signed=True, most_digits=MAX_DIGITS
            )
            return self.answer_type(True, tuple(witness), value)
        if line == word:
            return self.answer_type(True, ())
        reader.position = start + len(word) + 1
        return self.answer_type(
            True, reader.list_of_numbers(rest=_PART, signed=True, most_digits=MAX_DIGITS)
        )

    def outcome(self, claims: Claims) -> str:
        """Whether the case has a solution; nothing if numbers are asked for, which are too many to
        be counted.
        """
        return "IMPOSSIBLE" if not claims[0] else "POSSIBLE" if len(claims) == 1 else ""

    def in_words(self, line: str) -> str:
        """The line without the solution, which is printed below."""
        return line.partition(" ")[0]

    def fields(self, answer: CaseSolutionT) -> dict[str, object]:
        """`possible`; `value`, if the puzzle asks for one; and `solution`: a list of numbers, or
        null.
        """
        value: dict[str, object] = {"value": answer.value} if self.value_name else {}
        solution = None if answer.witness is None else list(answer.witness)
        return {"possible": answer.possible, **value, "solution": solution}
