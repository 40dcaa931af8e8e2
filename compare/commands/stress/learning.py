"""What the inputs of a generator have in common, learned from some of them. Shrinking keeps it
where no validator does.

First comes the structure: which lines are repeated, and which numbers count them and their words.
Then what holds of the words in every sample: the range of each number, by which number read before
it is bounded, whether the numbers of a line are sorted or distinct, and what holds of pairs: edges
of a graph without loops, a tree, intervals.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from typing import NamedTuple, TypeVar

from compare.commands.stress.grammar import Grammar, Item, Line, blocks_of
from compare.commands.stress.line_shapes import (
    ANY,
    AT_MOST,
    LESS,
    NONE,
    RULES,
    Count,
    LineBlock,
    LineShape,
    NumberPlace,
    NumberRows,
    Rule,
    Scope,
    WordCount,
    WordShape,
    connects,
)
from compare.commands.stress.structure import (
    MAX_NUMBERED,
    OFFSETS,
    OFTEN,
    keywords,
    structure_of,
)
from puzzles.space.text_changes import Lines, lines_of
from puzzles.text import decimals, number, scale_number

_MAX_WORDS, _MIN_SAMPLES = 60_000, 5
"""Words from which is learned, and samples whatever they hold."""

WIDE = 30
"""A range from which samples need not have shown the ends: a wider one is taken to begin at 0 or
1.
"""

NEAR = 0.9
"""The share of a round number that samples have shown if a wide range is to end there."""

NEARER = 0.98
"""The share of a less round number that samples have shown if a wide range is to end there."""

_ENOUGH = 5
"""Samples that must be able to break a rule before it is believed; of distinct numbers, how many
equal pairs chance would make, and of a bound by the place, how many numbers beyond it.
"""

_BY_PLACE = (-2, -1, 0, 1, 2)
"""What a number may be more than its place, counted from 0: of parents and of vertices, named from
0 or from 1, with the root or without it.
"""


_Ordered = TypeVar("_Ordered", float, list[float])


class _Part(NamedTuple):
    """Words that belong together, what was read before them, and the place of the first of them."""

    words: Sequence[str]
    scope: Scope
    first: int = 0


def learn(texts: Sequence[str]) -> Grammar:
    """The grammar of these inputs; large ones behind the first are passed over."""
    samples, words = list[Lines](), 0
    for text in [*texts[:1], *sorted(texts[1:], key=len)]:
        lines = lines_of(text)
        words += sum(map(len, lines))
        if words > _MAX_WORDS and len(samples) >= _MIN_SAMPLES:
            break
        samples.append(lines)
    grammar = Grammar(structure_of(samples))
    blocks: dict[int, list[LineBlock]] = defaultdict(list)
    for lines in samples:
        for line, block in blocks_of(grammar.parse(lines) or [], lines):
            blocks[line.index].append(block)
    items = tuple(_fill(item, blocks, is_table=False) for item in grammar.items)
    return Grammar(items, len(samples))


def _fill(item: Item, blocks: Mapping[int, Sequence[LineBlock]], *, is_table: bool) -> Item:
    """The item with the kinds of its lines.

    Args:
        is_table: whether it is the only one of a repetition.
    """
    if not isinstance(item, Line):
        alone = len(item.items) == 1
        return replace(
            item, items=tuple(_fill(each, blocks, is_table=alone) for each in item.items)
        )
    own = blocks[item.index]
    first_words = keywords([words for block in own for words in block.rows]) if is_table else []
    if kinds := _kinds(item, own, first_words):
        return replace(item, kinds=kinds)
    kinds = _kinds(item, own, _leading_numbers(own)) if is_table else {}
    if kinds:
        every = _line_shape(item, own, has_keyword=True)
        if any(_says_more(kind, every) for kind in kinds.values()):
            return replace(item, kinds=kinds)
    return replace(item, kinds={None: _line_shape(item, own)})


def _kinds(
    item: Line, blocks: Sequence[LineBlock], first_words: Sequence[str]
) -> dict[str | None, LineShape]:
    """The shape of the lines that begin with each of these words."""
    return {
        keyword: _line_shape(item, [block.of(keyword) for block in blocks], has_keyword=True)
        for keyword in first_words
    }


def _leading_numbers(blocks: Sequence[LineBlock]) -> list[str]:
    """The first words of lines of equal length if these are a few numbers, which may be keywords:
    `1 place value`, `2 begin end`.
    """
    rows = [words for block in blocks for words in block.rows]
    first_words = sorted({words[0] for words in rows if words})
    is_few = 1 < len(first_words) <= MAX_NUMBERED and len(rows) >= OFTEN * len(first_words)
    is_long = len({*map(len, rows)}) == 1 and len(rows[0]) > 2
    return first_words if is_few and is_long and all(map(str.isdigit, first_words)) else []


def _says_more(kind: LineShape, every: LineShape) -> bool:
    """Whether a rule or a bound holds of one kind of lines, and not of all of them."""
    return not {*kind.rules} <= {*every.rules} or any(
        own.bound != ANY and other.bound == ANY
        for own, other in zip(kind.words, every.words, strict=True)
    )


def _line_shape(line: Line, blocks: Sequence[LineBlock], *, has_keyword: bool = False) -> LineShape:
    """The shape of some lines of each sample."""
    layout = line.layout
    if layout is None:
        layout = _own_layout(line.index, [words for block in blocks for words in block.rows])
        blocks = [block.with_numbers(line.index, layout.fields) for block in blocks]

    def words(start: int, step: int | None) -> WordShape:
        """The shape of the words in some columns; numbers read before them may bound them."""
        stop = start + 1 if step is None else None
        return _word_shape(
            [
                [
                    _Part(row[start:stop:step], scope, k if step is None else 0)
                    for k, (row, scope) in enumerate(zip(block.rows, block.scopes, strict=True))
                ]
                for block in blocks
            ],
            (line.index, start),
        )

    columns = [words(column, None) for column in range(layout.fields)]
    if layout.times != NONE:
        columns += [words(layout.fields + k, layout.group) for k in range(layout.group)]
    shape = LineShape(layout, tuple(columns), has_keyword=has_keyword)
    return _with_rules(shape, blocks, (line.index, 0))


def _own_layout(line: int, rows: Sequence[Sequence[str]]) -> WordCount:
    """How many words lines of one kind have: a constant number, or what the second word says."""
    widths = {len(words) for words in rows}
    if len(widths) == 1:
        return WordCount.constant(*widths)
    if all(len(words) > 1 and number(words[1]) == len(words) - 2 for words in rows):
        return WordCount(2, 1, Count((line, 1), 0))
    return WordCount(0, 1, ANY)


def _count(values: Sequence[tuple[int, Scope]], before: NumberPlace) -> Count:
    """What says these values: a number read before, else a constant; `ANY` for nothing."""
    wanted = {value for value, _ in values}
    if len(wanted) == 1:
        return Count(None, *wanted)
    for place in _places([scope for _, scope in values], before):
        for more in OFFSETS:
            if all(scope[place] + more == value for value, scope in values):
                return Count(place, more)
    return ANY


def _places(scopes: Sequence[Scope], before: NumberPlace) -> list[NumberPlace]:
    """The places before this one, in the order of reading, that all these scopes have."""
    if not scopes:
        return []
    first, *others = scopes
    return sorted(
        place for place in first if place < before and all(place in scope for scope in others)
    )


def _word_shape(blocks: Sequence[Sequence[_Part]], place: NumberPlace) -> WordShape:
    """The shape of the words at a place; numbers before it may bound them, or count their
    characters.
    """
    words = [(word, part.scope) for block in blocks for part in block for word in part.words]
    every = [word for word, _ in words]
    if not words:
        return WordShape(0, 0)
    behind = [digits for word in every if (digits := decimals(word)) is not None]
    if len(behind) < len(words):
        length = _count([(len(word), scope) for word, scope in words], place)
        return WordShape(
            characters=frozenset("".join(every)),
            choices=frozenset(every) if len(every) >= OFTEN * len({*every}) else None,
            length=length,
            lengths=_natural(*_ends(map(len, every))),
        )
    digits = _ends(behind)
    values = [scale_number(word, digits[1]) for word in every]
    if digits[1]:
        fills = any(
            k > digits[0] and word[-1] == "0" for k, word in zip(behind, every, strict=True)
        )
        return WordShape(*_natural(*_ends(values), unit=10 ** digits[1]), digits, fills)
    least, most = _natural(*_ends(values))
    shape = WordShape(least, most)
    parts = [part for block in blocks for part in block if part.words]
    shape = _bounded_by_place(shape, parts, sorted(values))
    # a number of the same line bounds the words of this line, any other one those of the block
    whole = [
        _Part([word for part in block for word in part.words], block[0].scope)
        for block in blocks
        if any(part.words for part in block)
    ]
    for is_often_met in (True, False):
        for bounding in _places([part.scope for part in parts], place):
            largest = [
                (max(map(int, part.words)), part.scope[bounding])
                for part in (parts if bounding[0] == place[0] else whole)
            ]
            if len({limit for _, limit in largest}) == 1:
                continue
            for more in (0, -1) if is_often_met else (-1, 0):
                if any(value > limit + more for value, limit in largest):
                    continue
                # of a limit that is seldom met: how many numbers chance would put beyond it
                enough = 4 * sum(value == limit + more for value, limit in largest) >= len(largest)
                if not is_often_met:
                    beyond = sum(max(0, most - limit - more) for _, limit in largest)
                    enough = beyond >= _ENOUGH * (most - least + 1)
                if enough:
                    most = max(most, *(limit + more for _, limit in largest))
                    return replace(shape, most=most, bound=Count(bounding, more))
    return shape


def _bounded_by_place(
    shape: WordShape, parts: Sequence[_Part], ordered: Sequence[int]
) -> WordShape:
    """The shape with bounds that follow the places of the words, unless chance would keep to them,
    too: the same words in any other order.

    Args:
        ordered: all numbers, the least first.
    """
    beyond = [
        (int(word) - place, place)
        for part in parts
        for place, word in enumerate(part.words, part.first)
    ]
    below, above = max(more for more, _ in beyond), min(more for more, _ in beyond)
    larger = sum(len(ordered) - bisect_right(ordered, place + below) for _, place in beyond)
    smaller = sum(bisect_left(ordered, place + above) for _, place in beyond)
    enough = _ENOUGH * len(ordered)
    return replace(
        shape,
        below=below if below in _BY_PLACE and larger >= enough else None,
        above=above if above in _BY_PLACE and smaller >= enough else None,
    )


def _ends(values: Iterable[int]) -> tuple[int, int]:
    ordered = sorted(values)
    return ordered[0], ordered[-1]


def _natural(least: int, most: int, unit: int = 1) -> tuple[int, int]:
    """The range of which samples have shown these ends. A wide one begins at 0 or 1, or as far
    below 0 as it goes above.

    It ends at a round number, or a power of two, if that is near: chance alone keeps samples from
    it.

    Args:
        unit: of decimals how many make a whole one. Those above 0 begin at a whole one, or next to
            0.
    """
    if most - least < WIDE:
        return least, most
    step = 10 ** (len(str(most)) - 1)
    ends = {factor * step: NEAR if factor in (1, 2, 3, 5, 10) else NEARER for factor in range(11)}
    ends |= {2**bits - 1: NEAR for bits in (31, 32, 63, 64)}
    most = next((end for end in sorted(ends) if most <= end and ends[end] * end <= most), most)
    if least < 0:
        return min(least, -most), most
    return (min(least, 1) if unit == 1 else min(least, max(1, least // unit * unit))), most


def _with_rules(shape: LineShape, blocks: Sequence[LineBlock], place: NumberPlace) -> LineShape:
    """The shape with the rules that hold in all samples, and are no accident."""
    is_list = shape.layout.times != NONE and shape.layout.group == 1
    if len(shape.ruled) < len(shape.words[shape.first_ruled :]):
        shape = replace(shape, marks=_marks([block.rows for block in blocks]))
    run = shape.ruled
    if not run:
        return shape
    samples = [(shape.numbers(block), block.outer) for block in blocks]
    tables = [rows for rows, _ in samples]
    rules = tuple(
        rule
        for rule in RULES
        if not (rule.of_pairs and len(run) < (rule.column or 0) + 2)
        and (rule.first_vertex is None or is_list)
        and all(map(rule.holds, tables))
        and _is_telling(rule, tables, run)
    )
    parents = [rule for rule in rules if rule.first_vertex is not None]
    rules = tuple(rule for rule in rules if rule not in parents[1:])
    shape = _with_common_ends(shape, rules, tables)
    increases = is_list and rules[:1] == RULES[:1]
    if increases and (run[0].above or 0) <= (run[0].least or 0):  # it follows from the order
        shape = replace(shape, words=(*shape.words[:-1], replace(run[0], above=None)))
    spans = ANY
    if len(run) in (2, 3) and all(word.is_whole for word in run[:2]):
        ends = [
            [_Part([str(vertex) for row in rows for vertex in row[:2]], outer)]
            for rows, outer in samples
        ]
        both = _word_shape(ends, place)
        vertices = both.bound
        if vertices.more is not None and both.least == 0:
            vertices = Count(vertices.place, vertices.more + 1)
        if vertices != ANY and all(connects(rows, vertices.of(outer)) for rows, outer in samples):
            spans = vertices
            if not any(word.above == word.below is not None for word in run):
                # the order of the edges is the generator's, not that of the problem
                shape = replace(
                    shape,
                    words=tuple(replace(word, above=None, below=None) for word in shape.words),
                )
    return replace(shape, rules=rules, spans=spans)


def _with_common_ends(
    shape: LineShape, rules: Sequence[Rule], tables: Sequence[NumberRows]
) -> LineShape:
    """The shape in which neighbouring numbers in order have one range; see `_with_one_range`."""
    words = list(shape.words)
    places = [k for k in range(shape.first_ruled, len(words)) if words[k].least is not None]
    for column, (one, other) in enumerate(pairwise(places)):
        rule = next((each for each in (LESS[column], AT_MOST[column]) if each in rules), None)
        if rule is not None:
            pairs = [(row[column], row[column + 1]) for rows in tables for row in rows]
            words[one], words[other] = _with_one_range(
                words[one], words[other], pairs, int(rule.is_strict)
            )
    return replace(shape, words=tuple(words))


def _with_one_range(
    one: WordShape, other: WordShape, pairs: Sequence[tuple[float, float]], gap: int
) -> tuple[WordShape, WordShape]:
    """Two numbers in order, of which the first may be as large and the second as small as the other
    one lets it be, unless chance would have shown that.

    Few samples show an interval that begins where the last one may end.

    Args:
        gap: how much less the first one is at least.
    """
    if one.least is None or one.most is None or other.least is None or other.most is None:
        return one, other
    if one.digits != other.digits:
        return one, other
    most, least = other.most - gap, one.least + gap
    unit = 10 ** one.digits[1]
    ends = [(round(low * unit) + gap, round(high * unit) - gap) for low, high in pairs]
    above = sum((end - one.most) / (end - one.least + 1) for _, end in ends if end > one.most)
    below = sum(
        (other.least - end) / (other.most - end + 1) for end, _ in ends if end < other.least
    )
    if above < _ENOUGH:
        one = replace(one, most=max(one.most, most))
    if below < _ENOUGH:
        other = replace(other, least=min(other.least, least))
    return one, other


def _marks(blocks: Sequence[Sequence[Sequence[str]]]) -> tuple[tuple[str, int], ...]:
    """The characters that are equally often in each of these blocks, if those differ in size."""
    texts = ["".join(word for row in block for word in row) for block in blocks]
    if len({*map(len, texts)}) < _ENOUGH:
        return ()
    return tuple(
        (mark, texts[0].count(mark))
        for mark in sorted({*texts[0]})
        if len({text.count(mark) for text in texts}) == 1
    )


def _is_telling(rule: Rule, samples: Sequence[NumberRows], run: Sequence[WordShape]) -> bool:
    """Whether enough samples could break a rule about numbers of these shapes."""
    if rule.is_order:
        return _is_order_telling(rule, samples, len(run))
    able = [
        rows
        for rows in samples
        if (len(rows) if rule.of_rows else max(map(len, rows), default=0)) > 1
    ]
    if rule.first_vertex is not None and len({*chain(*chain(*able))}) < 2:
        return False
    if not rule.is_distinct:
        return len(able) >= _ENOUGH
    unit = 10 ** max(word.digits[1] for word in run)  # of decimals how many make a whole one
    if rule.of_pairs:
        able = [[row[:2] for row in rows] for rows in able]
        samples = able
    values = [value for rows in samples for row in rows for value in row]
    kinds = (max(values, default=0) - min(values, default=0)) * unit + 1
    sizes, width = [len(row) for rows in able for row in rows], 1
    if rule.of_rows:
        sizes, width = [len(rows) for rows in able], max(sizes, default=1)
    return sum(size * (size - 1) / 2 for size in sizes) / kinds**width >= _ENOUGH


def _is_order_telling(rule: Rule, samples: Sequence[NumberRows], columns: int) -> bool:
    """Whether the same numbers in any other order would break an order often enough: of several
    columns those of each two neighbouring ones, of a list all.
    """
    rows = [row for sample in samples for row in sample]
    if rule.of_rows:
        lines = [pair for sample in samples for pair in pairwise(map(list, sample))]
        return _breaks(lines, is_strict=rule.is_strict) >= _ENOUGH
    if columns == 1:
        neighbours = [pair for row in rows for pair in pairwise(row)]
        return _breaks(neighbours, is_strict=rule.is_strict) >= _ENOUGH
    firsts = range(columns - 1) if rule.column is None else (rule.column,)
    return all(
        _breaks([(row[first], row[first + 1]) for row in rows], is_strict=rule.is_strict) >= _ENOUGH
        for first in firsts
    )


def _breaks(pairs: Sequence[tuple[_Ordered, _Ordered]], *, is_strict: bool) -> float:
    """How many pairs would break an order if each had the second part of any other one."""
    ordered = sorted(other for _, other in pairs)
    smaller = bisect_right if is_strict else bisect_left
    return sum(smaller(ordered, one) for one, _ in pairs) / max(1, len(pairs))
