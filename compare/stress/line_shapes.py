"""What holds of lines of inputs: how many words they have, the range of each number, and rules that
all the numbers of some lines keep.

Numbers that were read before may say how many words a line has, how long a word is, and how large
a number may be. What was read is the **scope**: a value for each place of a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import NamedTuple

from puzzles.text import number

MAX_COLUMNS = 6
"""Words of a line up to which each column has a range of its own."""

Place = tuple[int, int]
"""Where a number is read: the line of the grammar, counted from 0 in the order of reading, and the
column.
"""

Scope = Mapping[Place, int]
"""The numbers that were read before, of this case and of what it is a part of."""


class Count(NamedTuple):
    """A number that the text itself says: one that was read before, and a bit more; a constant
    without a place; of `ANY` nothing is known.
    """

    place: Place | None
    more: int | None

    def of(self, scope: Scope) -> int | None:
        """The number; None if nothing says it, or if the text has no number at the place."""
        if self.place is None or self.more is None:
            return self.more
        value = scope.get(self.place)
        return None if value is None else value + self.more

    def fits(self, scope: Scope, value: int) -> bool:
        """Whether it says this number, or nothing is known."""
        return self == ANY or self.of(scope) == value


ANY, NONE = Count(None, None), Count(None, 0)


class WordCount(NamedTuple):
    """How many words a line has: some fields, then so many groups of words.

    Attributes:
        fields: each has a shape of its own.
        group: words of a group.
        times: how many groups there are.
    """

    fields: int
    group: int = 1
    times: Count = NONE

    @classmethod
    def constant(cls, width: int) -> WordCount:
        """That of lines that all have so many words."""
        return cls(width) if width <= MAX_COLUMNS else cls(0, 1, Count(None, width))

    def width(self, scope: Scope) -> int | None:
        """How many words there are; None if nothing says it."""
        times = self.times.of(scope)
        return None if times is None else self.fields + self.group * times


def with_numbers(scope: Scope, line: int, words: Sequence[str], fields: int) -> dict[Place, int]:
    """The scope with the numbers of the first fields of a line as well."""
    found = dict(scope)
    for column, word in enumerate(words[:fields]):
        if (value := number(word)) is not None:
            found[line, column] = value
    return found


@dataclass(frozen=True)
class WordShape:
    """What holds of the words at one place, or of all words of a run.

    Attributes:
        least, most: of numbers; None if some word is no number.
        bound: the number read before that none exceeds.
        characters: of other words.
        choices: all other words, if they are few and each was seen often.
        length: of other words, if a number read before or a constant says it.
    """

    least: int | None = None
    most: int | None = None
    bound: Count = ANY
    characters: frozenset[str] = frozenset()
    choices: frozenset[str] | None = None
    length: Count = ANY

    def allows(self, word: str, scope: Scope) -> bool:
        value = number(word)
        if self.least is None or self.most is None:
            fits = self.length.fits(scope, len(word))
            if self.choices is not None:
                return fits and word in self.choices
            return fits and self.characters.issuperset(word)
        bound = self.bound.of(scope)
        return (
            value is not None
            and self.least <= value <= self.most
            and (bound is None or value <= bound)
        )

    def words(self, scope: Scope, room: int) -> Iterator[str]:
        """All words of this shape with at most `room` characters."""
        if self.least is None or self.most is None:
            length = self.length.of(scope)
            for size in range(1, room + 1):
                if length not in (None, size):
                    continue
                if self.choices is None:
                    yield from map("".join, product(sorted(self.characters), repeat=size))
                else:
                    yield from sorted(word for word in self.choices if len(word) == size)
            return
        bound = self.bound.of(scope)
        most = self.most if bound is None else min(self.most, bound)
        for value in range(self.least, most + 1):
            word = str(value)
            if len(word) <= room:
                yield word
            elif value >= 0:
                return


Rows = Sequence[Sequence[int]]
"""The numbers of some lines."""


class Rule(NamedTuple):
    """Something that may hold of the numbers of some lines.

    Attributes:
        text: what it says.
        of_rows: several rows are needed to break it.
        is_distinct: it holds by chance where the range is large.
        of_pairs: it is about columns that mean different things, so it says nothing of lists.
    """

    text: str
    holds: Callable[[Rows], bool]
    of_rows: bool = False
    is_distinct: bool = False
    of_pairs: bool = False


RULES = (
    Rule(
        "increasing",
        lambda rows: all(one < other for row in rows for one, other in pairwise(row)),
    ),
    Rule(
        "in order",
        lambda rows: all(one <= other for row in rows for one, other in pairwise(row)),
    ),
    Rule(
        "distinct",
        lambda rows: all(len({*row}) == len(row) for row in rows),
        is_distinct=True,
    ),
    Rule(
        "the first two differ",
        lambda rows: all(len(row) < 2 or row[0] != row[1] for row in rows),
        is_distinct=True,
        of_pairs=True,
    ),
    Rule(
        "lines in order",
        lambda rows: all(list(one) <= list(other) for one, other in pairwise(rows)),
        of_rows=True,
        of_pairs=True,
    ),
    Rule(
        "lines distinct",
        lambda rows: len({*map(tuple, rows)}) == len(rows),
        of_rows=True,
        is_distinct=True,
    ),
    Rule(
        "no pair twice",
        lambda rows: len({frozenset(row[:2]) for row in rows}) == len(rows),
        of_rows=True,
        is_distinct=True,
        of_pairs=True,
    ),
)


def connects(rows: Rows, vertices: int | None) -> bool:
    """Whether the first two numbers of each row, as edges, make a graph in one piece of so many
    vertices.
    """
    parts = {vertex: vertex for row in rows for vertex in row[:2]}

    def part(vertex: int) -> int:
        while parts[vertex] != vertex:
            parts[vertex] = vertex = parts[parts[vertex]]
        return vertex

    for row in rows:
        parts[part(row[0])] = part(row[1])
    return len({part(vertex) for vertex in parts}) <= 1 and (
        len(parts) == vertices or (vertices == 1 and not parts)
    )


class LineBlock(NamedTuple):
    """Lines of one text that belong together: the rows of a table, or a single line.

    Attributes:
        rows: their words.
        scopes: of each line, with its own numbers.
        outer: what was read before the first of them.
    """

    rows: Sequence[Sequence[str]]
    scopes: Sequence[Scope]
    outer: Scope

    def of(self, keyword: str) -> LineBlock:
        """The lines that begin with this word."""
        chosen = [k for k, words in enumerate(self.rows) if words and words[0] == keyword]
        return LineBlock(
            [self.rows[k] for k in chosen], [self.scopes[k] for k in chosen], self.outer
        )

    def with_numbers(self, line: int, fields: int) -> LineBlock:
        """The block whose scopes have the numbers of so many first words of each line as well."""
        scopes = [
            with_numbers(scope, line, words, fields)
            for words, scope in zip(self.rows, self.scopes, strict=True)
        ]
        return self._replace(scopes=scopes)

    def numbers(self, layout: WordCount, *, has_keyword: bool = False) -> Rows:
        """The numbers that rules are about: of a line with a run those of the run, of groups of
        several words a row for each group.
        """
        runs = layout.times != NONE
        first = layout.fields if runs else has_keyword
        rows: list[list[int]] = []
        for row in self.rows:
            step = layout.group if runs and layout.group > 1 else max(1, len(row))
            starts = range(first, len(row), step) if layout.group > 1 else (first,)
            for start in starts:
                values = map(number, row[start : start + step])
                rows.append([value for value in values if value is not None])
        return rows


@dataclass(frozen=True)
class LineShape:
    """What holds of a line of the grammar.

    Attributes:
        layout: how many words there are.
        words: the shape of each field, then of each word of a group.
        rules: what holds of its numbers, as rows of a block.
        spans: the number of vertices that the rows of a block, as edges, connect; `ANY` if they are
            no connected graph.
        has_keyword: whether the first word is a keyword, which no rule is about.
        marks: characters, and how often they are there in each block: a start, a goal.
    """

    layout: WordCount
    words: tuple[WordShape, ...]
    rules: tuple[Rule, ...] = ()
    spans: Count = ANY
    has_keyword: bool = False
    marks: tuple[tuple[str, int], ...] = ()

    def word(self, column: int) -> WordShape:
        """The shape of the word at a place of the line."""
        fields = self.layout.fields
        return self.words[
            column if column < fields else fields + (column - fields) % self.layout.group
        ]

    def allows(self, block: LineBlock) -> bool:
        """Whether these lines, all of this shape, are as in the samples."""
        for words, scope in zip(block.rows, block.scopes, strict=True):
            if self.layout.times != ANY and self.layout.width(scope) != len(words):
                return False
            if len(words) < self.layout.fields or not all(
                self.word(column).allows(word, scope) for column, word in enumerate(words)
            ):
                return False
        if self.marks:
            text = "".join(word for row in block.rows for word in row)
            if any(text.count(mark) != often for mark, often in self.marks):
                return False
        numbers = block.numbers(self.layout, has_keyword=self.has_keyword)
        return all(rule.holds(numbers) for rule in self.rules) and (
            self.spans == ANY or connects(numbers, self.spans.of(block.outer))
        )

    def lines(self, line: int, scope: Scope, words: list[str], room: int) -> Iterator[list[str]]:
        """All lines of this shape that begin with these words and have at most `room` more
        characters.

        Args:
            line: the place of this line in the grammar.
        """
        scope = with_numbers(scope, line, words, self.layout.fields)
        width = self.layout.width(scope)
        if len(words) >= self.layout.fields and width in (None, len(words)):
            yield words
        if room > 0 and (width is None or len(words) < width):
            for word in self.word(len(words)).words(scope, room):
                yield from self.lines(line, scope, [*words, word], room - len(word) - 1)


def line_text(words: Sequence[str]) -> str:
    return " ".join(words) + "\n"
