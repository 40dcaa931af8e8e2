"""Steps to smaller inputs that a grammar shows, and steps that change several numbers at once.

A number that counts is lowered, and as much is left out of all that it counts: cases, rows, words
of a run, columns of a grid. Numbers that it bounds follow: they may name vertices, of which those
are named anew that are still in use.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations, product
from typing import NamedTuple

from compare.commands.stress.grammar import Grammar, Line, Loop, Node, ReadLine
from compare.commands.stress.line_shapes import MAX_RANGED_COLUMNS, LineShape, NumberPlace
from puzzles.space.instance_space import blocks
from puzzles.space.text_changes import (
    Lines,
    far_smaller_texts,
    lines_of,
    lower_numbers,
    smaller_texts,
    smaller_words,
    text_of,
    values_of,
    weight,
    with_word,
)
from puzzles.text import decimals

MAX_HEAD = 4
"""Lines at the beginning of a text whose numbers may count, if no grammar says it."""

MAX_NUMBERS = 16
"""Numbers of an input up to which two of them are changed together."""

SEVERAL = -1
"""The place of all steps that change several numbers."""

Spot = tuple[int, int]
"""Where a word stands in a text: its line and its place there."""


class _Tree(NamedTuple):
    """The words that are the parents of the vertices `first`, `first` + 1 and so on."""

    spots: Sequence[Spot]
    first: int


@dataclass(eq=False)
class _Number:
    """A number of a text, what it counts, and which numbers it bounds.

    Attributes:
        rounds: the lines of each round of a repetition, as [start, stop).
        runs: the words of each group of a line.
        words: whose characters it counts.
        trees: whose vertices it counts.
        labels: the numbers that it bounds, and the least that each may be.
    """

    spot: Spot
    value: int
    rounds: list[list[tuple[int, int]]] = field(default_factory=list)
    runs: list[list[list[Spot]]] = field(default_factory=list)
    words: list[Spot] = field(default_factory=list)
    trees: list[_Tree] = field(default_factory=list)
    labels: dict[Spot, int] = field(default_factory=dict)

    @property
    def counts(self) -> bool:
        return bool(self.rounds or self.runs or self.words)


def _numbers_of(
    nodes: Sequence[Node], lines: Lines, scope: dict[NumberPlace, _Number]
) -> Iterator[_Number]:
    """The numbers of a text in their order. Each knows what it counts and bounds once those behind
    it have been read, too.

    Args:
        scope: the numbers before, which may count these nodes; those of the nodes are added.
    """
    for node in nodes:
        if isinstance(node, ReadLine):
            yield from _numbers_in(node, lines[node.row], scope)
            continue
        counter = scope.get(node.repeat.count.place or (-1, -1))
        if counter is not None:
            counter.rounds.append(node.rows)
            counter.trees += _trees(node)
        for inner in node.rounds:
            yield from _numbers_of(inner, lines, dict(scope))


def _trees(loop: Loop) -> Iterator[_Tree]:
    """The columns of a table that are the parents of its lines."""
    match loop.repeat.items:
        case [Line(kinds=kinds)] if shape := kinds.get(None):
            for column in range(shape.layout.fields):
                first = shape.word(column).first_vertex
                if first is not None:
                    yield _Tree([(start, column) for start, _ in loop.rows], first)
        case _:
            pass


def _numbers_in(
    node: ReadLine, words: Sequence[str], scope: dict[NumberPlace, _Number]
) -> Iterator[_Number]:
    """The numbers of one line; see `_numbers_of`."""
    shape = node.line.shape(words)
    if shape is None:
        return
    layout = shape.layout
    for column, word in enumerate(words[: layout.fields]):
        if shape.word(column).is_whole:
            number = scope[node.line.index, column] = _Number((node.row, column), int(word))
            yield number
    spots = [(node.row, column) for column in range(len(words))]
    counter = scope.get(layout.times.place or (-1, -1))
    if counter is not None:
        starts = range(layout.fields, len(words), layout.group)
        counter.runs.append([spots[start : start + layout.group] for start in starts])
        first = shape.first_vertex(layout.fields)
        if first is not None and layout.group == 1:
            counter.trees.append(_Tree(spots[layout.fields :], first))
    for column, spot in enumerate(spots):
        each = shape.word(column)
        if (counter := scope.get(each.length.place or (-1, -1))) is not None:
            counter.words.append(spot)
        if (bound := scope.get(each.bound.place or (-1, -1))) is not None:
            bound.labels[spot] = each.least or 0


@dataclass
class _Cut:
    """What is left out of a text, and what becomes of other words."""

    lines: Lines
    rows: set[int] = field(default_factory=set)
    words: set[Spot] = field(default_factory=set)
    changed: dict[Spot, str] = field(default_factory=dict)

    def word(self, spot: Spot) -> str:
        """What stands there now."""
        return self.changed.get(spot, self.lines[spot[0]][spot[1]])

    def result(self) -> Lines:
        return [
            [
                self.word((row, column))
                for column in range(len(words))
                if (row, column) not in self.words
            ]
            for row, words in enumerate(self.lines)
            if row not in self.rows
        ]

    def keeps(self, spot: Spot) -> bool:
        return spot[0] not in self.rows and spot not in self.words


def smaller_inputs(text: str, grammar: Grammar | None) -> Iterator[tuple[int, str]]:
    """The smaller inputs that are one step away, with their places; see
    `compare.engine.search.reducer`.

    Whatever changes several numbers has one place, SEVERAL: after such a step the largest one is
    tried first again.
    """
    several = ((SEVERAL, text_of(each)) for each in several_at_once(text, grammar))
    fewer = map(text_of, () if grammar is None else grammar_steps(text, grammar))
    others = chain(far_smaller_texts(text), smaller_texts(text))
    for place, each in chain(several, enumerate(chain(fewer, others))):
        if weight(each) < weight(text) and (grammar is None or grammar.allows(each)):
            yield place, each


def grammar_steps(text: str, grammar: Grammar) -> Iterator[Lines]:
    """Texts with fewer cases, rows, words or columns, whose counts follow; the largest parts of
    what is outermost are left out first.
    """
    lines = lines_of(text)
    numbers = [*_numbers_of(grammar.parse(lines) or [], lines, {})]
    for number in numbers:
        for gone in _parts(number) if number.counts else ():
            yield _without(lines, number, gone).result()
            yield _rename_vertices(numbers, _without(lines, number, gone)).result()
            yield _lower_places(number, _without(lines, number, gone), gone).result()
        for tree in number.trees if number.value <= MAX_NUMBERS else ():
            yield from _exchange(lines, tree)
    yield from _smaller_strings(lines, grammar)


def _smaller_strings(lines: Lines, grammar: Grammar) -> Iterator[Lines]:
    """Strings with fewer characters, or with lower ones of those that samples have there, even if
    the text has none of these; see `smaller_words`. A string may look like a number: `1101`.
    """
    for row, shape in grammar.shapes(lines).items():
        for column, word in enumerate(lines[row]):
            if shape.word(column).least is not None:
                continue
            for start, stop in blocks(len(word)):
                yield with_word(lines, row, column, word[:start] + word[stop:])
            for smaller in smaller_words(word, sorted(shape.word(column).characters)):
                yield with_word(lines, row, column, smaller)


def _parts(number: _Number) -> Iterator[list[int]]:
    """What may be left out of the things that a number counts: all but one of them, then smaller
    and smaller blocks.
    """
    value = number.value
    if value > 2 and any(stop - start > 1 for each in number.rounds for start, stop in each):
        for kept in range(value):
            yield [k for k in range(value) if k != kept]
    for start, stop in blocks(value):
        yield [*range(start, stop)]
    yield [*range(value)]


def _within(gone: list[int], length: int) -> list[int]:
    """As many places, moved so that they are below a length; all, if there are fewer."""
    over = max(0, gone[-1] - length + 1) if gone else 0
    return [k - over for k in gone if k >= over]


def _without(lines: Lines, number: _Number, gone: list[int]) -> _Cut:
    """Without these of the things that a number counts. Of a tree that it gives by parents, the
    children of a vertex that goes become those of its parent.
    """
    cut = _Cut(lines, changed={number.spot: str(number.value - len(gone))})
    for rounds in number.rounds:
        for k in _within(gone, len(rounds)):
            cut.rows.update(range(*rounds[k]))
    for run in number.runs:
        for k in _within(gone, len(run)):
            cut.words.update(run[k])
    for row, column in number.words:
        word = lines[row][column]
        lost = {*_within(gone, len(word))}
        cut.changed[row, column] = "".join(c for k, c in enumerate(word) if k not in lost)
    for tree in number.trees:
        cut.changed |= _adopt(lines, tree, _within(gone, len(tree.spots)))
    return cut


def _adopt(lines: Lines, tree: _Tree, gone: list[int]) -> dict[Spot, str]:
    """The parents without the vertices at these places, the others named anew."""
    parents = [int(lines[row][column]) for row, column in tree.spots]
    lost = [tree.first + k for k in gone]
    changed = dict[Spot, str]()
    for spot, parent in zip(tree.spots, parents, strict=True):
        for _ in lost:
            if parent in lost:
                parent = parents[parent - tree.first]
        changed[spot] = str(parent - bisect_left(lost, parent))
    return changed


def _rename_vertices(numbers: Sequence[_Number], cut: _Cut) -> _Cut:
    """With the vertices in use named anew, without gaps; a number that only bounds them is how
    many there are.
    """
    for number in numbers:
        kept = [spot for spot in number.labels if cut.keeps(spot)]
        if not kept or not cut.keeps(number.spot) or len(kept) == len(number.labels):
            continue
        used = {spot: int(cut.word(spot)) for spot in kept}
        least = min(number.labels.values())  # of edges the smaller ends show where names begin
        names = {each: str(name) for name, each in enumerate(sorted({*used.values()}), least)}
        cut.changed |= {spot: names[each] for spot, each in used.items()}
        if not number.counts:
            cut.changed[number.spot] = str(len(names))
    return cut


def _lower_places(number: _Number, cut: _Cut, gone: list[int]) -> _Cut:
    """With the places behind those that are left out lowered: the ends of a part of a list stay
    around what is left of it.
    """
    if number.labels and number.value > len(gone):
        least = min(number.labels.values())
        last = least + number.value - len(gone) - 1
        for spot in filter(cut.keeps, number.labels):
            place = int(cut.word(spot))
            cut.changed[spot] = str(min(place - bisect_left(gone, place - least), last))
    return cut


def _exchange(lines: Lines, tree: _Tree) -> Iterator[Lines]:
    """Two vertices of a tree in each other's place."""
    places = range(len(tree.spots))
    for one, other in combinations(places, 2):
        names = {one + tree.first: other + tree.first, other + tree.first: one + tree.first}
        cut = _Cut(lines)
        for k, spot in enumerate(tree.spots):
            row, column = tree.spots[{one: other, other: one}.get(k, k)]
            parent = int(lines[row][column])
            cut.changed[spot] = str(names.get(parent, parent))
        yield cut.result()


