"""How time grows: medians by size, each contender's growth, and who overtakes whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite

from compare.measure.growth import STEEPEST, Fit, GrowthSeries, crossover, fit
from compare.show.tables.cells import Cell, count_cell, seconds, text_cell
from compare.show.tables.table import Column, Table


def _median_cell(value: float | None, limit: float) -> Cell:
    """The median of a contender at one size; empty if it was not run there."""
    if value is not None and not isfinite(value):
        return Cell(f"over {seconds(limit)}", {"s": limit, "stopped": True})
    return Cell("" if value is None else seconds(value), {"s": value, "stopped": False})


def _growth_cell(series: GrowthSeries, fit: Fit | None, unit: str) -> Cell:
    """How a contender's time grows, or why nobody can say it. `unit`: what a size counts, `cells` of boards."""
    if fit is not None and fit.is_law:
        low, high = fit.interval
        return Cell(law(fit, unit), {"exponent": fit.exponent, "low": low, "high": high, "why": ""})
    why = "too few sizes to say" if fit is None else _why_no_law(fit, series, unit)
    low = fit.interval[0] if fit is not None and fit.grows and fit.fits and fit.interval[0] < STEEPEST else None
    return Cell(why, {"exponent": None, "low": low, "high": None, "why": why})


def _why_no_law(fit: Fit, series: GrowthSeries, unit: str) -> str:
    """What can be said of a growth that is no power with an interval."""
    low, _ = fit.interval
    if fit.too_quick:
        what = "the start of its process" if series.with_start else "the fixed cost of a call"
        where = " of the sizes fitted" if fit.left_out else ""
        return f"too quick to say: {what} rules, about {seconds(fit.least)}{where}"
    if low >= STEEPEST or (fit.exponent >= STEEPEST and not fit.fits):
        return "steeper than any power tried"
    if not fit.grows:
        return "not certain to grow"
    if not fit.fits:
        if fit.parts is None:
            return "not one power"
        before, last, after, first = fit.parts
        return f"not one power: about {unit}^{before:.1f} to size {last}, {unit}^{after:.1f} from {first} on"
    return f"at least {unit}^{low:.1f}"


def _sizes_cell(fit: Fit | None) -> Cell:
    """How many sizes the curve is fitted to, and which were left out."""
    if fit is None or not fit.left_out:
        return count_cell(fit and fit.sizes)
    return Cell(f"{fit.sizes}, without {', '.join(str(size) for size in fit.left_out)}", {"": fit.sizes})


def law(line: Fit, unit: str) -> str:
    """The exponent with its interval."""
    low, high = line.interval
    return f"{unit}^{line.exponent:.2f} ({low:.2f} to {high:.2f})"


def medians_table(title: str, series: Sequence[GrowthSeries], sizes: Iterable[int]) -> Table:
    """A row for each size, a column for each contender."""
    columns: list[Column[int]] = [Column("size", lambda size: count_cell(size), align="left")]
    for each in series:
        columns.append(Column(each.label, lambda size, each=each: _median_cell(each.at(size), each.limit)))
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
        Column("family", lambda row: text_cell(row[0])),
        Column("backend", lambda row: text_cell(row[1].label)),
        Column("growth", lambda row: _growth_cell(row[1], row[2], unit), heading="time grows as"),
        Column("sizes", lambda row: _sizes_cell(row[2]), heading="fitted to sizes"),
        Column("against", lambda row: text_cell(_against(row[1], row[3])), heading=f"against {reference}"),
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
