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

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise, product
from typing import NamedTuple

from puzzles.space.text_changes import (
    Lines,
    lines_of,
    lowered,
    text_of,
    values_of,
    weight,
    with_word,
)
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

MAX_NUMBERED = 3
"""Numbers at the beginning of lines that are taken for keywords."""

OFTEN = 10
"""How often each word must be there on average if there are to be no others."""

MAX_NUMBERS = 16
"""Numbers of an input up to which two of them are changed together."""

_OFFSETS = (0, -1, 1)
"""What is counted may be one more or one less than the number says: a tree of n vertices has n - 1
edges.
"""


class Count(NamedTuple):
    """A number that the text itself says: the number at a place of the head, and a bit more; a
    constant without a place; of `ANY` nothing is known.
    """

    place: tuple[int, int] | None
    more: int | None

    def of(self, lines: Lines) -> int | None:
        """The number; None if nothing says it, or if the text has no number at the place."""
        if self.place is None or self.more is None:
            return self.more
        row, column = self.place
        value = (
            number(lines[row][column]) if row < len(lines) and column < len(lines[row]) else None
        )
        return None if value is None else value + self.more

    def fits(self, lines: Lines, value: int) -> bool:
        """Whether it says this number, or nothing is known."""
        return self == ANY or self.of(lines) == value


ANY = Count(None, None)


@dataclass(frozen=True)
class WordShape:
    """What holds of the words at one place, or of all words of a line.

    Attributes:
        least, most: of numbers; None if some word is no number.
        bound: the number of the head that none exceeds.
        characters: of other words.
        choices: all other words, if they are few and each was seen often.
        length: of other words, if the head or nothing but a constant says it.
    """

    least: int | None = None
    most: int | None = None
    bound: Count = ANY
    characters: frozenset[str] = frozenset()
    choices: frozenset[str] | None = None
    length: Count = ANY

    def allows(self, word: str, lines: Lines) -> bool:
        value = number(word)
        if self.least is None or self.most is None:
            fits = self.length.fits(lines, len(word))
            if self.choices is not None:
                return fits and word in self.choices
            return fits and self.characters.issuperset(word)
        bound = self.bound.of(lines)
        return (
            value is not None
            and self.least <= value <= self.most
            and (bound is None or value <= bound)
        )


Rows = Sequence[Sequence[int]]
"""The numbers of some lines."""


class Rule(NamedTuple):
    """Something that may hold of the numbers of some lines.

    Attributes:
        of_rows: several rows are needed to break it.
        is_distinct: it holds by chance where the range is large.
        of_pairs: it is about columns that mean different things, so it says nothing of lists.
    """

    holds: Callable[[Rows], bool]
    of_rows: bool = False
    is_distinct: bool = False
    of_pairs: bool = False


_RULES = (
    # numbers increase along a line
    Rule(lambda rows: all(one < other for row in rows for one, other in pairwise(row))),
    # they do not decrease
    Rule(lambda rows: all(one <= other for row in rows for one, other in pairwise(row))),
    # those of a line are distinct
    Rule(lambda rows: all(len({*row}) == len(row) for row in rows), is_distinct=True),
    # edges: no loop
    Rule(
        lambda rows: all(len(row) < 2 or row[0] != row[1] for row in rows),
        is_distinct=True,
        of_pairs=True,
    ),
    # lines are in order
    Rule(
        lambda rows: all(list(one) <= list(other) for one, other in pairwise(rows)),
        of_rows=True,
        of_pairs=True,
    ),
    # lines are distinct
    Rule(lambda rows: len({*map(tuple, rows)}) == len(rows), of_rows=True, is_distinct=True),
    # edges: no two between the same vertices
    Rule(
        lambda rows: len({frozenset(row[:2]) for row in rows}) == len(rows),
        of_rows=True,
        is_distinct=True,
        of_pairs=True,
    ),
)