def _strings(lines: Lines, *, behind_keywords: bool) -> dict[Spot, str]:
    """The words of a text that are no numbers.

    Args:
        behind_keywords: without those that begin a line of several words.
    """
    return {
        (row, column): word
        for row, words in enumerate(lines)
        for column, word in enumerate(words)
        if decimals(word) is None and not (behind_keywords and column == 0 and len(words) > 1)
    }


def _rename_letters(lines: Lines, shapes: Mapping[int, LineShape]) -> Iterator[Lines]:
    """A letter in place of another one in all words, or each in the other's place: a string, and
    what is asked of it. Keywords at the beginning of lines stay, or they change as well.

    Args:
        shapes: of lines, by their number; these say which letters there may be.
    """
    others = {"a"}.union(*(word.characters for shape in shapes.values() for word in shape.words))
    for behind_keywords in (True, False):
        strings = _strings(lines, behind_keywords=behind_keywords)
        letters = {*"".join(strings.values())}
        for old, new in product(sorted(letters), sorted(letters | others)):
            if new < old:
                for names in ({old: new}, {old: new, new: old}):
                    table = str.maketrans(names)
                    changed = {spot: word.translate(table) for spot, word in strings.items()}
                    yield _Cut(lines, changed=changed).result()


def _rename_words(lines: Lines) -> Iterator[Lines]:
    """A word that is there several times, shorter or earlier in the alphabet in all its places."""
    strings = _strings(lines, behind_keywords=True)
    characters = sorted({*"".join(strings.values())})
    for old, often in Counter(strings.values()).items():
        if often > 1 and len(old) > 1:
            shorter = (old[:start] + old[stop:] for start, stop in blocks(len(old)))
            for new in chain(filter(None, shorter), smaller_words(old, characters)):
                changed = {spot: new for spot, word in strings.items() if word == old}
                yield _Cut(lines, changed=changed).result()


