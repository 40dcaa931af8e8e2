"""Tables of typed cells, rendered last: for people as text or markdown, for programs as CSV or JSON, for pages by their cells."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from tabulate import tabulate

from compare.show.cells import Cell, Value, notes
from puzzles.streams import printable

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
    """

    name: str
    cell: Callable[[R], Cell]
    heading: str | None = None
    align: str = "left"
    width: int | None = None


@dataclass(frozen=True)
class Table:
    """Columns and rows of cells.

    Attributes:
        title: what the table is about: the puzzle; empty for a table that stands alone.
        columns: the names, for CSV and JSON.
        headings, align, widths: one for each column; see `Column`.
    """

    title: str
    columns: tuple[str, ...]
    headings: tuple[str, ...]
    align: tuple[str, ...]
    widths: tuple[int | None, ...]
    rows: tuple[tuple[Cell, ...], ...]

    @classmethod
    def of(cls, title: str, columns: Sequence[Column[R]], items: Iterable[R]) -> Table:
        """The table with a row for each item."""
        return cls(
            title,
            tuple(column.name for column in columns),
            tuple(column.name if column.heading is None else column.heading for column in columns),
            tuple(column.align for column in columns),
            tuple(column.width for column in columns),
            tuple(tuple(column.cell(item) for column in columns) for item in items),
        )

    def without_empty_columns(self) -> Table:
        """The table without the columns that have no text in any row."""
        kept = [k for k in range(len(self.columns)) if any(row[k].text() for row in self.rows)]
        return Table(
            self.title,
            tuple(self.columns[k] for k in kept),
            tuple(self.headings[k] for k in kept),
            tuple(self.align[k] for k in kept),
            tuple(self.widths[k] for k in kept),
            tuple(tuple(row[k] for k in kept) for row in self.rows),
        )

    def for_people(self, format: str = "table") -> str:
        """The table as text or markdown, without its title."""
        one_line = format == "markdown"
        headings = [printable(heading.replace("\n", ":") if one_line else heading) for heading in self.headings]
        rows = [[printable(cell.text().replace("\n", ", ") if one_line else cell.text()) for cell in row] for row in self.rows]
        widths = None if one_line or not any(self.widths) else list(self.widths)
        style = STYLES[format]
        return tabulate(rows, headings, tablefmt=style, disable_numparse=True, colalign=self.align, maxcolwidths=widths)

    def for_programs(self) -> list[dict[str, Value | Mapping[str, Value]]]:
        """A mapping for each row; a cell with several values is a mapping of its own."""
        return [{name: _value(cell) for name, cell in zip(self.columns, row, strict=True)} for row in self.rows]


def _value(cell: Cell) -> Value | Mapping[str, Value]:
    fields = cell.fields()
    return fields[""] if set(fields) == {""} else fields


def render(tables: Sequence[Table], format: str = "table") -> str:
    """Several tables in one of `FORMATS`; those for people with the meaning of the marks below."""
    if format == "json":
        return json.dumps({table.title: table.for_programs() for table in tables}, indent=1, ensure_ascii=False) + "\n"
    if format == "csv":
        return _csv(tables)
    heading = "## {}\n\n" if format == "markdown" else "{}\n"
    parts = [f"{heading.format(table.title)}{table.for_people(format)}\n" for table in tables]
    return "\n".join(parts) + notes("\n".join(parts))


def _csv(tables: Sequence[Table]) -> str:
    """A header and the rows of each table; a column for each value of a cell."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for table in tables:
        names = [list(dict.fromkeys(name for row in table.rows for name in row[k].fields())) for k in range(len(table.columns))]
        titles = [f"{column} {name}".rstrip() for column, fields in zip(table.columns, names, strict=True) for name in fields]
        writer.writerow(["table", *titles])
        for row in table.rows:
            values = [cell.fields().get(name) for cell, fields in zip(row, names, strict=True) for name in fields]
            writer.writerow([table.title, *values])
    return out.getvalue()
