"""How time grows: medians by size, each contender's growth, and who overtakes whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

from compare.measure.growth import Fit, GrowthSeries, crossover, fit
from compare.show.tables.cells import Cell, Count, Text, Value
from compare.show.tables.figures import seconds
from compare.show.tables.table import Column, Table


@dataclass(frozen=True)
class Median(Cell):
    """The median of a contender at one size; empty if it was not run there."""

    value: float | None
    limit: float

    def text(self) -> str:
        if self.value is None:
            return ""
        return seconds(self.value) if isfinite(self.value) else f"over {seconds(self.limit)}"

    def fields(self) -> Mapping[str, Value]:
        stopped = self.value is not None and not isfinite(self.value)
        return {"s": self.limit if stopped else self.value, "stopped": stopped}


@dataclass(frozen=True)
class Growth(Cell):
    """How a contender's time grows, or why nobody can say it. `unit`: what a size counts, `cells` of boards."""

    series: GrowthSeries
    fit: Fit | None
    unit: str

    def text(self) -> str:
        if self.fit is None:
            return "too few sizes to say"
        if self.fit.too_quick:
            what = "the start of its process" if self.series.with_start else "the fixed cost of a call"
            return f"too quick to say: {what} rules, about {seconds(self.fit.least)}"
        return law(self.fit, self.unit) if self.fit.is_law else "not certain to grow"

    def fields(self) -> Mapping[str, Value]:
        if self.fit is None or not self.fit.is_law:
            return {"exponent": None, "low": None, "high": None, "why": self.text()}
        low, high = self.fit.interval
        return {"exponent": self.fit.exponent, "low": low, "high": high, "why": ""}


def law(line: Fit, unit: str) -> str:
    """The exponent with its interval."""
    low, high = line.interval
    return f"{unit}^{line.exponent:.2f} ({low:.2f} to {high:.2f})"


def medians_table(title: str, series: Sequence[GrowthSeries], sizes: Iterable[int]) -> Table:
    """A row for each size, a column for each contender."""
    columns: list[Column[int]] = [Column("size", lambda size: Count(size), align="left")]
    for each in series:

        def median(size: int, each: GrowthSeries = each) -> Cell:
            return Median(each.at(size), each.limit)

        columns.append(Column(each.label, median))
    return Table.of(title, columns, sizes)


def growth_table(title: str, families: Mapping[str, Sequence[GrowthSeries]], unit: str) -> Table:
    """A row for each contender of each family: its growth, and its time beside that of the family's first contender.

    Args:
        families: by name; a single family without a name has no column.
        unit: what a size counts, `cells` of boards.
    """
    rows = [(name, each, fit(each), series[0]) for name, series in families.items() for each in series]
    reference = rows[0][3].name if len({first.name for _, _, _, first in rows}) == 1 else "the first"
    columns: list[Column[tuple[str, GrowthSeries, Fit | None, GrowthSeries]]] = [
        Column("family", lambda row: Text(row[0])),
        Column("backend", lambda row: Text(row[1].label)),
        Column("growth", lambda row: Growth(row[1], row[2], unit), heading="time grows as"),
        Column("sizes", lambda row: Count(row[2] and row[2].sizes), heading="fitted to sizes"),
        Column("against", lambda row: Text(_against(row[1], row[3])), heading=f"against {reference}"),
    ]
    return Table.of(title, columns, rows).without_empty_columns()


def _against(series: GrowthSeries, first: GrowthSeries) -> str:
    """The ratio to the first contender at the largest size that both reached, and why this one was stopped."""
    parts: list[str] = []
    both = [point for point in series.points if isfinite(point.median) and isfinite(first.at(point.size) or 0)]
    if both and series is not first:
        last = both[-1]
        ratio = last.median / (first.at(last.size) or last.median)
        word = "slower" if ratio >= 1 else "faster"
        parts.append(f"{_times(max(ratio, 1 / ratio))} {word} at {last.size}")
    if series.stopped is not None:
        at = "" if series.stopped_at is None else f" at {series.stopped_at}"
        parts.append(f"{series.stopped}{at}")
    return ", ".join(parts)


def _times(ratio: float) -> str:
    return f"{ratio:.2g} times" if ratio < 10 else f"{ratio:.0f} times"


def crossing(a: GrowthSeries, b: GrowthSeries) -> str:
    """Which of two contenders is faster on large boards, and from which size on."""
    crossed = crossover(a, b)
    if crossed is None:
        return f"{a.label} and {b.label}: no size in common"
    fast, slow = (next(each.label for each in (a, b) if each.name == name) for name in (crossed.fast, crossed.slow))
    where = "on every size" if crossed.size is None else f"from about size {crossed.size:.0f} on"
    return f"{fast} is faster than {slow} {where}"
