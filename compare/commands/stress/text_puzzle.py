"""What came of inputs as records, which `report` and `diff` read as those of any puzzle.

For that any text is a puzzle: an input is any text, and an answer is whatever a program prints.
Nothing solves it, and there are no rules: what `stress` says of an output is in the records.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, ClassVar, Self

import numpy as np

from compare.commands.checkers import OK, WRONG_ANSWERS
from compare.commands.stress.stress_plan import StressPlan, TriedInput
from compare.engine.work.ask import Ask, DatasetCase
from compare.engine.work.result import Result, kept_text
from puzzles.answer import Answer, Check, Verdict
from puzzles.case import Case, CasePuzzle
from puzzles.text import Reader, count_noun


@dataclass(frozen=True, eq=False, repr=False)
class AnyText(Case):
    """An input; its size is the number of words."""

    puzzle: ClassVar[str] = "text"
    content: str

    @property
    def shown_size(self) -> str:
        return count_noun(self.size, "word")

    def text(self) -> str:
        return self.content if self.content.endswith("\n") else f"{self.content}\n"

    @classmethod
    def read(cls, reader: Reader) -> Self:
        return cls(_rest(reader))


@dataclass(frozen=True, eq=False, repr=False)
class AnyOutput(Answer):
    """What a program prints."""

    content: str

    @property
    def claims(self) -> None:
        """Whether two outputs are the same is for `stress` to say."""
        return


def _rest(reader: Reader) -> str:
    start, reader.position = reader.position, len(reader.data)
    return reader.data[start:].decode("utf-8", "replace")


class TextPuzzle(CasePuzzle[AnyText, AnyOutput]):
    """No rules."""

    name = "text"
    noun = "input"
    title = "Inputs of any programs"
    source = (
        "compare stress: the first program is the reference; sizes are numbers of words; the "
        "dataset shrunk is the failing input made smaller, which counts as one input more"
    )
    formats = ("text",)
    example = "2\n1 2\n"
    case_type = AnyText
    many_instances = False
    datasets_by_size = True

    def check(self, case: AnyText, /, answer: AnyOutput) -> Check:
        return Check(Verdict.UNPROVED, "there are no rules")

    def print_answers(self, answers: Sequence[AnyOutput], format: str) -> str:
        return "".join(answer.content for answer in answers)

    def read_answer(self, reader: Reader, text: AnyText, /, case: int, format: str) -> AnyOutput:
        return AnyOutput(_rest(reader))

    def fields(self, answer: AnyOutput) -> dict[str, object]:
        return {"output": answer.content}


PUZZLE = TextPuzzle()


SHRUNK = "shrunk"
"""The dataset of the smallest failing input."""


def size_range(words: int) -> str:
    """The dataset of an input of so many words: `9 to 16 words`."""
    most = 1 << max(0, words - 1).bit_length()
    return f"{most // 2 + 1} to {most} words" if most > 2 else "1 or 2 words"


def records_of(
    plan: StressPlan, tried: TriedInput, number: int, *, jobs: int, dataset: str = ""
) -> Iterator[Result]:
    """A result for each program.

    Programs whose outputs count as the same claim the same.

    Args:
        number: of the input, from 0.
        dataset: where it belongs; by default among the inputs of about its size.
    """
    data, is_generated = AnyText(tried.text), bool(plan.generator and not dataset)
    case = DatasetCase(
        data,
        dataset=dataset or size_range(data.size),
        number=number + 1,
        family="generator" if is_generated else None,
        seed=plan.seed + number if is_generated else None,
    )
    for program, outcome, mark, reason in zip(
        plan.programs, tried.outcomes, tried.marks, tried.says, strict=True
    ):
        ask = Ask(contender=program, cases=[case], recorded=True, parallel=jobs > 1)
        fields: dict[str, Any] = {}
        if outcome.ok:
            compared = tried.outcomes[0].ok
            words = b" ".join(outcome.value.split())
            other = int.from_bytes(sha256(words).digest()[:7], "big") + 1
            fields = {
                "claims": np.array([0 if compared and mark == OK else other], np.int64),
                "answer": kept_text(outcome.value.decode("utf-8", "replace")),
                "check": _check(plan, mark, reason) if compared else None,
            }
        why = "" if outcome.ok else outcome.detail
        yield Result.of(ask, status=outcome.status, reason=why, usage=outcome.usage, **fields)


def _check(plan: StressPlan, mark: str, reason: str) -> Check | None:
    """What is said of an output; None if it is the same as the reference's, which nobody checks."""
    if mark in WRONG_ANSWERS:
        return Check(Verdict.REFUTED, reason)
    return Check(Verdict.PROVED, reason or "the checker says yes") if plan.checker else None
