"""Random changes of a text: lines and words left out, repeated or exchanged, with counts that follow; other numbers and words."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from puzzles.space.text_lines import Lines, number, with_counts, with_word


def random_change(lines: Lines, rng: Random) -> Lines:
    """One change at random; the result may be no instance, or the same text."""
    return rng.choice(_CHANGES)(lines, rng) if any(lines) else lines


def random_cut(lines: Lines, rng: Random) -> Lines:
    """The lines without a random block of up to half of them; a count before it follows with a good chance."""
    if not lines:
        return lines
    length = rng.randint(1, max(1, len(lines) // 2))
    start = rng.randint(0, len(lines) - length)
    return _followed(lines[:start] + lines[start + length :], start, -length, rng)


def random_growth(lines: Lines, rng: Random) -> Lines:
    """The lines with a block of them repeated, or a word; a count before it follows with a good chance."""
    if not any(lines):
        return lines
    if rng.random() < 0.3:
        return _repeated_word(lines, rng)
    length = rng.randint(1, max(1, len(lines) // 2))
    start = rng.randint(0, len(lines) - length)
    return _followed(lines[: start + length] + lines[start:], start, length, rng)


def _followed(lines: Lines, first: int, more: int, rng: Random) -> Lines:
    """The lines, mostly with one of the numbers before a block changed as its count would be."""
    options = list(with_counts(lines, first, more))
    return rng.choice(options[-4:] if rng.random() < 0.5 else options)  # the last ones stand in the first line


def _other_number(lines: Lines, rng: Random) -> Lines:
    """One number becomes another: one more or less, 0 or 1, another number of the text, or any up to the largest of its line."""
    row, column = _place(lines, rng)
    value = number(lines[row][column])
    if value is None:
        return with_word(lines, row, column, rng.choice(rng.choice([words for words in lines if words])))
    others = [other for word in rng.choice(lines) if (other := number(word)) is not None]
    largest = max(abs(other) for word in lines[row] if (other := number(word)) is not None)
    choices = [value - 1, value + 1, value + 1, rng.randint(0, 1), rng.randint(0, largest + 1), *others[:3]]
    return with_word(lines, row, column, str(rng.choice(choices)))


def _repeated_word(lines: Lines, rng: Random) -> Lines:
    row, column = _place(lines, rng)
    words = lines[row][: column + 1] + lines[row][column:]
    return _followed([*lines[:row], words, *lines[row + 1 :]], row, 1, rng)


def _missing_word(lines: Lines, rng: Random) -> Lines:
    row, column = _place(lines, rng)
    return _followed([*lines[:row], lines[row][:column] + lines[row][column + 1 :], *lines[row + 1 :]], row, -1, rng)


def _exchanged(lines: Lines, rng: Random) -> Lines:
    """Two words of the text in each other's place."""
    (one, left), (other, right) = _place(lines, rng), _place(lines, rng)
    return with_word(with_word(lines, one, left, lines[other][right]), other, right, lines[one][left])


def _other_word(lines: Lines, rng: Random) -> Lines:
    """A word that is no number loses, gains or changes a character."""
    row, column = _place(lines, rng)
    word = lines[row][column]
    if number(word) is not None:
        return _other_number(lines, rng)
    at, new = rng.randrange(len(word)), rng.choice(rng.choice(lines[row]))
    return with_word(lines, row, column, word[:at] + rng.choice(("", new, word[at] + new)) + word[at + 1 :])


def _place(lines: Lines, rng: Random) -> tuple[int, int]:
    """Row and column of a word. Each line is as likely as any other."""
    row = rng.choice([row for row, words in enumerate(lines) if words])
    return row, rng.randrange(len(lines[row]))


_CHANGES: tuple[Callable[[Lines, Random], Lines], ...] = (
    _other_number,
    _other_number,
    _other_number,
    _other_word,
    _exchanged,
    _missing_word,
    random_cut,
    random_growth,
)
