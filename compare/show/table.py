"""Records to tables: one table a puzzle, disagreements in full, one line of verdict."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

from tabulate import tabulate

import puzzles
from compare.campaign.record import Record
from compare.campaign.relation import Relation, Stance, differing, relate
from compare.isolate.sandbox import Status
from puzzles.text import counted
from puzzles.verdict import Verdict

FORMATS = ("table", "markdown", "csv", "json")

STOPPED, SPREAD, PARALLEL = ">", "±", "∥"

MARKS = {
    STOPPED: "> a lower bound: the median stands on runs that were stopped at their time limit",
    SPREAD: "± half the range of a board's repeats, relative to its median (median over the boards)",
    PARALLEL: "∥ timed while other runs were under way: less reliable",
}
"""What stands beside a number in a table, and what it means."""


@dataclass(frozen=True)
class Conflict:
    """The answers to one board, of which at least two cannot both be right."""

    runs: tuple[Record, ...]
    pairs: tuple[tuple[Record, Record], ...]

    @property
    def refuted(self) -> list[Record]:
        """The answers that a PROVED one contradicts, though they are not PROVED themselves."""
        found: list[Record] = []
        for pair in self.pairs:
            proved = [record.check is Verdict.PROVED for record in pair]
            if proved[0] != proved[1] and (loser := pair[proved[0]]) not in found:
                found.append(loser)
        return found


def by_board(records: Iterable[Record]) -> dict[tuple[str, str, int, str], list[Record]]:
    """The records of each board's first repeat, in order."""
    boards: dict[tuple[str, str, int, str], list[Record]] = {}
    for record in records:
        if record.repeat == 1:
            boards.setdefault(record.key, []).append(record)
    return boards


def conflicts(records: Iterable[Record]) -> list[Conflict]:
    """Every board with answers that conflict, recomputed from the claims of all pairs."""
    found: list[Conflict] = []
    for (puzzle, *_), runs in by_board(records).items():
        first_claim_is_consistency = puzzles.get(puzzle).first_claim_is_consistency
        stances = [(run, Stance(run.claims, run.complete, run.exact or {})) for run in runs if run.claims is not None]
        pairs = [
            (a, b)
            for (a, ours), (b, theirs) in combinations(stances, 2)
            if relate(ours, theirs, first_claim_is_consistency=first_claim_is_consistency) is Relation.CONFLICT
        ]
        if pairs:
            found.append(Conflict(tuple(run for run, _ in stances), tuple(pairs)))
    return found


