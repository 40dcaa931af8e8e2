"""Instances that are no grids: reading, printing, answers with their check, pictures, and the
family that grows from an example.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import pytest

from puzzles.answer import BeyondCheck, Verdict
from puzzles.case import Case
from puzzles.case_solution import CaseSolution, CaseSolutionPuzzle
from puzzles.instance import Forbidden
from puzzles.pictures import MAX_DRAWN_LINES
from puzzles.text import InputError, Reader, UserError, number


@dataclass(frozen=True, eq=False, repr=False)
class Numbers(Case):
    """A count, and as many numbers on a line; none of them is 13."""

    puzzle: ClassVar[str] = "numbers"
    numbers: tuple[int, ...]

    def text(self) -> str:
        return f"{len(self.numbers)}\n{' '.join(map(str, self.numbers))}\n"

    @classmethod
    def read(cls, reader: Reader) -> Self:
        (count,) = reader.numbers("how many")
        return cls(reader.numbers(*["a number"] * count, signed=True))

    def forbidden(self) -> str:
        return "13 brings bad luck" if 13 in self.numbers else ""


class FirstNegative(CaseSolutionPuzzle[Numbers, CaseSolution]):
    """Name the place of a negative number; the core of a no is the number of numbers."""

    name = "numbers"
    case_type = Numbers
    example = "1\n3\n1 -2 3\n"

    def broken_rule(self, case: Numbers, witness: Sequence[int], /) -> str:
        if len(witness) != 1 or not 1 <= witness[0] <= len(case.numbers):
            return "it names no place"
        return "" if case.numbers[witness[0] - 1] < 0 else "the number there is not negative"

    def core_fault(self, case: Numbers, core: Any, /) -> str:
        if len(case.numbers) > 5:
            raise BeyondCheck("there are more than 5 numbers")
        return (
            ""
            if core == len(case.numbers) and min(case.numbers) >= 0
            else "some number is negative"
        )


class Largest(FirstNegative):
    """Name the place of the largest number, which is the value."""

    value_name = "the largest number"

    def broken_rule(self, case: Numbers, witness: Sequence[int], /) -> str:
        return (
            ""
            if len(witness) == 1 and 1 <= witness[0] <= len(case.numbers)
            else "it names no place"
        )

    def value(self, case: Numbers, witness: Sequence[int], /) -> int:
        return case.numbers[witness[0] - 1]

    def bound_fault(self, case: Numbers, value: int, bound: Any, /) -> str:
        return "" if max(case.numbers) <= value else "there is a larger one"


PUZZLE, LARGEST = FirstNegative(), Largest()
CASES = [Numbers((1, -2, 3)), Numbers((4,)), Numbers((0, 7))]


def test_cases_round_trip_through_their_file() -> None:
    text = "3\n3\n1 -2 3\n1\n4\n2\n0 7\n"
    assert PUZZLE.print_instances(CASES) == text
    assert PUZZLE.parse(text) == CASES
    assert (CASES[0].size, CASES[0].shape, CASES[0].shown_size, repr(CASES[0])) == (
        4,
        None,
        "size 4",
        "<Numbers: size 4>",
    )
    assert len({each.digest for each in CASES}) == 3


def test_a_forbidden_case_cannot_be_built_either() -> None:
    with pytest.raises(Forbidden, match="13 brings bad luck"):
        Numbers((13,))


def test_a_reader_that_returns_no_case_is_named() -> None:
    class Nothing(Numbers):
        @classmethod
        def read(cls, reader: Reader) -> Any:
            return None

    class Broken(FirstNegative):
        case_type = Nothing

    with pytest.raises(TypeError, match="Nothing.read returned None: return a Nothing"):
        Broken().parse("1\n1\n4\n")


def test_a_contest_may_have_one_case_a_file() -> None:
    class One(FirstNegative):
        many_instances = False

    assert One().parse(CASES[1].text()) == [CASES[1]] == [One().of_text(CASES[1].text())]
    assert One().print_instances(CASES[:1]) == CASES[0].text()
    with pytest.raises(UserError, match="a numbers file holds one case, not 3"):
        One().print_instances(CASES)


def test_answers_round_trip_and_are_claimed() -> None:
    answers = [CaseSolution(True, (2,)), CaseSolution(False), CaseSolution(True, ())]
    text = PUZZLE.print_answers(answers, "plain")
    assert text == "POSSIBLE 2\nIMPOSSIBLE\nPOSSIBLE\n"
    assert PUZZLE.parse_answers(text.lower(), CASES, "plain") == answers
    assert [answer.claims.tolist() for answer in answers] == [[1], [0], [1]]
    numbers = [CaseSolution(True, (3,), -(10**17)), CaseSolution(False), CaseSolution(True, (), 0)]
    text = LARGEST.print_answers(numbers, "plain")
    assert text == "-100000000000000000 3\nIMPOSSIBLE\n0\n"
    assert LARGEST.parse_answers(text, CASES, "plain") == numbers
    assert [answer.claims.tolist() for answer in numbers] == [[1, -(10**17)], [0], [1, 0]]
    assert LARGEST.fields(numbers[0]) == {"possible": True, "value": -(10**17), "solution": [3]}
    assert PUZZLE.fields(answers[1]) == {"possible": False, "solution": None}


def test_plain_values_stand_for_answers() -> None:
    case = CASES[0]
    assert PUZZLE.answer_from(case, [2]) == CaseSolution(True, (2,))
    assert [PUZZLE.answer_from(case, value) for value in (True, False, None)] == [
        CaseSolution(True),
        CaseSolution(False),
        CaseSolution(False),
    ]
    assert PUZZLE.answer_from(case, "POSSIBLE 2\n") == CaseSolution(True, (2,))
    assert LARGEST.answer_from(case, 3) == CaseSolution(True, None, 3)
    assert LARGEST.answer_from(case, (3,)) == CaseSolution(True, (3,), 3)
    assert LARGEST.answer_from(case, (9,)) == CaseSolution(True, (9,))
    with pytest.raises(TypeError, match="7 is no answer to numbers"):
        PUZZLE.answer_from(case, 7)


@pytest.mark.parametrize(
    ("puzzle", "text", "message"),
    [
        (PUZZLE, "YES 2\n", "1:1: expected POSSIBLE and a solution, or IMPOSSIBLE; found 'YES 2'"),
        (
            PUZZLE,
            "POSSIBLE x\n",
            "1:10: expected a number of the solution, a whole number; found 'x'",
        ),
        (PUZZLE, "POSSIBLE 2\n3\n", "2:1: unexpected text after the last answer"),
        (
            PUZZLE,
            "IMPOSSIBLE 2\n",
            "1:1: expected POSSIBLE and a solution, or IMPOSSIBLE; found 'IMPOSSIBLE 2'",
        ),
        (PUZZLE, "", "1:1: the text is empty; expected POSSIBLE and a solution, or IMPOSSIBLE"),
        (
            LARGEST,
            "POSSIBLE 2\n",
            "1:1: expected the largest number and a solution, or IMPOSSIBLE; found 'POSSIBLE 2'",
        ),
        (LARGEST, f"{10**18} 2\n", "1:1: the largest number is absurdly large (19 digits)"),
        (LARGEST, f"7 {10**18}\n", "1:3: a number of the solution is absurdly large (19 digits)"),
    ],
)
def test_an_answer_that_cannot_be_read_names_its_place(
    puzzle: FirstNegative, text: str, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        puzzle.parse_answers(text, CASES[:1], "plain", "out")
    assert str(caught.value) == f"out:{message}"


@pytest.mark.parametrize(
    ("puzzle", "case", "answer", "verdict", "detail"),
    [
        (PUZZLE, CASES[0], CaseSolution(True, (2,)), Verdict.PROVED, "every rule holds"),
        (
            PUZZLE,
            CASES[0],
            CaseSolution(True, (1,)),
            Verdict.REFUTED,
            "the number there is not negative",
        ),
        (PUZZLE, CASES[0], CaseSolution(True), Verdict.UNPROVED, "it shows no solution"),
        (
            PUZZLE,
            CASES[0],
            CaseSolution(True, (2,), -2),
            Verdict.UNPROVED,
            "it names a value, and nobody asked for one",
        ),
        (PUZZLE, CASES[1], CaseSolution(False), Verdict.UNPROVED, "IMPOSSIBLE without a core"),
        (
            PUZZLE,
            CASES[1],
            CaseSolution(False, certificate=1),
            Verdict.PROVED,
            "its core cannot be satisfied",
        ),
        (
            PUZZLE,
            CASES[0],
            CaseSolution(False, certificate=3),
            Verdict.UNPROVED,
            "some number is negative",
        ),
        (
            LARGEST,
            CASES[0],
            CaseSolution(True, (3,), 3),
            Verdict.PROVED,
            "every rule holds, and no solution is better",
        ),
        (
            LARGEST,
            CASES[0],
            CaseSolution(True, (1,), 1),
            Verdict.UNPROVED,
            "a solution without a certificate of its bound: there is a larger one",
        ),
        (
            LARGEST,
            CASES[0],
            CaseSolution(True, (1,), 1, certificate=2),
            Verdict.UNPROVED,
            "there is a larger one",
        ),
        (
            LARGEST,
            CASES[0],
            CaseSolution(True, (1,), 3),
            Verdict.REFUTED,
            "the largest number is said to be 3, and the solution's is 1",
        ),
        (LARGEST, CASES[0], CaseSolution(True, (3,)), Verdict.UNPROVED, "it names no value"),
    ],
)
def test_the_check_judges_by_the_rules(
    puzzle: FirstNegative, case: Numbers, answer: CaseSolution, verdict: Verdict, detail: str
) -> None:
    check = puzzle.check(case, answer)
    assert (check.verdict, check.detail, check.limited) == (verdict, detail, False)


def test_a_case_beyond_the_check_is_unproved_and_nobodys_fault() -> None:
    check = PUZZLE.check(Numbers((0,) * 6), CaseSolution(False, certificate=6))
    assert (check.verdict, check.detail, check.limited) == (
        Verdict.UNPROVED,
        "there are more than 5 numbers",
        True,
    )


def test_without_families_the_example_grows() -> None:
    family = PUZZLE.families["random"]
    grown = [family.board(size, seed) for size in (1, 3, 6) for seed in range(20)]
    assert grown == [family.board(size, seed) for size in (1, 3, 6) for seed in range(20)]
    assert len({each.digest for each in grown}) > 40
    assert max(each.size for each in grown) > 20
    assert all(PUZZLE.of_text(each.text()) == each for each in grown)

    class NoExample(FirstNegative):
        example = ""

    assert NoExample().families == {}


@dataclass(frozen=True, eq=False, repr=False)
class Brackets(Case):
    """A word of brackets after its length."""

    puzzle: ClassVar[str] = "numbers"
    word: str

    def text(self) -> str:
        return f"{len(self.word)}\n{self.word}\n"

    @classmethod
    def read(cls, reader: Reader) -> Self:
        (length,) = reader.numbers("how many")
        word = reader.line("brackets")
        if len(word) != length or {*word} - {*"()"}:
            reader.fail("these are no brackets, or others than their number")
        return cls(word)


@pytest.mark.parametrize(
    ("kind", "text"), [(Numbers, "1\n3\n1 -2 3\n"), (Brackets, "1\n4\n(())\n")]
)
def test_an_example_grows_to_the_size_within_few_readings(kind: type[Any], text: str) -> None:
    readings = 0

    class Grown(FirstNegative):
        case_type = kind
        example = text

        def of_text(self, text: str) -> Any:
            nonlocal readings
            readings += 1
            return super().of_text(text)

    sizes = [Grown().family("random").board(40, seed).size for seed in range(12)]
    assert max(sizes) > 800
    assert sorted(sizes)[6] > 100
    assert readings < 12 * 800


def test_the_size_counts_numbers_and_characters_of_other_words() -> None:
    class Said(Numbers):
        def text(self) -> str:
            return "12 -7 3.5 ab\n...\n"

    assert Said((1,)).size == 1 + 1 + 1 + 2 + 3


def test_a_picture_shows_the_text_and_the_answer_and_leaves_out_what_is_too_long() -> None:
    svg = PUZZLE.picture(CASES[0], CaseSolution(True, (2,)))
    assert all(f">{text}</text>" in svg for text in ("3", "1 -2 3", "POSSIBLE 2"))
    assert "<title>numbers, size 4</title>" in svg
    long = PUZZLE.picture(Numbers(tuple(range(100, 200))))
    assert "..." in long
    assert long.count("<text") == 2 < MAX_DRAWN_LINES


def test_only_plain_numbers_are_numbers() -> None:
    assert [number(word) for word in ("0", "-7", "10", "007", "-", "x", "1e3", "9" * 21)] == [
        0,
        -7,
        10,
        *[None] * 5,
    ]
