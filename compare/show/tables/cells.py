"""How times and shares read for people, and the marks that stand beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from compare.campaign.results import Grade, Timing

LOWER_BOUND, SPREAD, PARALLEL, WITH_START, CP_SAT = ">", "±", "∥", "with start", "cpsat"

MARKS = {
    LOWER_BOUND: "> at least this: the median falls on runs that were stopped at their time limit",
    SPREAD: "± half the range of a board's repeats, relative to its median (median over the boards)",
    PARALLEL: "∥ timed while other runs were under way: less reliable",
    CP_SAT: "cpsat: CP-SAT runs on one worker, or on as many as the name says (--workers)",
    WITH_START: "with start: the times of a program include the start of its process",
}
"""The marks that stand beside a number, and what they mean."""


def timing_text(timing: Timing) -> str:
    """A time for people: building and solving apart if both are known, then the marks."""
    if timing.build_s is not None and timing.solve_s is not None:
        number = f"{seconds(timing.build_s)} + {seconds(timing.solve_s)}"
    else:
        number = seconds(timing.wall_s)
    before = f"{LOWER_BOUND} " if timing.lower_bound else ""
    spread = "" if timing.spread is None else f" {SPREAD}{timing.spread:.0%}"
    return f"{before}{number}{spread}{f' {PARALLEL}' if timing.parallel else ''}"


def seconds(value: float) -> str:
    """A duration for people, with at most three digits."""
    if value >= 999.5:
        return f"{value:,.0f} s"
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if value >= 0.9995 * scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value / 1e-6:.0f} µs" if value >= 0.5e-6 else f"{value / 1e-9:.0f} ns"


def percent(value: float) -> str:
    """A share in percent; 100% and 0% only if it is all or nothing."""
    return f"{value:.0%}" if value in (0.0, 1.0) else f"{min(max(100 * value, 0.1), 99.9):.1f}%"


def notes(text: str) -> str:
    """What the marks in a text mean, a line for each mark that stands in it."""
    lines = [meaning for mark, meaning in MARKS.items() if mark in text]
    return "".join(f"{line}\n" for line in ["", *lines]) if lines else ""


Value = str | int | float | bool | None


@dataclass(frozen=True)
class Cell:
    """One cell of a table.

    Attributes:
        text: the cell for people; it may have several lines.
        fields: the cell for programs: values by name, the name with the SI unit. A single value has an empty name.
        mark: `good`, `bad` or `warn` if a page should mark the cell, else empty.
        short: the text where the line is short; None if it is the same.
        key: what the cell is sorted by; None for its first value.
    """

    text: str
    fields: Mapping[str, Value]
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


EMPTY = text_cell("")


def count_cell(value: int | None, of: int | None = None, mark: str = "") -> Cell:
    """A whole number, perhaps of a larger one."""
    if of is not None:
        return Cell(f"{value}/{of}", {"count": value, "of": of}, mark)
    return Cell("" if value is None else f"{value:,}", {"": value}, mark)


def proofs_cell(proved: int, checked: int) -> Cell:
    """How many answers are PROVED, of those that were checked."""
    return Cell(f"{proved}/{checked}" if checked else "-", {"proved": proved, "checked": checked})


def sizes_cell(least: int, largest: int) -> Cell:
    """The smallest and the largest size."""
    text = str(largest) if least == largest else f"{least}-{largest}"
    return Cell(text, {"min": least, "max": largest}, key=largest)


def bytes_cell(value: int) -> Cell:
    """An amount of memory; 0 if it is not known."""
    return Cell(f"{value / 2**20:.0f} MB" if value else "-", {"": value or None})


def share_cell(value: float) -> Cell:
    """A share between 0 and 1."""
    return Cell(percent(value), {"": value})


def seconds_cell(value: float | None, lower_bound: bool | None = None) -> Cell:
    """A duration. `lower_bound` says whether it is only that, where it may be; else it is None."""
    text = "" if value is None else f"{f'{LOWER_BOUND} ' if lower_bound else ''}{seconds(value)}"
    return Cell(text, {"": value} if lower_bound is None else {"s": value, "lower_bound": lower_bound})


def states_cell(counts: Mapping[str, int], mark: str = "") -> Cell:
    """How many runs ended in each way."""
    return Cell("\n".join(_states(counts)), _state_fields(counts), mark)


def _states(counts: Mapping[str, int]) -> list[str]:
    return [f"{count} {status}" for status, count in counts.items()]


def _state_fields(counts: Mapping[str, int]) -> dict[str, Value]:
    return {status.lower(): count for status, count in counts.items()}


def ratio_cell(
    value: float | None,
    interval: tuple[float, float] | None = None,
    lower_bound: bool | None = None,
    shown: str = ".3g",
) -> Cell:
    """A ratio, perhaps with its interval, and with `lower_bound` as in `seconds_cell`.

    `shown` is how numbers are formatted for people.
    """
    low, high = interval or (None, None)
    fields: dict[str, Value] = {"ratio": value, "low": low, "high": high}
    if lower_bound is not None:
        fields["lower_bound"] = lower_bound
    if value is None:
        return Cell("", fields)
    text = f"{f'{LOWER_BOUND} ' if lower_bound else ''}{value:{shown}}"
    return Cell(text if interval is None else f"{text} ({low:{shown}} to {high:{shown}})", fields)


def graded_cell(grade: Grade, timing: Timing | None = None) -> Cell:
    """What one contender's result on one instance is worth, with its time if it has one."""
    mark = {Grade.RIGHT: "good", Grade.OPEN: "", Grade.SKIPPED: ""}.get(grade, "bad")
    wall_s = timing and timing.wall_s
    text = str(grade) if timing is None else f"{grade} {timing_text(timing)}"
    return Cell(text, {"result": str(grade), "wall_s": wall_s}, mark, key=wall_s)


def performance_cell(
    timing: Timing | None, recall: float | None = None, not_ok: Mapping[str, int] | None = None, *, given: bool = False
) -> Cell:
    """What a contender did in a row: its time, its recall, and what went wrong. Short, building and solving are one number.

    Args:
        timing: None if nothing was timed.
        not_ok: how many runs did not end well, by status, and how many answers are WRONG.
        given: its answers existed already, and have no time.
    """
    rest = [] if recall is None else [f"finds {percent(recall)}"]
    rest += _states(not_ok or {})
    fields: dict[str, Value] = {"wall_s": timing and timing.wall_s}
    times, short = (["given"] if given else []), None
    if timing is not None:
        more = {"build_s": timing.build_s, "solve_s": timing.solve_s, "spread": timing.spread}
        fields |= {name: value for name, value in more.items() if value is not None}
        fields |= {name: True for name in ("lower_bound", "parallel", "with_start") if getattr(timing, name)}
        times = [timing_text(timing)]
        short = "\n".join([timing_text(replace(timing, build_s=None, solve_s=None)), *rest])
    if recall is not None:
        fields["recall"] = recall
    mark = "warn" if timing is not None and timing.lower_bound else ""
    return Cell("\n".join([*times, *rest]), fields | _state_fields(not_ok or {}), mark, short)
