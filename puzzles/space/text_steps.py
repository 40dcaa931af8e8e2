"""Smaller texts of an instance, the largest steps first. Whether a text is one of an instance is for a reader to say.

Lines and columns are left out, and the numbers before them that may count them are lowered. Numbers in use are renamed, so that
vertices have no gaps. Numbers are halved and lowered, words lose characters, and lines and words are put in order.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from puzzles.shrink import blocks
from puzzles.space.text_lines import Lines, lines_of, number, renamed, runs, text_of, weight, with_counts, with_word

_MOST_PAIRED = 24
"""Words of a text up to which two numbers are lowered at once."""

LARGE = 600
"""Texts of more words are first taken down in big steps."""


def smaller_texts(text: str) -> Iterator[str]:
    """Texts one step smaller, each once; see `weight`."""
    lines, met = lines_of(text), {text}
    for steps in (_without_lines, _without_columns, _renumbered, _lower_numbers, _shorter_words, _in_order, _pairs):
        for step in steps(lines):
            smaller = text_of(step)
            if smaller not in met and weight(smaller) < weight(text):
                met.add(smaller)
                yield smaller


def far_smaller_texts(text: str) -> Iterator[str]:
    """A long text without each half, quarter, eighth and sixteenth of its lines or columns; of a short one nothing."""
    lines = lines_of(text)
    if sum(map(len, lines)) <= LARGE:
        return
    for parts in (2, 4, 8, 16):
        for part in range(parts):
            cut = (part * len(lines) // parts, (part + 1) * len(lines) // parts)
            for step in _without_block(lines, *cut):
                yield text_of(step)
    for start, stop in runs(lines):
        width = len(lines[start])
        for parts in (2, 4, 8, 16):
            for part in range(parts) if width > LARGE // 4 else ():
                for step in _without_column_block(lines, start, stop, part * width // parts, (part + 1) * width // parts):
                    yield text_of(step)


def _without_lines(lines: Lines) -> Iterator[Lines]:
    for start, stop in blocks(len(lines)):
        yield from _without_block(lines, start, stop)


def _without_block(lines: Lines, start: int, stop: int) -> Iterator[Lines]:
    """Without some lines; then with the numbers renamed too that are left, from 0 and from 1."""
    fewer = list(with_counts(lines[:start] + lines[stop:], start, start - stop))
    yield from fewer
    for less in fewer:
        for least in (0, 1):
            yield renamed(less, 1, slice(None), least)


def _without_columns(lines: Lines) -> Iterator[Lines]:
    """Without some columns of neighbouring lines; of a square of words also without the lines of the same numbers."""
    for start, stop in runs(lines):
        width = len(lines[start])
        for left, right in blocks(width + 1):
            if right <= width:
                yield from _without_column_block(lines, start, stop, left, right)
                if stop - start == width:
                    square = _without_column(lines, start, stop, left, right)
                    yield from with_counts(square[: start + left] + square[start + right :], start, left - right)


def _without_column_block(lines: Lines, start: int, stop: int, left: int, right: int) -> Iterator[Lines]:
    narrower = _without_column(lines, start, stop, left, right)
    yield from with_counts(narrower, start, left - right)
    for column in range(left):  # the count may stand on the same line, as in `3 5 6 7`
        count = number(narrower[start][column])
        if stop == start + 1 and count is not None and count >= right - left:
            yield with_word(narrower, start, column, str(count - right + left))


def _without_column(lines: Lines, start: int, stop: int, left: int, right: int) -> Lines:
    return [*lines[:start], *(words[:left] + words[right:] for words in lines[start:stop]), *lines[stop:]]


def _renumbered(lines: Lines) -> Iterator[Lines]:
    """With the numbers in use renamed, so that there are no gaps: all of them, then those of each column."""
    columns = [slice(None), *(slice(column, column + 1) for column in range(max(map(len, lines), default=0)))]
    for column in columns:
        for first in (1, 0, 2):
            for least in (0, 1):
                yield renamed(lines, first, column, least)


def _places(lines: Lines) -> list[tuple[int, int, int]]:
    """Row, column and value of each number."""
    return [
        (row, column, value)
        for row, words in enumerate(lines)
        for column, word in enumerate(words)
        if (value := number(word)) is not None
    ]


def _lower_numbers(lines: Lines) -> Iterator[Lines]:
    """Each column of numbers halved; then each number towards 0: 0, a half, three quarters and so on, one less."""
    for start, stop in runs(lines):
        for column in range(len(lines[start])) if stop - start > 1 else ():
            halved = lines
            for row in range(start, stop):
                value = number(lines[row][column])
                halved = halved if value is None else with_word(halved, row, column, str(int(value / 2)))
            yield halved
    for row, column, value in _places(lines):
        if value < 0:
            yield with_word(lines, row, column, str(-value))
        step = abs(value)
        while step:
            yield with_word(lines, row, column, str(value - step if value > 0 else value + step))
            step //= 2


def _shorter_words(lines: Lines) -> Iterator[Lines]:
    """Words that are no numbers without some characters, then with characters that come earlier in the alphabet."""
    characters = sorted({character for words in lines for word in words if number(word) is None for character in word})
    for row, words in enumerate(lines):
        for column, word in enumerate(words):
            if number(word) is not None:
                continue
            for start, stop in blocks(len(word)):
                yield from with_counts(with_word(lines, row, column, word[:start] + word[stop:]), row + 1, start - stop)
            for at, old in enumerate(word):
                for new in characters[: characters.index(old)]:
                    yield with_word(lines, row, column, word[:at] + new + word[at + 1 :])


def _in_order(lines: Lines) -> Iterator[Lines]:
    """Neighbouring lines, and the words of a line, sorted, or two of them exchanged."""
    for start, stop in runs(lines):
        if stop - start > 1:
            yield [*lines[:start], *sorted(lines[start:stop]), *lines[stop:]]
    for row, words in enumerate(lines):
        if row + 1 < len(lines):
            yield [*lines[:row], lines[row + 1], words, *lines[row + 2 :]]
        yield [*lines[:row], sorted(words), *lines[row + 1 :]]
        for column in range(len(words) - 1):
            yield [*lines[:row], [*words[:column], words[column + 1], words[column], *words[column + 2 :]], *lines[row + 1 :]]


def _pairs(lines: Lines) -> Iterator[Lines]:
    """Two numbers of a short text lowered at once."""
    places = [place for place in _places(lines) if place[2] > 0]
    if sum(map(len, lines)) <= _MOST_PAIRED:
        for one, other in combinations(places, 2):
            yield with_word(with_word(lines, one[0], one[1], str(one[2] - 1)), other[0], other[1], str(other[2] - 1))
