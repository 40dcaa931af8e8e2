"""Puzzles of cases that ask for a solution, for the best one, or for a number: the answer shows a
witness, a list of numbers.

In an output file each answer is a line: IMPOSSIBLE; or POSSIBLE and the witness; or, where a number
is asked for, the number and the witness. Where the best value is asked for (`better`), the line
says more if the answer claims less: FEASIBLE before the number of a solution that may not be the
best; BOUND and a number that no solution beats, alone or before the others. OPTIMAL may stand
before a best number. Without a word it is one, unless whoever says it may claim only a part.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np

from puzzles.answer import (
    CLAIMS_NO_WORTH,
    UNCLAIMED,
    Answer,
    Beaten,
    BeyondCheck,
    Check,
    Claims,
    Verdict,
    Worth,
)
from puzzles.case import CasePuzzle, CaseT
from puzzles.declared_types import Malformed
from puzzles.puzzle import WitnessPuzzle
from puzzles.text import Reader, number

MAX_DIGITS = 18
"""Digits of a number in an answer; so claims are 64-bit integers."""

MAX_CANDIDATES = 50_000
"""Candidates that a check tries to find the best value by itself."""

_MAX_KEPT = 256
"""Cases of which it is kept what trying all candidates has shown."""

_SHOWN = 20
"""Numbers of a witness that a message shows."""

_PART = "a number of the solution"
_OPTIMAL, _FEASIBLE, _BOUND = "OPTIMAL", "FEASIBLE", "BOUND"


@dataclass(frozen=True, eq=False, repr=False)
class CaseSolution(Answer):
    """Whether a case has a solution, what it is worth, and the solution.

    Of a puzzle that asks for the best value (`better`), `CaseSolution(True, witness, value)` says
    that no solution is better. `feasible` and `only_bound` make answers that claim less.

    Attributes:
        possible: whether it has one. A bound alone says nothing of that.
        witness: the solution as a list of numbers; None if there is none, or if it is not shown.
        value: the number that the puzzle asks for; None if it asks for none, or if the case has no
            solution.
        bound: no solution has a better value than this. None: the value itself, if the answer is
            `complete`, else nothing.
        complete: False if a better solution may exist than `bound` says.
        certificate: a core if impossible; a bound if no solution has a better value. In plain
            values: tuples, numbers, texts, bytes, arrays. The check knows its form.
    """

    possible: bool
    witness: tuple[int, ...] | None = None
    value: int | None = None
    bound: int | None = None
    complete: bool = True

    @classmethod
    def optimal(cls, value: int, witness: Iterable[int] | None = None, **more: Any) -> Self:
        """A solution worth `value`, and no solution is better; `more`: further fields."""
        return cls(True, _numbers(witness), value, bound=value, **more)

    @classmethod
    def feasible(
        cls,
        value: int,
        witness: Iterable[int] | None = None,
        bound: int | None = None,
        **more: Any,
    ) -> Self:
        """A solution worth `value`; a better one may exist, though none better than `bound`."""
        return cls(True, _numbers(witness), value, bound=bound, complete=False, **more)

    @classmethod
    def only_bound(cls, bound: int, **more: Any) -> Self:
        """No solution is better than `bound`; whether there is one is left open."""
        return cls(True, bound=bound, complete=False, **more)

    @classmethod
    def infeasible(cls, **more: Any) -> Self:
        """There is no solution."""
        return cls(False, **more)

    @property
    def worth(self) -> Worth:
        if not self.possible:
            return CLAIMS_NO_WORTH
        bound = self.value if self.bound is None and self.complete else self.bound
        for what, each in (("value", self.value), ("bound", self.bound)):
            if each is not None and abs(each) >= 10**MAX_DIGITS:
                raise OverflowError(f"the {what} has more than {MAX_DIGITS} digits")
        return Worth(self.value, bound)

    @property
    def claims(self) -> Claims:
        """`[possible]`; `[possible, value]` if there is a value; `[-1]` of a bound alone."""
        value, bound = self.worth
        if value is not None:
            return np.array([self.possible, value], np.int64)
        is_open = self.possible and bound is not None
        return np.array([UNCLAIMED if is_open else self.possible], np.int64)

    def __str__(self) -> str:
        if not self.possible:
            return "IMPOSSIBLE"
        if self.value is None:
            words: list[object] = ["POSSIBLE"] if self.bound is None else [_BOUND, self.bound]
        elif self.worth.is_optimum:
            words = [self.value]
        else:
            words = [*([] if self.bound is None else [_BOUND, self.bound]), _FEASIBLE, self.value]
        return " ".join(map(str, [*words, *(self.witness or ())]))


def _numbers(witness: Iterable[int] | None) -> tuple[int, ...] | None:
    """A witness of any kind, such as an array, as plain numbers; raises `TypeError` for a number
    that is not whole.
    """
    return None if witness is None else tuple(_whole_number(each) for each in witness)


def _whole_number(each: Any) -> int:
    if isinstance(each, int | np.integer | np.bool_):
        return int(each)
    raise TypeError(f"a solution holds {each!r:.40}: expected whole numbers")


def _listed(witness: Sequence[int]) -> str:
    """A witness for people; of a long one its beginning."""
    if not witness:
        return "the empty solution"
    shown = " ".join(map(str, witness[:_SHOWN]))
    return f"{shown} ..." if len(witness) > _SHOWN else shown


CaseSolutionT = TypeVar("CaseSolutionT", bound=CaseSolution)


class _Tried(NamedTuple):
    """What came of trying the candidates of a case.

    Attributes:
        best: the best of those that break no rule, and what it is worth; None if there is none.
        all: whether all were tried.
        tries: how many were tried.
    """

    best: tuple[int, tuple[int, ...]] | None
    all: bool
    tries: int


class CaseSolutionPuzzle(WitnessPuzzle[CaseT, CaseSolutionT], CasePuzzle[CaseT, CaseSolutionT]):
    """A puzzle whose answers are solutions of cases, with defaults for all but its name, its cases
    and its rules.

    The rules are `broken_rule`; `value` if the answer has a number; `core_fault` and `bound_fault`,
    or `candidates`, for what is to be PROVED. Each may raise `BeyondCheck` on an instance that is
    too large for it. Or `check` does it all.

    Attributes:
        answer_type: the class of the answers; a subclass of `CaseSolution` may add to it.
        value_name: what errors call the number that is asked for, such as `the size of the cover`;
            empty if there is none. If `better` says which value is the best, it is `the value`
            unless the puzzle names it.
    """

    plain_values = "True, False, None, a solution as a list, or the number that is asked for"
    answer_type = CaseSolution
    value_name: str = ""

    @cached_property
    def _tried(self) -> dict[str, _Tried]:
        """What came of trying the candidates of the last cases, by their digests: several answers
        to a case are judged in turn.
        """
        return {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.better and not cls.value_name:
            cls.value_name = "the value"

    def value(self, case: CaseT, witness: Sequence[int], /) -> int:
        """The number of a solution that breaks no rule; by default how many numbers it has."""
        return len(witness)

    def bound_fault(self, case: CaseT, value: int, bound: Any, /) -> str:
        """Why a bound does not prove that no solution has a better value, as a clause for people;
        empty if it does prove it. Raises `Beaten` if there is a better one.

        The bound is the answer's certificate, so it may be any value, and None if there is none. A
        rule that needs no certificate can prove it by itself.
        """
        return f"{self.name} has no check of bounds"

    def candidates(self, case: CaseT, /) -> Iterable[Sequence[int]] | None:
        """Witnesses of which one is a best solution, if there is any, such as all orders or all
        subsets; None, the default, if nobody says.

        If they are few, the check tries all of them. Then it needs no certificate.
        """
        return None

    def is_better(self, one: int, other: int) -> bool:
        """Whether one value is better than another one; never, if no best one is asked for."""
        return one < other if self.better == "less" else one > other and bool(self.better)

    def check_solution(self, case: CaseT, answer: CaseSolutionT, /) -> Check:
        """Judge a solution by its witness, and its number also by its bound."""
        if self.better:
            return self._check_best(case, answer)
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
            return Check(Verdict.REFUTED, self._other_worth(answer.value, worth))
        return self._check_bound(case, worth, answer.certificate)

    def check_impossible(self, case: CaseT, answer: CaseSolutionT, /) -> Check:
        tried = self._try_candidates(case)
        if tried is not None and tried.best is not None:
            return Check(Verdict.REFUTED, f"a solution exists: {_listed(tried.best[1])}")
        if tried is not None and tried.all and answer.certificate is None:
            return Check(Verdict.PROVED, f"each of {tried.tries} candidates breaks a rule")
        check = super().check_impossible(case, answer)
        if check.verdict is Verdict.UNPROVED and answer.certificate is None and tried is None:
            return replace(check, detail=f"{check.detail}{self._without_candidates()}")
        return check

    def _check_best(self, case: CaseT, answer: CaseSolutionT) -> Check:
        """Judge an answer to a puzzle that asks for the best value: what its solution is worth, and
        its bound. `value` of the verdict is said whatever becomes of the bound.
        """
        claimed, bound = answer.worth
        worth = None
        if answer.witness is not None:
            broken = self.broken_rule(case, answer.witness)
            if broken:
                return Check(Verdict.REFUTED, broken)
            worth = self._whole(self.value(case, answer.witness))
            if claimed is not None and worth != claimed:
                return Check(Verdict.REFUTED, self._other_worth(claimed, worth), value=worth)
        own = claimed if worth is None else worth
        if own is not None and bound is not None and self.is_better(own, bound):
            return Check(
                Verdict.REFUTED,
                f"it says that no solution is better than {bound}, and shows one worth {own}",
                value=worth,
            )
        check = Check(Verdict.PROVED, "every rule holds")
        if bound is not None:
            try:
                check = self._check_bound(case, bound, answer.certificate)
            except BeyondCheck as reason:
                check = Check(Verdict.UNPROVED, str(reason), limited=True)
        if check.verdict is Verdict.PROVED and (worth is None or claimed is None):
            if worth is not None:
                check = Check(Verdict.UNPROVED, "it names no value")
            elif claimed is not None or bound is None:
                check = Check(Verdict.UNPROVED, "it shows no solution")
        return check if worth is None else replace(check, value=worth)

    def _check_bound(self, case: CaseT, value: int, certificate: Any) -> Check:
        """Judge the claim that no solution is better than a value; may raise `BeyondCheck`."""
        tried = self._try_candidates(case)
        if tried is not None and tried.best is not None and self.is_better(tried.best[0], value):
            better, witness = tried.best
            detail = f"a solution worth {better} exists: {_listed(witness)}"
            return Check(Verdict.REFUTED, detail)
        if tried is not None and tried.all and certificate is None:
            return Check(Verdict.PROVED, f"none of {tried.tries} candidates is better")
        try:
            fault = self.bound_fault(case, value, certificate)
        except Beaten as better:
            if self.is_better(better.value, value):
                return Check(Verdict.REFUTED, str(better))
            raise ValueError(
                f"`bound_fault` says that {better}, and {better.value} is not {self.better} than "
                f"{value}: raise Beaten with the value of a better solution"
            ).with_traceback(better.__traceback__) from None  # names that line
        if not fault:
            return Check(Verdict.PROVED, "every rule holds, and no solution is better")
        if certificate is None and tried is not None:
            fault = f"more than {MAX_CANDIDATES} candidates are too many to try"
        elif certificate is None:
            unproved = f"a solution without a certificate of its bound: {fault}"
            fault = f"{unproved}{self._without_candidates()}"
        return Check(Verdict.UNPROVED, fault)

    def _without_candidates(self) -> str:
        """What a reason adds where `candidates` is written, and has returned None."""
        if type(self).candidates is CaseSolutionPuzzle.candidates:
            return ""
        return "; `candidates` returned None, so none were tried"

    def _try_candidates(self, case: CaseT) -> _Tried | None:
        """What comes of the first candidates; None if nobody says what they are."""
        if case.digest in self._tried:
            return self._tried[case.digest]
        candidates = self.candidates(case)
        if candidates is None:
            return None
        best, tries, every = None, 0, iter(candidates)
        for witness in islice(every, MAX_CANDIDATES):
            tries += 1
            if not self.broken_rule(case, witness):
                worth = self._whole(self.value(case, witness))
                if best is None or self.is_better(worth, best[0]):
                    best = worth, tuple(witness)
        if len(self._tried) >= _MAX_KEPT:
            self._tried.clear()
        tried = _Tried(best, next(every, None) is None, tries)
        self._tried[case.digest] = tried
        return tried

    def _whole(self, worth: Any) -> int:
        """What `value` has returned, if it is a whole number; raises `TypeError`."""
        if isinstance(worth, bool) or not isinstance(worth, int | np.integer):
            raise TypeError(f"`value` returned {worth!r:.40}: return a whole number, an int")
        return int(worth)

    def _other_worth(self, claimed: int, worth: int) -> str:
        return f"{self.value_name} is said to be {claimed}, and the solution's is {worth}"

    def in_part(self, answer: CaseSolutionT, /) -> CaseSolutionT:
        """The answer; where the best value is asked for and no bound is said, its value is that of
        the solution alone.
        """
        if not self.better or not isinstance(answer, CaseSolution) or answer.value is None:
            return answer
        return replace(answer, complete=False)

    def refuse_incomplete(self, answer: CaseSolutionT, /) -> None:
        """Raise `Malformed` if the number that is asked for is not there."""
        says_nothing = answer.value is None and answer.bound is None
        if self.value_name and answer.possible and says_nothing and not answer.without_verdict:
            raise Malformed(
                f"it says that there is a solution, and not {self.value_name}: name the value, as "
                "CaseSolution(True, witness, value) does"
            )

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
        if self.better and word.upper() in (_OPTIMAL, _FEASIBLE, _BOUND):
            return self._read_claims(reader, start, line)
        known = number(word) is not None if self.value_name else word.upper() == "POSSIBLE"
        if not known:
            reader.fail(f"expected {expected}; found {line[:40]!r}", start)
        if self.value_name:
            reader.position = start
            return self.answer_type(True, *self._read_value(reader))
        if line == word:
            return self.answer_type(True, ())
        reader.position = start + len(word) + 1
        return self.answer_type(
            True, reader.list_of_numbers(rest=_PART, signed=True, most_digits=MAX_DIGITS)
        )

    def _read_claims(self, reader: Reader, start: int, line: str) -> CaseSolutionT:
        """Read a line that begins with what it claims."""
        words, bound = line.upper().split(" "), None
        if words[0] == _BOUND:
            bound = number(words[1]) if len(words) > 1 else None
            if bound is None or words[2:3] not in ([], [_FEASIBLE]):
                reader.fail(
                    f"expected {_BOUND} and a number, then nothing, or {_FEASIBLE} and a solution; "
                    f"found {line[:40]!r}",
                    start,
                )
            if len(words) == 2:
                return self.answer_type.only_bound(bound)
            start += len(f"{words[0]} {words[1]} ")
        reader.position = start + len(_OPTIMAL) + 1
        if words[0] == _OPTIMAL:
            witness, value = self._read_value(reader)
            return self.answer_type.optimal(value, witness)
        reader.position = start + len(_FEASIBLE) + 1
        witness, value = self._read_value(reader)
        return self.answer_type.feasible(value, witness, bound)

    def _read_value(self, reader: Reader) -> tuple[tuple[int, ...], int]:
        """The witness, and before it on the line its value."""
        value, *witness = reader.list_of_numbers(
            self.value_name, rest=_PART, signed=True, most_digits=MAX_DIGITS
        )
        return tuple(witness), value

    def outcome(self, claims: Claims) -> str:
        """Whether the case has a solution; a bound alone does not say it."""
        return {0: "IMPOSSIBLE", UNCLAIMED: "a bound alone"}.get(int(claims[0]), "POSSIBLE")

    def headline(self, answer: CaseSolutionT, /) -> str:
        """The value of a best solution, whose printed line is bare numbers; else nothing."""
        return f"the answer {answer.value}" if answer.worth.is_optimum else ""

    def in_words(self, line: str) -> str:
        """The line without the solution, which is printed below."""
        words = line.split(" ")
        ends = [k for k, word in enumerate(words) if word in (_OPTIMAL, _FEASIBLE, _BOUND)]
        return " ".join(words[: ends[-1] + 2 if ends else 1])

    def fields(self, answer: CaseSolutionT) -> dict[str, object]:
        """`possible`; `value`, if the puzzle asks for one; `bound`, if it asks for the best; and
        `solution`: a list of numbers, or null.
        """
        value: dict[str, object] = {"value": answer.value} if self.value_name else {}
        if self.better:
            value["bound"] = answer.worth.bound
        solution = None if answer.witness is None else list(answer.witness)
        return {"possible": answer.possible, **value, "solution": solution}
