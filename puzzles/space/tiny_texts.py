"""All short texts that a strict reader accepts, found without knowing the format.

A reader stops at the first place that is wrong. If that place is the end of the text, the text is the beginning of others; else no
text that begins like it is an instance. So only beginnings that the reader has followed to their end are made longer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Generic, NamedTuple

from puzzles.puzzle import InstanceT
from puzzles.space.text_changes import lines_of
from puzzles.text import InputError, number

_READINGS = 10
"""Texts that are read for each instance that is wanted."""

_MOST_WORDS = 2000
"""Different words from which texts are made."""


class ShortInstances(NamedTuple, Generic[InstanceT]):
    """The short instances.

    Attributes:
        instances: the shortest first, those of one length in the order of the alphabet.
        below: every text of fewer characters than this was looked at.
    """

    instances: list[InstanceT]
    below: int


def short_instances(read: Callable[[str], InstanceT], text: str, most: int, lines_above: int) -> ShortInstances[InstanceT]:
    """The instances whose texts are shorter than this one, or as long and earlier in the alphabet.

    Their numbers are no larger than the largest in the text, and their other words are parts of its words. Beginnings are
    made longer in the order of their lengths, until about `most` instances are there or the readings are used up.

    Args:
        read: returns the instance of a text, or raises `InputError`.
        lines_above: how many lines of a file stand above the text; errors count them too.
    """
    words = _vocabulary(text)
    beginnings: defaultdict[int, list[str]] = defaultdict(list, {0: [""]})
    shortest: list[InstanceT] = []
    readings = 0
    for length in range(len(text) + 1):
        level: list[InstanceT] = []
        for beginning in sorted(beginnings.pop(length, ())):
            readings += 1
            instance, separators = _followed(read, beginning, lines_above)
            if instance is not None and (length, beginning) < (len(text), text):
                level.append(instance)
            for separator in separators:
                for word in words:
                    longer = len(beginning.rstrip("\n")) + len(separator) + len(word) + 1
                    if longer > len(text):
                        break
                    beginnings[longer].append(f"{beginning.rstrip(chr(10))}{separator}{word}\n")
        if shortest and (readings > _READINGS * most or len(shortest) + len(level) > most):
            return ShortInstances(shortest, length)
        shortest += level
        if readings > _READINGS * most or sum(map(len, beginnings.values())) > _READINGS * most:
            return ShortInstances(shortest, length + 1)
    return ShortInstances(shortest, len(text) + 1)


def _vocabulary(text: str) -> list[str]:
    """The words from which texts are made, the shortest first: numbers up to the largest one, and parts of the other words."""
    words = [word for line in lines_of(text) for word in line]
    values = [value for word in words if (value := number(word)) is not None]
    largest = max(map(abs, values), default=-1)
    vocabulary = {str(value) for value in range(min(largest, _MOST_WORDS) + 1)}
    if any(value < 0 for value in values):
        vocabulary |= {str(-value) for value in range(1, min(largest, _MOST_WORDS) + 1)}
    for word in (word for word in words if number(word) is None):
        vocabulary |= {word[start:stop] for start in range(len(word)) for stop in range(start + 1, len(word) + 1)}
    return sorted(vocabulary, key=lambda word: (len(word), word))


def _followed(
    read: Callable[[str], InstanceT], beginning: str, lines_above: int
) -> tuple[InstanceT | None, Iterator[str] | tuple[str, ...]]:
    """The instance of a text, if it is one, and what may stand before the next word of a longer one."""
    if not beginning:
        return None, ("",)
    try:
        instance = read(beginning)
    except InputError as error:
        lines = beginning.count("\n") + lines_above
        if error.line > lines:
            return None, ("\n",)
        last = beginning[:-1].rpartition("\n")[2]
        return None, (" ",) if error.line == lines and error.column > len(last) else ()
    return instance, (" ",)
