"""A file of records as one self-contained page: verdict first, then what it rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import puzzles
from compare.campaign.journal import Content
from compare.campaign.record import Record
from compare.campaign.relation import Relation, Stance, relate
from compare.isolate.sandbox import Limits, Status, call
from compare.show import plots, table
from compare.show.plots import Point, Series
from compare.show.table import Conflict, Measured
from compare.work.contenders import SIDES
from compare.work.worker import certified
from puzzles.answer import Answer
from puzzles.extras import not_installed
from puzzles.grid import Board
from puzzles.puzzle import Puzzle
from puzzles.text import UserError
from puzzles.verdict import Verdict

MOST_PICTURES, MOST_DRAWN_CELLS = 12, 2500
"""Boards that are drawn of each puzzle, and the cells of the largest of them."""

MOST_FURTHER, FURTHER_LIMITS = 8, Limits(10.0)
"""Pictures of what goes beyond the answers, and what one board of them may take."""

MOST_CONFLICTS, MOST_FAILURES, MOST_ROWS = 20, 100, 1000


@dataclass(frozen=True)
class Cell:
    """A cell of a table: what it shows, what it sorts by, and a CSS class."""

    text: str
    value: float | str = ""
    kind: str = ""


@dataclass(frozen=True)
class Drawing:
    """A picture with what is written below it."""

    svg: str
    caption: str
    kind: str = ""


def page(content: Content) -> str:
    """The report of a file of records as HTML.

    Raises:
        UserError: there are no records in it, or what draws the page is not installed.
    """
    try:
        import matplotlib as mpl
        from jinja2 import Environment, StrictUndefined

        del mpl
    except ImportError as error:
        raise UserError(not_installed([error.name or "jinja2"])) from None
    records = content.records
    if not records:
        raise UserError("there is no record in this file yet")
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
    template = environment.from_string((Path(__file__).parent / "report.html.j2").read_text(encoding="utf-8"))
    names = list(dict.fromkeys(record.puzzle for record in records))
    text = table.render(records)
    return template.render(
        verdict=table.verdict(records),
        agree=table.verdict(records).startswith("ALL AGREE"),
        tiles=_tiles(records),
        puzzles=[_section(puzzles.get(name), [r for r in records if r.puzzle == name], content.header) for name in names],
        notes=[line for line in table.notes(text).splitlines() if line],
        failures=table.failures(records)[:MOST_FAILURES],
        more_failures=max(0, len(table.failures(records)) - MOST_FAILURES),
        environment=_environment(content.header),
    )


def _tiles(records: Sequence[Record]) -> list[Cell]:
    clashes, refuted = table.conflicts(records), table.refuted(records)
    checked = Counter(record.check for record in records if record.check is not None)
    ended = Counter(record.status for record in records)
    tiles = [
        Cell(str(len(table.by_board(records))), "boards"),
        Cell(str(len(records)), "runs"),
        Cell(f"{checked[Verdict.PROVED]} of {sum(checked.values())}", "answers proved"),
        Cell(str(len(clashes)), "conflicts", "bad" if clashes else ""),
        Cell(str(len(refuted)), "answers refuted", "bad" if refuted else ""),
    ]
    tiles += [Cell(str(count), str(status), "warn") for status, count in ended.items() if status is not Status.OK]
    return tiles


def _section(puzzle: Puzzle, records: list[Record], header: dict[str, Any]) -> dict[str, Any]:
    contenders = list(dict.fromkeys(record.backend for record in records))
    series = _series(records)
    limits = header.get("limits")
    limit = limits.get("seconds") if isinstance(limits, dict) else None
    reference = next(iter(series), "")
    return {
        "name": puzzle.name,
        "title": puzzle.title,
        "source": puzzle.source,
        "contenders": contenders,
        "conflicts": [_conflict(puzzle, clash, header) for clash in table.conflicts(records)[:MOST_CONFLICTS]],
        "more_conflicts": max(0, len(table.conflicts(records)) - MOST_CONFLICTS),
        "times": _times(records, contenders),
        "matrix": _matrix(puzzle, records, contenders),
        "proofs": _proofs(records, contenders),
        "left_out": table.left_out(records),
        "shares": [[Cell(text, text) for text in row.values()] for row in table.shares(records)],
        "plots": [
            svg
            for svg in (
                plots.time_against_size(series, limit),
                plots.cactus(series),
                plots.scatter(series, reference, limit),
            )
            if svg
        ],
        "pictures": _pictures(puzzle, records, header),
        "further": _further(puzzle, records),
        "boards": _boards(records, contenders),
    }


def _times(records: Sequence[Record], contenders: Sequence[str]) -> list[list[Cell]]:
    rows: list[list[Cell]] = []
    for name in dict.fromkeys(record.set for record in records):
        some = [record for record in records if record.set == name]
        boards = table.by_board(some)
        cells = [runs[0].size[0] * runs[0].size[1] for runs in boards.values()]
        shown = str(max(cells)) if min(cells) == max(cells) else f"{min(cells)}-{max(cells)}"
        row = [Cell(name, name), Cell(str(len(boards)), len(boards)), Cell(shown, max(cells))]
        rows.append(row + [_time([r for r in some if r.backend == contender]) for contender in contenders])
    return rows


def _time(records: Sequence[Record]) -> Cell:
    measured: Measured | None = table.measure(records)
    text = table.times(list(records))
    kind = "warn" if measured is not None and measured.stopped else ""
    return Cell(text, "" if measured is None else measured.wall_s, kind)


def _matrix(puzzle: Puzzle, records: Sequence[Record], contenders: Sequence[str]) -> list[list[Cell]]:
    """For each pair of contenders how many boards they agree on, of those that both answered."""
    together: dict[tuple[str, str], Counter[Relation]] = {}
    for runs in table.by_board(records).values():
        claiming = [(run, Stance(run.claims, run.complete, run.exact or {})) for run in runs if run.claims is not None]
        for (a, ours), (b, theirs) in combinations_with_replacement(claiming, 2):
            relation = relate(ours, theirs, first_claim_is_consistency=puzzle.first_claim_is_consistency)
            for pair in {(a.backend, b.backend), (b.backend, a.backend)}:
                together.setdefault(pair, Counter())[relation] += 1
    return [[_relations(together.get((a, b), Counter()), same=a == b) for b in contenders] for a in contenders]


def _relations(found: Counter[Relation], *, same: bool) -> Cell:
    total, clashes = sum(found.values()), found[Relation.CONFLICT]
    if same:
        return Cell(str(total), total, "self")
    if not total:
        return Cell("-", 0, "none")
    partial = "" if found[Relation.EQUAL] or clashes else " ⊆" if found[Relation.SUBSET] else " ~"
    return Cell(f"{total - clashes}/{total}{partial}", total - clashes, "bad" if clashes else "good")


def _proofs(records: Sequence[Record], contenders: Sequence[str]) -> list[list[Cell]]:
    """A row a contender: what was proved of its answers, how its runs ended, its share found, time and memory."""
    against = Counter(record.backend for record in table.refuted(records))
    rows: list[list[Cell]] = []
    for name in contenders:
        some = [record for record in records if record.backend == name]
        checks = Counter(record.check for record in some if record.check is not None)
        unproved = sum(checks.values()) - checks[Verdict.PROVED] - against[name]
        ended = Counter(record.status for record in some)
        other = ", ".join(f"{count} {status}" for status, count in ended.items() if status is not Status.OK)
        found = [record.coverage for record in some if record.coverage is not None]
        peak = max((record.peak_bytes or 0 for record in some), default=0)
        rows.append(
            [
                Cell(name, name),
                Cell(str(checks[Verdict.PROVED]), checks[Verdict.PROVED], "good" if checks[Verdict.PROVED] else ""),
                Cell(str(max(0, unproved)), max(0, unproved), "warn" if unproved > 0 else ""),
                Cell(str(against[name]), against[name], "bad" if against[name] else ""),
                Cell(other or "-", len(some) - ended[Status.OK], "warn" if other else ""),
                Cell(table.share(sum(found) / len(found)) if found else "all" if some[0].complete else "a part"),
                _time(some),
                Cell(f"{peak / 2**20:.0f} MB" if peak else "-", peak),
            ]
        )
    return rows


def _series(records: Sequence[Record]) -> Series:
    series: Series = {}
    grouped: dict[tuple[str, object], list[Record]] = {}
    for record in records:
        grouped.setdefault((record.backend, record.key), []).append(record)
    for (name, board), runs in grouped.items():
        measured = table.measure(runs)
        if measured is not None:
            cells = runs[0].size[0] * runs[0].size[1]
            series.setdefault(name, []).append(Point(board, cells, max(measured.wall_s, 1e-7), measured.stopped))
    return series


def _boards(records: Sequence[Record], contenders: Sequence[str]) -> list[list[Cell]]:
    """A row a board."""
    grouped: dict[tuple[object, str], list[Record]] = {}
    for record in records:
        grouped.setdefault((record.key, record.backend), []).append(record)
    rows: list[list[Cell]] = []
    for key, runs in list(table.by_board(records).items())[:MOST_ROWS]:
        first = runs[0]
        row = [Cell(first.set, first.set), Cell(first.number, first.case if first.file is None else first.number)]
        row.append(Cell(f"{first.size[0]}x{first.size[1]}", first.size[0] * first.size[1]))
        rows.append(row + [_time(grouped.get((key, name), [])) for name in contenders])
    return rows


def read_board(puzzle: Puzzle, record: Record) -> Board | None:
    """The board of a record, from its text; None where that was too long to be recorded."""
    if record.board is None:
        return None
    for text in (record.board, f"1\n{record.board}"):  # the contest's file of one board has a number of cases, or has none
        try:
            found = puzzle.parse(text, "<record>")
        except UserError:
            continue
        if len(found) == 1 and found[0].digest == record.digest:
            return found[0]
    return None


def read_answer(puzzle: Puzzle, board: Board, record: Record, format: str | None) -> Answer | None:
    """The answer of a record, from its text; None where it has none."""
    if record.answer is None:
        return None
    for name in dict.fromkeys([format or puzzle.formats[0], *puzzle.formats]):
        try:
            (found,) = puzzle.parse_answers(record.answer, [board], name, "<record>")
        except UserError:
            continue
        return found
    return None


def _draw(puzzle: Puzzle, record: Record, header: dict[str, Any]) -> str | None:
    """The board with the record's answer drawn into it; None where that is too large or not recorded."""
    if record.size[0] * record.size[1] > MOST_DRAWN_CELLS:
        return None
    board = read_board(puzzle, record)
    if board is None:
        return None
    return puzzle.picture(board, read_answer(puzzle, board, record, header.get("format")))


