"""Changes of the text of an instance: random ones, and steps to smaller texts. Whether a text is an
instance, a reader says.

A text is lines of words. Where lines or words are left out or repeated, the numbers before them
that may count them follow. Steps to smaller texts leave out lines and columns. They rename the
numbers in use, so that vertices have no gaps; they halve and lower numbers, take characters off
words and columns off grids of characters, and put lines, words and characters in order. Decimals
keep their number of digits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from random import Random
from typing import TypeVar

from puzzles.space.instance_space import blocks, large_blocks
from puzzles.text import decimals, number, scale_number, with_point

Lines = list[list[str]]

T = TypeVar("T")

_MAX_COUNTS, _MAX_COLUMNS = 6, 12
"""Lines before a block in which its count is looked for, and words at the beginning of each."""

_MAX_PAIRED = 24
"""Words of a text up to which two numbers are lowered at once; characters of a word up to which any
two are exchanged, and steps of single ones up to which two are taken at once.
"""

LARGE = 600
"""Texts of more words are first taken down in big steps."""


def lines_of(text: str) -> Lines:
    """The words of each line."""
    return [line.split() for line in text.splitlines()]


def text_of(lines: Lines) -> str:
    """The text of these lines, each ended by LF."""
    return "".join(" ".join(words) + "\n" for words in lines)


def text_size(lines: Lines) -> int:
    """How many numbers there are, and characters of other words."""
    return sum(1 if word[-1].isdigit() else len(word) for words in lines for word in words)


def weight(text: str) -> tuple[int, str]:
    """What makes one text smaller than another: it is shorter, or as long and earlier in the
    alphabet.
    """
    return len(text), text


def with_counts(lines: Lines, first: int, more: int) -> Iterator[Lines]:
    """The lines as they are, then with each number that may count a block changed by `more`, those
    nearest to the block first.

    Args:
        lines: without a block, if `more` is negative; else with more lines in it. Lines before
            `first` are not changed yet.
        first: the line with which the block began.
    """
    yield lines
    near = range(first - 1, -1, -1)
    for row in dict.fromkeys([*near[: _MAX_COUNTS - 2], *near[-2:]]):
        for column, word in enumerate(lines[row][:_MAX_COLUMNS]):
            count = number(word)
            if count is not None and count + more >= 0:
                yield with_word(lines, row, column, str(count + more))


def _splice(items: list[T], start: int, stop: int, *others: T) -> list[T]:
    """The items with others in place of those from `start` to `stop`."""
    return [*items[:start], *others, *items[stop:]]


def with_word(lines: Lines, row: int, column: int, word: str) -> Lines:
    """The lines with another word in one place."""
    return _splice(lines, row, row + 1, _splice(lines[row], column, column + 1, word))


def lower_numbers(lines: Lines, *places: tuple[int, int]) -> Lines:
    """The lines with the numbers in these places one less."""
    for row, column in places:
        lines = with_word(lines, row, column, str(int(lines[row][column]) - 1))
    return lines


def _rename_numbers(lines: Lines, first: int, columns: slice, least: int) -> Lines:
    """The lines in which the numbers in use, in these columns from line `first` on, are `least`,
    `least` + 1 and so on.
    """
    used = sorted(
        {
            value
            for words in lines[first:]
            for word in words[columns]
            if (value := number(word)) is not None
        }
    )
    names = {str(value): str(name) for name, value in enumerate(used, least)}
    changed = list(lines[:first])
    for words in lines[first:]:
        start, stop, _ = columns.indices(len(words))
        changed.append(
            _splice(words, start, stop, *(names.get(word, word) for word in words[start:stop]))
        )
    return changed


def runs(lines: Lines) -> list[tuple[int, int]]:
    """The [start, stop) of neighbouring lines of one number of words: of a short text all, else the
    longest, and each line.
    """
    longest: list[tuple[int, int]] = []
    for row, words in enumerate(lines):
        if longest and len(lines[row - 1]) == len(words):
            longest[-1] = (longest[-1][0], row + 1)
        else:
            longest.append((row, row + 1))
    if len(lines) > 2 * _MAX_COUNTS:
        return list(dict.fromkeys([*longest, *((row, row + 1) for row in range(len(lines)))]))
    return [
        (start, stop)
        for low, high in longest
        for start in range(low, high)
        for stop in range(high, start, -1)
    ]


def random_change(lines: Lines, rng: Random) -> Lines:
    """One change at random; the result may be no instance, or the same text."""
    return rng.choice(_CHANGES)(lines, rng) if any(lines) else lines


def random_variation(lines: Lines, rng: Random) -> Lines:
    """One change at random after which the text is about as long as before."""
    return rng.choice(_VARIATIONS)(lines, rng) if any(lines) else lines


def random_cut(lines: Lines, rng: Random) -> Lines:
    """The lines without a random block of up to half of them, or a word that is no number without
    such a part; a count before it follows with a good chance.
    """
    if not lines:
        return lines
    long = [
        (row, column)
        for row, words in enumerate(lines)
        for column, word in enumerate(words)
        if len(word) > 1 and not word[-1].isdigit()
    ]
    if long and rng.random() < 0.5:
        row, column = rng.choice(long)
        word = lines[row][column]
        start, stop = _block(word, rng)
        shorter = with_word(lines, row, column, word[:start] + word[stop:])
        return _follow_count(shorter, row + 1, start - stop, rng)
    start, stop = _block(lines, rng)
    return _follow_count(_splice(lines, start, stop), start, start - stop, rng)


def random_growth(lines: Lines, rng: Random) -> Lines:
    """The lines with a block of them repeated, or a word; a count before it follows with a good
    chance.
    """
    if not any(lines):
        return lines
    if rng.random() < 0.3:
        return _repeated_word(lines, rng)
    start, stop = _block(lines, rng)
    return _follow_count(lines[:stop] + lines[start:], start, stop - start, rng)


def random_doubling(lines: Lines, rng: Random) -> Lines:
    """The lines with a block repeated that is up to half of all: of the lines, of the words of one,
    or of the characters of a word; a count before it follows with a good chance.

    A text that grows in this way is as long as wanted after a few steps.
    """
    if not any(lines):
        return lines
    row, column = _place(lines, rng)
    words, word = lines[row], lines[row][column]
    what = rng.choice((lines, words, words if word[-1].isdigit() else word))
    start, stop = _block(what, rng)
    if what is lines:
        return _follow_count(lines[:stop] + lines[start:], start, stop - start, rng)
    if what is words:
        longer = _splice(lines, row, row + 1, words[:stop] + words[start:])
        return _follow_count(longer, row + (start > 0), stop - start, rng)
    return _follow_count(
        with_word(lines, row, column, word[:stop] + word[start:]), row + 1, stop - start, rng
    )


def _block(items: Sequence[object], rng: Random) -> tuple[int, int]:
    """The [start, stop) of a block of up to half of the items."""
    length = rng.randint(1, max(1, len(items) // 2))
    start = rng.randint(0, len(items) - length)
    return start, start + length


def _follow_count(lines: Lines, first: int, more: int, rng: Random) -> Lines:
    """The lines, mostly with one of the numbers before a block changed as its count would be."""
    options = list(with_counts(lines, first, more))
    return rng.choice(
        options[-4:] if rng.random() < 0.5 else options
    )  # the last ones stand in the first line


def _other_number(lines: Lines, rng: Random) -> Lines:
    """One number becomes another: one more or less, 0 or 1, another number of the text, or any up
    to the largest of its line.
    """
    row, column = _place(lines, rng)
    value = number(lines[row][column])
    if value is None:
        return with_word(
            lines, row, column, rng.choice(rng.choice([words for words in lines if words]))
        )
    others = [other for word in rng.choice(lines) if (other := number(word)) is not None]
    largest = max(abs(other) for word in lines[row] if (other := number(word)) is not None)
    choices = [
        value - 1,
        value + 1,
        value + 1,
        rng.randint(0, 1),
        rng.randint(0, largest + 1),
        *others[:3],
    ]
    return with_word(lines, row, column, str(rng.choice(choices)))


def _repeated_word(lines: Lines, rng: Random) -> Lines:
    row, column = _place(lines, rng)
    words = lines[row][: column + 1] + lines[row][column:]
    return _follow_count(_splice(lines, row, row + 1, words), row, 1, rng)


def _missing_word(lines: Lines, rng: Random) -> Lines:
    row, column = _place(lines, rng)
    return _follow_count(
        _splice(lines, row, row + 1, _splice(lines[row], column, column + 1)), row, -1, rng
    )


def _exchange_words(lines: Lines, rng: Random) -> Lines:
    """Two words of the text in each other's place."""
    (one, left), (other, right) = _place(lines, rng), _place(lines, rng)
    return with_word(
        with_word(lines, one, left, lines[other][right]), other, right, lines[one][left]
    )


