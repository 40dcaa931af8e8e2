"""All short texts that a strict reader accepts, found without knowing the format.

A reader stops at the first place that is wrong. If that place is the end of the text, the text is
the beginning of others; else no text that begins like it is an instance. So only beginnings that
the reader has followed to their end are made longer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random

from puzzles.puzzle import InstanceT
from puzzles.space.instance_space import InstanceSpace, TinyInstances
from puzzles.space.text_changes import (
    Lines,
    far_smaller_texts,
    lines_of,
    random_change,
    random_cut,
    random_doubling,
    random_variation,
    smaller_texts,
    text_of,
    text_size,
    weight,
)
from puzzles.text import InputError, number

_READINGS = 10
"""Texts that are read for each instance that is wanted."""

_LARGEST_NUMBER = 9
"""The largest number of the texts that are listed for one bound of their numbers after the other.
"""

_MAX_WORDS = 2000
"""Different numbers from which texts are made, and about so many parts of other words."""


def _vocabulary(text: str) -> list[str]:
    """The words from which texts are made, the shortest first: numbers up to the largest one, and
    parts of the other words.
    """
    words = [word for line in lines_of(text) for word in line]
    values = [value for word in words if (value := number(word)) is not None]
    largest = max(map(abs, values), default=-1)
    vocabulary = {str(value) for value in range(min(largest, _MAX_WORDS) + 1)}
    if any(value < 0 for value in values):
        vocabulary |= {str(-value) for value in range(1, min(largest, _MAX_WORDS) + 1)}
    others = [word for word in words if number(word) is None]
    parts: set[str] = set()
    for length in range(1, max(map(len, others), default=0) + 1):
        parts |= {
            word[start : start + length]
            for word in others
            for start in range(len(word) - length + 1)
        }
        if len(parts) > _MAX_WORDS:
            break
    return sorted(vocabulary | parts, key=lambda word: (len(word), word))


_ATTEMPTS = 12
"""Random changes of one text of which the reader should accept one."""

_MAX_CUTS = 24
"""Random cuts that make an instance small."""

_MAX_PASSED, _MAX_CHANGES = 6, 30
"""Times in a row that growing an instance may fail; readings for the changes of one that has grown.
"""


class TextSpace(InstanceSpace[InstanceT]):
    """The instances of a puzzle, by their texts.

    One instance is smaller than another if its text is shorter, or as long and earlier in the
    alphabet.
    """

    def steps(self, instance: InstanceT) -> Iterator[InstanceT]:
        """Their texts are shorter, or as long with smaller numbers; see `smaller_texts`."""
        text = instance.text()
        return self.readable(smaller_texts(text), text)

    def draw(
        self, like: InstanceT, bases: Sequence[InstanceT], most: int, rng: Random
    ) -> InstanceT:
        """A base without some lines, so that its size is at most `most` squared, and with up to
        eight changes.
        """
        instance = rng.choice(bases) if bases else like
        lines = lines_of(instance.text())
        for _ in range(_MAX_CUTS):
            if text_size(lines) <= most * most:
                break
            instance, lines = self._change_once(instance, lines, random_cut, rng)
        for _ in range(rng.choice((1, 1, 2, 3, 4, 8))):
            instance, lines = self._change_once(instance, lines, random_change, rng)
        return instance

    def vary(self, instance: InstanceT, rng: Random) -> InstanceT | None:
        varied, lines = instance, lines_of(instance.text())
        for _ in range(rng.choice((1, 2, 4, 1 + len(lines) // 10))):
            varied, lines = self._change_once(varied, lines, random_change, rng)
        return None if varied is instance else varied

    def grow(self, instance: InstanceT, size: int, rng: Random) -> InstanceT:
        """The instance with parts repeated and changed, until it is of about this size or growing
        fails.

        Of a large one many changes are read together, as many as the reader mostly accepts.
        """
        lines, passed = lines_of(instance.text()), 0
        while text_size(lines) < size and passed < _MAX_PASSED:
            before = instance
            instance, lines = self._change_once(instance, lines, random_doubling, rng)
            passed = passed + 1 if instance is before else 0
            instance, lines = self._change_once(instance, lines, random_variation, rng)
        left, together = 3 + size // 4, 1
        for _ in range(_MAX_CHANGES):
            changed = lines
            for _ in range(min(left, together)):
                changed = random_variation(changed, rng)
            accepted = self._read(text_of(changed))
            if accepted is not None:
                instance, lines, left = accepted, lines_of(accepted.text()), left - together
            together = 2 * together if accepted is not None else max(1, together // 2)
            if left <= 0:
                break
        return instance

    def _change_once(
        self,
        instance: InstanceT,
        lines: Lines,
        change: Callable[[Lines, Random], Lines],
        rng: Random,
    ) -> tuple[InstanceT, Lines]:
        """The instance after a random change that the reader accepts, with its lines; unchanged if
        it accepts none of a few.
        """
        for _ in range(_ATTEMPTS):
            changed = change(lines, rng)
            if changed != lines and (accepted := self._read(text_of(changed))) is not None:
                return accepted, lines_of(accepted.text())
        return instance, lines

    def _read(self, text: str) -> InstanceT | None:
        try:
            return self.puzzle.of_text(text)
        except InputError:
            return None

    def readable(self, texts: Iterable[str], below: str) -> Iterator[InstanceT]:
        """The instances of those texts that the reader accepts, each once, if they are smaller than
        the text `below`.
        """
        met: set[str] = set()
        for text in texts:
            instance = self._read(text)
            if (
                instance is not None
                and weight(printed := instance.text()) < weight(below)
                and printed not in met
            ):
                met.add(printed)
                yield instance

    def cut_down(self, instance: InstanceT) -> Iterator[InstanceT]:
        text = instance.text()
        return self.readable(far_smaller_texts(text), text)

    def tiny(
        self, instance: InstanceT, most: int, largest: int | None = None
    ) -> TinyInstances[InstanceT]:
        """The instances whose texts are shorter than this one, or as long and earlier in the
        alphabet; those of one length in the order of the alphabet.

        Their numbers are no larger than the largest in the text, and their other words are parts of
        its words. Beginnings are made longer in the order of their lengths, until about `most`
        instances are there or the readings are used up.

        Args:
            largest: no number is above this one; None for that of the text.
        """
        text = instance.text()
        words = [
            word
            for word in _vocabulary(text)
            if largest is None or (value := number(word)) is None or abs(value) <= largest
        ]
        beginnings: defaultdict[int, list[str]] = defaultdict(list, {0: [""]})
        shortest: list[InstanceT] = []
        readings = 0
        for length in range(len(text) + 1):
            level: list[InstanceT] = []
            for beginning in sorted(beginnings.pop(length, ())):
                readings += 1
                short, separators = self._follow(beginning)
                if short is not None and (length, beginning) < (len(text), text):
                    level.append(short)
                stem = beginning.rstrip("\n")
                for separator in separators:
                    for word in words:
                        longer = len(stem) + len(separator) + len(word) + 1
                        if longer > len(text):
                            break
                        beginnings[longer].append(f"{stem}{separator}{word}\n")
            if shortest and (readings > _READINGS * most or len(shortest) + len(level) > most):
                return TinyInstances(iter(shortest), False)
            shortest += level
            if readings > _READINGS * most or sum(map(len, beginnings.values())) > _READINGS * most:
                return TinyInstances(iter(shortest), length == len(text))
        return TinyInstances(iter(shortest), True)

    def _follow(self, beginning: str) -> tuple[InstanceT | None, tuple[str, ...]]:
        """The instance of a text, if it is one, and what may stand before the next word of a longer
        one.
        """
        if not beginning:
            return None, ("",)
        try:
            return self.puzzle.of_text(beginning), (" ",)
        except InputError as error:
            # errors count a line that a file has above its instances
            lines = beginning.count("\n") + self.puzzle.many_instances
            if error.line > lines:
                return None, ("\n",)
            last = beginning[:-1].rpartition("\n")[2]
            return None, (" ",) if error.line == lines and error.column > len(last) else ()

    def small(self, instance: InstanceT, most: int) -> Iterator[InstanceT]:
        """Of each bound of the numbers, from 1 on, the tiny instances, the smallest first; each
        once. No bound follows once there are more than `most`.

        With a small bound the texts become longer than with the numbers of the instance.
        """
        met: set[str] = set()
        numbers = (number(word) for line in lines_of(instance.text()) for word in line)
        largest = max((abs(value) for value in numbers if value is not None), default=1)
        for bound in range(1, min(largest, _LARGEST_NUMBER) + 1):
            for each in sorted(self.tiny(instance, most, bound).instances, key=self.weight):
                if each.text() not in met:
                    met.add(each.text())
                    yield each
            if len(met) > most:
                return

    def changes(self, instance: InstanceT, count: int, rng: Random) -> Iterator[InstanceT]:
        """Random cuts with a few changes, as far as the text becomes smaller."""
        text = instance.text()
        texts = {text_of(self._change(lines_of(text), rng)) for _ in range(count)}
        return self.readable(sorted(texts, key=weight), text)

    def _change(self, lines: Lines, rng: Random) -> Lines:
        if rng.random() < 0.7:
            lines = random_cut(lines, rng)
        for _ in range(rng.randint(1, 3)):
            lines = random_change(lines, rng)
        return lines
