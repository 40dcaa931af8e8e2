"""How times and shares read for people, and the marks that stand beside them."""

from __future__ import annotations

from compare.campaign.comparing.timing import Timing

LOWER_BOUND, SPREAD, PARALLEL, WITH_START, CP_SAT = ">", "±", "∥", "with start", "cpsat"

MARKS = {
    LOWER_BOUND: "> at least this: the median falls on runs that were stopped at their time limit",
    SPREAD: "± half the range of a board's repeats, relative to its median (median over the boards)",
    PARALLEL: "∥ timed while other runs were under way: less reliable",
    CP_SAT: "cpsat: CP-SAT runs on one worker, or on as many as the name says (--workers)",
    WITH_START: "with start: the times of a program include the start of its process",
}
"""The marks that stand beside a number, and what they mean."""


def bounded(text: str, lower_bound: bool | None) -> str:
    """The text, marked if it is a lower bound only."""
    return f"{LOWER_BOUND} {text}" if lower_bound else text


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