_ENOUGH = 5
"""Samples that must be able to break a rule before it is believed; of distinct numbers, how many
equal pairs chance would make.
"""

_STEPS_A_TEXT = 20
"""Beginnings of texts that are looked at for each smaller text that is wanted."""


def _connects(rows: Rows, vertices: int | None) -> bool:
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


@dataclass(frozen=True)
class LineShape:
    """What holds of a line of the head, or of each line of the tail.

    Attributes:
        width: how many words there are.
        words: the shape of each column; the last one is that of all further words.
        rules: what holds of its numbers, as rows.
        spans: the number of vertices that the rows, as edges, connect; `ANY` if they are no
            connected graph.
        has_keyword: whether the first word is a keyword, which no rule is about.
        marks: characters, and how often they are there in all rows together: a start, a goal.
    """

    width: Count
    words: tuple[WordShape, ...]
    rules: tuple[Rule, ...] = ()
    spans: Count = ANY
    has_keyword: bool = False
    marks: tuple[tuple[str, int], ...] = ()

    def word(self, column: int) -> WordShape:
        """The shape of the word at a place of the line."""
        return self.words[min(column, len(self.words) - 1)]

    def allows(self, rows: Sequence[Sequence[str]], lines: Lines) -> bool:
        """Whether these lines of a text, all of this shape, are as in the samples."""
        if not all(self.width.fits(lines, len(row)) for row in rows):
            return False
        if not all(
            self.word(column).allows(word, lines) for row in rows for column, word in enumerate(row)
        ):
            return False
        text = "".join(word for row in rows for word in row)
        if any(text.count(mark) != often for mark, often in self.marks):
            return False
        numbers = _numbers(rows, self.has_keyword)
        return all(rule.holds(numbers) for rule in self.rules) and (
            self.spans == ANY or _connects(numbers, self.spans.of(lines))
        )


@dataclass(frozen=True)
class InputShape:
    """What holds of all inputs of a generator, as far as some samples show it.

    Attributes:
        head: the shapes of the first lines.
        tail: those of all further ones by their first word, if that is a keyword such as `add`;
            else the only one, under None. Empty if there are no further lines.
        rows: how many lines the tail has.
    """

    head: tuple[LineShape, ...]
    tail: Mapping[str | None, LineShape] = field(default_factory=dict)
    rows: Count = ANY

    def line(self, row: int) -> Sequence[LineShape]:
        """The shapes that a line may have; none if there is no such line."""
        return self.head[row : row + 1] or [*self.tail.values()]

    def allows(self, text: str) -> bool:
        """Whether a text is as all samples are."""
        lines = lines_of(text)
        rest = lines[len(self.head) :]
        if len(lines) < len(self.head) or not self.rows.fits(lines, len(rest)):
            return False
        if not all(
            shape.allows([line], lines) for shape, line in zip(self.head, lines, strict=False)
        ):
            return False
        by_keyword: dict[str | None, Lines] = {keyword: [] for keyword in self.tail}
        for words in rest:
            keyword = None if None in self.tail else words[0] if words else ""
            if keyword not in by_keyword:
                return False
            by_keyword[keyword].append(words)
        return all(self.tail[keyword].allows(block, lines) for keyword, block in by_keyword.items())

    def smaller(self, text: str, most: int) -> tuple[list[str], bool]:
        """The texts of this shape that are shorter than this one, or as long and earlier in the
        alphabet, the smallest first.

        Returns them, and whether these are all; there are at most about `most`.
        """
        found: list[str] = []
        for steps, candidate in enumerate(self._texts([], len(text))):
            if (
                candidate is not None
                and weight(candidate) < weight(text)
                and self.allows(candidate)
            ):
                found.append(candidate)
            if len(found) > most or steps > _STEPS_A_TEXT * most:
                return [], False
        return sorted(found, key=weight), True

    def _texts(self, lines: Lines, room: int) -> Iterator[str | None]:
        """All texts that begin with these lines and have at most `room` more characters; None for a
        beginning that is tried.
        """
        row, head = len(lines), len(self.head)
        rest = 0 if not self.tail else self.rows.of(lines) if row >= head else None
        if row >= head and rest in (None, row - head):
            yield text_of(lines)
        if rest is not None and row >= head + rest:
            return
        left = 1 if rest is None or row < head else head + rest - row
        for shape in self.line(row):
            if room < 2 * (shape.width.of(lines) or 1) * left:
                continue  # a word and what ends it take two characters
            for words in _rows_of(shape, lines, [], room - 1):
                yield None
                yield from self._texts([*lines, words], room - len(" ".join(words)) - 1)


