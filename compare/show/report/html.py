"""The report: files of records as one self-contained page. The verdict comes first, then what it rests on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import puzzles
from compare.campaign.comparison import Comparison
from compare.campaign.header import Header
from compare.campaign.record import Record
from compare.campaign.results import Headline, results_of, timing
from compare.show import messages
from compare.show.page_link import PORT, address, page_command
from compare.show.report import drawings, plots
from compare.show.report.plots import Dot, Dots
from compare.show.tables import summary
from compare.show.tables.cells import WITH_START, Cell, notes, text_cell
from compare.show.tables.growth_tables import growth_table
from compare.show.tables.summary import MAX_FAILED, matrix, scores_table, solved_times
from compare.show.tables.table import one_line, render
from compare.show.wording import noun_of, size_noun
from puzzles.extras import not_installed
from puzzles.puzzle import Puzzle
from puzzles.shell.streams import visible
from puzzles.text import UserError

MAX_CONFLICTS, MAX_ROWS = 20, 1000

TEMPLATE = Path(__file__).parent / "report.html.j2"


File = tuple[str, Header, Iterable[Record]]
"""A file of records: its name, its header, and its records, which can be read several times."""


def page(files: Sequence[File], port: int = PORT) -> str:
    """The report of all records of some files as HTML. They are read twice, and few of them are kept in memory.

    Runs of one contender on one board in several files are its repeats. Where the files have several time limits, the longest
    counts.

    Raises:
        UserError: there are no records in them, or what draws the page is not installed.
    """
    try:
        import matplotlib as mpl
        from jinja2 import Environment, StrictUndefined

        del mpl
    except ImportError as error:
        raise UserError(not_installed([error.name or "jinja2"])) from None
    comparison = Comparison(record.task for _, _, records in files for record in records)
    galleries = defaultdict[str, drawings.Gallery](drawings.Gallery)
    limits = defaultdict[str, float](float)
    for _, header, records in files:
        for record in records:
            comparison.add(record)
            puzzle = record.task.puzzle
            galleries[puzzle].add(record)
            limits[puzzle] = max(limits[puzzle], header.settings.limits.seconds)
    if not galleries:
        raise UserError(f"there is no record in {'this file' if len(files) == 1 else 'these files'} yet")
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
    environment.filters["one_line"] = one_line
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    marks = notes(render(summary.tables(comparison)))
    html = template.render(
        verdict=messages.verdict(comparison),
        agree=comparison.headline in (Headline.ALL_AGREE, Headline.ACCEPTED),
        tiles=_tiles(comparison),
        puzzles=[_section(puzzles.get(name), comparison, galleries[name], limits[name]) for name in comparison.puzzles],
        notes=[line for line in marks.splitlines() if line],
        failures=[
            *map(messages.failure_line, comparison.failures),
            *map(messages.only_together, comparison.only_together.values()),
        ],
        more_failures=comparison.failure_count - len(comparison.failures),
        files=[(name, _environment(header)) for name, header, _ in files],
        page_address=address(port),
        page_command=page_command(map(puzzles.get, comparison.puzzles), port),
    )
    return visible(html)


def _tiles(comparison: Comparison) -> list[tuple[str, Cell]]:
    """The large numbers above all, each with what it counts."""
    tally, clashes = comparison.tally, comparison.conflict_count
    tiles: list[tuple[str, Cell]] = [
        (f"{noun_of(comparison.puzzles)}s", text_cell(str(len(comparison.instances)))),
        ("runs", text_cell(str(tally.runs))),
        ("answers proved", text_cell(f"{tally.proved} of {tally.checked}")),
        ("conflicts", text_cell(str(clashes), "bad" if clashes else "")),
        ("answers refuted", text_cell(str(tally.refuted), "bad" if tally.refuted else "")),
    ]
    return tiles + [(str(status), text_cell(str(count), "warn")) for status, count in tally.not_ok.items()]


def _section(puzzle: Puzzle, comparison: Comparison, gallery: drawings.Gallery, limit: float) -> dict[str, Any]:
    dots, unit = _dots(comparison, puzzle.name), size_noun([puzzle.name])
    generated = {each.family for each in comparison.of_puzzle(puzzle.name)}
    kinds = plots.families(dots, limit)
    growing = {name: series for name, series in kinds.items() if name in generated or len(kinds) == 1}
    clashes = [clash for clash in comparison.conflicts if clash.records[0].task.puzzle == puzzle.name]
    return {
        "name": puzzle.name,
        "title": puzzle.title,
        "source": puzzle.source,
        "contenders": comparison.contenders(puzzle.name),
        "conflicts": [drawings.conflict(puzzle, clash) for clash in clashes[:MAX_CONFLICTS]],
        "more_conflicts": max(0, len(clashes) - MAX_CONFLICTS),
        "times": summary.times_table(comparison, puzzle.name),
        "matrix": summary.agreement_matrix(comparison, puzzle.name),
        "proofs": summary.proofs_table(comparison, puzzle.name),
        "recall": summary.recall_table(comparison, puzzle.name),
        "without_recall": summary.without_recall(comparison, puzzle.name),
        "plots": _plots(dots, _solved(comparison, puzzle.name), limit, unit),
        "unit": unit,
        "growth": growth_table("", growing, unit) if growing else None,
        "pictures": gallery.pictures(puzzle),
        "extra_pictures": gallery.extra_pictures(puzzle),
        "scores": scores_table(comparison, puzzle.name, limit),
        "limit": f"{limit:g} s",
        "failed_tests": matrix(comparison, puzzle.name, MAX_FAILED, failed=True),
        "tests": matrix(comparison, puzzle.name, MAX_ROWS),
    }


def _dots(comparison: Comparison, puzzle: str) -> Dots:
    """The median time of each contender on each board."""
    dots: Dots = {}
    for board, each in enumerate(comparison.of_puzzle(puzzle)):
        for result in each.results:
            measured = timing([result])
            if measured is not None:
                seconds = max(measured.wall_s, 1e-7)
                dot = Dot(board, each.size, seconds, measured.lower_bound, each.family or each.dataset)
                dots.setdefault(result.contender, []).append(dot)
    return {_with_start(comparison, puzzle, name): dots[name] for name in comparison.contenders(puzzle) if name in dots}


def _solved(comparison: Comparison, puzzle: str) -> dict[str, tuple[list[float], int]]:
    """The seconds of each contender on the boards that it solved, and how many boards it was given."""
    everything = comparison.of_puzzle(puzzle)
    times = {name: solved_times(list(results_of(everything, name))) for name in comparison.contenders(puzzle)}
    return {_with_start(comparison, puzzle, name): (seconds, boards) for name, (seconds, boards) in times.items() if boards}


def _with_start(comparison: Comparison, puzzle: str, name: str) -> str:
    """The name of a contender in a plot."""
    return f"{name} {WITH_START}" if name in comparison.programs(puzzle) else name


def _plots(dots: Dots, solved: dict[str, tuple[list[float], int]], limit: float, size: str) -> Sequence[str]:
    reference = next(iter(dots), "")
    drawn = (plots.time_against_size(dots, limit, size), plots.cactus(solved, limit), plots.scatter(dots, reference, limit))
    return [svg for svg in drawn if svg]


def _environment(header: Header) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for name, value in header.items().items():
        if value is None or value in ([], ()):
            continue
        if isinstance(value, dict):
            value = ", ".join(f"{key} {'-' if each is None else each}" for key, each in value.items())
        elif name == "memory":
            value = f"{value / 2**30:.1f} GB"
        rows.append((name, str(value)))
    return rows
