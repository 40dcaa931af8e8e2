"""How lines of inputs are nested: the simplest grammar of lines and repetitions that fits all
samples.

The search reads all samples side by side. A partial grammar is read in each of them up to the place
where it ends for the first time: of a repetition that is still open, the first round alone. There
it is continued by a line or by the begin of a repetition, or the innermost repetition ends: then
all its further rounds must be as the first one. Partial grammars with the fewest symbols come
first.

This is done with some of the samples. Where the grammar does not fit another one, that one is taken
in, and the search begins anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import count as counter
from itertools import product
from typing import NamedTuple

from compare.commands.stress.grammar import Grammar, Item, Line, Repeat, read_items, read_lines
from compare.commands.stress.line_shapes import ANY, Count, NumberPlace, WordCount, with_numbers
from puzzles.space.text_changes import Lines
from puzzles.text import decimals, number

AT_FIRST = 12
"""Samples with which the search begins."""

_MAX_STEPS = 3000
"""Partial grammars that are continued before the search is given up."""

_MAX_ALIKE = 3
"""Partial grammars that have read the same lines, and are continued."""

MAX_DEPTH, MAX_FIELDS, MAX_GROUP = 3, 3, 3
"""Repetitions in one another; fields before a run; words of a group."""

MAX_NUMBERED = 3
"""Numbers at the beginning of lines that are taken for keywords."""

OFTEN = 10
"""How often each word must be there on average if there are to be no others."""

OFFSETS = (0, -1, 1)
"""What is counted may be one more or one less than the number says: a tree of n vertices has n - 1
edges.
"""

_NEAR_COST, _OPEN_COST, _KINDS_COST, _MIXED_COST = 2.0, 6.0, 4.0, 2.0
"""What it costs that a count is one more or less; that nothing says it; that lines are of several
kinds; that only some words of a column are numbers. A line costs 1, and so does a repetition.
"""

_UNCLOSED_COST = 2.0
"""What a repetition costs beside that until it ends, since so long hardly anything is tried."""


class _Cursor(NamedTuple):
    """How far a partial grammar has been read in one sample.

    Attributes:
        row: the next line.
        scope: the numbers that may count.
        waits: the depth of the open repetition that has no round here; -1 if there is none.
    """

    row: int
    scope: dict[NumberPlace, int]
    waits: int = -1


class _Partial(NamedTuple):
    """A partial grammar: of each open repetition its count and its items so far, the outermost
    first, which is the text itself.
    """

    cost: float
    frames: tuple[tuple[Count, int, tuple[Item, ...]], ...]
    cursors: tuple[_Cursor, ...]
    lines: int

    def extend(self, item: Item, cost: float, cursors: Sequence[_Cursor]) -> _Partial:
        *outer, (count, first, items) = self.frames
        lines = self.lines + isinstance(item, Line)
        frames = (*outer, (count, first, (*items, item)))
        return _Partial(self.cost + cost, frames, tuple(cursors), lines)


def structure_of(samples: Sequence[Lines]) -> tuple[Item, ...]:
    """The items of the simplest grammar that fits these samples; their lines have no kinds yet.

    Where numbers do not count all lines, a last line that is always the same may end them. If no
    grammar is found, a text is any lines.
    """
    by_size = sorted(samples, key=lambda lines: sum(map(len, lines)))
    return (
        _simplest_of(by_size, may_be_open=False)
        or _ended_by_a_line(by_size)
        or _simplest_of(by_size, may_be_open=True)
        or (Repeat(ANY, (Line(0, None),)),)
    )


def _ended_by_a_line(by_size: Sequence[Lines]) -> tuple[Item, ...] | None:
    """The items of a grammar whose last repetition goes on until the line that ends all samples;
    None if they end otherwise.
    """
    last_lines = {tuple(lines[-1]) if lines else () for lines in by_size}
    if len(last_lines) > 1 or () in last_lines:
        return None
    (last,) = last_lines
    match _simplest_of([lines[:-1] for lines in by_size], may_be_open=True):
        case [*others, Repeat(count=Count(place=None, more=None)) as repeat]:
            grammar = Grammar((*others, replace(repeat, last=last)))
            is_read = all(grammar.parse(lines) is not None for lines in by_size)
            return grammar.items if is_read else None
        case _:
            return None


def _simplest_of(by_size: Sequence[Lines], *, may_be_open: bool) -> tuple[Item, ...] | None:
    """The items of the simplest grammar that fits these samples, the smallest of which come first;
    see `_Search`.
    """
    chosen, may_have_kinds = [*by_size[:: max(1, len(by_size) // AT_FIRST)]], True
    while items := _Search(chosen, may_be_open, may_have_kinds).simplest():
        grammar = Grammar(items)
        parsed = [grammar.parse(each) for each in by_size]
        if None in parsed:
            chosen.append(by_size[parsed.index(None)])
            continue
        of_kinds = [
            lines[each.row]
            for nodes, lines in zip(parsed, by_size, strict=True)
            for each in read_lines(nodes or [])
            if each.line.layout is None
        ]
        if not of_kinds or _are_kinds(of_kinds, OFTEN):
            return items
        may_have_kinds = False
    return None


def keywords(lines: Sequence[Sequence[str]], often: int = OFTEN) -> list[str]:
    """The first words of lines if they are keywords: a few words, each with others behind it and
    there often; or a few numbers that say how long the line is.
    """
    if not all(lines):
        return []
    widths: dict[str, set[int]] = {}
    for line in lines:
        widths.setdefault(line[0], set()).add(len(line))
    words = sorted(widths)
    if not 1 < len(words) <= len(lines) / often or max(map(len, lines)) < 2:
        return []
    if all(decimals(word) is None for word in words):
        return words
    # a number of the words behind it is no keyword
    fixed = {word: min(each) for word, each in widths.items() if len(each) == 1}
    is_kind = len({*fixed.values()}) > 1 and len(fixed) == len(words) <= MAX_NUMBERED
    counts = all(number(word) == width - 1 for word, width in fixed.items())
    return words if is_kind and not counts else []


def _are_kinds(lines: Sequence[Sequence[str]], often: int) -> bool:
    """Whether lines have keywords, and those of each have one number of words, or their second
    word counts the others.
    """
    first_words = keywords(lines, often)
    for first_word in first_words:
        kind = [words for words in lines if words[0] == first_word]
        one_length = len({len(words) for words in kind}) == 1
        if not one_length and not all(
            len(words) > 1 and number(words[1]) == len(words) - 2 for words in kind
        ):
            return False
    return bool(first_words)


@dataclass(frozen=True)
class _Search:
    """One search.

    Attributes:
        may_be_open: whether some lines may have any number of words, and a repetition may go on
            until the end.
        may_have_kinds: whether the first word of a line may say how many others there are.
    """

    samples: Sequence[Lines]
    may_be_open: bool
    may_have_kinds: bool

    def simplest(self) -> tuple[Item, ...] | None:
        """The grammar of the lowest cost, if it is found in time."""
        order = counter()
        start = _Partial(0, ((ANY, 0, ()),), (_Cursor(0, {}),) * len(self.samples), 0)
        waiting, alike = [(0.0, next(order), start)], Counter[object]()
        best: _Partial | None = None
        for _ in range(_MAX_STEPS):
            if not waiting:
                break
            cost, _, partial = heappop(waiting)
            # one that is open may end as the cheaper one
            if best is not None and cost >= best.cost + _UNCLOSED_COST:
                break
            if best is not None and cost - _UNCLOSED_COST * (len(partial.frames) - 1) >= best.cost:
                continue
            rows = [(each.row, each.waits) for each in partial.cursors]
            is_whole = len(partial.frames) == 1
            if is_whole and rows == [(len(lines), -1) for lines in self.samples]:
                best = partial
                continue
            # how the same lines were read before hardly matters any more
            values = [each.scope.values() for each in partial.cursors]
            opened = [frame[:2] for frame in partial.frames[1:]]
            key = (*rows, *opened, *map(tuple, values))
            alike[key] += 1
            if alike[key] > (1 if is_whole else _MAX_ALIKE):
                continue
            for each in self._continue(partial):
                heappush(waiting, (each.cost, next(order), each))
        return None if best is None else best.frames[0][2]

    def _continue(self, partial: _Partial) -> Iterator[_Partial]:
        """The partial grammar with one more symbol, in each way that fits so far. A repetition of
        one line is a symbol, too, so that it is tried at once in all rounds.
        """
        *_, (_, _, items) = partial.frames
        is_line = len(items) == 1 and all(isinstance(each, Line) for each in items)
        if len(partial.frames) > 1 and items and not is_line:
            closed = self._close(partial)
            if closed is not None:
                yield closed
        yield from self._with_line(partial)
        places = self._places(partial) if len(partial.frames) <= MAX_DEPTH else []
        used = {frame[0].place for frame in partial.frames if not frame[2]}
        counts = [Count(place, more) for place in places if place not in used for more in OFFSETS]
        if self.may_be_open and len(partial.frames) == 1:
            counts.append(ANY)
        for count in counts:
            opened = self._open(partial, count)
            if opened is None:
                continue
            for table in self._with_line(opened, is_table=True):
                closed = self._close(table)
                if closed is not None:
                    yield closed
            if not count.more:
                yield opened

    def _places(self, partial: _Partial) -> list[NumberPlace]:
        """The numbers that may count."""
        active = [each for each in partial.cursors if each.waits < 0]
        return [
            place
            for place in (active[0].scope if active else ())
            if all(each.scope.get(place, -1) >= 0 for each in active)
        ]

    def _with_line(self, partial: _Partial, *, is_table: bool = False) -> Iterator[_Partial]:
        """The partial grammar with one more line; none if some text has ended.

        Args:
            is_table: whether the line is alone in its repetition: then its first word may be a
                keyword.
        """
        active = [
            (cursor, lines)
            for cursor, lines in zip(partial.cursors, self.samples, strict=True)
            if cursor.waits < 0
        ]
        if not active or any(each.row >= len(lines) for each, lines in active):
            return
        layouts = self._layouts(partial, active, self._places(partial))
        kinds = [(None, _KINDS_COST)] if is_table and self.may_have_kinds else []
        for layout, cost in (*layouts, *kinds):
            line = Line(partial.lines, layout)
            fields = 0 if layout is None else layout.fields
            cursors = [
                cursor
                if cursor.waits >= 0
                else _Cursor(
                    cursor.row + 1,
                    with_numbers(cursor.scope, line.index, lines[cursor.row], fields),
                )
                for cursor, lines in zip(partial.cursors, self.samples, strict=True)
            ]
            yield partial.extend(line, cost, cursors)

    def _open(self, partial: _Partial, count: Count) -> _Partial | None:
        """A repetition begins; None if some text is too short for it, or if it never has a
        round.
        """
        cursors: list[_Cursor] = []
        for cursor, lines in zip(partial.cursors, self.samples, strict=True):
            left = len(lines) - cursor.row
            times = left if count == ANY else count.of(cursor.scope)
            if cursor.waits < 0 and (times is None or not 0 <= times <= left):
                return None
            waits = cursor.waits < 0 and not times
            cursors.append(cursor._replace(waits=len(partial.frames)) if waits else cursor)
        if all(each.waits >= 0 for each in cursors):
            return None
        cost = _OPEN_COST if count == ANY else 1 + _NEAR_COST * (count.more != 0)
        cost += _UNCLOSED_COST
        frames = (*partial.frames, (count, partial.lines, ()))
        return _Partial(partial.cost + cost, frames, tuple(cursors), partial.lines)

    def _close(self, partial: _Partial) -> _Partial | None:
        """The innermost repetition ends; None if its further rounds are not as the first one."""
        count, first, items = partial.frames[-1]
        depth, cursors, of_kinds = len(partial.frames) - 1, list[_Cursor](), Lines()
        has_kinds = isinstance(items[0], Line) and items[0].layout is None
        for cursor, lines in zip(partial.cursors, self.samples, strict=True):
            if cursor.waits >= 0:
                cursors.append(cursor._replace(waits=-1) if cursor.waits == depth else cursor)
                continue
            scope = {place: value for place, value in cursor.scope.items() if place[0] < first}
            times = count.of(scope)
            rest = Repeat(Count(None, None if times is None else times - 1), items)
            done = read_items([rest], lines, cursor.row, dict(scope))
            if done is None:
                return None
            of_kinds += lines[cursor.row - 1 : done[1]] if has_kinds else []
            cursors.append(_Cursor(done[1], scope))
        if has_kinds and not _are_kinds(of_kinds, 2):
            return None
        outer = _Partial(partial.cost, partial.frames[:-1], partial.cursors, partial.lines)
        return outer.extend(Repeat(count, items), -_UNCLOSED_COST, cursors)

    def _layouts(
        self,
        partial: _Partial,
        active: Sequence[tuple[_Cursor, Lines]],
        places: Sequence[NumberPlace],
    ) -> Iterator[tuple[WordCount, float]]:
        """What the next line may be, and what that costs."""
        rows = [(lines[cursor.row], cursor.scope) for cursor, lines in active]
        widths = {len(words) for words, _ in rows}
        if len(widths) == 1:
            columns = zip(*(map(decimals, words) for words, _ in rows), strict=True)
            mixed = any(None in column and {*column} != {None} for column in columns)
            yield WordCount.constant(*widths), 1 + _MIXED_COST * mixed
        (words, scope), *_ = rows
        most = min(MAX_FIELDS, *widths)
        own = with_numbers({}, partial.lines, words, most)
        values = [
            *own.items(),
            *(
                (place, scope[place])
                for place in places
                if len(rows) < AT_FIRST // 4 or len({each[place] for _, each in rows}) > 1
            ),
        ]
        for (place, value), more, group in product(values, OFFSETS, range(1, MAX_GROUP + 1)):
            layout = WordCount(len(words) - group * (value + more), group, Count(place, more))
            first = place[1] + 1 if place in own else 0
            if value + more < 0 or not first <= layout.fields <= most:
                continue
            if all(
                layout.width(with_numbers(scope, partial.lines, words, layout.fields)) == len(words)
                for words, scope in rows
            ):
                yield layout, 1 + layout.fields / 2 + group + _NEAR_COST * (more != 0)
        if self.may_be_open:
            yield WordCount(0, 1, ANY), _OPEN_COST
