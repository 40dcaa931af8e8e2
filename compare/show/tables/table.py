"""Tables of typed cells, rendered last: for people as text or markdown, for programs as CSV or JSON, for pages by their cells."""

from __future__ import annotations

import csv
import io
import json
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Generic, TypeVar

from tabulate import tabulate

from compare.show.tables.cells import WITH_START, Cell, Value, notes
from compare.show.wording import line_width, widest, wrapped
from puzzles.shell.streams import printable

R = TypeVar("R")

STYLES = {"table": "simple", "markdown": "github"}
"""The formats for people, by the name of tabulate's style."""

FORMATS = (*STYLES, "csv", "json")


@dataclass(frozen=True)
class Column(Generic[R]):
    """A column of a table over items of one type.

    Attributes:
        name: in CSV and JSON.
        cell: (item) -> the cell.
        heading: for people, if it differs from the name.
        align: `left` or `right`.
        width: the most characters of a line for people; None for any number.
        group: columns of one group stay together where a table is too wide for its line; those of the group "" stay beside the
            first column. None: the column is a group of its own.
    """

    name: str
    cell: Callable[[R], Cell]
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
    columns: tuple[Column[Any], ...]
    rows: tuple[tuple[Cell, ...], ...]

    @classmethod
    def of(cls, title: str, columns: Sequence[Column[R]], items: Iterable[R]) -> Table:
        """The table with a row for each item."""
        return cls(title, tuple(columns), tuple(tuple(column.cell(item) for column in columns) for item in items))

    @property
    def headings(self) -> list[str]:
        return [column.name if column.heading is None else column.heading for column in self.columns]

    def without_empty_columns(self) -> Table:
        """The table without the columns that have no text in any row."""
        return self.of_columns([k for k in range(len(self.columns)) if any(row[k].text for row in self.rows)])

    def of_columns(self, kept: Sequence[int]) -> Table:
        """The table with these columns alone, by index."""
        rows = tuple(tuple(row[k] for k in kept) for row in self.rows)
        return Table(self.title, tuple(self.columns[k] for k in kept), rows)

    def for_people(self, format: str = "table", *, short: bool = False) -> str:
        """The table as text or markdown, without its title; `short`: each cell as it is where the line is short."""
        rows = [[cell.short_text if short else cell.text for cell in row] for row in self.rows]
        if format == "markdown":
            headings = [printable(one_line(text)) for text in self.headings]
            rows = [[printable(text.replace("\n", ", ")) for text in row] for row in rows]
        else:
            headings, *rows = [
                [_cut(printable(text), column.width) for text, column in zip(row, self.columns, strict=True)]
                for row in (self.headings, *rows)
            ]
        return tabulate(
            rows, headings, tablefmt=STYLES[format], disable_numparse=True, colalign=[column.align for column in self.columns]
        )

    @property
    def has_short_cells(self) -> bool:
        """Whether a cell says less where the line is short."""
        return any(cell.short_text != cell.text for row in self.rows for cell in row)

    def for_programs(self) -> list[dict[str, Value | Mapping[str, Value]]]:
        """A mapping for each row; a cell with several values is a mapping of its own."""
        return [{column.name: _value(cell) for column, cell in zip(self.columns, row, strict=True)} for row in self.rows]


def one_line(heading: str) -> str:
    """A heading of several lines in one: `direct:two-sat`, `mine with start`."""
    return heading.replace(f"\n{WITH_START}", f" {WITH_START}").replace("\n", ":")


def _cut(text: str, width: int | None) -> str:
    """The text with no line longer than `width`."""
    return text if width is None else "\n".join(part for line in text.split("\n") for part in textwrap.wrap(line, width) or [""])


def _value(cell: Cell) -> Value | Mapping[str, Value]:
    fields = cell.fields
    return fields[""] if set(fields) == {""} else fields


def for_terminal(table: Table, format: str = "table") -> str:
    """The table for people on standard output: fitted to the terminal if it goes to one."""
    return fitted(table, line_width()) if format == "table" else table.for_people(format)


