"""How time grows with size, and who overtakes whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import ceil, isfinite

from compare.commands.scale.growth import STEEPEST, Fit, GrowthSeries, crossover, fit
from compare.engine.campaign.ratios import MIN_BOARDS
from compare.show.table import (
    CP_SAT,
    MARKS,
    STYLES,
    WITH_START,
    Cell,
    Column,
    Entry,
    Table,
    for_terminal,
    number_cell,
    render,
    seconds,
)
from puzzles.text import count_noun


def growth_text(
    title: str,
    series: Sequence[GrowthSeries],
    sizes: Sequence[int],
    format: str,
    boards: tuple[int, str],
    unit: str = "cells",
) -> str:
    """Medians by size, then each contender's growth and its time against the first one's, then who
    overtakes whom.

    Args:
        boards: how many instances a size has, and what one is called.
        unit: what a size counts, `cells` of boards.
    """
    tables = growth_tables(series, sizes, unit)
    if format not in STYLES:
        return render(tables, format)
    parts = [f"{title}: medians of {count_noun(*boards)} a size"]
    parts += [for_terminal(table, format) for table in tables]
    if len(series) > 1:
        parts.append("\n".join(crossing(a, b, boards[1]) for a, b in combinations(series, 2)))
    if any(each.with_start for each in series):
        parts.append(MARKS[WITH_START])
    if any(CP_SAT in each.name for each in series):
        parts.append(MARKS[CP_SAT])
    return "\n\n".join(parts) + "\n"


def growth_tables(series: Sequence[GrowthSeries], sizes: Sequence[int], unit: str) -> list[Table]:
    """The medians by size, and the growth of each contender."""
    return [medians_table(series, sizes), growth_table("growth", {"": series}, unit)]


def medians_table(series: Sequence[GrowthSeries], sizes: Iterable[int]) -> Table:
    """A row for each size, a column for each contender; a cell is empty where the contender was not
    run.
    """

    def cell(each: GrowthSeries, size: int) -> Cell:
        value = each.at(size)
        if value is not None and not isfinite(value):
            return Cell(f"over {seconds(each.limit)}", {"s": each.limit, "stopped": True})
        return Cell("" if value is None else seconds(value), {"s": value, "stopped": False})

    rows = ([size, *(cell(each, size) for each in series)] for size in sizes)
    return Table.of("medians", ["size", *(each.label for each in series)], rows)


def growth_table(title: str, families: Mapping[str, Sequence[GrowthSeries]], unit: str) -> Table:
    """A row for each contender of each family: its growth, and its time beside that of the family's
    first contender.

    Args:
        families: by name; a single family without a name has no column.
        unit: what a size counts, `cells` of boards.
    """
    rows: list[list[Entry]] = []
    for name, series in families.items():
        for each in series:
            curve = fit(each)
            fitted = number_cell(curve and curve.sizes)
            if curve is not None and curve.left_out:
                without = ", ".join(map(str, curve.left_out))
                fitted = replace(fitted, text=f"{curve.sizes}, without {without}")
            growth = growth_cell(each, curve, unit)
            rows.append([name, each.label, growth, fitted, _against(each, series[0])])
    firsts = {series[0].name for series in families.values()}
    first = firsts.pop() if len(firsts) == 1 else "the first"
    columns = [
        *("family", "backend"),
        Column("growth", "time grows as"),
        Column("sizes", "fitted to sizes"),
        Column("against", f"against {first}"),
    ]
    return Table.of(title, columns, rows).without_empty_columns()


def growth_cell(series: GrowthSeries, fit: Fit | None, unit: str) -> Cell:
    """How a contender's time grows, or why nobody can say it.

    `unit`: what a size counts, `cells` of boards.
    """
    exponent = low = high = None
    text = why = "too few sizes to say" if fit is None else _why_no_law(fit, series, unit)
    if fit is not None and fit.is_law:
        exponent, (low, high) = fit.exponent, fit.interval
        text, why = law(fit, unit), ""
    elif fit is not None and fit.grows and fit.interval[0] < STEEPEST:
        low = fit.at_least
    return Cell(text, {"exponent": exponent, "low": low, "high": high, "why": why})


def law(line: Fit, unit: str) -> str:
    """The exponent with its interval."""
    low, high = line.interval
    return f"{unit}^{line.exponent:.2f} ({low:.2f} to {high:.2f})"


def _why_no_law(fit: Fit, series: GrowthSeries, unit: str) -> str:
    """What can be said of a growth that is no power with an interval."""
    low, least = fit.interval[0], f"at least {unit}^{fit.at_least:.1f}"
    if fit.too_quick:
        what = "the start of its process" if series.with_start else "the fixed cost of a call"
        where = " of the sizes fitted" if fit.left_out else ""
        return f"too quick to say: {what} rules, about {seconds(fit.least)}{where}"
    if low >= STEEPEST or (fit.exponent >= STEEPEST and not fit.fits):
        return "steeper than any power tried"
    if not fit.grows:
        return "not certain to grow"
    if fit.fits:
        return least
    if fit.parts is None:
        return f"not one power: {least}"
    before, last, after, first = fit.parts
    if f"{before:.1f}" == f"{after:.1f}":
        return (
            f"not one power: about {unit}^{after:.1f} to size {last} and from {first} on, with a "
            "step between them"
        )
    return (
        f"not one power: about {unit}^{before:.1f} to size {last}, {unit}^{after:.1f} from "
        f"{first} on"
    )


def _against(series: GrowthSeries, first: GrowthSeries) -> str:
    """The ratio to the first contender's median at the largest size that both reached, and why this
    one was stopped. It does not say who is faster: it has no interval.
    """
    parts: list[str] = []
    if series is not first:
        both = [
            (point.size, point.median / at)
            for point in series.points
            if (at := first.at(point.size)) and isfinite(point.median) and isfinite(at)
        ]
        for size, ratio in both[-1:]:
            shown = f"{ratio:.2g}" if ratio < 10 else f"{ratio:.0f}"
            parts.append(f"{shown} times the median at {size}")
    if series.stopped is not None:
        at = "" if series.stopped_at is None else f" at {series.stopped_at}"
        parts.append(f"{series.stopped}{at}")
    return ", ".join(parts)


def crossing(a: GrowthSeries, b: GrowthSeries, noun: str) -> str:
    """Which of two contenders is faster on large boards, and from which size on; or why nobody can
    say it.

    `noun`: what an instance is called.
    """
    crossed = crossover(a, b)
    if crossed is None:
        return f"{a.label} and {b.label}: no size in common"
    if crossed.interval is None:
        why = f"{count_noun(crossed.boards, noun)} a size"
        if crossed.boards < MIN_BOARDS:
            why += f"; it takes {MIN_BOARDS} different ones"
        return f"{a.label} and {b.label}: cannot say who is faster from {why}"
    faster = f"{crossed.fast.label} is faster than {crossed.slow.label}"
    low, high = crossed.interval
    if low and crossed.size is not None:
        return f"{faster} from about size {crossed.size:.0f} on ({low:.0f} to {high:.0f})"
    if high:
        return (
            f"{faster} from size {ceil(high)} on; below it, cannot say: the 95% interval of their "
            "difference holds 0"
        )
    on_every = f"{faster} on every size from {crossed.first} on"
    if crossed.too_few is None:
        return on_every
    return (
        f"{on_every}; up to {crossed.too_few}, cannot say: a size has fewer than {MIN_BOARDS} "
        f"different {noun}s"
    )
