"""The shortest common superstring: `python -m compare run examples/superstring.py`

A case is a line `N`, then N words, one a line. No word is a part of another one. The answer is the
least length of a text that has all words in it, and the order in which they begin there, counted
from 1. Words that follow each other overlap as far as they can.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations, starmap
from typing import Any, ClassVar, Self

from ortools.sat.python import cp_model

from models.cpsat import best_found, report_incumbents
from puzzles.backend import Unsupported, backend
from puzzles.case import Case
from puzzles.case_solution import CaseSolution, CaseSolutionPuzzle
from puzzles.puzzle import Family
from puzzles.text import Reader

MAX_WORDS = 11
MANY = f"more than {MAX_WORDS} words"


@dataclass(frozen=True, eq=False, repr=False)
class Words(Case[CaseSolution]):
    """The words."""

    puzzle: ClassVar[str] = "superstring"
    words: tuple[str, ...]

    def text(self) -> str:
        return f"{len(self.words)}\n" + "".join(f"{word}\n" for word in self.words)

    @classmethod
    def read(cls, reader: Reader) -> Self:
        (number,) = reader.numbers("the number of words")
        words: list[str] = []
        for _ in range(number):
            start = reader.position
            word = reader.line("a word")
            if not re.fullmatch("[a-z]+", word):
                reader.fail(f"a word has letters a to z alone, and not {word[:40]!r}", start)
            other = next((each for each in words if word in each or each in word), None)
            if other is not None:
                reader.fail(f"of the words {other} and {word} one is a part of the other", start)
            words.append(word)
        return cls(tuple(words))


class SuperstringPuzzle(CaseSolutionPuzzle[Words, CaseSolution]):
    """The rules, and cases to try.

    Nothing here may be used by a backend: then agreement would prove nothing.
    """

    name = "superstring"
    case_type = Words
    better = "less"
    value_name = "the length"

    def broken_rule(self, case: Words, witness: Sequence[int], /) -> str:
        words = [*range(1, len(case.words) + 1)]
        return "" if sorted(witness) == words else "the solution is no order of all words"

    def value(self, case: Words, witness: Sequence[int], /) -> int:
        """The length of the text, which is built word by word."""
        text = ""
        for number in witness:
            word = case.words[number - 1]
            shared = next(k for k in range(len(word), -1, -1) if text.endswith(word[:k]))
            text += word[shared:]
        return len(text)

    def candidates(self, case: Words, /) -> Iterable[Sequence[int]]:
        return permutations(range(1, len(case.words) + 1))

    @property
    def families(self) -> Mapping[str, Family[Words]]:
        sizes = ((2, 1), (4, 1), (5, 3), (6, 14))
        return {
            "random": Family(
                random_words, "up to size words of the letters a and b", sizes, most=30
            ),
            "pieces": Family(pieces, "up to size pieces of one text", sizes, most=30),
        }


def without_parts(words: Iterable[str]) -> Words:
    """The words, each once, without those that are a part of another one."""
    distinct = dict.fromkeys(words)
    return Words(
        tuple(
            word for word in distinct if not any(word in each for each in distinct if each != word)
        )
    )


def random_words(size: int, seed: int) -> Words:
    """A size and a seed always give the same case."""
    rng = random.Random(f"{size} {seed}")
    lengths = [rng.randint(1, 2 + size // 2) for _ in range(size)]
    return without_parts("".join(rng.choices("ab", k=length)) for length in lengths)


def pieces(size: int, seed: int) -> Words:
    """A size and a seed always give the same case."""
    rng = random.Random(f"pieces {size} {seed}")
    text = "".join(rng.choices("abc", k=3 * size + 3))
    starts = [rng.randrange(3 * size) for _ in range(size)]
    return without_parts(text[start : start + rng.randint(2, 6)] for start in starts)


def overlap(one: str, other: str) -> int:
    """How many letters at the end of one word begin the other one."""
    longest = min(len(one), len(other))
    return next(k for k in range(longest, -1, -1) if one.endswith(other[:k]))


@backend(
    "superstring",
    "subsets",
    side="direct",
    source="dynamic programme over subsets; Held and Karp 1962",
    refuses=lambda case, **_: MANY * (len(case.words) > MAX_WORDS),
)
def subsets(case: Words, *, certify: bool = False) -> CaseSolution:
    """`least[done, last]`: the least length, and an order, of the words of this set where `last` is
    the last one. A set is a number with a bit for each word.
    """
    words = case.words
    if len(words) > MAX_WORDS:
        raise Unsupported(MANY)
    shared = [[overlap(one, other) for other in words] for one in words]
    least: dict[tuple[int, int], tuple[int, tuple[int, ...]]] = {
        (1 << k, k): (len(word), (k + 1,)) for k, word in enumerate(words)
    }
    for done in range(1, 1 << len(words)):
        for last in range(len(words)):
            if (done, last) not in least:
                continue
            length, order = least[done, last]
            for k, word in enumerate(words):
                if done >> k & 1:
                    continue
                longer = length + len(word) - shared[last][k], (*order, k + 1)
                after = done | 1 << k, k
                least[after] = min(longer, least.get(after, longer))
    everything = (1 << len(words)) - 1
    length, order = min(least[everything, last] for last in range(len(words)))
    return CaseSolution.optimal(length, order)


@backend(
    "superstring", "cpsat", side="models", source="a circuit of the words and a start", limit=200
)
def by_circuit(case: Words, *, certify: bool = False) -> CaseSolution:
    """A literal for each pair of words that follow each other; word 0 is the start and the end."""
    model, solver = cp_model.CpModel(), cp_model.CpSolver()
    numbers = range(len(case.words) + 1)
    follows = {(a, b): model.new_bool_var("") for a in numbers for b in numbers if a != b}
    model.add_circuit([(a, b, literal) for (a, b), literal in follows.items()])
    saved = [
        saving(case.words[a - 1], case.words[b - 1]) * literal
        for (a, b), literal in follows.items()
        if a and b
    ]
    model.minimize(sum(map(len, case.words)) - sum(saved))
    solver.parameters.num_workers = 1

    def order(found: Any) -> list[int]:
        after = dict(pair for pair, literal in follows.items() if found.boolean_value(literal))
        words = [after[0]]
        while after[words[-1]]:
            words.append(after[words[-1]])
        return words

    def worth(numbers: Sequence[int]) -> int:
        words = [case.words[number - 1] for number in numbers]
        return sum(map(len, words)) - sum(starmap(saving, pairwise(words)))

    reports = report_incumbents(solver, order, better="less", worth=worth)
    status = solver.solve(model, reports)
    return best_found(solver, status, lambda: order(solver), better="less", worth=worth)


def saving(one: str, other: str) -> int:
    """By how much two words are longer than the shortest text that begins with the first one and
    ends with the other one.
    """
    ends = (one + other[k:] for k in range(len(other), -1, -1))
    return len(one) + len(other) - min(len(text) for text in ends if text.endswith(other))


@backend(
    "superstring",
    "greedy",
    side="direct",
    source="join the two that overlap most; Tarhio and Ukkonen 1988",
    complete=False,
)
def greedy(case: Words, *, certify: bool = False) -> CaseSolution:
    """Orders of some words are joined, of all pairs the one that overlaps most, until one order is
    left.
    """
    orders = [(k,) for k in range(len(case.words))]
    while len(orders) > 1:
        _, one, other = max(
            (overlap(case.words[one[-1]], case.words[other[0]]), one, other)
            for one in orders
            for other in orders
            if one != other
        )
        orders = [each for each in orders if each not in (one, other)] + [one + other]
    (order,) = orders
    length = sum(map(len, case.words)) - sum(
        overlap(case.words[a], case.words[b]) for a, b in pairwise(order)
    )
    return CaseSolution.feasible(length, (k + 1 for k in order))


PUZZLE = SuperstringPuzzle()
