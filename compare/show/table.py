"""Tables of typed cells, rendered last: for people as text or markdown, for programs as CSV or
JSON, for pages by their cells.

A cell is a text, a number with its unit, a ratio, or counts; words or a whole number alone stand
for themselves.
"""

from __future__ import annotations

import csv
import io
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby
from operator import itemgetter

from tabulate import tabulate

from compare.show.wording import line_width, widest, wrap
from puzzles.text import printable

LOWER_BOUND, SPREAD, PARALLEL, WITH_START, CP_SAT = ">", "±", "∥", "with start", "cpsat"
APART, AS_LONG, PAR2, OF_GRID, TOLD_APART = " + ", "as long", "PAR-2", ": PAR-2 of ", "told apart"
AGREED = "agreed"

MARKS = {
    APART: "a + b: building the formula + solving it",
    AS_LONG: "times as long: as the reference, whose number is 1 (--reference); geometric "
    "mean over what both solved, with its 95% bootstrap interval; equal ones count each (diff: "
    "once)",
    PAR2: "PAR-2: the mean time; no answer, or a refuted one, counts as twice the time limit",
    OF_GRID: "(best): told apart from every other score of its table; (among the best): not told "
    "apart from the least one; no mark at all: no score is told apart from the least one",
    TOLD_APART: "told apart: the 95% bootstrap interval of the difference of two PAR-2 scores "
    "leaves out 0; fewer than five instances tell nobody apart",
    LOWER_BOUND: "> at least this: the median falls on runs that were stopped at their time limit",
    SPREAD: "± half the range of the repeats of a run, relative to their median; the median of all",
    PARALLEL: "∥ timed while other runs were under way: less reliable",
    CP_SAT: "cpsat: CP-SAT runs on one worker, or on as many as the name says (--cpsat-workers)",
    WITH_START: "with start: the times of a program include the start of its process",
    AGREED: "agreed: on how many all answers agree; proved, and the row all: how many of the "
    "checked answers are PROVED",
}
"""The marks that stand beside a number, and what they mean."""

_BESIDE_NUMBERS = {
    APART: r"\d \S+ \+ \d",
    LOWER_BOUND: r"(?<!\S)> \d",
    SPREAD: r"\S ±\d",
    PARALLEL: r"\d( \S+|%) ∥",
}
"""Patterns of the marks that a name may hold as well."""

CellValue = str | int | float | bool | None


@dataclass(frozen=True)
class Cell:
    """One cell of a table.

    Attributes:
        text: the cell for people; it may have several lines.
        fields: the cell for programs: values by name, the name with the SI unit. A single value has
            an empty name.
        mark: `good`, `bad` or `warn` if a page should mark the cell, else empty.
        short: the text where the line is short; None if it is the same.
        key: what the cell is sorted by; None for its first value.
    """

    text: str
    fields: Mapping[str, CellValue]
    mark: str = ""
    short: str | None = None
    key: float | str | None = None

    @property
    def short_text(self) -> str:
        return self.text if self.short is None else self.short

    @property
    def order(self) -> float | str:
        """What the cell is sorted by."""
        return next((value for value in (self.key, *self.fields.values()) if value is not None), "")


def text_cell(words: str, mark: str = "") -> Cell:
    """Words."""
    return Cell(words, {"": words}, mark)


def number_cell(
    value: float | None, unit: str = "", *, bound: bool | None = None, mark: str = ""
) -> Cell:
    """A number, empty if there is none.

    Args:
        unit: one of `WRITERS`; empty for a count.
        bound: whether the number is a lower bound, where it may be one; else None.
    """
    text = "" if value is None else WRITERS[unit](value)
    text = f"{LOWER_BOUND} {text}" if bound and text else text
    return Cell(text, {"": value} if bound is None else {unit: value, "lower_bound": bound}, mark)


def ratio_cell(
    value: float | None,
    interval: tuple[float, float] | None = None,
    bound: bool | None = None,
    written: Callable[[float], str] | None = None,
) -> Cell:
    """A ratio, perhaps with its interval; `bound` as in `number_cell`.

    `written`: how numbers are written for people; by default with three digits.
    """
    write = written or three_digits
    low, high = interval or (None, None)
    text = "" if value is None else f"{f'{LOWER_BOUND} ' if bound else ''}{write(value)}"
    if value is not None and interval is not None:
        text += f" ({' to '.join(map(write, interval))})"
    fields = {"ratio": value, "low": low, "high": high}
    return Cell(text, fields if bound is None else {**fields, "lower_bound": bound})


def part_cell(part: int, whole: int, names: tuple[str, str] = ("count", "of")) -> Cell:
    """So many of so many; `names`: what programs call the two."""
    return Cell(f"{part}/{whole}" if whole else "-", dict(zip(names, (part, whole), strict=True)))


def counts_cell(counts: Mapping[str, int], mark: str = "") -> Cell:
    """On how many instances runs ended in each way, a line each."""
    text = "\n".join(f"{count} {status}" for status, count in counts.items())
    return Cell(text, {status.lower(): count for status, count in counts.items()}, mark)