def fitted(table: Table, width: int | None) -> str:
    """The table as text with no line longer than `width` characters; None: of any length.

    A table that is too wide shows its short cells. If that is not enough, it is cut into blocks of columns, each with the first
    column; see `Column.group`. Words are broken only where one column alone is too wide.
    """
    return _fitted(table, table.for_people(), width)


def _fitted(table: Table, text: str, width: int | None) -> str:
    """As `fitted`; `text`: the whole table. To make it anew takes a while if it has a thousand rows."""
    if width is None or widest(text) <= width:
        return text
    key_width = width // 3
    caps = [key_width, *[width - key_width - 2 * _PADDING] * (len(table.columns) - 1)]
    columns = [replace(column, width=min(cap, column.width or cap)) for cap, column in zip(caps, table.columns, strict=True)]
    table = replace(table, columns=tuple(columns))
    return "\n\n".join(table.of_columns(block).for_people(short=True) for block in _blocks(table, width))


_PADDING = 2
"""Characters that are left free beside a column."""


def _blocks(table: Table, width: int) -> list[list[int]]:
    """The columns in blocks that fit, by index; each begins with the first column.

    First-fit makes them. Of the orders in which it can take the groups, those that go around, the one with the fewest blocks wins,
    and then the one whose smallest block has the most columns.
    """
    lengths = [widest(table.of_columns([k]).for_people(short=True)) for k in range(len(table.columns))]

    def fits(columns: Sequence[int]) -> bool:
        return sum(lengths[k] + _PADDING for k in columns) - _PADDING <= width

    rest = range(1, len(table.columns))
    beside = [k for k in rest if table.columns[k].group == ""]
    others = [k for k in rest if table.columns[k].group != ""]
    groups = [list(some) for _, some in groupby(others, key=lambda k: table.columns[k].group or k)]

    def packed(groups: Sequence[list[int]]) -> list[list[int]]:
        blocks = [[0]]
        for group in groups:
            for part in [group] if fits([0, *group]) else [[k] for k in group]:
                block = next((block for block in blocks if fits([*block, *part])), None)
                if block is None:
                    blocks.append([0, *part])
                else:
                    block += part
        return sorted(sorted(block) for block in blocks if len(block) > 1) or blocks

    packings = (packed([beside, *groups[k:], *groups[:k]]) for k in range(max(1, len(groups))))
    return min(packings, key=lambda blocks: (len(blocks), -min(map(len, blocks))))


def render(tables: Sequence[Table], format: str = "table", width: int | None = None) -> str:
    """Several tables in one of `FORMATS`; those for people with the meaning of the marks below.

    `width`: the characters of a line of text; see `fitted`.
    """
    if format == "json":
        return json.dumps({table.title: table.for_programs() for table in tables}, indent=1, ensure_ascii=False) + "\n"
    if format == "csv":
        return _csv(tables)
    heading = "## {}\n\n" if format == "markdown" else "{}\n"
    whole = [table.for_people(format) for table in tables]
    bodies = [_fitted(table, text, width) if format == "table" else text for table, text in zip(tables, whole, strict=True)]
    parts = [f"{heading.format(table.title)}{body}\n" for table, body in zip(tables, bodies, strict=True)]
    lines = notes("\n".join(parts)).splitlines()
    if any(body != text and table.has_short_cells for table, text, body in zip(tables, whole, bodies, strict=True)):
        lines += ["", "Times of models: building and solving together; --wide shows them apart."]
    return "\n".join(parts) + "".join(f"{wrapped(line, width)}\n" for line in lines)


def _csv(tables: Sequence[Table]) -> str:
    """A header and the rows of each table; a column for each value of a cell."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for table in tables:
        names = [list(dict.fromkeys(name for row in table.rows for name in row[k].fields)) for k in range(len(table.columns))]
        titles = [f"{column.name} {name}".rstrip() for column, fields in zip(table.columns, names, strict=True) for name in fields]
        writer.writerow(["table", *titles])
        for row in table.rows:
            values = [cell.fields.get(name) for cell, fields in zip(row, names, strict=True) for name in fields]
            writer.writerow([table.title, *values])
    return out.getvalue()