def _rows_of(shape: LineShape, lines: Lines, words: list[str], room: int) -> Iterator[list[str]]:
    """All lines of a shape that begin with these words and have at most `room` more characters."""
    so_far = [*lines, words]
    width = shape.width.of(so_far)
    if width in (None, len(words)):
        yield words
    if room > 0 and (width is None or len(words) < width):
        for word in _words_of(shape.word(len(words)), so_far, room):
            yield from _rows_of(shape, lines, [*words, word], room - len(word) - 1)


def _words_of(shape: WordShape, lines: Lines, room: int) -> Iterator[str]:
    """All words of a shape with at most `room` characters."""
    if shape.least is None or shape.most is None:
        length = shape.length.of(lines)
        for size in range(1, room + 1):
            if length not in (None, size):
                continue
            if shape.choices is None:
                yield from map("".join, product(sorted(shape.characters), repeat=size))
            else:
                yield from sorted(word for word in shape.choices if len(word) == size)
        return
    bound = shape.bound.of(lines)
    for value in range(shape.least, (shape.most if bound is None else min(shape.most, bound)) + 1):
        word = str(value)
        if len(word) <= room:
            yield word
        elif value >= 0:
            return


Block = tuple[Lines, Lines]
"""Some lines, and the sample that they are from."""


def learned(texts: Sequence[str]) -> InputShape:
    """The shape of these inputs."""
    samples = [lines_of(text) for text in texts]
    totals = {len(lines) for lines in samples}
    shortest = min(totals)
    shapes: list[InputShape] = []
    for head in range(1, min(MAX_HEAD, shortest) + 1):
        rows = _count([(len(lines) - head, lines) for lines in samples], head)
        if rows.place is not None and max(totals) > head:
            shapes.append(_shape(samples, head, rows))

    def looseness(shape: InputShape) -> tuple[bool, bool]:
        """Lines of different kinds were taken for one tail; the count is not the number itself."""
        return any(line.width == ANY for line in shape.tail.values()), shape.rows.more != 0

    if shapes:
        return min(shapes, key=looseness)
    return _shape(samples, shortest if len(totals) == 1 else 0, ANY)


def _shape(samples: Sequence[Lines], head: int, rows: Count) -> InputShape:
    heads = tuple(
        _line_shape([([lines[row]], lines) for lines in samples], row + 1, is_head=True)
        for row in range(head)
    )
    rest = [(lines[head:], lines) for lines in samples]
    if not any(block for block, _ in rest):
        return InputShape(heads)
    keywords = _keywords([words for block, _ in rest for words in block])
    tail: dict[str | None, LineShape] = {
        keyword: _line_shape(
            [([words for words in block if words[0] == keyword], lines) for block, lines in rest],
            head,
            has_keyword=True,
        )
        for keyword in keywords
    }
    return InputShape(heads, tail or {None: _line_shape(rest, head)}, rows)


