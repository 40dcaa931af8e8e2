"""Problems that ask for the best: what answers claim, how they are written and read, and what their
check says of a solution and of a bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar, Self

import numpy as np
import pytest

from puzzles.answer import Beaten, BeyondCheck, Verdict, Worth
from puzzles.case import Case
from puzzles.case_solution import MAX_CANDIDATES, CaseSolution, CaseSolutionPuzzle
from puzzles.text import InputError, Reader


@dataclass(frozen=True, eq=False, repr=False)
class Coins(Case):
    """A sum, and coins."""

    puzzle: ClassVar[str] = "coins"
    total: int
    coins: tuple[int, ...]

    def text(self) -> str:
        return f"{self.total} {' '.join(map(str, self.coins))}\n"

    @classmethod
    def read(cls, reader: Reader) -> Self:
        total, *coins = reader.list_of_numbers("the sum")
        return cls(total, tuple(coins))


class Fewest(CaseSolutionPuzzle[Coins, CaseSolution]):
    """Pay a sum with as few coins as can be; the witness is their places. Nobody proves a bound."""

    name = "coins"
    case_type = Coins
    better = "less"

    def broken_rule(self, case: Coins, witness: Sequence[int], /) -> str:
        if len({*witness}) < len(witness) or not {*witness} <= {*range(1, len(case.coins) + 1)}:
            return "these are no places of coins"
        paid = sum(case.coins[place - 1] for place in witness)
        return "" if paid == case.total else f"they are worth {paid}"


class Most(Fewest):
    """The same with as many coins as can be."""

    better = "greater"


class Tried(Fewest):
    """The same; the check tries all sets of coins."""

    def candidates(self, case: Coins, /) -> Iterable[Sequence[int]]:
        places = range(1, len(case.coins) + 1)
        return (each for size in range(len(case.coins) + 1) for each in combinations(places, size))


class Certified(Fewest):
    """The same; a bound is proved by the largest coin, and beaten where a single coin is enough."""

    def bound_fault(self, case: Coins, value: int, bound: Any, /) -> str:
        if case.total in case.coins and value > 1:
            raise Beaten(1)
        if len(case.coins) > 9:
            raise BeyondCheck("there are more than 9 coins")
        if bound != max(case.coins):
            return "that is not the largest coin"
        return "" if (value - 1) * bound < case.total else "fewer coins may be enough"


CASE = Coins(6, (2, 4, 2, 2, 6, 3))
TWO, THREE = (1, 2), (1, 3, 4)


def test_constructors_say_what_is_claimed() -> None:
    order = np.array([3, 1])
    claims = {
        CaseSolution.optimal(7, order): Worth(7, 7),
        CaseSolution(True, (3, 1), 7): Worth(7, 7),
        CaseSolution.feasible(7, order): Worth(7, None),
        CaseSolution.feasible(7, order, 4): Worth(7, 4),
        CaseSolution.only_bound(4): Worth(None, 4),
        CaseSolution.infeasible(): Worth(None, None),
        CaseSolution(True, (3, 1)): Worth(None, None),
    }
    for answer, worth in claims.items():
        assert answer.worth == worth
        assert answer.witness in ((3, 1), None)
    assert CaseSolution.only_bound(4).claims.tolist() == [-1]
    assert CaseSolution.infeasible().claims.tolist() == [0]


def test_an_answer_of_an_incomplete_backend_is_only_a_solution() -> None:
    puzzle = Fewest()
    assert puzzle.in_part(CaseSolution(True, TWO, 2)).worth == Worth(2, None)
    optimum = CaseSolution.optimal(2, TWO)
    assert puzzle.in_part(optimum).worth == Worth(2, 2)
    assert puzzle.in_part(CaseSolution.only_bound(2)).worth == Worth(None, 2)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (CaseSolution(True, TWO, 2), "2 1 2"),
        (CaseSolution.optimal(2, TWO), "2 1 2"),
        (CaseSolution.feasible(3, THREE), "FEASIBLE 3 1 3 4"),
        (CaseSolution.feasible(3, THREE, -2), "BOUND -2 FEASIBLE 3 1 3 4"),
        (CaseSolution.only_bound(2), "BOUND 2"),
        (CaseSolution.infeasible(), "IMPOSSIBLE"),
    ],
)
def test_what_is_claimed_stands_on_the_line_and_is_read_back(
    answer: CaseSolution, text: str
) -> None:
    puzzle = Fewest()
    assert puzzle.print_answers([answer], "plain") == f"{text}\n"
    for line in (text, text.lower()):
        (read,) = puzzle.parse_answers(f"{line}\n", [CASE], "plain")
        assert (read.worth, read.witness) == (answer.worth, answer.witness)
        assert read.claims.tolist() == answer.claims.tolist()
    shown = text.partition(" 1 ")[0]
    assert puzzle.in_words(text) == shown
    assert puzzle.fields(answer)["bound"] == answer.worth.bound


def test_an_optimum_may_be_said_by_its_word() -> None:
    (read,) = Fewest().parse_answers("OPTIMAL 2 1 2\n", [CASE], "plain")
    assert Fewest().in_part(read).worth == Worth(2, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "BOUND\n",
            "1:1: expected BOUND and a number, then nothing, or FEASIBLE and a solution; "
            "found 'BOUND'",
        ),
        (
            "BOUND 2.5\n",
            "1:1: expected BOUND and a number, then nothing, or FEASIBLE and a solution; "
            "found 'BOUND 2.5'",
        ),
        (
            "BOUND 2 OPTIMAL 2 1 2\n",
            "1:1: expected BOUND and a number, then nothing, or FEASIBLE and a solution; "
            "found 'BOUND 2 OPTIMAL 2 1 2'",
        ),
        ("FEASIBLE x\n", "1:10: expected the value, a whole number; found 'x'"),
        ("OPTIMAL nan 1 2\n", "1:9: expected the value, a whole number; found 'nan'"),
    ],
)
def test_a_line_that_claims_something_else_is_refused_with_its_place(
    text: str, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        Fewest().parse_answers(text, [CASE], "plain", "out")
    assert str(caught.value) == f"out:{message}"


REFUTED, UNPROVED, PROVED = Verdict.REFUTED, Verdict.UNPROVED, Verdict.PROVED
NO_BOUND = "a solution without a certificate of its bound: coins has no check of bounds"


@pytest.mark.parametrize(
    ("puzzle", "answer", "verdict", "detail", "value"),
    [
        # a solution that claims no more is proved by itself
        (Fewest(), CaseSolution.feasible(3, THREE), PROVED, "every rule holds", 3),
        # the check says what the solution is worth, though nobody proves the bound
        (Fewest(), CaseSolution(True, THREE, 3), UNPROVED, NO_BOUND, 3),
        (Fewest(), CaseSolution.feasible(3, THREE, 1), UNPROVED, NO_BOUND, 3),
        (
            Fewest(),
            CaseSolution.feasible(2, THREE),
            REFUTED,
            "the value is said to be 2, and the solution's is 3",
            3,
        ),
        (Fewest(), CaseSolution.feasible(1, (1,)), REFUTED, "they are worth 2", None),
        # its own solution beats its own bound
        (
            Fewest(),
            CaseSolution.feasible(2, TWO, 3),
            REFUTED,
            "it says that no solution is better than 3, and shows one worth 2",
            2,
        ),
        (
            Most(),
            CaseSolution.feasible(3, THREE, 2),
            REFUTED,
            "it says that no solution is better than 2, and shows one worth 3",
            3,
        ),
        (Most(), CaseSolution.feasible(2, TWO, 3), UNPROVED, NO_BOUND, 2),
        (Fewest(), CaseSolution(True, THREE), UNPROVED, "it names no value", 3),
        (Fewest(), CaseSolution.feasible(3), UNPROVED, "it shows no solution", None),
        # all candidates are tried
        (Tried(), CaseSolution(True, (5,), 1), PROVED, "none of 64 candidates is better", 1),
        (Tried(), CaseSolution(True, TWO, 2), REFUTED, "a solution worth 1 exists: 5", 2),
        (Tried(), CaseSolution.feasible(3, THREE, 1), PROVED, "none of 64 candidates is better", 3),
        (Tried(), CaseSolution.only_bound(0), PROVED, "none of 64 candidates is better", None),
        (Tried(), CaseSolution.only_bound(2), REFUTED, "a solution worth 1 exists: 5", None),
        (Tried(), CaseSolution.infeasible(), REFUTED, "a solution exists: 5", None),
        # the puzzle's own proof
        (
            Certified(),
            CaseSolution.optimal(1, (5,), certificate=6),
            PROVED,
            "every rule holds, and no solution is better",
            1,
        ),
        (
            Certified(),
            CaseSolution.optimal(1, (5,), certificate=5),
            UNPROVED,
            "that is not the largest coin",
            1,
        ),
        (
            Certified(),
            CaseSolution.optimal(2, TWO, certificate=6),
            REFUTED,
            "a solution worth 1 exists",
            2,
        ),
    ],
)
def test_the_check_judges_the_solution_and_the_bound(
    puzzle: Fewest, answer: CaseSolution, verdict: Verdict, detail: str, value: int | None
) -> None:
    check = puzzle.check(CASE, answer)
    assert (check.verdict, check.detail, check.value) == (verdict, detail, value)
    assert not check.limited


def test_a_better_value_that_beats_nothing_is_a_mistake_of_the_check() -> None:
    class Mistaken(Most):
        def bound_fault(self, case: Coins, value: int, bound: Any, /) -> str:
            raise Beaten(bound)

    check = Mistaken().check(CASE, CaseSolution.optimal(2, TWO, certificate=3))
    assert (check.verdict, check.detail) == (REFUTED, "a solution worth 3 exists")
    for no_better in (1, 2):
        answer = CaseSolution.optimal(2, TWO, certificate=no_better)
        expected = f"a solution worth {no_better} exists, and {no_better} is not greater than 2"
        with pytest.raises(ValueError, match=expected) as mistake:
            Mistaken().check(CASE, answer)
        assert mistake.traceback[-1].name == "bound_fault"  # the place that a message names


def test_no_solution_is_proved_by_trying_all() -> None:
    check = Tried().check(Coins(1, (2, 4)), CaseSolution.infeasible())
    assert (check.verdict, check.detail) == (PROVED, "each of 4 candidates breaks a rule")


def test_a_check_at_its_limit_says_what_the_solution_is_worth() -> None:
    case = Coins(4, (2,) * 12)
    check = Certified().check(case, CaseSolution.optimal(2, TWO))
    assert (check.verdict, check.detail, check.limited, check.value) == (
        UNPROVED,
        "there are more than 9 coins",
        True,
        2,
    )


def test_too_many_candidates_are_no_proof_but_may_refute() -> None:
    case, puzzle = Coins(6, (2,) * 25), Tried()
    check = puzzle.check(case, CaseSolution.optimal(3, (1, 2, 3)))
    assert (check.verdict, check.value, check.limited) == (UNPROVED, 3, False)
    assert check.detail == f"more than {MAX_CANDIDATES} candidates are too many to try"
    assert puzzle.check(case, CaseSolution.only_bound(4)).verdict is REFUTED
    assert puzzle.check(case, CaseSolution.infeasible()).verdict is REFUTED


def test_a_value_that_is_no_whole_number_is_the_fault_of_the_puzzle() -> None:
    class Average(Fewest):
        def value(self, case: Coins, witness: Sequence[int], /) -> Any:
            return float("nan")

    with pytest.raises(TypeError, match="`value` returned nan: return a whole number, an int"):
        Average().check(CASE, CaseSolution.feasible(2, TWO))


def test_a_number_beyond_its_digits_is_refused() -> None:
    with pytest.raises(OverflowError, match="the value has more than 18 digits"):
        _ = CaseSolution.feasible(2**70, TWO).claims
    with pytest.raises(OverflowError, match="the bound has more than 18 digits"):
        _ = CaseSolution.only_bound(-(2**70)).claims
