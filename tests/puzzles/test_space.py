"""The space of instances that are known by their texts: changes, steps and short texts, all of them
accepted by the reader.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import ClassVar, NamedTuple, Self

import pytest

import puzzles
from puzzles.case import Case
from puzzles.case_solution import CaseSolution, CaseSolutionPuzzle
from puzzles.grid import grid_of
from puzzles.minesweeper import Minesweeper
from puzzles.space import space_of
from puzzles.space.text_changes import LARGE, weight
from puzzles.text import InputError, Reader

Format = Callable[[Reader], None]


def test_tiny_boards_have_a_number_of_mines_where_the_board_in_question_has_one() -> None:
    space = space_of(puzzles.get("minesweeper"))
    grid = grid_of(["#1#"])
    with_number = space.tiny(Minesweeper(grid, 3), 400).instances
    without = space.tiny(Minesweeper(grid), 400).instances
    assert len({board.text() for board in with_number}) == 808
    assert {board.mines for board in without} == {None}


STEPS = 400
"""Steps within which every instance here is taken down."""

WORDS = 3
"""Words of the texts that are all looked at."""


@dataclass(frozen=True, eq=False, repr=False)
class Listing(Case):
    """Any case of these formats: its lines, and the name of the function below that reads them."""

    puzzle: ClassVar[str] = "listing"
    format: ClassVar[Callable[[Reader], None]]
    lines: tuple[str, ...]

    def text(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)

    @classmethod
    def read(cls, reader: Reader) -> Self:
        start = reader.position
        cls.format(reader)
        return cls(tuple(reader.data[start : reader.position].decode().splitlines()))


def edges(reader: Reader) -> None:
    """`N M`, then M edges between two of N vertices."""
    vertices, count = reader.numbers("the vertices", "the edges", least=(1, 0))
    for _ in range(count):
        start = reader.position
        if max(reader.numbers("one end", "the other")) > vertices:
            reader.fail("there is no such vertex", start)


def tree(reader: Reader) -> None:
    """N, then the N - 1 edges of a tree: each vertex from 2 on is joined to an earlier one."""
    (vertices,) = reader.numbers("the vertices")
    for vertex in range(2, vertices + 1):
        start = reader.position
        child, parent = reader.numbers("a vertex", "an earlier one")
        if child != vertex or parent >= vertex:
            reader.fail("this is no such tree", start)


def counted_list(reader: Reader) -> None:
    """A line for each of two lists; its first number counts the others, which may be negative."""
    for _ in range(2):
        start = reader.position
        count = reader.list_of_numbers("how many", rest="a number", signed=True)[0]
        reader.position = start
        reader.numbers("how many", *["a number"] * max(count, 0), signed=True)
        if count < 0:
            reader.fail("a list has no negative length", start)


def columns(reader: Reader) -> None:
    """N, then N weights on a line and N values on a line."""
    (count,) = reader.numbers("how many")
    for _ in range(2):
        reader.numbers(*["a number"] * count, least=0)


def matrix(reader: Reader) -> None:
    """N, then N lines of N numbers."""
    (count,) = reader.numbers("how many")
    for _ in range(count):
        reader.numbers(*["a number"] * count, least=0)


def blocks(reader: Reader) -> None:
    """The number of blocks; each has the number of its lines, then a line of two numbers for
    each.
    """
    for _ in range(reader.numbers("the blocks")[0]):
        for _ in range(reader.numbers("the lines", least=0)[0]):
            reader.numbers("one", "other", least=0)


def word(reader: Reader) -> None:
    """A word of small letters."""
    start = reader.position
    if not reader.line("a word").isalpha():
        reader.fail("a word has letters", start)


class ListingPuzzle(CaseSolutionPuzzle[Listing, CaseSolution]):
    """Only its instances matter here."""

    name = "listing"

    def __init__(self, format: Format) -> None:
        self.case_type = type(format.__name__, (Listing,), {"format": staticmethod(format)})

    def broken_rule(self, case: Listing, witness: Sequence[int], /) -> str:
        return ""


class Shrinks(NamedTuple):
    """A predicate on texts, from which on a text is taken down step by step, and the smallest text
    that fulfils it.
    """

    format: Format
    start: str
    fails: Callable[[list[list[str]]], bool]
    minimum: str

    def holds(self, case: Listing) -> bool:
        return self.fails([line.split() for line in case.lines])


GRAPH = "9 7\n1 2\n3 4\n5 6\n7 8\n8 9\n9 7\n5 6\n"
SHRINKS = [
    Shrinks(
        edges,
        GRAPH,
        lambda lines: len(lines) - 1 > len({tuple(line) for line in lines[1:]}),
        "1 2\n1 1\n1 1\n",
    ),
    Shrinks(
        edges,
        GRAPH,
        lambda lines: sum(len(set(line)) > 1 for line in lines[1:]) >= 2,
        "2 2\n1 2\n1 2\n",
    ),
    Shrinks(
        edges,
        GRAPH,
        lambda lines: len({end for line in lines[1:] for end in line}) >= 4,
        "4 2\n1 2\n3 4\n",
    ),
    Shrinks(
        tree,
        "6\n2 1\n3 2\n4 3\n5 1\n6 5\n",
        lambda lines: sum(line[1] == "1" for line in lines[1:]) >= 2,
        "3\n2 1\n3 1\n",
    ),
    Shrinks(
        counted_list,
        "4 9 -5 20 7\n3 -8 11 2\n",
        lambda lines: any(int(word) < -1 for word in lines[1][1:]),
        "0\n1 -2\n",
    ),
    Shrinks(
        columns,
        "4\n5 9 12 3\n7 0 4 6\n",
        lambda lines: min(map(int, lines[2])) < int(lines[1][0]),
        "1\n1\n0\n",
    ),
    Shrinks(
        matrix,
        "3\n0 5 2\n1 0 7\n0 3 9\n",
        lambda lines: any(lines[1 + k][k] != "0" for k in range(len(lines) - 1)),
        "1\n1\n",
    ),
    Shrinks(
        blocks,
        "3\n2\n1 2\n3 4\n0\n1\n9 9\n",
        lambda lines: any(line == ["9", "9"] for line in lines),
        "1\n1\n9 9\n",
    ),
    Shrinks(word, "abracadabra\n", lambda lines: lines[0][0].count("b") >= 2, "bb\n"),
]


@pytest.mark.parametrize("case", SHRINKS, ids=lambda each: repr(each.minimum))
def test_steps_and_short_texts_lead_to_the_smallest_text(case: Shrinks) -> None:
    puzzle = ListingPuzzle(case.format)
    space, current = space_of(puzzle), puzzle.of_text(case.start)
    assert case.holds(current)
    for _ in range(STEPS):
        steps = list(space.smaller(current))
        assert all(weight(each.text()) < weight(current.text()) for each in steps)
        assert len({each.text() for each in steps}) == len(steps)
        smaller = next(filter(case.holds, steps), None)
        smaller = smaller or next(filter(case.holds, space.tiny(current, 5000).instances), None)
        if smaller is None:
            break
        current = smaller
    assert current.text() == case.minimum
    assert space.tiny(current, 5000).complete


@pytest.mark.parametrize("format", [edges, tree, columns, blocks])
def test_short_texts_are_all_that_the_reader_accepts(format: Format) -> None:
    puzzle = ListingPuzzle(format)
    start = next(each.start for each in SHRINKS if each.format is format)
    base = puzzle.of_text(start)
    tiny = space_of(puzzle).tiny(base, 200)
    texts = [each.text() for each in tiny.instances]
    assert texts == sorted(texts, key=weight)
    assert not tiny.complete
    numbers = [str(number) for number in range(max(map(int, start.split())) + 1)]
    further = [f"{blank}{number}" for blank in " \n" for number in numbers]
    accepted: set[str] = set()
    for count in range(1, WORDS + 1):
        for words in product(numbers, *[further] * (count - 1)):
            with suppress(InputError):
                accepted.add(puzzle.of_text(f"{''.join(words)}\n").text())
    assert accepted
    assert {text for text in texts if len(text.split()) <= WORDS} == {
        text for text in accepted if len(text) <= len(texts[-1])
    }


@pytest.mark.parametrize("case", SHRINKS, ids=lambda each: repr(each.start))
def test_changed_texts_are_instances_and_the_same_seed_gives_the_same(case: Shrinks) -> None:
    puzzle = ListingPuzzle(case.format)
    base, space = puzzle.of_text(case.start), space_of(puzzle)
    drawn = [space.draw(base, [base], 3, Random(seed)) for seed in range(40)]
    assert drawn == [space.draw(base, [base], 3, Random(seed)) for seed in range(40)]
    assert len({each.digest for each in drawn}) > 10
    assert sum(each.size <= 12 for each in drawn) > 20
    varied = [space.vary(base, Random(seed)) for seed in range(20)]
    assert sum(each is not None and each != base for each in varied) > 10
    changed = list(space.changes(base, 300, Random(1)))
    assert changed
    assert all(weight(each.text()) < weight(base.text()) for each in changed)


def test_a_long_text_is_cut_down_in_big_steps_first() -> None:
    puzzle = ListingPuzzle(edges)
    assert list(space_of(puzzle).cut_down(puzzle.of_text(GRAPH))) == []
    long = puzzle.of_text(f"9 {LARGE}\n" + "1 2\n" * LARGE)
    cuts = list(space_of(puzzle).cut_down(long))
    assert min(len(each.lines) for each in cuts) <= LARGE // 2 + 1
    assert len(cuts) < 100
