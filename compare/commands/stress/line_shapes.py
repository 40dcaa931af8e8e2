"""What holds of lines of inputs: how many words they have, the range of each number, and rules that
all the numbers of some lines keep.

Numbers that were read before may say how many words a line has, how long a word is, and how large
a number may be. What was read is the **scope**: a value for each place of a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from itertools import pairwise, product
from typing import NamedTuple

from puzzles.text import decimals, number, scale_number, with_point

MAX_RANGED_COLUMNS = 6
"""Words of a line up to which each column has a range of its own."""

NumberPlace = tuple[int, int]
"""Where a number is read: the line of the grammar, counted from 0 in the order of reading, and the
column.
"""

Scope = Mapping[NumberPlace, int]
"""The numbers that were read before, of this case and of what it is a part of."""


class Count(NamedTuple):
    """A number that the text itself says: one that was read before, and a bit more; a constant
    without a place; of `ANY` nothing is known.
    """

    place: NumberPlace | None
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
        """The count of lines that all have so many words."""
        return cls(width) if width <= MAX_RANGED_COLUMNS else cls(0, 1, Count(None, width))

    def width(self, scope: Scope) -> int | None:
        """How many words there are; None if nothing says it."""
        times = self.times.of(scope)
        return None if times is None else self.fields + self.group * times


def with_numbers(
    scope: Scope, line: int, words: Sequence[str], fields: int
) -> dict[NumberPlace, int]:
    """The scope with the numbers of the first fields of a line as well."""
    scope = dict(scope)
    for column, word in enumerate(words[:fields]):
        if (value := number(word)) is not None:
            scope[line, column] = value
    return scope


@dataclass(frozen=True)
class WordShape:
    """What holds of the words at one place, or of all words of a run.

    Attributes:
        least, most: of numbers, in units of the last digit; None if some word is no number.
        digits: the fewest and the most digits of numbers behind the point.
        fills: whether numbers with more digits than the fewest may end with 0.
        bound: the number read before that none exceeds.
        above, below: how much a number is at least, and at most, more than its place: that of its
            group in a run, that of its line in a table, from 0. A vertex comes behind its parent.
        characters: of other words.
        choices: all other words, if they are few and each was seen often.
        length: of other words, if a number read before or a constant says it.
        lengths: the least and the greatest length of other words.
    """

    least: int | None = None
    most: int | None = None
    digits: tuple[int, int] = (0, 0)
    fills: bool = False
    bound: Count = ANY
    above: int | None = None
    below: int | None = None
    characters: frozenset[str] = frozenset()
    choices: frozenset[str] | None = None
    length: Count = ANY
    lengths: tuple[int, int] = (0, 0)

    @property
    def is_whole(self) -> bool:
        """Whether the words are numbers without a point."""
        return self.least is not None and self.digits[1] == 0

    @property
    def first_vertex(self) -> int | None:
        """If the words may be parents, each of the vertex of its place: the vertex of place 0."""
        if self.below is None:
            return None if self.above is None else self.above - 1
        return self.below + (self.below != self.above)

    def ends(self, scope: Scope, place: int | None) -> tuple[int, int] | None:
        """The least and the greatest number at a place; None if the words are no numbers."""
        if self.least is None or self.most is None:
            return None
        least, most = self.least, self.most
        if (bound := self.bound.of(scope)) is not None:
            most = min(most, bound)
        if place is not None:
            least = least if self.above is None else max(least, place + self.above)
            most = most if self.below is None else min(most, place + self.below)
        return least, most

    def allows(self, word: str, scope: Scope, place: int) -> bool:
        ends = self.ends(scope, place)
        if ends is None:
            if self.choices is not None:
                return word in self.choices and self.length.fits(scope, len(word))
            return self._may_be_long(len(word), scope) and self.characters.issuperset(word)
        digits = decimals(word)
        return (
            digits is not None
            and self.digits[0] <= digits <= self.digits[1]
            and self._has_its_digits(word, digits)
            and ends[0] <= scale_number(word, self.digits[1]) <= ends[1]
        )

    def _has_its_digits(self, word: str, digits: int) -> bool:
        return self.fills or digits == self.digits[0] or word[-1] != "0"

    def _may_be_long(self, size: int, scope: Scope) -> bool:
        if self.length == ANY:
            return self.lengths[0] <= size <= self.lengths[1]
        return self.length.fits(scope, size)

    def words(self, scope: Scope, room: int, place: int | None) -> Iterator[str]:
        """All words of this shape with at most `room` characters.

        Args:
            place: that of the word, if it is known.
        """
        ends = self.ends(scope, place)
        if ends is None:
            for size in range(1, room + 1):
                if self.choices is not None:
                    yield from sorted(word for word in self.choices if len(word) == size)
                elif self._may_be_long(size, scope):
                    yield from map("".join, product(sorted(self.characters), repeat=size))
            return
        for digits in range(self.digits[0], self.digits[1] + 1):
            unit = 10 ** (self.digits[1] - digits)
            # those with more digits are too long
            least = max(-(-ends[0] // unit), 1 - 10 ** max(0, room - 1))
            for value in range(least, ends[1] // unit + 1):
                word = with_point(value, digits)
                if len(word) <= room:
                    yield from [word] if self._has_its_digits(word, digits) else ()
                elif value >= 0:
                    break


NumberRows = Sequence[Sequence[float]]
"""The numbers of some lines."""


class Rule(NamedTuple):
    """Something that may hold of the numbers of some lines.

    Attributes:
        text: what it says.
        of_rows: several rows are needed to break it.
        is_distinct: it holds by chance where the range is large.
        is_order: whether numbers or lines stand in order; `is_strict`: so that no two are equal.
        of_pairs: it is about columns that mean different things, so it says nothing of lists.
        column: of an order of two neighbouring columns: the first of them.
        first_vertex: of a list of parents: the vertex whose parent comes first.
    """

    text: str
    holds: Callable[[NumberRows], bool]
    of_rows: bool = False
    is_distinct: bool = False
    is_order: bool = False
    is_strict: bool = False
    of_pairs: bool = False
    column: int | None = None
    first_vertex: int | None = None


class _Root(Enum):
    """What a list of parents has for the root."""

    NONE = "nothing: it is the vertex before the first one"
    OTHER = "a number that is no vertex"
    ITSELF = "itself"


def _are_parents(rows: NumberRows, *, first: int, root: _Root) -> bool:
    """Whether the numbers of each row are the parents of the vertices `first`, `first` + 1 and so
    on, in a tree.
    """
    for row in rows:
        parents = dict(enumerate(row, first))
        if root is _Root.ITSELF:
            tops = [one for one, other in parents.items() if other == one]
        else:
            tops = [one for one, other in parents.items() if other not in parents]
        if root is _Root.NONE and any(parents[each] != first - 1 for each in tops):
            return False
        if root is not _Root.NONE and len(tops) != 1:
            return False
        in_tree = set[float](tops)
        for vertex in parents:
            path = set[float]()
            at: float = vertex
            while at not in in_tree:
                if at in path or at not in parents:
                    return False
                path.add(at)
                at = parents[int(at)]
            in_tree |= path
    return True


def _is_column_in_order(rows: NumberRows, *, column: int, is_strict: bool) -> bool:
    """Whether the number in a column is at most the next one of its line, or less than it."""
    pairs = [row[column : column + 2] for row in rows if len(row) > column + 1]
    return all(one < other or (one == other and not is_strict) for one, other in pairs)


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
"""For the columns of a line that have a range of their own."""

LESS, AT_MOST = (
    tuple(
        Rule(
            f"the {one} {relation} the {other}",
            partial(_is_column_in_order, column=column, is_strict=is_strict),
            is_order=True,
            is_strict=is_strict,
            of_pairs=True,
            column=column,
        )
        for column, (one, other) in enumerate(pairwise(_ORDINALS))
    )
    for relation, is_strict in (("less than", True), ("at most", False))
)
"""The order of each two neighbouring columns."""

RULES = (
    Rule(
        "increasing",
        lambda rows: all(one < other for row in rows for one, other in pairwise(row)),
        is_order=True,
        is_strict=True,
    ),
    Rule(
        "in order",
        lambda rows: all(one <= other for row in rows for one, other in pairwise(row)),
        is_order=True,
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
    *LESS,
    *AT_MOST,
    Rule(
        "lines in order",
        lambda rows: all(list(one) <= list(other) for one, other in pairwise(rows)),
        of_rows=True,
        is_order=True,
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
    *(
        Rule(
            f"the parents of {first}, {first + 1}, ... in a tree",
            partial(_are_parents, first=first, root=root),
            first_vertex=first,
        )
        for root, firsts in (
            (_Root.OTHER, (0, 1)),
            (_Root.ITSELF, (0, 1)),
            (_Root.NONE, (1, 2)),
        )
        for first in firsts
    ),
)


def connects(rows: NumberRows, vertices: int | None) -> bool:
    """Whether the first two numbers of each row, as edges, make a graph in one piece of so many
    vertices.
    """
    parts = {vertex: vertex for row in rows for vertex in row[:2]}

    def part(vertex: float) -> float:
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


def _value(word: str) -> float | None:
    """The number that a word writes, with a point or without."""
    return float(word) if decimals(word) else number(word)


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

    @property
    def first_ruled(self) -> int:
        """The column where the words begin that rules are about: those of a run, if there is one;
        else all but the keyword.
        """
        return self.layout.fields if self.layout.times != NONE else int(self.has_keyword)

    @property
    def ruled(self) -> list[WordShape]:
        """The shapes of the numbers that rules are about; words beside them are passed over."""
        return [word for word in self.words[self.first_ruled :] if word.least is not None]

    def numbers(self, block: LineBlock) -> NumberRows:
        """The numbers that rules are about; of groups of several words a row for each group."""
        rows: list[list[float]] = []
        for words in block.rows:
            step = self.layout.group if self.layout.group > 1 else max(1, len(words))
            starts = range(self.first_ruled, len(words), step)
            for start in starts if self.layout.group > 1 else (self.first_ruled,):
                places = range(start, min(start + step, len(words)))
                values = [_value(words[k]) for k in places if self.word(k).least is not None]
                rows.append([value for value in values if value is not None])
        return rows

    def word(self, column: int) -> WordShape:
        """The shape of the word at a place of the line."""
        fields = self.layout.fields
        return self.words[
            column if column < fields else fields + (column - fields) % self.layout.group
        ]

    def place(self, row: int, column: int) -> int:
        """The place of a word: that of its group in the run, else that of its line in the table."""
        fields = self.layout.fields
        return row if column < fields else (column - fields) // self.layout.group

    def first_vertex(self, column: int) -> int | None:
        """If the words at a place of the line are parents: the vertex of the first of them."""
        rules = (each.first_vertex for each in self.rules if each.first_vertex is not None)
        return next(rules, self.word(column).first_vertex)

    def allows(self, block: LineBlock) -> bool:
        """Whether these lines, all of this shape, are as in the samples."""
        for row, (words, scope) in enumerate(zip(block.rows, block.scopes, strict=True)):
            if self.layout.times != ANY and self.layout.width(scope) != len(words):
                return False
            if len(words) < self.layout.fields or not all(
                self.word(column).allows(word, scope, self.place(row, column))
                for column, word in enumerate(words)
            ):
                return False
        if self.marks:
            text = "".join(word for row in block.rows for word in row)
            if any(text.count(mark) != often for mark, often in self.marks):
                return False
        numbers = self.numbers(block)
        return all(rule.holds(numbers) for rule in self.rules) and (
            self.spans == ANY or connects(numbers, self.spans.of(block.outer))
        )

    def lines(
        self, line: int, scope: Scope, words: list[str], room: int
    ) -> Iterator[list[str] | None]:
        """All lines of this shape that begin with these words and have at most `room` more
        characters; None for each word that is tried.

        Args:
            line: the place of this line in the grammar.
        """
        scope = with_numbers(scope, line, words, self.layout.fields)
        width = self.layout.width(scope)
        if len(words) >= self.layout.fields and width in (None, len(words)):
            yield words
        if room > 0 and (width is None or len(words) < width):
            column = len(words)
            place = None if column < self.layout.fields else self.place(0, column)
            # each word that has to follow takes a blank and a character
            of_others = 0 if width is None else 2 * (width - column - 1)
            for word in self.word(column).words(scope, room - of_others, place):
                yield None
                yield from self.lines(line, scope, [*words, word], room - len(word) - 1)


def line_text(words: Sequence[str]) -> str:
    return " ".join(words) + "\n"
