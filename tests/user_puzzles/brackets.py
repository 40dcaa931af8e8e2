"""Repairing brackets: a case is a line of brackets of three kinds, an even number of them.

An answer is the least number of brackets that have to be changed so that all match, and the codes
of the characters after that.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any, ClassVar, Self

from puzzles.backend import backend
from puzzles.case import Case
from puzzles.case_solution import CaseSolution, CaseSolutionPuzzle
from puzzles.puzzle import Family
from puzzles.text import Reader

KINDS = "()[]{}"
MATES = {(ord("("), ord(")")), (ord("["), ord("]")), (ord("{"), ord("}"))}


@dataclass(frozen=True, eq=False, repr=False)
class Brackets(Case):
    puzzle: ClassVar[str] = "brackets"
    line: str

    def text(self) -> str:
        return f"{self.line}\n"

    @classmethod
    def read(cls, reader: Reader) -> Self:
        start = reader.position
        line = reader.line("brackets")
        if len(line) % 2 or not line or set(line) - set(KINDS):
            reader.fail(f"expected an even number of the characters {KINDS}", start)
        return cls(line)


class BracketsPuzzle(CaseSolutionPuzzle[Brackets, CaseSolution]):
    name = "brackets"
    case_type = Brackets
    value_name = "the number of changes"

    def broken_rule(self, case: Brackets, witness: Sequence[int], /) -> str:
        if len(witness) != len(case.line):
            return "the line has another length"
        left: list[int] = []
        for code in witness:
            if code in map(ord, "([{"):
                left.append(code)
            elif not left or (left.pop(), code) not in MATES:
                return "a bracket has no mate"
        return "a bracket stays open" if left else ""

    def value(self, case: Brackets, witness: Sequence[int], /) -> int:
        return sum(ord(old) != new for old, new in zip(case.line, witness, strict=True))

    def bound_fault(self, case: Brackets, value: int, bound: Any, /) -> str:
        @cache
        def least(start: int, stop: int) -> int:
            if start == stop:
                return 0
            return min(
                pair(case.line[start], case.line[mate])
                + least(start + 1, mate)
                + least(mate + 1, stop)
                for mate in range(start + 1, stop, 2)
            )

        def pair(one: str, other: str) -> int:
            return min((one != a) + (other != b) for a, b in ("()", "[]", "{}"))

        return "" if value <= least(0, len(case.line)) else "fewer changes are enough"

    @property
    def families(self) -> Mapping[str, Family[Brackets]]:
        return {"random": Family(random_brackets, "2 size brackets", most=20)}


def random_brackets(size: int, seed: int) -> Brackets:
    rng = random.Random(f"{size} {seed}")
    return Brackets("".join(rng.choice(KINDS) for _ in range(2 * size)))


@backend("brackets", "intervals", side="direct", source="a table of intervals", certifies=True)
def by_intervals(case: Brackets, *, certify: bool = False) -> CaseSolution:
    best: dict[tuple[int, int], tuple[int, str]] = {
        (k, k): (0, "") for k in range(len(case.line) + 1)
    }
    for length in range(2, len(case.line) + 1, 2):
        for start in range(len(case.line) - length + 1):
            best[start, start + length] = min(
                (
                    (case.line[start] != a)
                    + (case.line[mate] != b)
                    + best[start + 1, mate][0]
                    + best[mate + 1, start + length][0],
                    a + best[start + 1, mate][1] + b + best[mate + 1, start + length][1],
                )
                for a, b in ("()", "[]", "{}")
                for mate in range(start + 1, start + length, 2)
            )
    changes, line = best[0, len(case.line)]
    return CaseSolution(True, tuple(map(ord, line)), changes)


@backend("brackets", "all", side="models", source="all lines", certifies=True, limit=6)
def by_all(case: Brackets, *, certify: bool = False) -> CaseSolution:
    def matches(line: str) -> bool:
        before = ""
        while line != before:
            before = line
            line = line.replace("()", "").replace("[]", "").replace("{}", "")
        return not line

    lines = filter(matches, map("".join, product(KINDS, repeat=len(case.line))))
    changes, line = min(
        (sum(a != b for a, b in zip(case.line, line, strict=True)), line) for line in lines
    )
    return CaseSolution(True, tuple(map(ord, line)), changes)


PUZZLE = BracketsPuzzle()
