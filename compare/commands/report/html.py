"""The report: files of records as one self-contained page.

The verdict comes first, then what it rests on.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import puzzles
from compare.commands import hints
from compare.commands.report import drawings
from compare.commands.report.overview import COLUMN_MARKS, Overview, shown_columns
from compare.commands.report.puzzle_section import RANK, puzzle_section
from compare.commands.report.report_plots import WHY_NO_PLOT, most_reported
from compare.commands.report.template import (
    fits_paper,
    page_template,
    paper_scale,
    table_fits_paper,
)
from compare.commands.run import views
from compare.engine.campaign.comparison import Comparison
from compare.engine.campaign.journal import RecordFile
from compare.engine.campaign.ratios import called, no_contender
from compare.engine.campaign.summaries import Headline
from compare.engine.isolate.outcome import Limits
from compare.engine.work.contenders import backends
from compare.engine.work.result import InstanceKey, Kind, Result, RunKey
from compare.show import messages
from compare.show.plots import DOTS_PER_INCH, Plot, figure_of
from compare.show.table import notes, render
from compare.show.wording import noun_of
from puzzles.text import UserError, count_noun, visible

MAX_RECORD_FILES = 2
"""Files whose date, command and machine stand at the beginning; all of them stand at the end."""

TEMPLATE = Path(__file__).parent / "report.html.j2"

_INK, _LINE = "#010203", "#040506"
"""Stand for the page's own colours of text and lines, which the page sets for light and dark."""


class Report(NamedTuple):
    """What there is of some records.

    Attributes:
        text: HTML.
        plots: by name, for files.
        lacking: which plots there are not, and why, in sentences.
    """

    text: str
    plots: dict[str, Plot]
    lacking: list[str]


def page(
    files: Sequence[RecordFile],
    port: int | None = None,
    contenders: Sequence[str] = (),
    reference: str | None = None,
) -> Report:
    """The report of all records of some files. They are read several times, and few records are
    kept in memory.

    Runs of one contender on one board in several files are its repeats; what depends on the limits
    of a run is told apart by limits.

    Args:
        port: that of the page, for links.
        contenders: who takes part, as `called` takes names; empty for all. Expected answers
            always do.
        reference: as in `reference_of`.

    Raises:
        UserError: there are no records in them, nobody is called so, or what draws the page is not
            installed.
    """
    template = page_template(TEMPLATE, "matplotlib")
    records = [ChosenRecords(file, _chosen(files, contenders, reference)) for file in files]
    overview = Overview(_planned(records))
    galleries = defaultdict[str, drawings.Gallery](drawings.Gallery)
    reported = defaultdict[str, dict[InstanceKey, int]](dict)
    by_limits: dict[Limits, list[ChosenRecords]] = {}
    for some in records:
        by_limits.setdefault(some.file.header.settings.limits, []).append(some)
        for record in some:
            overview.add(record)
            galleries[record.puzzle].add(record)
            if record.trace:
                points = reported[record.puzzle]
                points[record.key] = max(len(record.trace), points.get(record.key, 0))
    if not galleries:
        raise UserError(
            f"there is no record in {'this file' if len(files) == 1 else 'these files'} yet"
        )
    comparison, rows = overview.comparison, overview.rows(reference)
    kinds = shown_columns(rows)
    under = {
        limits: _compared(some) if len(by_limits) > 1 else comparison
        for limits, some in by_limits.items()
    }
    lacking = {
        limits for limits, some in by_limits.items() if any(each.file.missing for each in some)
    }
    verdict = messages.verdict(comparison, messages.unfinished(files))
    in_page = [puzzles.get(name) for name in comparison.puzzles if backends(name)]
    sections = [
        puzzle_section(
            comparison,
            part,
            rows,
            galleries[name],
            under,
            lacking,
            reference,
            _results_of(records, most_reported(reported[name])),
        )
        for name, part in comparison.puzzles.items()
    ]
    html = template.render(
        verdict=str(verdict),
        mark=_MARKS.get(verdict.headline, "warn"),
        rows=rows,
        worst_first=any(
            COLUMN_MARKS[kind] in ("bad", "warn") for row in rows for kind in row.boards
        ),
        kinds=kinds,
        marks=COLUMN_MARKS,
        puzzles=sections,
        noun=noun_of([*comparison.puzzles]),
        svg_of=svg_of,
        fits_paper=table_fits_paper,
        contenders_fit=fits_paper(
            [row.puzzle + row.contender, *kinds, row.as_long.text] for row in rows
        ),
        drawn=set().union(*(section["drawn"] for section in sections)),
        listed=set().union(*(section["rows"] for section in sections)),
        paper_scale=paper_scale(sections),
        notes=notes(render(views.tables(comparison, reference=reference))),
        said_first=RANK(verdict.headline) <= RANK(Headline.UNPROVED),
        busy_lines=messages.busy_lines(comparison.processor_share),
        said_beside=[
            *messages.skipped_lines(comparison),
            *messages.spared_lines(comparison),
            *map(views.only_together, comparison.only_together.values()),
        ],
        origins=[(file.name, _origin(file)) for file in files[:MAX_RECORD_FILES]],
        more_files=max(0, len(files) - MAX_RECORD_FILES),
        files=[(file.name, _environment(file)) for file in files],
        page_address="".join(each.address(port) for each in hints()),
        page_command="".join(each.page_command(in_page, port) for each in hints() if in_page),
    )
    return Report(visible(html), *_named_plots(sections))


