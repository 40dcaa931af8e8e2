"""Records to tables: one table a puzzle, disagreements in full, one line of verdict."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

from tabulate import tabulate

import puzzles
from compare.record import Record
from compare.relate import Relation, Stance, relate
from compare.sandbox import Status
from puzzles.puzzle import Verdict

FORMATS = ("table", "markdown", "csv", "json")


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
        verdict_first = puzzles.get(puzzle).verdict_first
        stances = [(run, Stance(run.claims, run.complete, run.exact or {})) for run in runs if run.claims is not None]
        pairs = [
            (a, b)
            for (a, ours), (b, theirs) in combinations(stances, 2)
            if relate(ours, theirs, verdict_first=verdict_first) is Relation.CONFLICT
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


def _title(contender: str) -> str:
    return contender.replace(":", "\n", 1)


def _row(name: str, records: list[Record], contenders: list[str], clashing: set[tuple[str, str, int, str]]) -> dict[str, str]:
    boards = by_board(records)
    related = [key for key, runs in boards.items() if sum(run.claims is not None for run in runs) > 1]
    sizes = sorted({runs[0].size[0] * runs[0].size[1] for runs in boards.values()})
    row = {"set": name, "boards": str(len(boards))}
    row["cells"] = str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]}-{sizes[-1]}"
    row |= {_title(contender): _times([r for r in records if r.backend == contender]) for contender in contenders}
    row["agreed"] = f"{sum(key not in clashing for key in related)}/{len(boards)}"
    row["proved"] = _proved(records)
    return row


def _times(records: list[Record]) -> str:
    """Median seconds (building and solving apart for models), the share found by an incomplete backend, what failed."""
    timed = [record for record in records if record.status is Status.OK and record.wall_s is not None]
    parts: list[str] = []
    if timed:
        if all(record.build_s is not None for record in timed):
            parts.append(f"{seconds(median(r.build_s or 0 for r in timed))} + {seconds(median(r.solve_s or 0 for r in timed))}")
        else:
            parts.append(seconds(median(record.wall_s or 0 for record in timed)))
    elif any(record.status is Status.OK for record in records):
        parts.append("given")
    found = [record.coverage for record in records if record.coverage is not None]
    if found:
        parts.append(f"finds {sum(found) / len(found):.0%}")
    failed = Counter(record.status for record in records if record.status is not Status.OK)
    parts += [f"{count} {status}" for status, count in failed.items()]
    return "\n".join(parts)


def _proved(records: list[Record]) -> str:
    """PROVED answers of all that were checked."""
    checked = [record for record in records if record.check is not None]
    return f"{sum(record.check is Verdict.PROVED for record in checked)}/{len(checked)}" if checked else "-"


def render(records: Sequence[Record], format: str = "table") -> str:
    """The tables of all puzzles, in one of `FORMATS`."""
    names = list(dict.fromkeys(record.puzzle for record in records))
    tables = {name: rows([record for record in records if record.puzzle == name]) for name in names}
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
    return "\n".join(parts)


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
    for loser in conflict.refuted:
        lines.append(f"REFUTED: {loser.backend}, by the proved answer of another")
    if any(a.check is Verdict.PROVED and b.check is Verdict.PROVED for a, b in conflict.pairs):
        lines.append("Both sides are PROVED, so one of the checks is wrong. Please report this board.")
    return "\n".join(lines) + "\n"


def where(record: Record) -> str:
    """The board of a record, for people."""
    return f"{record.puzzle}, set {record.set}, case {record.case} ({record.size[0]}x{record.size[1]})"


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


def verdict(records: Sequence[Record]) -> str:
    """The last line: who agrees, what is proved, what is not."""
    boards = by_board(records)
    clashes = conflicts(records)
    refuted = sum(record.check is Verdict.REFUTED for record in records)
    refuted += sum(record.check is not Verdict.REFUTED for clash in clashes for record in clash.refuted)
    checked = [record for record in records if record.check is not None]
    proved = sum(record.check is Verdict.PROVED for record in checked)
    ended = Counter(record.status for record in records)
    runs = ", ".join(f"{count} {status}" for status, count in ended.items())
    puzzle_count = len({record.puzzle for record in records})
    scope = f"{len(boards)} boards of {puzzle_count} puzzle{'s' if puzzle_count != 1 else ''}"
    head = f"NOT ALL AGREE: {len(clashes)} boards with a CONFLICT, {refuted} answers REFUTED" if clashes or refuted else "ALL AGREE"
    return f"{head}; {scope}; runs: {runs}; {proved} of {len(checked)} answers PROVED."