def _keywords(lines: Lines) -> list[str]:
    """The first words of lines if they are keywords: a few words, each with others behind it and
    there often; or a few numbers that say how long the line is.
    """
    if not all(lines):
        return []
    widths: dict[str, set[int]] = {}
    for words in lines:
        widths.setdefault(words[0], set()).add(len(words))
    keywords = sorted(widths)
    if not 1 < len(keywords) <= len(lines) / OFTEN or max(map(len, lines)) < 2:
        return []
    if all(number(word) is None for word in keywords):
        return keywords
    # a number of the words behind it is no keyword
    fixed = {word: min(each) for word, each in widths.items() if len(each) == 1}
    is_kind = len({*fixed.values()}) > 1 and len(fixed) == len(keywords) <= MAX_NUMBERED
    counts = all(number(word) == width - 1 for word, width in fixed.items())
    return keywords if is_kind and not counts else []


def _line_shape(
    blocks: Sequence[Block], above: int, *, is_head: bool = False, has_keyword: bool = False
) -> LineShape:
    """The shape of some lines of each sample.

    Numbers of the first `above` lines may count or bound what is in them. A line of the head is the
    last of these itself.
    """
    width = _count([(len(line), lines) for block, lines in blocks for line in block], above)

    def words(start: int, stop: int | None, place: tuple[int, int]) -> WordShape:
        """The shape of the words in some columns; numbers before the place may bound them."""
        column = [
            ([word for line in block for word in line[start:stop]], lines)
            for block, lines in blocks
        ]
        return _word_shape(column, place)

    if width.place == (above - 1, 0):  # the first word of a line counts the others
        first, others = words(0, 1, (above - 1, 0)), words(1, None, (above - 1, 1))
        return LineShape(width, (first, others))
    if width.place is None and width.more is not None and width.more <= MAX_COLUMNS:
        columns = [
            words(k, k + 1, (above - 1, k) if is_head else (above, 0)) for k in range(width.more)
        ]
    else:
        columns = [words(0, None, (above, 0))]
    shape = LineShape(width, tuple(columns), has_keyword=has_keyword)
    return _with_rules(shape, blocks, above)


def _count(values: Sequence[tuple[int, Lines]], above: int) -> Count:
    """What says these values, each of a sample: a number of the first lines, else a constant; `ANY`
    for nothing.
    """
    wanted = [value for value, _ in values]
    for place in _places([lines for _, lines in values], (above, 0)):
        for more in _OFFSETS:
            count = Count(place, more)
            if len({*wanted}) > 1 and [count.of(lines) for _, lines in values] == wanted:
                return count
    return Count(None, wanted[0]) if len({*wanted}) == 1 else ANY


def _places(samples: Sequence[Lines], before: tuple[int, int]) -> list[tuple[int, int]]:
    """The places before this one, in the order of reading, at which every sample has a number."""
    return [
        (row, column)
        for row, words in enumerate(samples[0] if samples else [])
        for column in range(min(len(words), MAX_COLUMNS))
        if (row, column) < before
        and all(Count((row, column), 0).of(lines) is not None for lines in samples)
    ]


def _word_shape(column: Sequence[tuple[Sequence[str], Lines]], place: tuple[int, int]) -> WordShape:
    """The shape of words, some of each sample.

    Numbers before this place may bound them, or count their characters.
    """
    words = [(word, lines) for each, lines in column for word in each]
    numbers = [value for word, _ in words if (value := number(word)) is not None]
    if not words:
        return WordShape(0, 0)
    if len(numbers) < len(words):
        length = _count([(len(word), lines) for word, lines in words], place[0])
        every = [word for word, _ in words]
        choices = frozenset(every) if len(every) >= OFTEN * len({*every}) else None
        return WordShape(characters=frozenset("".join(every)), choices=choices, length=length)
    shape = WordShape(*_natural(min(numbers), max(numbers)))
    largest = [(max(map(int, each)), lines) for each, lines in column if each]
    for counting in _places([lines for _, lines in column], place):
        for more in (0, -1):
            bound = Count(counting, more)
            pairs = [(value, bound.of(lines) or 0) for value, lines in largest]
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