def _results_of(
    files: Iterable[ChosenRecords], cases: Sequence[InstanceKey]
) -> dict[InstanceKey, list[Result]]:
    """All results of these cases."""
    results: dict[InstanceKey, list[Result]] = {case: [] for case in cases}
    for file in files if cases else ():
        for record in file:
            if record.key in results:
                results[record.key].append(record)
    return results


class ChosenRecords:
    """The records of a file that are of some contenders; expected answers are among them."""

    def __init__(self, file: RecordFile, contenders: Collection[str]) -> None:
        self.file, self.contenders = file, contenders

    def __iter__(self) -> Iterator[Result]:
        return (
            record
            for record in self.file
            if record.contender in self.contenders or record.kind is Kind.GIVEN
        )


def _chosen(files: Iterable[RecordFile], names: Sequence[str], reference: str | None) -> list[str]:
    """The contenders that are called so, all if there are no names; raises `UserError` for a name
    that nobody has.
    """
    known = list(dict.fromkeys(record.contender for file in files for record in file))
    named = {each for name in names for each in called(known, name)}
    chosen = [each for each in known if not names or each in named]
    asked = [("--backend", name, known) for name in names]
    if reference is not None:
        asked.append(("--reference", reference, chosen))
    for option, name, some in asked if known else ():
        if not called(some, name):
            raise no_contender(option, name, some)
    return chosen


def _named_plots(sections: Iterable[Mapping[str, Any]]) -> tuple[dict[str, Plot], list[str]]:
    """The plots of all sections by the names of their files, and which there are not."""
    plots: dict[str, Plot] = {}
    lacking: list[str] = []
    for section in sections:
        puzzle, measured = section["puzzle"], section["measured"]
        for each in measured:
            under = f" {each.limits}" if len(measured) > 1 else ""
            for kind, plot in each.plots.items():
                name = re.sub(r"[^\w.]+", "-", f"{puzzle.name} {kind}{under}")
                if plot is None:
                    reason = WHY_NO_PLOT[kind].format(noun=puzzle.noun)
                    lacking.append(f"no plot {name}: {reason}")
                else:
                    plots[name] = plot
        growth = section["growth"].plot
        for plot in ([growth] if growth else []) + section["over_time"]:
            plots[re.sub(r"[^\w.]+", "-", f"{puzzle.name} {plot.kind}")] = plot
    return plots, lacking


_MARKS = {
    Headline.FAILED: "bad",
    Headline.CONFLICT: "bad",
    Headline.ACCEPTED: "good",
    Headline.ALL_AGREE: "good",
}
"""How the verdict is marked; any other one is a warning."""


def _planned(files: Iterable[ChosenRecords]) -> Iterator[RunKey]:
    return (result.run_key for file in files for result in file)


def _compared(files: Sequence[ChosenRecords]) -> Comparison:
    """The comparison of these files alone."""
    comparison = Comparison(_planned(files))
    for file in files:
        for record in file:
            comparison.add(record)
    return comparison


def _origin(file: RecordFile) -> dict[str, str]:
    """When, by which command and where a file was made."""
    environment = file.header.environment
    machine = [
        file.header.executor if file.header.settings.elsewhere else environment.machine,
        environment.processor,
        count_noun(environment.cores, "core") if environment.cores else "",
        f"{environment.memory / 2**30:.1f} GB",
    ]
    return {
        "date": file.when.replace("T", " "),
        "command": file.header.command,
        "machine": ", ".join(filter(None, machine)),
    }


def _environment(file: RecordFile) -> list[tuple[str, str]]:
    """What the header says, and when each other session went on with the file."""
    rows: list[tuple[str, str]] = []
    for name, value in file.header.items().items():
        if value in (None, [], ()):
            continue
        if isinstance(value, dict):
            pairs = ((key, "-" if each is None else each) for key, each in value.items())
            value = ", ".join(f"{key} {each}" for key, each in pairs)
        elif name == "memory":
            value = f"{value / 2**30:.1f} GB"
        rows.append((name, str(value)))
    return rows + [("resumed", session.when) for session in file.sessions[1:]]


def svg_of(plot: Plot) -> str:
    """The plot as an SVG element that scales with the page; its identifiers are its own."""
    import matplotlib as mpl

    figure = figure_of(plot, _INK, _LINE)
    style: Any = {"svg.fonttype": "none", "svg.hashsalt": plot.title, "font.family": "sans-serif"}
    out = io.StringIO()
    with mpl.rc_context(style):
        figure.savefig(
            out,
            format="svg",
            dpi=DOTS_PER_INCH,
            transparent=True,
            metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")),
        )
    svg = out.getvalue()
    svg = svg[svg.index("<svg") :]
    head, _, body = svg.partition(">")
    head = re.sub(r' (width|height)="[^"]*"', "", head)
    svg = f'{head} class="plot" role="img" aria-label="{plot.title}">{body}'
    svg = svg.replace(_INK, "var(--ink)").replace(_LINE, "var(--line)")
    prefix = f"f{hashlib.sha256(svg.encode()).hexdigest()[:8]}-"
    return re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{prefix}", svg)