def three_digits(value: float) -> str:
    """A number for people: three digits, or all that stand before the point."""
    return f"{value:,.0f}" if value >= 999.5 else f"{value:.3g}"


def seconds(value: float) -> str:
    """A duration for people, with at most three digits."""
    if value >= 999.5:
        return f"{value:,.0f} s"
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if value >= 0.9995 * scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value / 1e-6:.0f} µs" if value >= 0.5e-6 else f"{value / 1e-9:.0f} ns"


def a_second(rate: float, nouns: str = "") -> str:
    """So many a second, of what the nouns say; below ten with a digit behind the point."""
    number = f"{rate:.0f}" if rate >= 10 else f"{rate:.1f}"
    return f"{number} {nouns} a second" if nouns else f"{number} a second"


def percent(value: float) -> str:
    """A share in percent; 100% and 0% only if it is all or nothing."""
    return f"{value:.0%}" if value in (0.0, 1.0) else f"{min(max(100 * value, 0.1), 99.9):.1f}%"


def gap_text(gap: float) -> str:
    """A relative gap in percent; 0% only if there is none. Unlike a share it may pass 100%."""
    return f"{gap:,.0%}" if gap == 0 or gap >= 1 else f"{max(100 * gap, 0.1):.1f}%"


def megabytes(value: float) -> str:
    return f"{value / 2**20:.0f} MB"


WRITERS: dict[str, Callable[[float], str]] = {
    "": "{:,}".format,
    "s": seconds,
    "share": percent,
    "bytes": megabytes,
}
"""How a number of each unit is written for people."""


def notes(text: str) -> list[str]:
    """What the marks in a text mean, a line for each mark that stands in it."""
    there = {mark for mark in MARKS if re.search(_BESIDE_NUMBERS.get(mark, re.escape(mark)), text)}
    lines: list[str] = []
    for mark, meaning in MARKS.items():
        if mark in there or any(mark in line for line in lines):
            lines.append(meaning)
    if {APART, AS_LONG} <= there:
        lines.append("a + b there: building and solving, each against the reference's whole time")
    return lines


STYLES = {"table": "simple", "markdown": "github"}
"""The formats for people, by the name of tabulate's style."""

FORMATS = (*STYLES, "csv", "json")


Entry = Cell | str | int | None
"""What a row may hold: a text and a whole number stand for their cells."""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        name: in CSV and JSON.
        heading: for people, if it differs from the name.
        align: `left` or `right`.
        width: the most characters of a line for people; None for any number.
        group: columns of one group stay together where a table is too wide for its line; those of
            the group "" stay beside the first column. None: the column is a group of its own.
    """

    name: str
    heading: str | None = None
    align: str = "left"
    width: int | None = None
    group: str | None = None


@dataclass(frozen=True)
class Table:
    """Columns and rows of cells.

    Attributes:
        title: what the table is about: the puzzle; empty for a table that stands alone.
        rows: in each a cell for each column.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]

    @classmethod
    def of(
        cls,
        title: str,
        columns: Iterable[Column | str],
        rows: Iterable[Iterable[Entry]],
    ) -> Table:
        """The table of these rows; a name stands for its column."""

        def cell(each: Entry) -> Cell:
            if isinstance(each, Cell):
                return each
            return text_cell(each) if isinstance(each, str) else number_cell(each)

        known = tuple(Column(each) if isinstance(each, str) else each for each in columns)
        return cls(title, known, tuple(tuple(map(cell, row)) for row in rows))

    @property
    def headings(self) -> list[str]:
        return [
            column.name if column.heading is None else column.heading for column in self.columns
        ]

    def without_empty_columns(self) -> Table:
        """The table without the columns that have no text in any row."""
        return self.of_columns(
            [k for k in range(len(self.columns)) if any(row[k].text for row in self.rows)]
        )

    def of_columns(self, kept: Sequence[int]) -> Table:
        """The table with these columns alone, by index."""
        rows = tuple(tuple(row[k] for k in kept) for row in self.rows)
        return Table(self.title, tuple(self.columns[k] for k in kept), rows)

    def for_people(self, format: str = "table", *, short: bool = False) -> str:
        """The table as text or markdown, without its title; `short`: each cell as it is where the
        line is short.
        """
        headings = self.headings
        rows = [[cell.short_text if short else cell.text for cell in row] for row in self.rows]
        if format == "markdown":
            headings = map(one_line, headings)
            rows = [[text.replace("\n", ", ") for text in row] for row in rows]
            headings, *rows = ([*map(_escape_markdown, row)] for row in (headings, *rows))
        return tabulate(
            [
                [
                    _cut(printable(text), column.width)
                    for text, column in zip(row, self.columns, strict=True)
                ]
                for row in (headings, *rows)
            ],
            headers="firstrow",
            tablefmt=STYLES[format],
            disable_numparse=True,
            colalign=[column.align for column in self.columns],
        )

    def for_programs(self) -> list[dict[str, CellValue | Mapping[str, CellValue]]]:
        """A mapping for each row; a cell with several values is a mapping of its own."""
        return [
            {
                column.name: cell.fields[""] if set(cell.fields) == {""} else cell.fields
                for column, cell in zip(self.columns, row, strict=True)
            }
            for row in self.rows
        ]

    def fit(self, width: int | None) -> str:
        """The table as text with no line longer than `width` characters; None: of any length.

        If it is too wide, it has its short cells. If that is not enough, it is cut into blocks of
        columns, each with the first column; see `Column.group`. Words are broken only where one
        column alone is too wide.
        """
        text = self.for_people()
        if width is None or widest(text) <= width:
            return text
        key_width = width // 3
        caps = [key_width, *[width - key_width - 2 * _PADDING] * (len(self.columns) - 1)]
        columns = tuple(
            replace(column, width=min(cap, column.width or cap))
            for cap, column in zip(caps, self.columns, strict=True)
        )
        table = replace(self, columns=columns)
        return "\n\n".join(
            table.of_columns(block).for_people(short=True) for block in _blocks(table, width)
        )