def seconds(value: float) -> str:
    """A duration for people, three digits at the most."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value / 1e-6:.0f} µs"


def rows(records: Sequence[Record]) -> list[dict[str, str]]:
    """The table of one puzzle: a row a set, and a last row with what was proved of each contender."""
    contenders = list(dict.fromkeys(record.backend for record in records))
    sets = list(dict.fromkeys(record.set for record in records))
    clashing = {conflict.runs[0].key for conflict in conflicts(records)}
    table = [_row(name, [r for r in records if r.set == name], contenders, clashing) for name in sets]
    last = _row("all", list(records), [], clashing)
    last |= {_title(name): _proved([r for r in records if r.backend == name]) for name in contenders}
    order = ["set", "boards", "cells", *map(_title, contenders), "agreed", "proved"]
    return [{column: row.get(column, "") for column in order} for row in [*table, last]]


def solver_rows(records: Sequence[Record]) -> list[dict[str, str]]:
    """The table of a run with every solver: a row a solver, a column a puzzle and backend; first those that take none."""
    columns = list(dict.fromkeys((r.puzzle, r.backend.partition("@")[0]) for r in records if "@" in r.backend))
    several = len(columns) > len({puzzle for puzzle, _ in columns})
    table: list[dict[str, str]] = []
    for takes, name in sorted({("@" in r.backend, r.backend.rpartition("@")[2]) for r in records}):
        row = {"solver": name}
        for puzzle, backend in columns:
            own = [r for r in records if r.puzzle == puzzle and r.backend == (f"{backend}@{name}" if takes else name)]
            row[f"{puzzle}\n{backend}" if several else puzzle] = times(own)
        table.append(row)
    return table


def _title(contender: str) -> str:
    return contender.replace(":", "\n", 1)


def _row(name: str, records: list[Record], contenders: list[str], clashing: set[tuple[str, str, int, str]]) -> dict[str, str]:
    boards = by_board(records)
    related = [key for key, runs in boards.items() if sum(run.claims is not None for run in runs) > 1]
    sizes = sorted({runs[0].size[0] * runs[0].size[1] for runs in boards.values()})
    row = {"set": name, "boards": str(len(boards))}
    row["cells"] = str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]}-{sizes[-1]}"
    row |= {_title(contender): times([r for r in records if r.backend == contender]) for contender in contenders}
    row["agreed"] = f"{sum(key not in clashing for key in related)}/{len(boards)}"
    row["proved"] = _proved(records)
    return row


def times(records: list[Record]) -> str:
    """Median seconds (building and solving apart for models), the share found by an incomplete backend, what failed."""
    parts: list[str] = []
    measured = measure(records)
    if measured:
        parts.append(str(measured))
    elif any(record.status is Status.OK for record in records):
        parts.append("given")
    found = [record.coverage for record in records if record.coverage is not None]
    if found:
        parts.append(f"finds {share(sum(found) / len(found))}")
    failed = Counter(record.status for record in records if record.status is not Status.OK)
    parts += [f"{count} {status}" for status, count in failed.items()]
    return "\n".join(parts)


def share(value: float) -> str:
    """A share in percent, 100% and 0% only where it is all or nothing."""
    return f"{value:.0%}" if value in (0.0, 1.0) else f"{min(max(100 * value, 0.1), 99.9):.1f}%"


def shares(records: Iterable[Record]) -> list[dict[str, str]]:
    """What the incomplete backends find: a row a set and backend, over the boards on which something is certain."""
    grouped: dict[tuple[str, str], list[float]] = {}
    for record in records:
        if record.coverage is not None and record.repeat == 1:
            grouped.setdefault((record.set, record.backend), []).append(record.coverage)
    return [
        {
            "set": name,
            "backend": backend,
            "boards": str(len(found)),
            "finds": share(sum(found) / len(found)),
            "least": share(min(found)),
            "all on": f"{found.count(1.0)} of {len(found)}",
        }
        for (name, backend), found in grouped.items()
    ]


def left_out(records: Iterable[Record]) -> list[str]:
    """A line for each set with boards that `shares` leaves out, since nothing is certain there."""
    boards: dict[str, set[object]] = {}
    empty: dict[str, set[object]] = {}
    for record in records:
        boards.setdefault(record.set, set()).add(record.key)
        if record.relation is Relation.SUBSET and not record.complete and record.coverage is None:
            empty.setdefault(record.set, set()).add(record.key)
    return [
        f"{name}: on {len(found)} of {len(boards[name])} boards nothing is certain, and they are left out"
        for name, found in empty.items()
    ]


@dataclass(frozen=True)
class Measured:
    """The time of some runs, and what it is worth.

    Attributes:
        wall_s: the median over boards of each board's median; a run that was stopped counts with the time it had.
        parts: building and solving apart, where every run says so and none was stopped.
        spread: half the range of a board's repeats relative to its median, median over boards; None without repeats.
        stopped: the median itself stands on runs that were stopped at their limit: it is a lower bound.
        parallel: other runs were under way.
    """

    wall_s: float
    parts: tuple[float, float] | None
    spread: float | None
    stopped: bool
    parallel: bool

    def __str__(self) -> str:
        number = " + ".join(map(seconds, self.parts)) if self.parts else seconds(self.wall_s)
        spread = f" {SPREAD}{self.spread:.0%}" if self.spread is not None else ""
        return f"{f'{STOPPED} ' if self.stopped else ''}{number}{spread}{f' {PARALLEL}' if self.parallel else ''}"


def measure(records: Iterable[Record]) -> Measured | None:
    """The time of some runs; None where none came to its end."""
    timed = [record for record in records if record.wall_s is not None and record.status in (Status.OK, Status.TIMEOUT)]
    ended = [record for record in timed if record.status is Status.OK]
    if not ended and not timed:
        return None
    boards: dict[object, list[Record]] = {}
    for record in timed:
        boards.setdefault((record.backend, *record.key), []).append(record)
    middles = [_middle([(record.wall_s or 0, record.status is not Status.OK) for record in runs]) for runs in boards.values()]
    wall_s, stopped = _middle(middles)
    apart = len(ended) == len(timed) and all(record.build_s is not None and record.solve_s is not None for record in ended)
    parts = (median(r.build_s or 0 for r in ended), median(r.solve_s or 0 for r in ended)) if apart else None
    walls = [[record.wall_s or 0 for record in runs if record.status is Status.OK] for runs in boards.values()]
    spreads = [(max(some) - min(some)) / 2 / median(some) for some in walls if len(some) > 1]
    return Measured(wall_s, parts, median(spreads) if spreads else None, stopped, any(record.parallel for record in timed))


def _middle(values: list[tuple[float, bool]]) -> tuple[float, bool]:
    """The median of (seconds, stopped), and whether it stands on one that was stopped."""
    values = sorted(values)
    low, high = values[(len(values) - 1) // 2], values[len(values) // 2]
    return (low[0] + high[0]) / 2, low[1] or high[1]


def _proved(records: list[Record]) -> str:
    """PROVED answers of all that were checked."""
    checked = [record for record in records if record.check is not None]
    return f"{sum(record.check is Verdict.PROVED for record in checked)}/{len(checked)}" if checked else "-"


def render(records: Sequence[Record], format: str = "table") -> str:
    """The tables of all puzzles, in one of `FORMATS`."""
    names = list(dict.fromkeys(record.puzzle for record in records))
    tables = {name: rows([record for record in records if record.puzzle == name]) for name in names}
    if any("@" in record.backend for record in records):
        tables = {"solvers": solver_rows(records)}
    if format != "table":
        tables = {name: _flattened(table) for name, table in tables.items()}
    if format == "json":
        return json.dumps(tables, indent=1) + "\n"
    if format == "csv":
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        for name, table in tables.items():
            writer.writerow(["puzzle", *table[0]])
            writer.writerows([name, *row.values()] for row in table)
        return out.getvalue()
    style, heading = ("github", "## {}\n\n") if format == "markdown" else ("simple", "{}\n")
    parts = [
        f"{heading.format(name)}{tabulate(table, headers='keys', tablefmt=style, disable_numparse=True)}\n"
        for name, table in tables.items()
    ]
    return "\n".join(parts) + notes("\n".join(parts))


def notes(text: str) -> str:
    """What the marks in a table mean, a line for each that is there."""
    lines = [meaning for mark, meaning in MARKS.items() if mark in text]
    return "".join(f"{line}\n" for line in ["", *lines]) if lines else ""


def _flattened(table: list[dict[str, str]]) -> list[dict[str, str]]:
    """The same table without line breaks, in headings and in cells."""
    return [{title.replace("\n", ":"): cell.replace("\n", ", ") for title, cell in row.items()} for row in table]


def describe(conflict: Conflict) -> str:
    """A disagreement in full: the board, each answer with who gives it, and which ones are refuted."""
    first = conflict.runs[0]
    lines = [f"CONFLICT on {where(first)}:", _indented(first.board or f"(board {first.digest}, too long to be printed)")]
    said: dict[bytes, list[Record]] = {}
    for record in conflict.runs:
        said.setdefault(b"" if record.claims is None else record.claims.tobytes(), []).append(record)
    for same in said.values():
        lines += [f"{record.backend} ({_standing(record)})" for record in same]
        lines[-1] += " says:" if len(same) == 1 else " say:"
        lines.append(_indented(same[0].answer or "(an answer too long to be printed)"))
    for a, b in conflict.pairs:
        lines += [f"{a.backend} and {b.backend} differ in their {each}" for each in differing(a.exact or {}, b.exact or {})]
    for loser in conflict.refuted:
        lines.append(f"REFUTED: {loser.backend}, by the proved answer of another")
    if any(a.check is Verdict.PROVED and b.check is Verdict.PROVED and not (a.exact and b.exact) for a, b in conflict.pairs):
        lines.append("Both sides are PROVED, so one of the checks is wrong. Please report this board.")
    return "\n".join(lines) + "\n"


def where(record: Record) -> str:
    """The board of a record, for people."""
    return f"{record.puzzle}, {within(record)} ({record.size[0]}x{record.size[1]})"


def within(record: Record) -> str:
    """The board of a record among those of its puzzle, for people."""
    return f"set {record.set}, {'' if record.file is None else f'{record.file} '}case {record.case}"


def brief(answer: str) -> str:
    """The first line of an answer, without the number of its case."""
    lines = re.sub(r"\A\s*Case #?[0-9]+:", "", answer).split("\n")
    return next((line.strip() for line in lines if line.strip()), "nothing")


def _standing(record: Record) -> str:
    if record.check is None:
        return "not checked"
    return f"{record.check}: {record.detail}" if record.detail else str(record.check)


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.rstrip("\n").split("\n"))


def failures(records: Sequence[Record]) -> list[str]:
    """A line for every refuted answer and every run that did not come to its end."""
    lines: list[str] = []
    for record in records:
        if record.check is Verdict.REFUTED:
            lines.append(f"REFUTED {record.backend} on {where(record)}: {record.detail}")
        elif record.status not in (Status.OK, Status.SKIPPED):
            lines.append(f"{record.status} {record.backend} on {where(record)}: {record.detail}")
    return lines


def skipped(records: Sequence[Record]) -> list[str]:
    """A line for each contender and reason that boards were skipped for."""
    reasons = Counter((r.backend, r.puzzle, r.detail) for r in records if r.status is Status.SKIPPED)
    return [
        f"SKIPPED {backend} on {counted(count, f'{puzzle} board')}: {detail}"
        for (backend, puzzle, detail), count in reasons.items()
    ]


def refuted(records: Sequence[Record]) -> list[Record]:
    """The answers that the check refutes, and those that a proved answer of another does."""
    found = [record for record in records if record.check is Verdict.REFUTED]
    return found + [r for clash in conflicts(records) for r in clash.refuted if r.check is not Verdict.REFUTED]


def verdict(records: Sequence[Record]) -> str:
    """The last line: who agrees, what is proved, what is not."""
    boards = by_board(records)
    clashes = conflicts(records)
    against = len(refuted(records))
    checked = [record for record in records if record.check is not None]
    proved = sum(record.check is Verdict.PROVED for record in checked)
    ended = Counter(record.status for record in records)
    runs = ", ".join(f"{count} {status}" for status, count in ended.items())
    puzzle_count = len({record.puzzle for record in records})
    scope = f"{counted(len(boards), 'board')} of {counted(puzzle_count, 'puzzle')}"
    if clashes or against:
        head = f"NOT ALL AGREE: {counted(len(clashes), 'board')} with a CONFLICT, {counted(against, 'answer')} REFUTED"
    elif any(sum(run.claims is not None for run in runs) > 1 for runs in boards.values()):
        head = "ALL AGREE"
    else:
        head = "NOTHING COMPARED"
    return f"{head}; {scope}; runs: {runs}" + f"; {proved} of {len(checked)} answers PROVED" * bool(checked) + "."