def _numbers(rows: Sequence[Sequence[str]], has_keyword: bool) -> list[list[int]]:
    return [
        [value for word in row[has_keyword:] if (value := number(word)) is not None] for row in rows
    ]


def _with_rules(shape: LineShape, blocks: Sequence[Block], above: int) -> LineShape:
    """The shape with the rules that hold in all samples, and are no accident."""
    if any(word.least is None for word in shape.words[shape.has_keyword :]):
        return replace(shape, marks=_marks([block for block, _ in blocks]))
    samples = [(_numbers(block, shape.has_keyword), lines) for block, lines in blocks]
    rows = [numbers for numbers, _ in samples]
    rules = tuple(
        rule
        for rule in _RULES
        if all(map(rule.holds, rows))
        and not (len(shape.words) == 1 and rule.of_pairs)
        and _is_telling(rule, rows)
    )
    spans = ANY
    if len(shape.words) - shape.has_keyword in (2, 3):
        ends = [
            ([str(vertex) for row in numbers for vertex in row[:2]], lines)
            for numbers, lines in samples
        ]
        bound = _word_shape(ends, (above, 0)).bound
        if bound != ANY and all(_connects(numbers, bound.of(lines)) for numbers, lines in samples):
            spans = bound
    return replace(shape, rules=rules, spans=spans)


def _marks(blocks: Sequence[Lines]) -> tuple[tuple[str, int], ...]:
    """The characters that are equally often in each of these blocks, if those differ in size."""
    texts = ["".join(word for row in block for word in row) for block in blocks]
    if len({*map(len, texts)}) < _ENOUGH:
        return ()
    return tuple(
        (mark, texts[0].count(mark))
        for mark in sorted({*texts[0]})
        if len({text.count(mark) for text in texts}) == 1
    )


def _is_telling(rule: Rule, samples: Sequence[Rows]) -> bool:
    """Whether enough samples could break a rule."""
    able = [
        rows
        for rows in samples
        if (len(rows) if rule.of_rows else max(map(len, rows), default=0)) > 1
    ]
    if not rule.is_distinct:
        return len(able) >= _ENOUGH
    values = [value for rows in samples for row in rows for value in row]
    kinds = max(values, default=0) - min(values, default=0) + 1
    sizes, width = [len(row) for rows in able for row in rows], 1
    if rule.of_rows:
        sizes, width = [len(rows) for rows in able], max(sizes, default=1)
    return sum(size * (size - 1) / 2 for size in sizes) / kinds**width >= _ENOUGH


def several_at_once(text: str, shape: InputShape | None) -> Iterator[Lines]:
    """Steps that change several numbers: all halved or divided by a common factor, two counts
    lowered with a line left out; of a short text also one left out and given to the others of its
    line, or with the places behind it lowered, something moved from one to another, two merged.
    """
    lines = lines_of(text)
    value = values_of(lines)
    places = [*value]

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
    counts = [place for place in places if place[0] < MAX_HEAD][:MAX_COLUMNS]
    for row in range(1, len(lines)):  # a line that two numbers count: an edge, with a vertex
        fewer = lines[:row] + lines[row + 1 :]
        for one, other in combinations(
            [place for place in counts if place[0] < row and value[place]], 2
        ):
            yield lowered(fewer, one, other)
    if len(places) > MAX_NUMBERS:
        return

    def room(giver: int, place: tuple[int, int]) -> int:
        """How much of a number may be added at a place: no more than samples have there."""
        lines = [] if shape is None else shape.line(place[0])
        ends = [end for line in lines if (end := line.word(place[1]).most) is not None]
        return min(giver, max(ends) - value[place]) if ends else giver

    for row, column in places:
        left, given = value[row, column], dict[tuple[int, int], int]()
        for place in reversed(places):
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
    for one, other in combinations(places, 2):
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
        count = Count(place, 0).of(lines)
        if count:
            yield with_word(lines, *place, str(count - 1))
