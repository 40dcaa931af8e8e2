"""Typed cells of tables. A cell knows its numbers, with their units, and how people read them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace

from compare.campaign.comparing.results import Grade
from compare.campaign.comparing.timing import Timing
from compare.show.tables.figures import bounded, percent, seconds, timing_text

Value = str | int | float | bool | None


class Cell(ABC):
    """One cell of a table."""

    @abstractmethod
    def text(self) -> str:
        """The cell for people; it may have several lines."""

    def short_text(self) -> str:
        """The cell where the line is short."""
        return self.text()

    @abstractmethod
    def fields(self) -> Mapping[str, Value]:
        """The cell for programs: values by name, the name with the SI unit. A single value has an empty name."""

    def mark(self) -> str:
        """`good`, `bad` or `warn` if a page should mark the cell, else empty."""
        return ""

    @property
    def order(self) -> float | str:
        """What the cell is sorted by."""
        return next((value for value in self.fields().values() if value is not None), "")


@dataclass(frozen=True)
class Text(Cell):
    """Words."""

    words: str
    marked: str = ""

    def mark(self) -> str:
        return self.marked

    def text(self) -> str:
        return self.words

    def fields(self) -> Mapping[str, Value]:
        return {"": self.words}


EMPTY = Text("")


@dataclass(frozen=True)
class Count(Cell):
    """A whole number, perhaps of a larger one."""

    value: int | None
    of: int | None = None
    marked: str = ""

    def mark(self) -> str:
        return self.marked

    def text(self) -> str:
        if self.value is None:
            return ""
        return f"{self.value:,}" if self.of is None else f"{self.value}/{self.of}"

    def fields(self) -> Mapping[str, Value]:
        return {"": self.value} if self.of is None else {"count": self.value, "of": self.of}


@dataclass(frozen=True)
class Proofs(Cell):
    """How many answers are PROVED, of those that were checked."""

    proved: int
    checked: int

    def text(self) -> str:
        return f"{self.proved}/{self.checked}" if self.checked else "-"

    def fields(self) -> Mapping[str, Value]:
        return {"proved": self.proved, "checked": self.checked}


@dataclass(frozen=True)
class Sizes(Cell):
    """The smallest and the largest size."""

    least: int
    most: int

    def text(self) -> str:
        return str(self.most) if self.least == self.most else f"{self.least}-{self.most}"

    def fields(self) -> Mapping[str, Value]:
        return {"min": self.least, "max": self.most}

    @property
    def order(self) -> float | str:
        return self.most


@dataclass(frozen=True)
class Extent(Cell):
    """The size of one instance, with its shape for people."""

    size: int
    shown: str

    def text(self) -> str:
        return self.shown

    def fields(self) -> Mapping[str, Value]:
        return {"": self.size}


@dataclass(frozen=True)
class Bytes(Cell):
    """An amount of memory; 0 if it is not known."""

    value: int

    def text(self) -> str:
        return f"{self.value / 2**20:.0f} MB" if self.value else "-"

    def fields(self) -> Mapping[str, Value]:
        return {"": self.value or None}


@dataclass(frozen=True)
class Share(Cell):
    """A share between 0 and 1."""

    value: float

    def text(self) -> str:
        return percent(self.value)

    def fields(self) -> Mapping[str, Value]:
        return {"": self.value}


@dataclass(frozen=True)
class Seconds(Cell):
    """A duration. `lower_bound` says whether it is only that, where it may be; else it is None."""

    value: float | None
    lower_bound: bool | None = None

    def text(self) -> str:
        return "" if self.value is None else bounded(seconds(self.value), self.lower_bound)

    def fields(self) -> Mapping[str, Value]:
        return {"": self.value} if self.lower_bound is None else {"s": self.value, "lower_bound": self.lower_bound}


@dataclass(frozen=True)
class Ratio(Cell):
    """A ratio, perhaps with its interval, and with `lower_bound` as in `Seconds`.

    `shown` is how numbers are formatted for people.
    """

    value: float | None
    interval: tuple[float, float] | None = None
    lower_bound: bool | None = None
    shown: str = ".3g"

    def text(self) -> str:
        if self.value is None:
            return ""
        number = bounded(format(self.value, self.shown), self.lower_bound)
        if self.interval is None:
            return number
        low, high = (format(end, self.shown) for end in self.interval)
        return f"{number} ({low} to {high})"

    def fields(self) -> Mapping[str, Value]:
        low, high = self.interval or (None, None)
        fields: dict[str, Value] = {"ratio": self.value, "low": low, "high": high}
        return fields if self.lower_bound is None else {**fields, "lower_bound": self.lower_bound}


@dataclass(frozen=True)
class RunStates(Cell):
    """How many runs ended in each way."""

    counts: Mapping[str, int]
    marked: str = ""

    def mark(self) -> str:
        return self.marked

    def text(self) -> str:
        return "\n".join(f"{count} {status}" for status, count in self.counts.items())

    def fields(self) -> Mapping[str, Value]:
        return {status.lower(): count for status, count in self.counts.items()}


@dataclass(frozen=True)
class GradedRun(Cell):
    """What one contender's result on one instance is worth, with its time if it has one."""

    grade: Grade
    timing: Timing | None = None

    def mark(self) -> str:
        return {Grade.RIGHT: "good", Grade.OPEN: "", Grade.SKIPPED: ""}.get(self.grade, "bad")

    def text(self) -> str:
        return str(self.grade) if self.timing is None else f"{self.grade} {timing_text(self.timing)}"

    def fields(self) -> Mapping[str, Value]:
        return {"result": str(self.grade), "wall_s": self.timing and self.timing.wall_s}

    @property
    def order(self) -> float | str:
        return str(self.grade) if self.timing is None else self.timing.wall_s


@dataclass(frozen=True)
class Performance(Cell):
    """What a contender did in a row: its time, its recall, and what went wrong.

    Attributes:
        timing: None if nothing was timed.
        not_ok: how many runs did not end well, by status, and how many answers are WRONG.
        given: its answers existed already, and have no time.
    """

    timing: Timing | None
    recall: float | None = None
    not_ok: Mapping[str, int] | None = None
    given: bool = False

    def mark(self) -> str:
        return "warn" if self.timing is not None and self.timing.lower_bound else ""

    def text(self) -> str:
        return self._with_states("" if self.timing is None else timing_text(self.timing))

    def short_text(self) -> str:
        """Building and solving in one number."""
        return self._with_states("" if self.timing is None else timing_text(replace(self.timing, build_s=None, solve_s=None)))

    def _with_states(self, time: str) -> str:
        parts = [time] if time else ["given"] if self.given else []
        if self.recall is not None:
            parts.append(f"finds {percent(self.recall)}")
        return "\n".join([*parts, *(f"{count} {status}" for status, count in (self.not_ok or {}).items())])

    def fields(self) -> Mapping[str, Value]:
        fields: dict[str, Value] = {"wall_s": self.timing and self.timing.wall_s}
        if self.timing is not None:
            more = {"build_s": self.timing.build_s, "solve_s": self.timing.solve_s, "spread": self.timing.spread}
            fields |= {name: value for name, value in more.items() if value is not None}
            fields |= {name: True for name in ("lower_bound", "parallel", "with_start") if getattr(self.timing, name)}
        if self.recall is not None:
            fields["recall"] = self.recall
        return fields | {status.lower(): count for status, count in (self.not_ok or {}).items()}