CODE = "`` "
"""How a cell begins that is a code span of markdown."""

_PADDING = 2
"""Characters that are left free beside a column."""


def one_line(heading: str) -> str:
    """A heading of several lines in one: `direct:two-sat`, `mine with start`,
    `models:totals:card=totalizer,solver=glucose4`.
    """
    for mark in (",", "="):
        heading = heading.replace(f"{mark}\n", mark)
    return heading.replace(f"\n{WITH_START}", f" {WITH_START}").replace("\n", ":")


def _escape_markdown(text: str) -> str:
    """The text as a cell of markdown that shows just these characters. A code span shows all but a
    bar as they are.
    """
    special = r"\|" if text.startswith(CODE) else r"[\\`*<|]"
    return re.sub(special, r"\\\g<0>", text)


def _cut(text: str, width: int | None) -> str:
    """The text with no line longer than `width`. (What tabulate does for it takes the word `False`
    for a truth value.)
    """
    if width is None:
        return text
    return "\n".join(
        part for line in text.split("\n") for part in textwrap.wrap(line, width) or [""]
    )


def _blocks(table: Table, width: int) -> list[list[int]]:
    """The columns in blocks that fit, by index; each begins with the first column.

    A group goes into the first block where it fits, else into a new one; one that fits into no
    block is taken apart.
    """
    every = range(len(table.columns))
    lengths = [widest(table.of_columns([k]).for_people(short=True)) for k in every]

    def fits(columns: Sequence[int]) -> bool:
        return sum(lengths[k] + _PADDING for k in columns) - _PADDING <= width

    beside = [k for k in every[1:] if table.columns[k].group == ""]
    others = [k for k in every[1:] if table.columns[k].group != ""]
    groups = [list(some) for _, some in groupby(others, key=lambda k: table.columns[k].group or k)]
    blocks = [[0]]
    for group in [beside, *groups]:
        for part in [group] if fits([0, *group]) else [[k] for k in group]:
            block = next((block for block in blocks if fits([*block, *part])), None)
            if block is None:
                blocks.append([0, *part])
            else:
                block += part
    return [sorted(block) for block in blocks]


def for_terminal(table: Table, format: str = "table") -> str:
    """The table for people on standard output: fitted to the terminal if it goes to one."""
    return table.fit(line_width()) if format == "table" else table.for_people(format)


def print_table(table: Table) -> None:
    """Print a table for people, and a blank line below it."""
    print(for_terminal(table), end="\n\n")


def render(tables: Sequence[Table], format: str = "table", width: int | None = None) -> str:
    """Several tables in one of `FORMATS`; those for people with the meaning of the marks below.

    `width`: the characters of a line of text; see `Table.fit`.
    """
    if format == "csv":
        return _csv(tables)
    heading = "## {}\n\n" if format == "markdown" else "{}\n"
    parts: list[str] = []
    shortened = False
    for table in tables:
        whole = table.for_people(format)
        body = whole if format == "markdown" else table.fit(width)
        shortened |= body != whole and any(
            cell.short_text != cell.text for row in table.rows for cell in row
        )
        parts.append(f"{heading.format(table.title)}{body}\n")
    text = "\n".join(parts)
    lines = ["", *notes(text)] if notes(text) else []
    if shortened:
        lines += ["", "Times of models: building and solving together; --wide shows them apart."]
    return text + "".join(f"{wrap(line, width)}\n" for line in lines)


def _csv(tables: Sequence[Table]) -> str:
    """A header and the rows of each table; a column for each value of a cell."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for table in tables:
        rows = [
            {(k, name): value for k, cell in enumerate(row) for name, value in cell.fields.items()}
            for row in table.rows
        ]
        known = sorted(dict.fromkeys(chain.from_iterable(rows)), key=itemgetter(0))
        writer.writerow(
            ["table", *(f"{table.columns[k].name} {name}".rstrip() for k, name in known)]
        )
        writer.writerows([table.title, *map(row.get, known)] for row in rows)
    return out.getvalue()
