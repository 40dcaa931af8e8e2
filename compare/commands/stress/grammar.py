"""What an input is: a grammar of counted repetitions.

An input is a sequence of items. An item is a line, or it is several items that are repeated: as
often as a number says that was read before, a constant number of times, or until a line that is
always the same, or the end. Where a text fits, the grammar gives its parts: rounds of repetitions,
and rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from compare.commands.stress.line_shapes import (
    ANY,
    Count,
    LineBlock,
    LineShape,
    NumberPlace,
    Scope,
    WordCount,
    line_text,
    with_numbers,
)
from puzzles.space.text_changes import Lines, lines_of, text_of, weight

_STEPS_A_TEXT = 20
"""Beginnings of texts that are looked at for each smaller text that is wanted."""

_MAX_WORDS = 150
"""Words of a text up to which all smaller ones may be few enough."""


@dataclass(frozen=True)
class Line:
    """One line.

    Attributes:
        index: its place in the grammar, counted from 0 in the order of reading.
        layout: how many words it has; None if any number, or if its first word says it.
        kinds: what holds of it, by its first word, if that is a keyword such as `add`; else the
            only shape, under None.
    """

    index: int
    layout: WordCount | None
    kinds: Mapping[str | None, LineShape] = field(default_factory=dict)

    def shape(self, words: Sequence[str]) -> LineShape | None:
        """What holds of a line with these words."""
        return self.kinds.get(None) or self.kinds.get(words[0] if words else None)


@dataclass(frozen=True)
class Repeat:
    """Items that come several times; `ANY` times is until the end.

    Attributes:
        last: the words of the line that ends them, which belongs to them; None if the end of the
            text does, or a count.
    """

    count: Count
    items: tuple[Item, ...]
    last: tuple[str, ...] | None = None

    @property
    def last_lines(self) -> Lines:
        """The lines behind the last round."""
        return [] if self.last is None else [[*self.last]]


Item = Line | Repeat


class ReadLine(NamedTuple):
    """A line of a text, and the numbers read before it and in it."""

    line: Line
    row: int
    scope: Scope


class Loop(NamedTuple):
    """The rounds of a repetition in a text, and the numbers read before it.

    Attributes:
        rows: [start, stop) of the lines of each round.
    """

    repeat: Repeat
    scope: Scope
    rounds: list[list[Node]]
    rows: list[tuple[int, int]]


Node = ReadLine | Loop


def read_items(
    items: Sequence[Item], lines: Lines, row: int, scope: dict[NumberPlace, int]
) -> tuple[list[Node], int] | None:
    """What these items are in a text, from a line on, and the line behind them; None if the text
    is not made so.

    Args:
        scope: the numbers read before; it takes up those that are read here.
    """
    nodes: list[Node] = []
    for item in items:
        if isinstance(item, Line):
            if row >= len(lines):
                return None
            words, layout = lines[row], item.layout
            if layout is not None:
                own = with_numbers(scope, item.index, words, layout.fields)
                if layout.times != ANY and layout.width(own) != len(words):
                    return None
                scope.update(own)
            nodes.append(ReadLine(item, row, scope))
            row += 1
            continue
        count = item.count.of(scope)
        if item.count != ANY and (count is None or count < 0):
            return None
        loop, last = Loop(item, dict(scope), [], []), item.last_lines
        while _goes_on(loop, count, lines, row):
            inner = read_items(item.items, lines, row, dict(loop.scope))
            if inner is None:
                return None
            loop.rounds.append(inner[0])
            loop.rows.append((row, inner[1]))
            row = inner[1]
        if lines[row : row + len(last)] != last:
            return None
        row += len(last)
        nodes.append(loop)
    return nodes, row


def _goes_on(loop: Loop, count: int | None, lines: Lines, row: int) -> bool:
    """Whether another round begins at this line of a text."""
    if count is not None:
        return len(loop.rounds) < count
    return row < len(lines) and lines[row : row + 1] != loop.repeat.last_lines


def blocks_of(nodes: Sequence[Node], lines: Lines) -> Iterator[tuple[Line, LineBlock]]:
    """The lines of a text that belong together: those of a repetition of one line are a table, and
    each other line stands alone.
    """
    for node in nodes:
        if isinstance(node, ReadLine):
            yield node.line, LineBlock([lines[node.row]], [node.scope], node.scope)
        elif len(node.repeat.items) == 1 and isinstance(line := node.repeat.items[0], Line):
            rows = [each for inner in node.rounds for each in inner if isinstance(each, ReadLine)]
            scopes = [each.scope for each in rows]
            yield line, LineBlock([lines[each.row] for each in rows], scopes, node.scope)
        else:
            for inner in node.rounds:
                yield from blocks_of(inner, lines)


def read_lines(nodes: Sequence[Node]) -> Iterator[ReadLine]:
    """All lines in the order of the text."""
    for node in nodes:
        if isinstance(node, ReadLine):
            yield node
        else:
            for inner in node.rounds:
                yield from read_lines(inner)


@dataclass(frozen=True)
class Grammar:
    """What holds of all inputs of a generator, as far as some samples show it.

    Attributes:
        samples: how many there were.
    """

    items: tuple[Item, ...]
    samples: int = 0

    @property
    def is_counted(self) -> bool:
        """Whether numbers say how many lines and words there are; else a text may be cut anywhere
        and nothing is missed.
        """
        return not any(map(_is_open, self.items))

    @property
    def counts_words(self) -> bool:
        """Whether it says how many words each line has, or that one line is all there is."""
        is_one_line = len(self.items) == 1 and isinstance(self.items[0], Line)
        return is_one_line or not any(map(_has_uncounted_words, self.items))

    def parse(self, lines: Lines) -> list[Node] | None:
        """The parts of a text; None if it has other lines than the grammar says."""
        whole = read_items(self.items, lines, 0, {})
        return whole[0] if whole is not None and whole[1] == len(lines) else None

    def allows(self, text: str) -> bool:
        """Whether a text is as all samples are."""
        lines = lines_of(text)
        nodes = self.parse(lines)
        return nodes is not None and all(
            _holds(line, block) for line, block in blocks_of(nodes, lines)
        )

    def shapes(self, lines: Lines) -> dict[int, LineShape]:
        """The shape of each line of a text, by its number; none if the text is not made so."""
        rows = read_lines(self.parse(lines) or [])
        return {each.row: shape for each in rows if (shape := each.line.shape(lines[each.row]))}

    def smaller(self, text: str, most: int) -> tuple[list[str], bool]:
        """The texts of this grammar that are shorter than this one, or as long and earlier in the
        alphabet, the smallest first.

        Returns them, and whether these are all; there are at most about `most`.
        """
        smaller: list[str] = []
        if len(text.split()) > _MAX_WORDS:
            return [], False
        for steps, lines in enumerate(_texts(self.items, [], {}, len(text))):
            if lines is not None and weight(candidate := text_of(lines)) < weight(text):
                smaller += [candidate] if self.allows(candidate) else []
            if len(smaller) > most or steps > _STEPS_A_TEXT * most:
                return [], False
        return sorted(smaller, key=weight), True


def _is_open(item: Item) -> bool:
    """Whether nothing says how many lines or words there are."""
    if isinstance(item, Repeat):
        is_endless = item.count == ANY and item.last is None
        return is_endless or any(map(_is_open, item.items))
    return _has_uncounted_words(item)


def _has_uncounted_words(item: Item) -> bool:
    """Whether nothing says how many words a line has."""
    if isinstance(item, Repeat):
        return any(map(_has_uncounted_words, item.items))
    return any(shape.layout.times == ANY for shape in item.kinds.values())


def _holds(line: Line, block: LineBlock) -> bool:
    """Whether a block is as the samples are: the lines of each kind, and none of another."""
    if None in line.kinds:
        return line.kinds[None].allows(block)
    return all(words and words[0] in line.kinds for words in block.rows) and all(
        shape.allows(block.of(keyword or "").with_numbers(line.index, shape.layout.fields))
        for keyword, shape in line.kinds.items()
    )


def _texts(
    items: tuple[Item, ...], lines: Lines, scope: dict[NumberPlace, int], room: int
) -> Iterator[Lines | None]:
    """All texts of these items behind these lines that have at most `room` more characters; None
    for a beginning that is tried.
    """
    if not items:
        yield lines
        return
    first, rest = items[0], items[1:]
    if isinstance(first, Repeat):
        count = first.count.of(scope)
        if first.count == ANY:
            last = first.last_lines
            yield from _texts(rest, [*lines, *last], scope, room - len(text_of(last)))
            yield from _texts((*first.items, *items), lines, scope, room) if room > 0 else ()
        elif count is not None and 0 <= count <= room:
            # the numbers of one round are written over by those of the next
            yield from _texts((*first.items * count, *rest), lines, scope, room)
        return
    left = room - len(rest)  # each line takes at least its end
    for shape in first.kinds.values() if left > 0 else ():
        for words in shape.lines(first.index, scope, [], left - 1):
            if words is None:
                yield None
                continue
            own = with_numbers(scope, first.index, words, shape.layout.fields)
            yield from _texts(rest, [*lines, words], own, room - len(line_text(words)))