def _other_word(lines: Lines, rng: Random) -> Lines:
    """A word that is no number loses, gains or changes a character."""
    row, column = _place(lines, rng)
    word = lines[row][column]
    if number(word) is not None:
        return _other_number(lines, rng)
    at, new = rng.randrange(len(word)), rng.choice(rng.choice(lines[row]))
    into = rng.choice(("", new, word[at] + new)[len(word) == 1 :])
    changed = with_word(lines, row, column, word[:at] + into + word[at + 1 :])
    return changed if len(into) == 1 else _follow_count(changed, row + 1, len(into) - 1, rng)


def _place(lines: Lines, rng: Random) -> tuple[int, int]:
    """Row and column of a word. Each line is as likely as any other."""
    row = rng.choice([row for row, words in enumerate(lines) if words])
    return row, rng.randrange(len(lines[row]))


_VARIATIONS = (_other_number, _other_number, _other_number, _other_word, _exchange_words)

_CHANGES = (*_VARIATIONS, _missing_word, random_cut, random_growth)


def smaller_texts(text: str) -> Iterator[str]:
    """Texts one step smaller, each once; see `weight`."""
    lines, met = lines_of(text), {text}
    for steps in (
        _without_blocks,
        _without_columns,
        _narrower_words,
        _renumber,
        _lower_numbers,
        _lower_decimals,
        _shorter_words,
        _in_order,
        _pairs,
    ):
        for step in steps(lines):
            smaller = text_of(step)
            if smaller not in met and weight(smaller) < weight(text):
                met.add(smaller)
                yield smaller


