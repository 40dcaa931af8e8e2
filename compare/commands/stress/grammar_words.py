"""A grammar in words: `T times (n k, n numbers from 1 to 9)`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from compare.commands.stress.grammar import Grammar, Item, Line, Repeat
from compare.commands.stress.line_shapes import (
    ANY,
    AT_MOST,
    LESS,
    NONE,
    Count,
    LineShape,
    NumberPlace,
    WordShape,
)
from puzzles.text import with_point

_MAX_CHARACTERS = 16
"""Characters of strings that are listed."""

_COUNTING, _OTHERS = "nmqpst", "kxyzuvw"
"""Letters for numbers that count or bound others, and for those beside them."""

_FOLLOWED = {
    "increasing": (
        "in order",
        "distinct",
        "the first two differ",
        *(each.text for each in (*LESS, *AT_MOST)),
    ),
    "in order": tuple(each.text for each in AT_MOST),
    **{one.text: (other.text,) for one, other in zip(LESS, AT_MOST, strict=True)},
    LESS[0].text: ("the first two differ", AT_MOST[0].text),
    "distinct": ("the first two differ",),
    "no pair twice": ("lines distinct",),
}
"""What need not be said beside a rule."""


def grammar_line(grammar: Grammar) -> str:
    """What an input is, in one line."""
    names = _names(grammar.items)
    items = grammar.items
    if names.get((0, 0)) == "T":
        items = items[1:]
    return ", ".join(_item(each, names) for each in items)


def _names(items: Sequence[Item]) -> Mapping[NumberPlace, str]:
    """A letter for each number that something refers to, and for those on the same line. T counts
    cases: rounds of several lines, or of strings that are no rows of a grid.
    """
    referred = {place for item in items for place in _references(item)}
    names = dict[NumberPlace, str]()
    match items:
        case [
            Line() as head,
            Repeat(count=Count(place=(0, 0), more=0), items=(first, *others)),
        ] if [*_fields(head)] == [(0, 1)] and (others or _has_strings(first)):
            names[0, 0] = "T"
        case _:
            pass
    counting, others = _letters(_COUNTING), _letters(_OTHERS)
    for line, fields in (each for item in items for each in _fields(item)):
        if any((line, column) in referred for column in range(fields)):
            for column in range(fields):
                place = line, column
                if place not in names:
                    names[place] = next(counting if place in referred else others)
    return names


def _has_strings(item: Item) -> bool:
    """Whether a line has strings, and nothing counts their characters."""
    if not isinstance(item, Line):
        return False
    shapes = [shape for shape in item.kinds.values() if not shape.has_keyword]
    words = [word for shape in shapes for word in shape.words]
    return any(word.least is None and word.length == ANY for word in words)


def _letters(letters: str) -> Iterator[str]:
    """The letters, then with numbers behind them."""
    yield from letters
    number = 1
    while True:
        yield f"{letters[0]}{number}"
        number += 1


def _references(item: Item) -> Iterator[NumberPlace]:
    if isinstance(item, Repeat):
        counts = [item.count]
        for each in item.items:
            yield from _references(each)
    else:
        counts = [
            count
            for shape in item.kinds.values()
            for count in (
                shape.layout.times,
                shape.spans,
                *(each for word in shape.words for each in (word.bound, word.length)),
            )
        ]
    yield from (count.place for count in counts if count.place is not None)


def _fields(item: Item) -> Iterator[tuple[int, int]]:
    """Each line and how many fields it has."""
    if isinstance(item, Repeat):
        for each in item.items:
            yield from _fields(each)
    elif None in item.kinds:
        yield item.index, item.kinds[None].layout.fields


def _item(item: Item, names: Mapping[NumberPlace, str]) -> str:
    if isinstance(item, Repeat):
        inner = ", ".join(_item(each, names) for each in item.items)
        if item.last is not None:
            return f"until a line {' '.join(item.last) or 'without words'} ({inner})"
        if item.count == ANY:
            return f"until the end ({inner})"
        return f"{_count(item.count, names)} times ({inner})"
    return " or ".join(
        f"{'' if keyword is None else f'`{keyword}` '}{_line(item.index, shape, names)}".strip()
        for keyword, shape in item.kinds.items()
    )


def _count(count: Count, names: Mapping[NumberPlace, str]) -> str:
    if count.place is None:
        return str(count.more)
    more = f" {'+' if count.more > 0 else '-'} {abs(count.more)}" if count.more else ""
    return names.get(count.place, "?") + more


def _line(line: int, shape: LineShape, names: Mapping[NumberPlace, str]) -> str:
    layout = shape.layout
    first = int(shape.has_keyword)
    places = [(line, column) for column in range(first, layout.fields)]
    parts: list[str] = []
    if any(place in names for place in places):
        words = shape.words[first : layout.fields]
        named = [
            names.get(place, "?")
            for place, word in zip(places, words, strict=True)
            if word.is_whole
        ]
        parts.append(" ".join(named))
        parts += _fields_text([word for word in words if not word.is_whole], names)
    elif places:
        parts += _fields_text(shape.words[first : layout.fields], names)
    if layout.times != NONE:
        group = shape.words[layout.fields :]
        count = "some" if layout.times == ANY else _count(layout.times, names)
        if len(group) == 1:
            parts.append(_words(count, group[0], names, is_list=True))
        else:
            inner = " and ".join(_fields_text(group, names))
            parts.append(f"{count} times {inner}")
    text = " and ".join(parts) or ("" if shape.has_keyword else "an empty line")
    rules = [rule.text for rule in shape.rules]
    for rule, followed in _FOLLOWED.items():
        rules = [each for each in rules if each not in followed or rule not in rules]
    if shape.spans != ANY:
        rules.append("connected")
    rules += [f"{often} {mark}" for mark, often in shape.marks if often]
    if any(not {word.above, word.below} <= {None} for word in shape.words[: layout.fields]):
        rules.append("i: the line")
    return f"{text} [{', '.join(rules)}]" if rules else text


def _fields_text(words: Sequence[WordShape], names: Mapping[NumberPlace, str]) -> list[str]:
    """The fields; equal ones that follow one another as one part."""
    parts: list[tuple[int, WordShape]] = []
    for word in words:
        if parts and _words("a", parts[-1][1], names) == _words("a", word, names):
            parts[-1] = (parts[-1][0] + 1, word)
        else:
            parts.append((1, word))
    return [_words("a" if often == 1 else str(often), word, names) for often, word in parts]


def _words(
    count: str, word: WordShape, names: Mapping[NumberPlace, str], *, is_list: bool = False
) -> str:
    """So many words of this shape."""
    plural = "" if count == "a" else "s"
    if word.least is not None and word.most is not None:
        noun = f"{'decimal' if word.digits[1] else 'number'}{plural}"
        least, most = (with_point(end, word.digits[1]) for end in (word.least, word.most))
        if word.bound != ANY:
            most = _count(word.bound, names)
        least = least if word.above is None else _of_place(word.above)
        most = most if word.below is None else _of_place(word.below)
        if is_list and (word.above, word.below) != (None, None):
            noun += ", the i-th"
        if least == most:
            return f"{'the' if count == 'a' else count} {noun} {least}"
        digits = " to ".join(map(str, dict.fromkeys(word.digits)))
        behind = f" with {digits} digits behind the point" if " " in digits else ""
        return f"{count} {noun} from {least} to {most}{behind}"
    length = f"length {_count(word.length, names)}"
    if word.length == ANY:
        least, most = word.lengths
        length = f"length {least}" if least == most else f"length {least} to {most}"
    if word.choices is not None and len(word.choices) <= _MAX_CHARACTERS // 2:
        return f"{count} word{plural} of {', '.join(sorted(word.choices))}"
    characters = "".join(sorted(word.characters))
    if len(characters) > _MAX_CHARACTERS:
        characters = f"{characters[:_MAX_CHARACTERS]}..."
    return f"{count} string{plural} of {length} of `{characters}`"


def _of_place(more: int) -> str:
    """A number that is so much more than its place, which is counted from 0; i is from 1."""
    return "i" if more == 1 else f"i {'+' if more > 1 else '-'} {abs(more - 1)}"
