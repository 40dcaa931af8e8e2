"""Steps to smaller inputs that a grammar shows, and steps that change several numbers at once.

A number that counts is lowered, and as much is left out of all that it counts: cases, rows, words
of a run, columns of a grid. Numbers that it bounds follow: they may name vertices, and a vertex
goes with its edges.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations
from typing import NamedTuple

from compare.commands.stress.grammar import Grammar, Line, Loop, Node, ReadLine
from compare.commands.stress.line_shapes import MAX_RANGED_COLUMNS, NumberPlace
from puzzles.space.instance_space import blocks
from puzzles.space.text_changes import (
    Lines,
    far_smaller_texts,
    lines_of,
    lower_numbers,
    runs,
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


class _Rounds(NamedTuple):
    """The lines of each round of a repetition, as [start, stop)."""

    rows: Sequence[tuple[int, int]]


class _Run(NamedTuple):
    """Groups of words of a line from a column on."""

    row: int
    first: int
    group: int
    length: int


class _Tree(NamedTuple):
    """The words that are the parents of the vertices `first`, `first` + 1 and so on."""

    spots: Sequence[Spot]
    first: int


class _Label(NamedTuple):
    """A number that another one bounds, and the least that it may be."""

    spot: Spot
    least: int


@dataclass(eq=False)
class _Number:
    """A number of a text, what it counts, and which numbers it bounds.

    Attributes:
        words: whose characters it counts, with their lengths.
        trees: whose vertices it counts.
    """

    spot: Spot
    value: int
    rounds: list[_Rounds] = field(default_factory=list)
    runs: list[_Run] = field(default_factory=list)
    words: list[tuple[Spot, int]] = field(default_factory=list)
    trees: list[_Tree] = field(default_factory=list)
    labels: list[_Label] = field(default_factory=list)

    @property
    def counts(self) -> bool:
        return bool(self.rounds or self.runs or self.words)


class _Numbers:
    """The numbers of a text that count or bound something.

    Attributes:
        all: in the order of the text.
        counter: of each line of a repetition the number that counts its innermost one.
    """

    def __init__(self, nodes: Sequence[Node], lines: Lines) -> None:
        self.all = list[_Number]()
        self.counter = dict[int, _Number]()
        self._lines = lines
        self._take(nodes, {})
        self.all = [each for each in self.all if each.counts or each.labels]
        for number in self.all:  # the smaller ends of edges show from where vertices are named
            least = min((label.least for label in number.labels), default=0)
            number.labels = [label._replace(least=least) for label in number.labels]

    def _take(self, nodes: Sequence[Node], scope: dict[NumberPlace, _Number]) -> None:
        for node in nodes:
            if isinstance(node, ReadLine):
                self._take_row(node, scope)
                continue
            counter = scope.get(node.repeat.count.place or (-1, -1))
            if counter is not None:
                counter.rounds.append(_Rounds(node.rows))
                for start, stop in node.rows:
                    self.counter |= dict.fromkeys(range(start, stop), counter)
                counter.trees += self._trees(node)
            for inner in node.rounds:
                self._take(inner, dict(scope))

    def _trees(self, loop: Loop) -> Iterator[_Tree]:
        """The columns of a table that are the parents of its lines."""
        match loop.repeat.items:
            case [Line(kinds=kinds)] if shape := kinds.get(None):
                for column in range(shape.layout.fields):
                    first = shape.word(column).first_vertex
                    if first is not None:
                        yield _Tree([(start, column) for start, _ in loop.rows], first)
            case _:
                pass

    def _take_row(self, node: ReadLine, scope: dict[NumberPlace, _Number]) -> None:
        words = self._lines[node.row]
        shape = node.line.shape(words)
        if shape is None:
            return
        for column, word in enumerate(words[: shape.layout.fields]):
            if shape.word(column).is_whole:
                number = _Number((node.row, column), int(word))
                scope[node.line.index, column] = number
                self.all.append(number)
        layout = shape.layout
        counter = scope.get(layout.times.place or (-1, -1))
        if counter is not None:
            length = (len(words) - layout.fields) // layout.group
            counter.runs.append(_Run(node.row, layout.fields, layout.group, length))
            first = shape.first_vertex(layout.fields)
            if first is not None and layout.group == 1:
                spots = [(node.row, layout.fields + k) for k in range(length)]
                counter.trees.append(_Tree(spots, first))
        for column, word in enumerate(words):
            each, spot = shape.word(column), (node.row, column)
            if (counter := scope.get(each.length.place or (-1, -1))) is not None:
                counter.words.append((spot, len(word)))
            if (bound := scope.get(each.bound.place or (-1, -1))) is not None:
                bound.labels.append(_Label(spot, each.least or 0))


@dataclass
class _Cut:
    """What is left out of a text, and what becomes of other words."""

    lines: Lines
    rows: set[int] = field(default_factory=set)
    words: set[Spot] = field(default_factory=set)
    changed: dict[Spot, str] = field(default_factory=dict)

    def lower(self, number: _Number, by: int) -> None:
        value = int(self.changed.get(number.spot, number.value))
        self.changed[number.spot] = str(value - by)

    def result(self) -> Lines:
        return [
            [
                self.changed.get((row, column), word)
                for column, word in enumerate(words)
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
    numbers = _Numbers(grammar.parse(lines) or [], lines)
    for number in numbers.all:
        for gone in _parts(number) if number.counts else ():
            yield _without(lines, number, gone).result()
            yield _rename_vertices(numbers, _without(lines, number, gone)).result()
            if number.labels:
                yield _without_labels(numbers, lines, number, gone).result()
            if len(gone) == 1:
                for rounds in number.rounds:
                    yield from _contract(numbers, lines, number, rounds, gone)
        for tree in number.trees if number.value <= MAX_NUMBERS else ():
            yield from _exchange(lines, tree)
        if number.labels and number.value <= MAX_NUMBERS // 2:
            yield from _with_labels_exchanged(lines, number)
        value = number.value
        for lower in (value // 2, value - 1) if number.labels and not number.counts else ():
            cut = _Cut(lines, changed={number.spot: str(lower)})
            for (row, column), least in number.labels:
                most = max(least, lower + least - 1)
                cut.changed[row, column] = str(min(int(lines[row][column]), most))
            yield cut.result()
    yield from _smaller_digits(lines, grammar)


def _smaller_digits(lines: Lines, grammar: Grammar) -> Iterator[Lines]:
    """Strings that look like numbers, such as `1101`, with fewer or lower characters; see
    `smaller_words`.
    """
    for row, shape in grammar.shapes(lines).items():
        for column, word in enumerate(lines[row]):
            if decimals(word) is None or shape.word(column).least is not None:
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
    if value > 2 and any(stop - start > 1 for each in number.rounds for start, stop in each.rows):
        for kept in range(value):
            yield [k for k in range(value) if k != kept]
    for start, stop in blocks(value):
        yield [*range(start, stop)]
    yield [*range(value)]


def _within(gone: list[int], length: int) -> list[int]:
    """As many places, moved so that they are below a length; all, if there are fewer."""
    over = max(0, gone[-1] - length + 1) if gone else 0
    return [k - over for k in gone if k >= over]


def _without(lines: Lines, number: _Number, gone: list[int], *, by_place: bool = True) -> _Cut:
    """Without these of the things that a number counts. Of a tree that it gives by parents, the
    children of a vertex that goes become those of its parent.

    Args:
        by_place: whether rows go that stand at these places, too.
    """
    cut = _Cut(lines)
    cut.lower(number, len(gone))
    for rounds in number.rounds if by_place else ():
        for k in _within(gone, len(rounds.rows)):
            cut.rows.update(range(*rounds.rows[k]))
    for row, first, group, length in number.runs:
        for k in _within(gone, length):
            cut.words.update((row, first + group * k + each) for each in range(group))
    for (row, column), length in number.words:
        lost = {*_within(gone, length)}
        word = lines[row][column]
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


def _without_labels(numbers: _Numbers, lines: Lines, number: _Number, gone: list[int]) -> _Cut:
    """Without these vertices: rows that name one of them go, and the others are named anew. In a
    run a neighbour takes their place.
    """
    labelled = {label.spot[0] for label in number.labels}
    tables = {row for row in labelled if row in numbers.counter}
    cut = _without(lines, number, gone, by_place=False)
    for rounds in number.rounds:
        if not any(tables & {*range(*each)} for each in rounds.rows):
            for k in _within(gone, len(rounds.rows)):
                cut.rows.update(range(*rounds.rows[k]))
    lost, left = {*gone}, number.value - len(gone)
    for (row, column), least in number.labels:
        at = int(lines[row][column]) - least
        counter = numbers.counter.get(row)
        if at in lost and counter is not None and len(lines[row]) <= MAX_RANGED_COLUMNS:
            if row not in cut.rows and counter is not number:
                cut.lower(counter, 1)
            cut.rows.add(row)
        fewer = min(at - bisect_left(gone, at), left - 1)
        cut.changed[row, column] = str(max(0, fewer) + least)
    return cut


def _rename_vertices(numbers: _Numbers, cut: _Cut) -> _Cut:
    """With the vertices in use named anew, without gaps; a number that only bounds them is how
    many there are.
    """
    for number in numbers.all:
        kept = [label for label in number.labels if cut.keeps(label.spot)]
        if not kept or not cut.keeps(number.spot) or len(kept) == len(number.labels):
            continue
        named = [
            int(cut.changed.get((row, column), cut.lines[row][column])) for (row, column), _ in kept
        ]
        least = min(label.least for label in kept)
        names = {each: str(name) for name, each in enumerate(sorted({*named}), least)}
        for label, each in zip(kept, named, strict=True):
            cut.changed[label.spot] = names[each]
        if not number.counts:
            cut.changed[number.spot] = str(len(names))
    return cut


def _contract(
    numbers: _Numbers, lines: Lines, number: _Number, rounds: _Rounds, gone: list[int]
) -> Iterator[Lines]:
    """An edge is left out, and its two ends become one."""
    (place,) = _within(gone, len(rounds.rows)) or [-1]
    start, stop = rounds.rows[place] if rounds.rows else (0, 0)
    if stop - start != 1:
        return
    for owner in numbers.all:
        ends = [label.spot for label in owner.labels if label.spot[0] == start]
        if len(ends) != 2 or (number is not owner and owner.counts):
            continue
        one, other = (lines[row][column] for row, column in ends)
        cut = _without(lines, number, gone)
        for (row, column), _ in owner.labels:
            if lines[row][column] == other:
                cut.changed[row, column] = one
        yield _rename_vertices(numbers, cut).result()


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


def _with_labels_exchanged(lines: Lines, number: _Number) -> Iterator[Lines]:
    """Two vertices in each other's place; then also with the vertices of each line, and the lines,
    in order.
    """
    rows = dict[int, list[int]]()
    for (row, column), _ in number.labels:
        rows.setdefault(row, []).append(column)
    for one, other in combinations(sorted({lines[row][k] for row in rows for k in rows[row]}), 2):
        names, new = {one: other, other: one}, [[*words] for words in lines]
        for row, columns in rows.items():
            for column in columns:
                new[row][column] = names.get(new[row][column], new[row][column])
        yield new
        tidy = [[*words] for words in new]
        for row, columns in rows.items():
            for column, word in zip(columns, sorted(tidy[row][k] for k in columns), strict=True):
                tidy[row][column] = word
        yield tidy
        for start, stop in runs(tidy):
            yield [*tidy[:start], *sorted(tidy[start:stop]), *tidy[stop:]]


def several_at_once(text: str, grammar: Grammar | None) -> Iterator[Lines]:
    """Steps that change several numbers: all halved or divided by a common factor, two counts
    lowered with a line left out; of a short text also one left out and given to the others of its
    line, or with the places behind it lowered, something moved from one to another, two merged.
    """
    lines = lines_of(text)
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
    shapes = {} if grammar is None else grammar.shapes(lines)

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