def _place(record: Record) -> str:
    return f"{table.within(record)}: {record.size[0]}x{record.size[1]}"


def _says(puzzle: Puzzle, record: Record, several: int = 1) -> str:
    """` says` and the first line of the answer, but for a row of the board, which is drawn."""
    if record.answer is None:
        return ""
    line, board = table.brief(record.answer), read_board(puzzle, record)
    if board is not None and set(line.encode()) <= set(board.alphabet):
        return ""
    return f" say{'s' * (several == 1)} {line}"


def _conflict(puzzle: Puzzle, clash: Conflict, header: dict[str, Any]) -> dict[str, Any]:
    """A disagreement: each different answer drawn once, with who gives it and how it stands."""
    said: dict[bytes, list[Record]] = {}
    for record in clash.runs:
        said.setdefault(b"" if record.claims is None else record.claims.tobytes(), []).append(record)
    drawings: list[Drawing] = []
    for same in said.values():
        shown = next((record for record in same if record.check is Verdict.PROVED), same[0])
        refuted = any(record in clash.refuted or record.check is Verdict.REFUTED for record in same)
        proved = any(record.check is Verdict.PROVED for record in same)
        standing = "refuted" if refuted else "proved" if proved else "not proved"
        caption = f"{', '.join(record.backend for record in same)}{_says(puzzle, shown, len(same))}: {standing}"
        svg = _draw(puzzle, shown, header)
        drawings.append(Drawing(svg or "", caption, "bad" if refuted else "good" if proved else ""))
    return {"where": table.where(clash.runs[0]), "drawings": drawings, "text": table.describe(clash)}