def far_smaller_texts(text: str) -> Iterator[str]:
    """A long text without each half, quarter, eighth and sixteenth of its lines or columns; of a
    short one nothing.
    """
    lines = lines_of(text)
    if sum(map(len, lines)) <= LARGE:
        return
    for first, last in large_blocks(len(lines)):
        yield from map(text_of, _without_block(lines, first, last))
    for start, stop in runs(lines):
        width = len(lines[start])
        for left, right in large_blocks(width) if width > LARGE // 4 else ():
            yield from map(text_of, _without_column_block(lines, start, stop, left, right))


def _without_blocks(lines: Lines) -> Iterator[Lines]:
    for start, stop in blocks(len(lines)):
        yield from _without_block(lines, start, stop)


def _without_block(lines: Lines, start: int, stop: int) -> Iterator[Lines]:
    """Without some lines; then with the numbers renamed too that are left, from 0 and from 1: all
    of them, and of longer lines only the first two, which may be an edge with a weight.
    """
    fewer = list(with_counts(_splice(lines, start, stop), start, start - stop))
    yield from fewer
    columns = [slice(None), *([slice(2)] if any(len(words) > 2 for words in lines[1:]) else [])]
    for less in fewer:
        for least in (0, 1):
            for each in columns:
                yield _rename_numbers(less, 1, each, least)


