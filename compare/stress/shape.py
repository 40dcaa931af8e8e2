"""What the inputs of a generator have in common, learned from some of them. Shrinking keeps it
where no validator does.

A text is lines of words. The **head** is the first lines, each with a shape of its own; the
**tail** is the lines behind it, which have one shape together, and whose number some number of the
head counts. What is learned is only what holds in every sample: which numbers count what follows,
how many words a line has, the range of each number, by which number of the head it is bounded,
whether the words of a line are sorted or distinct, and what holds of pairs: edges of a graph
without loops, a tree, intervals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import NamedTuple

from puzzles.space.text_changes import Lines, lines_of, lowered, values_of
from puzzles.text import number

MAX_HEAD = 4
"""Lines of the head if a tail follows."""

MAX_COLUMNS = 6
"""Words of a line up to which each column has a range of its own."""

WIDE = 30
"""A range from which samples need not have shown the ends: a wider one is taken to begin at 0 or
1.
"""

NEAR = 0.9
"""The share of a round number that samples have shown if a wide range is to end there."""

NEARER = 0.98
"""The same of a number that is less round."""

MAX_NUMBERS = 16
"""Numbers of an input up to which two of them are changed together."""

_OFFSETS = (0, -1, 1)
"""What is counted may be one more or one less than the number says: a tree of n vertices has n - 1
edges.
"""


class Count(NamedTuple):
    """A number that the text itself says: the number at a place of the head, and a bit more; a
    constant without a place.
    """

    place: tuple[int, int] | None
    more: int

    def of(self, lines: Lines) -> int | None:
        """The number; None if the text has no number at the place."""
        if self.place is None:
            return self.more
        row, column = self.place
        value = (
            number(lines[row][column]) if row < len(lines) and column < len(lines[row]) else None
        )
        return None if value is None else value + self.more


@dataclass(frozen=True)
class WordShape:
    """What holds of the words at one place, or of all words of a line.

    Attributes:
        least, most: of numbers; None if some word is no number.
        bound: the number of the head that none exceeds.
        characters: of other words.
        length: of other words, if the head or nothing but a constant says it.
    """

    least: int | None = None
    most: int | None = None
    bound: Count | None = None
    characters: frozenset[str] = frozenset()
    length: Count | None = None

    def allows(self, word: str, lines: Lines) -> bool:
        value = number(word)
        if self.least is None or self.most is None:
            fits = self.length is None or self.length.of(lines) == len(word)
            return fits and self.characters.issuperset(word)
        if value is None or not self.least <= value <= self.most:
            return False
        bound = None if self.bound is None else self.bound.of(lines)
        return bound is None or value <= bound


Rule = Callable[[Sequence[Sequence[int]]], bool]
"""Something that may hold of the rows of numbers of some lines."""


def _columns_increase(rows: Sequence[Sequence[int]]) -> bool:
    return all(one < other for row in rows for one, other in pairwise(row))


def _columns_ascend(rows: Sequence[Sequence[int]]) -> bool:
    return all(one <= other for row in rows for one, other in pairwise(row))


def _distinct_in_row(rows: Sequence[Sequence[int]]) -> bool:
    return all(len({*row}) == len(row) for row in rows)


def _no_loop(rows: Sequence[Sequence[int]]) -> bool:
    return all(len(row) < 2 or row[0] != row[1] for row in rows)


def _rows_ascend(rows: Sequence[Sequence[int]]) -> bool:
    return all(list(one) <= list(other) for one, other in pairwise(rows))


def _rows_distinct(rows: Sequence[Sequence[int]]) -> bool:
    return len({*map(tuple, rows)}) == len(rows)


def _pairs_distinct(rows: Sequence[Sequence[int]]) -> bool:
    return len({frozenset(row[:2]) for row in rows}) == len(rows)


def _connects(rows: Sequence[Sequence[int]], vertices: int | None) -> bool:
    """Whether the first two numbers of each row, as edges, make a graph in one piece of so many
    vertices.
    """
    parts = {vertex: vertex for row in rows for vertex in row[:2]}

    def part(vertex: int) -> int:
        while parts[vertex] != vertex:
            vertex = parts[vertex]
        return vertex

    for row in rows:
        parts[part(row[0])] = part(row[1])
    return len({part(vertex) for vertex in parts}) <= 1 and (
        len(parts) == vertices or (vertices == 1 and not parts)
    )


_RULES: tuple[Rule, ...] = (
    _columns_increase,
    _columns_ascend,
    _distinct_in_row,
    _no_loop,
    _rows_ascend,
    _rows_distinct,
    _pairs_distinct,
)

_ENOUGH = 5
"""Samples that must be able to break a rule before it is believed; of distinct numbers, how many
equal pairs chance would make.
"""

_OF_ROWS = (_rows_ascend, _rows_distinct, _pairs_distinct)
"""Rules that need several rows to be broken."""

_DISTINCT = (_distinct_in_row, _rows_distinct, _pairs_distinct, _no_loop)
"""Rules that hold by chance where the range is large."""

_STEPS_A_TEXT = 20
"""Beginnings of texts that are looked at for each smaller text that is wanted."""


@dataclass(frozen=True)
class LineShape:
    """What holds of a line of the head, or of each line of the tail.

    Attributes:
        width: how many words there are; None for any number.
        words: the shape of each column; a single one if it is that of all words.
        first: the shape of the first word if it counts the others; then `words` is about these.
        rules: what holds of its numbers, as rows.
        spans: the number of vertices that the rows, as edges, connect; None if they are no
            connected graph.
    """

    width: Count | None
    words: tuple[WordShape, ...]
    first: WordShape | None = None
    rules: tuple[Rule, ...] = ()
    spans: Count | None = None

    def word(self, column: int) -> WordShape | None:
        """The shape of the word at a place of the line; None if there is no such place."""
        if self.first is not None:
            return self.words[0] if column else self.first
        if len(self.words) == 1:
            return self.words[0]
        return self.words[column] if column < len(self.words) else None

    def allows(self, rows: Sequence[Sequence[str]], lines: Lines) -> bool:
        """Whether these lines of a text, all of this shape, are as in the samples."""
        if self.width is not None:
            width = self.width.of(lines)
            if width is None or any(len(row) != width for row in rows):
                return False
        for row in rows:
            for column, word in enumerate(row):
                shape = self.word(column)
                if shape is None or not shape.allows(word, lines):
                    return False
        numbers = _numbers(rows)
        if not all(rule(numbers) for rule in self.rules):
            return False
        return self.spans is None or _connects(numbers, self.spans.of(lines))


@dataclass(frozen=True)
class InputShape:
    """What holds of all inputs of a generator, as far as some samples show it.

    Attributes:
        head: the shapes of the first lines.
        tail: that of all further ones; None if there are none.
        rows: how many lines the tail has; None for any number.
    """

    head: tuple[LineShape, ...]
    tail: LineShape | None = None
    rows: Count | None = None

    def largest(self, row: int, column: int) -> int | None:
        """The largest number that may stand at a place; None if the samples do not say it."""
        line = self.head[row] if row < len(self.head) else self.tail
        word = None if line is None else line.word(column)
        return None if word is None else word.most

    def allows(self, text: str) -> bool:
        """Whether a text is as all samples are."""
        lines = lines_of(text)
        rest = lines[len(self.head) :]
        if len(lines) < len(self.head) or (self.tail is None and rest):
            return False
        if self.rows is not None and self.rows.of(lines) != len(rest):
            return False
        if not all(
            shape.allows([line], lines) for shape, line in zip(self.head, lines, strict=False)
        ):
            return False
        return self.tail is None or self.tail.allows(rest, lines)

    def smaller(self, text: str, most: int) -> tuple[list[str], bool]:
        """The texts of this shape that are shorter than this one, or as long and earlier in the
        alphabet, the smallest first.

        Returns them, and whether these are all; there are at most about `most`.
        """
        found: list[str] = []
        for steps, candidate in enumerate(self._texts([], len(text))):
            if (
                candidate is not None
                and (len(candidate), candidate) < (len(text), text)
                and self.allows(candidate)
            ):
                found.append(candidate)
            if len(found) > most or steps > _STEPS_A_TEXT * most:
                return [], False
        return sorted(found, key=lambda each: (len(each), each)), True

    def _texts(self, lines: Lines, room: int) -> Iterator[str | None]:
        """All texts that begin with these lines and have at most `room` more characters; None for a
        beginning that is tried.
        """
        row = len(lines)
        total = len(self.head) if self.tail is None else None
        if self.tail is not None and row >= len(self.head):
            total = None if self.rows is None else self.rows.of(lines)
            total = None if total is None else len(self.head) + total
        if row >= len(self.head) and total in (None, row):
            yield "".join(" ".join(words) + "\n" for words in lines)
        shape = self.head[row] if row < len(self.head) else self.tail
        if shape is None or (total is not None and row >= total):
            return
        width = None if shape.width is None else shape.width.of(lines)
        if room < 2 * (width or 1) * (1 if total is None or row < len(self.head) else total - row):
            return  # a word and what ends it take two characters
        for words in _rows_of(shape, lines, room - 1):
            yield None
            yield from self._texts([*lines, words], room - len(" ".join(words)) - 1)


def _rows_of(shape: LineShape, lines: Lines, room: int) -> Iterator[list[str]]:
    """All lines of a shape with at most `room` characters, as words."""

    def longer(words: list[str], left: int) -> Iterator[list[str]]:
        so_far = [*lines, words]
        width = None if shape.width is None else shape.width.of(so_far)
        if width is None or width == len(words):
            yield words
        if left <= 0 or (width is not None and len(words) >= width):
            return
        each = shape.word(len(words))
        for word in () if each is None else _words_of(each, so_far, left):
            yield from longer([*words, word], left - len(word) - 1)

    return longer([], room)


def _words_of(shape: WordShape, lines: Lines, room: int) -> Iterator[str]:
    """All words of a shape with at most `room` characters."""
    if shape.least is None or shape.most is None:
        length = None if shape.length is None else shape.length.of(lines)
        beginnings = [""]
        for size in range(1, room + 1 if length is None else min(room, length) + 1):
            beginnings = [
                beginning + each for beginning in beginnings for each in sorted(shape.characters)
            ]
            if length in (None, size):
                yield from beginnings
        return
    bound = None if shape.bound is None else shape.bound.of(lines)
    most = shape.most if bound is None else min(shape.most, bound)
    for value in range(shape.least, most + 1):
        word = str(value)
        if len(word) > room and value >= 0:
            return
        if len(word) <= room:
            yield word


def learned(texts: Sequence[str]) -> InputShape:
    """The shape of these inputs."""
    samples = [lines_of(text) for text in texts]
    totals = {len(lines) for lines in samples}
    shortest = min(totals)
    shapes: list[InputShape] = []
    for head in range(1, min(MAX_HEAD, shortest) + 1):
        rows = _count([len(lines) - head for lines in samples], samples, head)
        if rows is not None and rows.place is not None and max(totals) > head:
            shapes.append(_shape(samples, head, rows))
    if shapes:
        return min(
            shapes,
            key=lambda shape: (_is_loose(shape), shape.rows is not None and shape.rows.more != 0),
        )
    return _shape(samples, shortest if len(totals) == 1 else 0, None)


def _is_loose(shape: InputShape) -> bool:
    """Whether lines of different kinds were taken for one tail."""
    return shape.tail is not None and shape.tail.width is None


def _shape(samples: Sequence[Lines], head: int, rows: Count | None) -> InputShape:
    heads = tuple(
        _line_shape([[lines[row]] for lines in samples], samples, row + 1) for row in range(head)
    )
    rest = [lines[head:] for lines in samples]
    if not any(rest):
        return InputShape(heads)
    return InputShape(heads, _line_shape(rest, samples, head), rows)


def _line_shape(blocks: Sequence[Lines], samples: Sequence[Lines], above: int) -> LineShape:
    """The shape of some lines of each sample.

    Numbers of the first `above` lines may count or bound what is in them.
    """
    width = _count(
        [len(line) for block in blocks for line in block], _beside(blocks, samples), above
    )
    if width is not None and width.place is None and width.more <= MAX_COLUMNS:
        columns = [[[line[k] for line in block] for block in blocks] for k in range(width.more)]
        is_head = all(
            block == [lines[above - 1]] for block, lines in zip(blocks, samples, strict=True)
        )
        words = tuple(
            _word_shape(column, samples, (above - 1, k) if is_head else (above, 0))
            for k, column in enumerate(columns)
        )
        return _with_rules(LineShape(width, words), blocks, samples, above)
    if width is not None and width.place == (above - 1, 0):
        rest = [[word for line in block for word in line[1:]] for block in blocks]
        first = _word_shape(
            [[word for line in block for word in line[:1]] for block in blocks],
            samples,
            (above - 1, 0),
        )
        return LineShape(width, (_word_shape(rest, samples, (above - 1, 1)),), first)
    every = [[word for line in block for word in line] for block in blocks]
    return _with_rules(
        LineShape(width, (_word_shape(every, samples, (above, 0)),)), blocks, samples, above
    )


def _beside(blocks: Sequence[Lines], samples: Sequence[Lines]) -> list[Lines]:
    """For each line of the blocks its sample."""
    return [lines for block, lines in zip(blocks, samples, strict=True) for _ in block]


def _count(values: Sequence[int], samples: Sequence[Lines], above: int) -> Count | None:
    """What says these values, one for each sample: a number of the first lines, else a constant;
    None for nothing.
    """
    if not values:
        return None
    for place in _places(samples, (above, 0)):
        for more in _OFFSETS:
            count = Count(place, more)
            said = [count.of(lines) for lines in samples]
            if said == list(values) and len({*said}) > 1:
                return count
    return Count(None, values[0]) if len({*values}) == 1 else None


def _places(samples: Sequence[Lines], before: tuple[int, int]) -> list[tuple[int, int]]:
    """The places before this one, in the order of reading, at which every sample has a number."""
    if not samples:
        return []
    places = [
        (row, column)
        for row, words in enumerate(samples[0])
        for column in range(min(len(words), MAX_COLUMNS))
    ]
    return [
        place
        for place in places
        if place < before and all(Count(place, 0).of(lines) is not None for lines in samples)
    ]


def _word_shape(
    column: Sequence[Sequence[str]], samples: Sequence[Lines], place: tuple[int, int]
) -> WordShape:
    """The shape of words, some of each sample.

    Numbers before this place may bound them, or count their characters.
    """
    words = [word for each in column for word in each]
    values = [number(word) for word in words]
    if not words:
        return WordShape(0, 0)
    numbers = [value for value in values if value is not None]
    if len(numbers) < len(words):
        beside = [lines for each, lines in zip(column, samples, strict=True) for _ in each]
        length = _count([len(word) for word in words], beside, place[0])
        return WordShape(characters=frozenset("".join(words)), length=length)
    shape = WordShape(*_natural(min(numbers), max(numbers)))
    largest = [max(map(int, each), default=None) for each in column]
    for counting in _places(samples, place):
        for more in (0, -1):
            bound = Count(counting, more)
            bounds = [bound.of(lines) for lines in samples]
            pairs = [
                (value, limit)
                for value, limit in zip(largest, bounds, strict=True)
                if value is not None and limit is not None
            ]
            met = sum(value == limit for value, limit in pairs)
            varied = len({limit for _, limit in pairs}) > 1
            if varied and 4 * met >= len(pairs) and all(value <= limit for value, limit in pairs):
                return replace(shape, bound=bound)
    return shape


def _natural(least: int, most: int) -> tuple[int, int]:
    """The range of which samples have shown these ends. A wide one begins at 0 or 1, or as far
    below 0 as it goes above.

    It ends at a round number, or a power of two, if that is near: chance alone keeps samples from
    it.
    """
    if most - least < WIDE:
        return least, most
    step = 10 ** (len(str(most)) - 1)
    ends = {factor * step: NEAR if factor in (1, 2, 3, 5, 10) else NEARER for factor in range(11)}
    ends |= {2**bits - 1: NEAR for bits in (31, 32, 63, 64)}
    most = next((end for end in sorted(ends) if most <= end and ends[end] * end <= most), most)
    return (min(least, 1) if least >= 0 else min(least, -most)), most


def _numbers(rows: Sequence[Sequence[str]]) -> list[list[int]]:
    return [[value for word in row if (value := number(word)) is not None] for row in rows]


def _with_rules(
    shape: LineShape, blocks: Sequence[Lines], samples: Sequence[Lines], above: int
) -> LineShape:
    """The shape with the rules that hold in all samples, and are no accident."""
    if any(word.least is None for word in shape.words):
        return shape
    rows = [_numbers(block) for block in blocks]
    is_list = len(shape.words) == 1
    rules = [
        rule
        for rule in _RULES
        if all(map(rule, rows))
        and not (is_list and rule in (_no_loop, _rows_ascend, _pairs_distinct))
        and _is_telling(rule, rows)
    ]
    spans = None
    if len(shape.words) in (2, 3) and shape.width is not None and shape.width.place is None:
        ends = [[str(vertex) for row in block for vertex in row[:2]] for block in rows]
        bound = _word_shape(ends, samples, (above, 0)).bound
        if bound is not None and all(
            _connects(block, bound.of(lines)) for block, lines in zip(rows, samples, strict=True)
        ):
            spans = bound
    return replace(shape, rules=tuple(rules), spans=spans)


def _is_telling(rule: Rule, rows: Sequence[Sequence[Sequence[int]]]) -> bool:
    """Whether enough samples could break a rule."""
    able = [
        block
        for block in rows
        if (len(block) if rule in _OF_ROWS else max(map(len, block), default=0)) > 1
    ]
    if rule not in _DISTINCT:
        return len(able) >= _ENOUGH
    values = [value for block in rows for row in block for value in row]
    kinds = max(values, default=0) - min(values, default=0) + 1
    if rule in _OF_ROWS:
        width = max((len(row) for block in able for row in block), default=1)
        pairs = sum(len(block) * (len(block) - 1) / 2 for block in able) / kinds**width
    else:
        pairs = sum(len(row) * (len(row) - 1) / 2 for block in able for row in block) / kinds
    return pairs >= _ENOUGH


def several_at_once(text: str, shape: InputShape | None) -> Iterator[Lines]:
    """Steps that change several numbers: all halved or divided by a common factor, two counts
    lowered with a line left out; of a short text also one left out and given to the others of its
    line, or with the places behind it lowered, something moved from one to another, two merged.
    """
    lines = lines_of(text)
    value = values_of(lines)

    def changed(values: dict[tuple[int, int], int]) -> Lines:
        return [
            [str(values.get((row, k), word)) for k, word in enumerate(words)]
            for row, words in enumerate(lines)
        ]

    for first in (0, 1):
        inner = {place: each for place, each in value.items() if place[0] >= first}
        yield changed({place: int(each / 2) for place, each in inner.items()})
        for factor in (2, 3, 5, 7, 10):
            if inner and all(each % factor == 0 for each in inner.values()):
                yield changed({place: each // factor for place, each in inner.items()})
    counts = [place for place in value if place[0] < MAX_HEAD][:MAX_COLUMNS]
    for row in range(1, len(lines)):  # a line that two numbers count: an edge, with a vertex
        fewer = lines[:row] + lines[row + 1 :]
        above = [place for place in counts if place[0] < row and value[place]]
        for pair in combinations(above, 2):
            yield lowered(fewer, *pair)
    if len(value) > MAX_NUMBERS:
        return

    def room(giver: int, place: tuple[int, int]) -> int:
        """How much of a number may be added at a place."""
        limit = None if shape is None else shape.largest(*place)
        return giver if limit is None else min(giver, limit - value[place])

    for row, column in value:
        left, given = value[row, column], dict[tuple[int, int], int]()
        for place in reversed(value):
            if place[0] == row and place[1] != column and left > 0:
                given[place] = value[place] + room(left, place)
                left -= given[place] - value[place]
        shift = {
            place: each - 1 for place, each in value.items() if place[0] > row and each > column + 1
        }
        for changes in filter(None, (given, shift)):
            shorter = changed(changes)
            del shorter[row][column]
            yield from _counted_down(shorter, row)
    for one, other in combinations(value, 2):
        step = room(value[one], other)
        while step > 0:
            yield changed({one: value[one] - step, other: value[other] + step})
            step //= 2
        if one[0] == other[0]:
            shorter = [[*words] for words in lines]
            shorter[one[0]][one[1]] = str(value[one] + value[other])
            del shorter[other[0]][other[1]]
            yield from _counted_down(shorter, one[0])


def _counted_down(lines: Lines, row: int) -> Iterator[Lines]:
    """The lines with one of the numbers above, or at the beginning of the line, one less."""
    places = [(above, column) for above in range(row) for column in range(len(lines[above]))]
    for place in [*places, (row, 0)]:
        if Count(place, 0).of(lines):
            yield lowered(lines, place)