def _pictures(puzzle: Puzzle, records: Sequence[Record], header: dict[str, Any]) -> list[Drawing]:
    """Some boards with their answers: the first few of each set in turn, small ones first."""
    by_set: dict[str, list[Record]] = {}
    for runs in table.by_board(records).values():
        answered = [run for run in runs if run.answer is not None]
        if answered:
            best = next((run for run in answered if run.check is Verdict.PROVED), answered[0])
            by_set.setdefault(best.set, []).append(best)
    queues = [sorted(some, key=lambda run: run.size[0] * run.size[1]) for some in by_set.values()]
    chosen: list[Record] = []
    while any(queues) and len(chosen) < MOST_PICTURES:
        chosen += [queue.pop(0) for queue in queues if queue]
    drawings: list[Drawing] = []
    for record in chosen[:MOST_PICTURES]:
        svg = _draw(puzzle, record, header)
        if svg:
            check = f", {record.check}" if record.check else ""
            drawings.append(Drawing(svg, f"{_place(record)}, {record.backend}{_says(puzzle, record)}{check}"))
    return drawings


def _further(puzzle: Puzzle, records: Sequence[Record]) -> list[Drawing]:
    """What the default direct backend can say beyond the answers on record, of a few boards, the smallest of each set first."""
    drawings: list[Drawing] = []
    smallest: dict[str, Record] = {}
    for record in sorted(records, key=lambda each: each.size[0] * each.size[1]):
        smallest.setdefault(record.set, record)
    for record in smallest.values() if puzzle.exact_options else ():
        board = read_board(puzzle, record) if record.size[0] * record.size[1] <= MOST_DRAWN_CELLS else None
        if board is None or len(drawings) >= MOST_FURTHER:
            continue
        ended = call(_further_of, puzzle.name, board, limits=FURTHER_LIMITS)
        if ended.status is Status.OK:
            drawings += [Drawing(svg, f"{_place(record)}; {caption}") for caption, svg in ended.value]
    return drawings


def _further_of(name: str, board: Board) -> list[tuple[str, str]]:
    puzzle = puzzles.get(name)
    return list(puzzle.extra_pictures(board, certified(SIDES["direct"].get(name), board, {})))


def _environment(header: dict[str, Any]) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for name, value in header.items():
        if name == "header" or value is None or value == []:
            continue
        if isinstance(value, dict):
            value = ", ".join(f"{key} {'-' if each is None else each}" for key, each in value.items())
        elif name == "memory":
            value = f"{value / 2**30:.1f} GB"
        rows.append((name, str(value)))
    return rows