def _without_columns(lines: Lines) -> Iterator[Lines]:
    """Without some columns of neighbouring lines; of a square of words also without the lines of
    the same numbers.
    """
    for start, stop in runs(lines):
        width = len(lines[start])
        for left, right in blocks(width + 1):
            if right <= width:
                yield from _without_column_block(lines, start, stop, left, right)
                if stop - start == width:
                    square = _without_column(lines, start, stop, left, right)
                    yield from with_counts(
                        _splice(square, start + left, start + right), start, left - right
                    )


def _without_column_block(
    lines: Lines, start: int, stop: int, left: int, right: int
) -> Iterator[Lines]:
    narrower = _without_column(lines, start, stop, left, right)
    yield from with_counts(narrower, start, left - right)
    for column in range(left):  # the count may stand on the same line, as in `3 5 6 7`
        count = number(narrower[start][column])
        if stop == start + 1 and count is not None and count >= right - left:
            yield with_word(narrower, start, column, str(count - right + left))


def _without_column(lines: Lines, start: int, stop: int, left: int, right: int) -> Lines:
    return _splice(
        lines, start, stop, *(_splice(words, left, right) for words in lines[start:stop])
    )


def _narrower_words(lines: Lines) -> Iterator[Lines]:
    """Without some columns of characters, where neighbouring lines have words of one length: the
    rows of a grid.
    """
    for start, stop in runs(lines):
        for column in range(len(lines[start])) if stop - start > 1 else ():
            rows = [words[column] for words in lines[start:stop]]
            width = len(rows[0])
            if all(decimals(row) is not None for row in rows) or any(
                len(row) != width for row in rows
            ):
                continue
            for left, right in blocks(width):
                narrower = lines
                for row, word in enumerate(rows, start):
                    narrower = with_word(narrower, row, column, word[:left] + word[right:])
                yield from with_counts(narrower, start, left - right)


def _renumber(lines: Lines) -> Iterator[Lines]:
    """With the numbers in use renamed, so that there are no gaps: all of them, then those of each
    column.
    """
    columns = [
        slice(None),
        *(slice(column, column + 1) for column in range(max(map(len, lines), default=0))),
    ]
    for column in columns:
        for first in (1, 0, 2):
            for least in (0, 1):
                yield _rename_numbers(lines, first, column, least)


def _decimals(lines: Lines) -> dict[tuple[int, int], int]:
    """How many digits each number has that has a point, by its row and column."""
    return {
        (row, column): digits
        for row, words in enumerate(lines)
        for column, word in enumerate(words)
        if (digits := decimals(word))
    }