def several_at_once(text: str, grammar: Grammar | None) -> Iterator[Lines]:
    """Steps that change several words: a letter or a name in all its places; all numbers halved or
    divided by a common factor, two counts lowered with a line left out; of a short text also one
    left out and given to the others of its line, or with the places behind it lowered, something
    moved from one to another, two merged.
    """
    lines = lines_of(text)
    shapes = {} if grammar is None else grammar.shapes(lines)
    yield from _rename_letters(lines, shapes)
    yield from _rename_words(lines)
    value = values_of(lines)
    places = [*value]

    def change(values: dict[Spot, int]) -> Lines:
        return [
            [str(values.get((row, k), word)) for k, word in enumerate(words)]
            for row, words in enumerate(lines)
        ]

    for first in (0, 1):
        inner = {place: each for place, each in value.items() if place[0] >= first}
        yield change({place: int(each / 2) for place, each in inner.items()})
        for factor in (2, 3, 5, 7, 10):
            if inner and all(each % factor == 0 for each in inner.values()):
                yield change({place: each // factor for place, each in inner.items()})
    counts = [place for place in places if place[0] < MAX_HEAD][:MAX_RANGED_COLUMNS]
    for row in range(1, len(lines)):  # a line that two numbers count: an edge, with a vertex
        fewer = lines[:row] + lines[row + 1 :]
        for one, other in combinations(
            [place for place in counts if place[0] < row and value[place]], 2
        ):
            yield lower_numbers(fewer, one, other)
    if len(places) > MAX_NUMBERS:
        return

    def room(giver: int, place: Spot) -> int:
        """How much of a number may be added at a place: no more than samples have there."""
        word = shapes[place[0]].word(place[1]) if place[0] in shapes else None
        end = word.most if word is not None and word.is_whole else None
        return giver if end is None else min(giver, end - value[place])

    for row, column in places:
        left, raised = value[row, column], dict[Spot, int]()
        for place in reversed(places):
            if place[0] == row and place[1] != column and left > 0:
                raised[place] = value[place] + room(left, place)
                left -= raised[place] - value[place]
        shift = {
            place: each - 1 for place, each in value.items() if place[0] > row and each > column + 1
        }
        for changes in filter(None, (raised, shift)):
            shorter = change(changes)
            del shorter[row][column]
            yield from _counted_down(shorter, row)
    for one, other in combinations(places, 2):
        step = room(value[one], other)
        while step > 0:
            yield change({one: value[one] - step, other: value[other] + step})
            step //= 2
        if one[0] == other[0]:
            shorter = [[*words] for words in lines]
            shorter[one[0]][one[1]] = str(value[one] + value[other])
            del shorter[other[0]][other[1]]
            yield from _counted_down(shorter, one[0])


def _counted_down(lines: Lines, row: int) -> Iterator[Lines]:
    """The lines with one of the numbers above, or at the beginning of the line, one less."""
    for (above, column), value in values_of(lines).items():
        if value and (above < row or (above, column) == (row, 0)):
            yield with_word(lines, above, column, str(value - 1))
