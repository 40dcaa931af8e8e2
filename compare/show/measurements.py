"""What measurements say: how time grows with size and who overtakes whom, and what differs between
then and now.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import isfinite

from compare.measure.differences import LEAST, Effect, Pair, Pairing
from compare.measure.growth import STEEPEST, Fit, GrowthSeries, crossover, fit
from compare.show.table import (
    CP_SAT,
    MARKS,
    STYLES,
    WITH_START,
    Cell,
    Column,
    Table,
    for_terminal,
    number_cell,
    ratio_cell,
    render,
    seconds,
)
from compare.show.wording import noun_of
from puzzles.shell.streams import visible


def growth_text(
    title: str,
    series: Sequence[GrowthSeries],
    sizes: Sequence[int],
    format: str,
    boards: str,
    unit: str = "cells",
) -> str:
    """Medians by size, then each contender's growth and its time against the first one's, then who
    overtakes whom.

    Args:
        boards: how many instances a size has, such as `3 boards`.
        unit: what a size counts, `cells` of boards.
    """
    medians, growth = (
        medians_table("medians", series, sizes),
        growth_table("growth", {"": series}, unit),
    )
    if format not in STYLES:
        return render([medians, growth], format)
    parts = [
        f"{title}: medians of {boards} a size",
        for_terminal(medians, format),
        for_terminal(growth, format),
        "\n".join(crossing(a, b) for a, b in combinations(series, 2)),
        MARKS[WITH_START] if any(each.with_start for each in series) else "",
        MARKS[CP_SAT] if any(CP_SAT in each.name for each in series) else "",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def medians_table(title: str, series: Sequence[GrowthSeries], sizes: Iterable[int]) -> Table:
    """A row for each size, a column for each contender; a cell is empty where the contender was not
    run.
    """

    def cell(each: GrowthSeries, size: int) -> Cell:
        value = each.at(size)
        if value is not None and not isfinite(value):
            return Cell(f"over {seconds(each.limit)}", {"s": each.limit, "stopped": True})
        return Cell("" if value is None else seconds(value), {"s": value, "stopped": False})

    rows = ([size, *(cell(each, size) for each in series)] for size in sizes)
    return Table.of(title, ["size", *(each.label for each in series)], rows)


def growth_table(title: str, families: Mapping[str, Sequence[GrowthSeries]], unit: str) -> Table:
    """A row for each contender of each family: its growth, and its time beside that of the family's
    first contender.

    Args:
        families: by name; a single family without a name has no column.
        unit: what a size counts, `cells` of boards.
    """
    rows: list[list[Cell | str]] = []
    for name, series in families.items():
        for each in series:
            curve = fit(each)
            fitted = number_cell(curve and curve.sizes)
            if curve is not None and curve.left_out:
                fitted = Cell(
                    f"{curve.sizes}, without {', '.join(map(str, curve.left_out))}",
                    {"": curve.sizes},
                )
            rows.append(
                [
                    name,
                    each.label,
                    growth_cell(each, curve, unit),
                    fitted,
                    _against(each, series[0]),
                ]
            )
    firsts = {series[0].name for series in families.values()}
    columns = [
        *(
            "family",
            "backend",
            Column("growth", "time grows as"),
            Column("sizes", "fitted to sizes"),
        ),
        Column("against", f"against {firsts.pop() if len(firsts) == 1 else 'the first'}"),
    ]
    return Table.of(title, columns, rows).without_empty_columns()


def growth_cell(series: GrowthSeries, fit: Fit | None, unit: str) -> Cell:
    """How a contender's time grows, or why nobody can say it.

    `unit`: what a size counts, `cells` of boards.
    """
    if fit is not None and fit.is_law:
        low, high = fit.interval
        return Cell(law(fit, unit), {"exponent": fit.exponent, "low": low, "high": high, "why": ""})
    why = "too few sizes to say" if fit is None else _why_no_law(fit, series, unit)
    low = (
        fit.interval[0]
        if fit is not None and fit.grows and fit.fits and fit.interval[0] < STEEPEST
        else None
    )
    return Cell(why, {"exponent": None, "low": low, "high": None, "why": why})


def law(line: Fit, unit: str) -> str:
    """The exponent with its interval."""
    low, high = line.interval
    return f"{unit}^{line.exponent:.2f} ({low:.2f} to {high:.2f})"


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
    if fit.fits:
        return f"at least {unit}^{low:.1f}"
    if fit.parts is None:
        return "not one power"
    before, last, after, first = fit.parts
    return (
        f"not one power: about {unit}^{before:.1f} to size {last}, {unit}^{after:.1f} from "
        f"{first} on"
    )


def _against(series: GrowthSeries, first: GrowthSeries) -> str:
    """The ratio to the first contender at the largest size that both reached, and why this one was
    stopped.
    """
    parts: list[str] = []
    both = [
        point
        for point in series.points
        if isfinite(point.median) and isfinite(first.at(point.size) or 0)
    ]
    if both and series is not first:
        last = both[-1]
        ratio = last.median / (first.at(last.size) or last.median)
        word, times = ("slower", ratio) if ratio >= 1 else ("faster", 1 / ratio)
        parts.append(
            f"{f'{times:.2g}' if times < 10 else f'{times:.0f}'} times {word} at {last.size}"
        )
    if series.stopped is not None:
        parts.append(
            series.stopped + ("" if series.stopped_at is None else f" at {series.stopped_at}")
        )
    return ", ".join(parts)


def crossing(a: GrowthSeries, b: GrowthSeries) -> str:
    """Which of two contenders is faster on large boards, and from which size on."""
    crossed = crossover(a, b)
    if crossed is None:
        return f"{a.label} and {b.label}: no size in common"
    where = "on every size" if crossed.size is None else f"from about size {crossed.size:.0f} on"
    return f"{crossed.fast.label} is faster than {crossed.slow.label} {where}"


MAX_SHOWN = 10
"""Pairs of one kind that are printed; the rest is counted."""


def differences_text(
    pairing: Pairing,
    effects: Sequence[Effect],
    then: str,
    now: str,
    files: Iterable[tuple[str, str, str]],
    most: float | None,
) -> str:
    """The table of effects, what was left out, when all this was measured, and what is worse than
    then.

    Args:
        then, now: the names of the files.
        files: of each file `then` or `now`, its name, and when it was written.
        most: the ratio above which an effect is a regression; None if there is no such limit.
    """
    noun = noun_of(effect.group[0] for effect in effects)
    lines = [for_terminal(differences_table(effects, noun)), ""]
    lines.append(
        f"new / old, geometric mean over the {noun}s, 95% bootstrap interval; within {LEAST:.0%} "
        "is no change"
    )
    if pairing.only_old or pairing.only_new:
        alone = f"{pairing.only_old} of {then}, {pairing.only_new} of {now}"
        lines.append(f"without a partner, and left out: {alone}")
    lines += [visible(f"{word}: {when} ({name})") for word, name, when in files if when]
    contradictions = [pair for pair in pairing.pairs if pair.contradicts]
    lines += _first("CONFLICT: the answers of then and now cannot both be right", contradictions)
    lines += _first(
        "came to its end then and does not now", [pair for pair in pairing.pairs if pair.broke]
    )
    slower = (
        [effect for effect in effects if effect.slower(most)]
        if most is not None and not contradictions
        else []
    )
    for effect in slower:
        group = visible(" ".join(effect.group))
        lines.append(
            f"REGRESSION: {group} takes {effect.ratio:.3g} times as long, more than {most:g}"
        )
    return "".join(f"{line}\n" for line in lines)


def differences_table(effects: Sequence[Effect], noun: str) -> Table:
    """A row for each group."""
    names = ["puzzle", "backend", "dataset", "case", Column("board", noun)][: len(effects[0].group)]
    numbers = [
        Column("boards", f"{noun}s"),
        Column("old_s", "old"),
        Column("new_s", "new"),
        "ratio",
        "interval",
    ]
    rows: list[list[Cell | str | int]] = []
    for effect in effects:
        low, high = effect.interval or (0.0, 0.0)
        counts = [
            f"{count} {word}"
            for count, word in ((effect.broke, "broke"), (effect.mended, "mended"))
            if count
        ]
        verdict = ", ".join([effect.verdict, *counts] if effect.verdict else counts)
        times = [
            number_cell(effect.old_s, "s"),
            number_cell(effect.new_s, "s"),
            ratio_cell(effect.ratio, shown=".3f"),
        ]
        interval = "" if effect.interval is None else f"{low:.3f} to {high:.3f}"
        rows.append([*effect.group, effect.boards, *times, interval, verdict])
    return Table.of("", [*names, *numbers, Column("verdict", "")], rows)


def _first(title: str, pairs: Sequence[Pair]) -> list[str]:
    """A line for each of the first pairs."""
    lines: list[str] = []
    for pair in pairs[:MAX_SHOWN]:
        now = "" if pair.contradicts else f": {pair.new.failure}"
        lines.append(visible(f"{title}: {pair.task.contender} on {pair.task}{now}"))
    return lines if len(pairs) <= MAX_SHOWN else [*lines, f"... and {len(pairs) - MAX_SHOWN} more"]