def _lower_decimals(lines: Lines) -> Iterator[Lines]:
    """The decimals in use as 0, 1 and so on, in whole ones or in units of their last digits; then
    each towards 0, at first all equal ones at once. They keep their digits, or lose zeros at the
    end: all but the first, or with it the point.
    """
    places = _decimals(lines)
    most = max(places.values(), default=0)
    whole: int = 10**most
    value = {(row, column): scale_number(lines[row][column], most) for row, column in places}

    def change(values: dict[tuple[int, int], int]) -> Iterator[Lines]:
        for kept in (most, 1, 0):
            new = [[*words] for words in lines]
            for (row, column), each in values.items():
                digits = places[row, column]
                word = with_point(each // 10 ** (most - digits), digits)
                while digits > kept and word[-1] == "0":
                    word, digits = word[:-1], digits - 1
                new[row][column] = word.rstrip(".")
            yield new

    for unit in (whole, 1):
        for least in (0, 1):
            names = {each: k * unit for k, each in enumerate(sorted({*value.values()}), least)}
            yield from change({place: names[each] for place, each in value.items()})
    equal = [
        [place for place, other in value.items() if other == each]
        for each in dict.fromkeys(value.values())
    ]
    single = [[place] for group in equal if len(group) > 1 for place in group]
    for group in equal + single:
        old = value[group[0]]
        lower, step = [old // whole * whole], abs(old)
        while step:
            lower.append(old - step if old > 0 else old + step)
            step //= 2
        for new in [-old, *lower] if old < 0 else lower:
            yield from change(dict.fromkeys(group, new))


def values_of(lines: Lines) -> dict[tuple[int, int], int]:
    """Each number, by its row and column."""
    return {
        (row, column): value
        for row, words in enumerate(lines)
        for column, word in enumerate(words)
        if (value := number(word)) is not None
    }


def _lower_numbers(lines: Lines) -> Iterator[Lines]:
    """Each column of numbers halved; then each number towards 0: 0, a half, three quarters and so
    on, one less.
    """
    for start, stop in runs(lines):
        for column in range(len(lines[start])) if stop - start > 1 else ():
            halved = lines
            for row in range(start, stop):
                value = number(lines[row][column])
                halved = (
                    halved if value is None else with_word(halved, row, column, str(int(value / 2)))
                )
            yield halved
    for (row, column), value in values_of(lines).items():
        if value < 0:
            yield with_word(lines, row, column, str(-value))
        step = abs(value)
        while step:
            yield with_word(lines, row, column, str(value - step if value > 0 else value + step))
            step //= 2


def smaller_words(word: str, characters: Sequence[str]) -> Iterator[str]:
    """Words as long as this one that come earlier in the alphabet: a character is another one, all
    equal ones are, two of them are exchanged; in a short word two are others at once.

    Args:
        characters: those that a word may have, in order.
    """
    yield "".join(sorted(word))
    lower = {old: [new for new in characters if new < old] for old in word}
    for old, others in lower.items():
        for new in others:
            yield word.replace(old, new)
            yield word.translate(str.maketrans(old + new, new + old))
    single = [(at, new) for at, old in enumerate(word) for new in lower[old]]
    for at, new in single:
        yield _spliced_word(word, at, new)
    places = range(len(word))
    for one, other in combinations(places, 2) if len(word) <= _MAX_PAIRED else pairwise(places):
        if word[one] > word[other]:
            yield _spliced_word(_spliced_word(word, one, word[other]), other, word[one])
    for (one, new), (other, newer) in combinations(single, 2) if len(single) <= _MAX_PAIRED else ():
        if one != other:
            yield _spliced_word(_spliced_word(word, one, new), other, newer)


def _spliced_word(word: str, at: int, new: str) -> str:
    return word[:at] + new + word[at + 1 :]


def _shorter_words(lines: Lines) -> Iterator[Lines]:
    """Words that are no numbers without some characters, then with characters that come earlier in
    the alphabet.
    """
    strings = {
        (row, column): word
        for row, words in enumerate(lines)
        for column, word in enumerate(words)
        if decimals(word) is None
    }
    characters = sorted({*"".join(strings.values())})
    for (row, column), word in strings.items():
        for start, stop in blocks(len(word)):
            yield from with_counts(
                with_word(lines, row, column, word[:start] + word[stop:]), row + 1, start - stop
            )
        for smaller in smaller_words(word, characters):
            yield with_word(lines, row, column, smaller)


def _in_order(lines: Lines) -> Iterator[Lines]:
    """Neighbouring lines, and the words of a line, sorted, or two of them exchanged."""
    for start, stop in runs(lines):
        if stop - start > 1:
            yield _splice(lines, start, stop, *sorted(lines[start:stop]))
    for row, words in enumerate(lines):
        if row + 1 < len(lines):
            yield _splice(lines, row, row + 2, lines[row + 1], words)
        yield _splice(lines, row, row + 1, sorted(words))
        for column in range(len(words) - 1):
            exchanged = _splice(words, column, column + 2, words[column + 1], words[column])
            yield _splice(lines, row, row + 1, exchanged)


def _pairs(lines: Lines) -> Iterator[Lines]:
    """Two numbers of a short text lowered at once."""
    if sum(map(len, lines)) <= _MAX_PAIRED:
        positive = [place for place, value in values_of(lines).items() if value > 0]
        for pair in combinations(positive, 2):
            yield lower_numbers(lines, *pair)
