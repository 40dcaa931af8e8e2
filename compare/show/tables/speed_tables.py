"""Figures of speed as tables, one for each part; and what has become slower between two files of them."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from compare.measure.differences import Effect
from compare.measure.speed.figure import ABOUT, GrowthLine, Part, SpeedFigure
from compare.measure.speed.speed_changes import LineChange
from compare.show.tables.cells import EMPTY, Cell, Count, Ratio, Seconds, Text
from compare.show.tables.figures import seconds
from compare.show.tables.table import Column, Table


def speed_tables(figures: Sequence[SpeedFigure]) -> list[Table]:
    """A table for each part that has a figure. Its title says what was measured."""
    by_part = {part: [figure for figure in figures if figure.part is part] for part in Part}
    return [
        Table.of(f"{part}: {ABOUT[part]}", COLUMNS[part], members).without_empty_columns()
        for part, members in by_part.items()
        if members
    ]


def exponent(line: GrowthLine | None) -> str:
    """How time grows, for people."""
    return "" if line is None else f"cells^{line.exponent:.2f} ({line.low:.2f} to {line.high:.2f})"


def _seconds(figure: SpeedFigure) -> Cell:
    return Seconds(figure.seconds)


def _spread(figure: SpeedFigure) -> Cell:
    """The least and the greatest of the repeats, if there are several."""
    times = [second for each in figure.inputs for second in each.job]
    return Text(f"{seconds(min(times))} to {seconds(max(times))}") if len(times) > 1 else EMPTY


def _repeats(figure: SpeedFigure) -> Cell:
    return Count(sum(len(each.job) for each in figure.inputs))


def _rate(figure: SpeedFigure) -> Cell:
    return Count(None if figure.seconds is None else round(1 / figure.seconds))


def _rates(figure: SpeedFigure) -> Cell:
    times = [second for each in figure.inputs for second in each.job]
    return Text(f"{1 / max(times):,.0f} to {1 / min(times):,.0f}") if len(times) > 1 else EMPTY


def _theirs(figure: SpeedFigure) -> Cell:
    times = [each.stopped or median(each.yardstick) for each in figure.inputs]
    return Seconds(median(times) if times else None, figure.stopped)


def _ratio(figure: SpeedFigure) -> Cell:
    return Ratio(figure.ratio, figure.interval, figure.stopped)


def _least(figure: SpeedFigure) -> Cell:
    return Ratio(min((each.ratio for each in figure.inputs), default=None))


def _faster_on(figure: SpeedFigure) -> Cell:
    return Text(f"{sum(each.ratio > 1 for each in figure.inputs)} of {len(figure.inputs)}" if figure.inputs else "")


def _largest(figure: SpeedFigure) -> Cell:
    return Text(f"{seconds(figure.inputs[-1].seconds)} at {figure.inputs[-1].input}" if figure.inputs else "")


def _word(figure: SpeedFigure, place: int) -> str:
    """A word of the name, such as the puzzle, the family and the backend of a figure about growth."""
    return [*figure.name.split(", ", 2), "", ""][place]


_TIMES: list[Column[SpeedFigure]] = [
    Column("runs", _repeats),
    Column("median_s", _seconds, heading="median"),
    Column("range", _spread, heading="least to most"),
]

COLUMNS: dict[Part, list[Column[SpeedFigure]]] = {
    Part.START: [Column("command", lambda figure: Text(figure.name)), *_TIMES],
    Part.DEFAULT: [Column("command", lambda figure: Text(figure.name)), *_TIMES],
    Part.COMPILE: [Column("puzzle", lambda figure: Text(figure.name)), Column("seconds", _seconds)],
    Part.FUZZ: [
        Column("puzzle", lambda figure: Text(figure.name)),
        Column("runs", _repeats),
        Column("rate", _rate, heading="boards a second"),
        Column("range", _rates, heading="least to most"),
    ],
    Part.GROWTH: [
        Column("puzzle", lambda figure: Text(_word(figure, 0))),
        Column("family", lambda figure: Text(_word(figure, 1))),
        Column("backend", lambda figure: Text(_word(figure, 2))),
        Column("growth", lambda figure: Text(exponent(figure.line) or "not certain"), heading="time grows as"),
        Column("sizes", lambda figure: Count(figure.line.sizes if figure.line else None), heading="fitted to sizes"),
        Column("largest", _largest),
    ],
    Part.RACES: [
        Column("peer", lambda figure: Text(figure.yardstick)),
        Column("job", lambda figure: Text(figure.name.partition(", ")[2])),
        Column("inputs", lambda figure: Count(len(figure.inputs))),
        Column("ours", _seconds),
        Column("theirs", _theirs),
        Column("ratio", _ratio),
        Column("least", _least),
        Column("by", lambda figure: Text(figure.by)),
        Column("faster on", _faster_on),
        Column("target", lambda figure: Text(f"{figure.target:g}" if figure.target else "")),
    ],
}
"""Wall seconds; in races CPU seconds, medians over the inputs, and the geometric mean of the ratios."""


def changes_table(effects: Sequence[Effect], threshold: float) -> Table:
    """A row for each figure that two files have."""
    columns: list[Column[Effect]] = [
        Column("part", lambda effect: Text(effect.group[0])),
        Column("figure", lambda effect: Text(effect.group[1])),
        Column("old_s", lambda effect: Seconds(effect.old_s), heading="old"),
        Column("new_s", lambda effect: Seconds(effect.new_s), heading="new"),
        Column("ratio", lambda effect: Ratio(effect.ratio, effect.interval)),
        Column("verdict", lambda effect: Text(_verdict(effect, threshold)), heading=""),
    ]
    return Table.of("", columns, effects)


def _verdict(effect: Effect, threshold: float) -> str:
    if effect.broke or effect.mended:
        return "fails now" if effect.broke else "failed then"
    if effect.ratio is None:
        return "not to be compared"
    if effect.interval is None:
        return "too few runs to tell"
    return "slower" if effect.slower(threshold) else "faster" if effect.faster(1 / threshold) else ""


def lines_table(changes: Sequence[LineChange]) -> Table:
    """A row for each growth that two files have."""
    columns: list[Column[LineChange]] = [
        Column("growth", lambda change: Text(change.name)),
        Column("old", lambda change: Text(exponent(change.old))),
        Column("new", lambda change: Text(exponent(change.new))),
        Column("verdict", lambda change: Text("slower" if change.slower else "faster" if change.faster else ""), heading=""),
    ]
    return Table.of("", columns, changes)
