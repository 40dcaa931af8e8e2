"""The text of an instance as lines of words, and changes after which counts still say how many lines or words follow them."""

from __future__ import annotations

import re
from collections.abc import Iterator

Lines = list[list[str]]

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")

_MOST_COUNTS = 6
"""Lines before a block in which its count is looked for."""


def lines_of(text: str) -> Lines:
    """The words of each line."""
    return [line.split() for line in text.splitlines()]


def text_of(lines: Lines) -> str:
    """The text of these lines, each ended by LF."""
    return "".join(" ".join(words) + "\n" for words in lines)


def number(word: str) -> int | None:
    """The number that a word writes without zeros in front; None for any other word."""
    return int(word) if _NUMBER.fullmatch(word) else None


def weight(text: str) -> tuple[int, str]:
    """What makes one text smaller than another: it is shorter, or as long and earlier in the alphabet."""
    return len(text), text


def with_counts(lines: Lines, first: int, more: int) -> Iterator[Lines]:
    """The lines as they are, then with each number that may count a block changed by `more`, those nearest to the block first.

    Args:
        lines: without a block, if `more` is negative; else with more lines in it. Lines before `first` are not changed yet.
        first: the line with which the block began.
    """
    yield lines
    near = range(first - 1, -1, -1)
    for row in dict.fromkeys([*near[: _MOST_COUNTS - 2], *near[-2:]]):
        for column, word in enumerate(lines[row]):
            count = number(word)
            if count is not None and count + more >= 0:
                yield with_word(lines, row, column, str(count + more))


def with_word(lines: Lines, row: int, column: int, word: str) -> Lines:
    """The lines with another word in one place."""
    return [*lines[:row], [*lines[row][:column], word, *lines[row][column + 1 :]], *lines[row + 1 :]]


def renamed(lines: Lines, first: int, columns: slice, least: int) -> Lines:
    """The lines in which the numbers in use, in these columns from line `first` on, are `least`, `least` + 1 and so on."""
    used = sorted({value for words in lines[first:] for word in words[columns] if (value := number(word)) is not None})
    names = {str(value): str(name) for name, value in enumerate(used, least)}
    return [
        *lines[:first],
        *(
            [*words[: columns.start or 0], *(names.get(word, word) for word in words[columns]), *_after(words, columns)]
            for words in lines[first:]
        ),
    ]


def _after(words: list[str], columns: slice) -> list[str]:
    return [] if columns.stop is None else words[columns.stop :]


def runs(lines: Lines) -> list[tuple[int, int]]:
    """The [start, stop) of neighbouring lines of one number of words: of a short text all, else the longest, and each line."""
    longest: list[tuple[int, int]] = []
    for row, words in enumerate(lines):
        if longest and len(lines[row - 1]) == len(words):
            longest[-1] = (longest[-1][0], row + 1)
        else:
            longest.append((row, row + 1))
    if len(lines) > 2 * _MOST_COUNTS:
        return list(dict.fromkeys([*longest, *((row, row + 1) for row in range(len(lines)))]))
    return [(start, stop) for low, high in longest for start in range(low, high) for stop in range(high, start, -1)]
