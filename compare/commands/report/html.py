"""The report: files of records as one self-contained page.

The verdict comes first, then what it rests on.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import puzzles
from compare.commands import commands, hints
from compare.commands.report import drawings
from compare.commands.report.overview import COLUMN_MARKS, ContenderRow, Overview, shown_columns
from compare.commands.report.report_plots import (
    LEAST_SECONDS,
    WHY_NO_PLOT,
    SolvedBoards,
    cactus,
    most_reported,
    scatter,
    times_by_family,
    values_over_time,
)
from compare.commands.report.report_tables import (
    agreement_matrix,
    proofs_table,
    scores_tables,
    times_table,
)
from compare.commands.run import views
from compare.commands.run.grid_tables import grid_tables
from compare.engine.campaign.comparison import Comparison, PuzzleComparison
from compare.engine.campaign.journal import RecordFile
from compare.engine.campaign.ratios import called, no_contender, reference_of
from compare.engine.campaign.summaries import Compared, Headline
from compare.engine.isolate.outcome import Limits, Status
from compare.engine.work.contenders import Kind, backends
from compare.engine.work.result import InstanceKey, Result, RunKey
from compare.show import messages
from compare.show.plots import Dot, Dots, Plot, svg_of
from compare.show.table import WITH_START, Table, notes, one_line, render
from compare.show.wording import noun_of, size_noun
from puzzles.extras import not_installed
from puzzles.text import UserError, count_noun, visible

if TYPE_CHECKING:
    from markupsafe import Markup

MAX_CONFLICTS, MAX_ROWS = 20, 1000

MAX_RECORD_FILES = 2
"""Files whose date, command and machine stand at the beginning; all of them stand at the end."""

PAPER_WIDTH, MIN_PAPER_SCALE = 680.0, 0.5
"""CSS pixels between the margins of a sheet of A4, and of texts of boards the least scale there: a
board that is wider still is made smaller by itself.
"""

MAX_PAPER_CHARACTERS, PADDING = 110, 2
"""Characters of a table that have room beside each other on a sheet of A4, and those that the space
around a column takes.
"""

MAX_UNBROKEN = 16
"""Characters of a name for which the first column of a table has room where a page is narrow."""

TEMPLATE = Path(__file__).parent / "report.html.j2"

_RANK = list(Headline).index


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
        _section(
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
        fits_paper=_table_fits_paper,
        contenders_fit=_fits_paper(
            [row.puzzle + row.contender, *kinds, row.as_long.text] for row in rows
        ),
        drawn=set().union(*(section["drawn"] for section in sections)),
        listed=set().union(*(section["rows"] for section in sections)),
        paper_scale=_paper_scale(sections),
        notes=notes(render(views.tables(comparison, reference=reference))),
        said_first=_RANK(verdict.headline) <= _RANK(Headline.UNPROVED),
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


def _paper_scale(sections: Sequence[Mapping[str, Any]]) -> str:
    """By what factor all boards are made smaller on paper, so that the widest has room."""
    shown = [
        drawing
        for section in sections
        for drawings in (
            *(conflict.drawings for conflict in section["conflicts"]),
            section["faults"],
            section["pictures"],
            section["extra_pictures"],
        )
        for drawing in drawings
    ]
    widths = (re.match(r'<svg [^>]*\bwidth="([\d.]+)"', drawing.svg) for drawing in shown)
    widest = max((float(width[1]) for width in widths if width), default=PAPER_WIDTH)
    return f"{min(1.0, max(MIN_PAPER_SCALE, PAPER_WIDTH / widest)):.3f}"


def _fits_paper(rows: Iterable[Sequence[str]]) -> bool:
    """Whether a table of these texts, its heads among them, fits on paper with no word broken."""
    columns = zip(*rows, strict=True)
    words = ([word for text in column for word in text.split()] for column in columns)
    widths = (max(map(len, some), default=0) + PADDING for some in words)
    return sum(widths) <= MAX_PAPER_CHARACTERS


def _table_fits_paper(table: Table) -> bool:
    return _fits_paper([table.headings, *([cell.text for cell in row] for row in table.rows)])


def page_template(path: Path, *modules: str) -> Any:
    """The template of a page that these modules draw; raises `UserError` if they, or what fills it,
    are not installed.
    """
    try:
        for name in (*modules, "jinja2"):
            import_module(name)
    except ImportError as error:
        raise UserError(not_installed([error.name or "jinja2"])) from None
    return _compiled(path)


def breakable(name: str) -> Markup:
    """A name as HTML; a long one may be broken behind `:`, `@`, `,` and `=`."""
    from markupsafe import Markup, escape

    if len(name) <= MAX_UNBROKEN:
        return escape(name)
    return Markup("<wbr>").join(map(escape, re.split(r"(?<=[:@,=])(?=\S)", name)))


@cache
def _compiled(path: Path) -> Any:
    """A template; to compile it takes longer than to fill it."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    environment.filters["one_line"] = one_line
    environment.filters["breakable"] = breakable
    return environment.from_string(path.read_text(encoding="utf-8"))


def _worst_first(part: PuzzleComparison, rows: Sequence[ContenderRow]) -> PuzzleComparison:
    """The same with the contenders in the order of these rows, and with the boards first that
    somebody fails.
    """

    def fault(each: Compared) -> int:
        troubles = [_RANK(some.trouble) for some in each.summaries if some.trouble is not None]
        if each.is_disputed:
            troubles.append(_RANK(Headline.CONFLICT))
        return min(troubles, default=len(Headline))

    names = (row.contender for row in rows if row.puzzle == part.name)
    return replace(
        part,
        contenders={name: part.contenders[name] for name in names},
        instances=sorted(part.instances, key=fault),
    )


def _section(
    comparison: Comparison,
    part: PuzzleComparison,
    rows: Sequence[ContenderRow],
    gallery: drawings.Gallery,
    under: Mapping[Limits, Comparison],
    lacking: Collection[Limits],
    reference: str | None,
    traced: Mapping[InstanceKey, Sequence[Result]],
) -> dict[str, Any]:
    """All that the template shows of a puzzle.

    `under`: by limits, the comparison of what was run under them. `lacking`: the limits of which
    planned runs are missing. `reference`: as in `reference_of`. `traced`: all results of the cases
    that are drawn over time.
    """
    puzzle, unit = puzzles.get(part.name), size_noun([part.name])
    ordered = _worst_first(part, rows)
    measured = [
        _measured(each, each.puzzles[part.name], limits, reference, lacks_runs=limits in lacking)
        for limits, each in under.items()
        if part.name in each.puzzles
    ]
    longest = max(limits.seconds for limits, each in under.items() if part.name in each.puzzles)
    growth = _growth(part, _all_dots(part), longest)
    ranks = {name: rank for rank, name in enumerate(_timed(part))}
    over_time = [values_over_time(each, ranks, longest) for each in traced.values()]
    gaps = views.gaps_table(ordered)
    clashes = [clash for clash in comparison.conflicts if clash.results[0].puzzle == part.name]
    conflicts = [drawings.conflict(puzzle, clash) for clash in clashes[:MAX_CONFLICTS]]
    faults = _draw_faults(
        [row for row in rows if row.puzzle == part.name], {each.board for each in conflicts}
    )
    shown = {each.board for each in (*conflicts, *faults)}
    pictures = [
        replace(each, board="") if each.board in shown else each for each in gallery.pictures()
    ]
    matrix = agreement_matrix(ordered)
    section = {
        "puzzle": puzzle,
        "nouns": f"{puzzle.noun.capitalize()}s",
        "contenders": list(ordered.contenders),
        "conflicts": conflicts,
        "faults": faults,
        "more_conflicts": max(0, len(clashes) - MAX_CONFLICTS),
        "failed_tests": views.results_table(ordered, views.MAX_FAILED, failed=True),
        "times": times_table(ordered, reference_of(part, reference)),
        "matrix": matrix,
        "matrix_fits": _fits_paper(
            [name, *(cell.text for cell in row)]
            for name, row in zip(ordered.contenders, matrix, strict=False)
        ),
        "measured": measured,
        "proofs": proofs_table(ordered),
        "gaps": replace(gaps, rows=gaps.rows[:MAX_ROWS]),
        "more_gaps": len(gaps.rows) > MAX_ROWS,
        "over_time": [plot for plot in over_time if plot is not None],
        "recall": views.recall_table(ordered),
        "without_recall": views.without_recall(ordered),
        "growth": growth,
        "unit": unit,
        "pictures": pictures,
        "extra_pictures": gallery.extra_pictures(puzzle),
        "tests": views.results_table(ordered, MAX_ROWS),
        "rows": [drawings.board_id(each) for each in ordered.instances[:MAX_ROWS]],
        "drawn": shown | {each.board for each in pictures},
        "boards": len(part.instances),
    }
    nouns = section["nouns"]
    parts = {
        f"{nouns} that somebody fails": section["failed_tests"].rows,
        "Time by dataset": section["times"].rows,
        "Agreement": section["matrix"],
        "PAR-2": any(each.scores or each.boards for each in measured),
        "What is proved": section["proofs"].rows,
        "How good solutions are": section["gaps"].rows,
        "What an incomplete backend finds": section["recall"].rows,
        "Growth": growth.table,
        "Value and bound over time": section["over_time"],
        "Speed": growth.plot or any(any(each.plots.values()) for each in measured),
        nouns: section["pictures"],
        "Beyond the answer": section["extra_pictures"],
        f"Every {puzzle.noun}": section["tests"].rows,
    }
    return section | {"parts": [title for title, content in parts.items() if content]}


def _draw_faults(rows: Iterable[ContenderRow], drawn: Collection[str]) -> list[drawings.Drawing]:
    """Draw the smallest board of each way in which a contender is at fault, unless it is `drawn`
    already.
    """
    known, faults = {*drawn}, list[drawings.Drawing]()
    for row in rows:
        for boards in row.boards.values():
            result = boards.smallest
            if result is None or drawings.board_id(result) in known:
                continue
            if len(faults) < drawings.MAX_FAULTS and (drawing := drawings.board_drawing(result)):
                known.add(drawing.board)
                faults.append(drawing)
                boards.drawing = drawing
    return faults


class Measured(NamedTuple):
    """What depends on the limits of the runs.

    Attributes:
        limits: in words.
        seconds: the time limit.
        scores: tables of PAR-2 scores that have rows: of the contenders that can be ranked, then of
            the others.
        boards: on which boards scores and plots are, for a sentence, if that is not on all.
        plots: by kind; None where there is nothing to draw.
    """

    limits: str
    seconds: str
    scores: list[Table]
    boards: str
    plots: dict[str, Plot | None]


def _measured(
    comparison: Comparison,
    part: PuzzleComparison,
    limits: Limits,
    reference: str | None,
    *,
    lacks_runs: bool,
) -> Measured:
    """What is shown of the runs under these limits; `lacks_runs`: some planned ones are missing."""
    boards = ""
    if lacks_runs:
        boards = views.over_common_boards(part)
        part = part.on_common_boards()
    dots, limit, whose = _all_dots(part), limits.seconds, reference_of(part, reference)
    solving = list(filter(part.claims_all, _timed(part))) or _timed(part)
    solved = {_label(part, name): _solved(part, name) for name in solving}
    return Measured(
        str(limits),
        f"{limit:g} s",
        [
            *(table for table in scores_tables(comparison, part, limit) if table.rows),
            *grid_tables(part, limit),
        ],
        boards,
        {
            "cactus": cactus(solved, limit, puzzles.get(part.name).noun, list(dots)),
            "scatter": scatter(dots, _label(part, whose) if whose else "", limit),
            "boxes": times_by_family(dots, limit),
        },
    )


def _label(part: PuzzleComparison, contender: str) -> str:
    return f"{contender} {WITH_START}" if contender in part.programs else contender


def _timed(part: PuzzleComparison) -> list[str]:
    """The contenders that were run: all plots give them their colours in this order."""
    return [
        name for name in part.contenders if any(each.was_timed for each in part.of_contender(name))
    ]


def _all_dots(part: PuzzleComparison) -> Dots:
    return {_label(part, name): _dots(part, name) for name in _timed(part)}


def _solved(part: PuzzleComparison, contender: str) -> SolvedBoards:
    summaries = {
        _board(each): summary
        for each in part.instances
        if (summary := each.of(contender)) and summary.was_timed
    }
    times = {board: summary.solved_s for board, summary in summaries.items()}
    return SolvedBoards(
        {board: time for board, time in times.items() if time is not None},
        len(summaries),
        any(Status.TIMEOUT in summary.statuses for summary in summaries.values()),
    )


def _board(each: Compared) -> str:
    """What plots call a board."""
    return f"{each.dataset} {each.number}"


class Growth(NamedTuple):
    """How time grows with size, for the report.

    Attributes:
        plot: None if there is nothing to draw.
        table: a row for each contender of each family; None if no family has enough sizes.
    """

    plot: Plot | None = None
    table: Table | None = None


def _growth(part: PuzzleComparison, dots: Dots, limit: float) -> Growth:
    """The part of `scale` in the report: nothing where that command is not here."""
    if "scale" not in commands():
        return Growth()
    from compare.commands.scale.growth_plots import growth_by_family, time_against_size
    from compare.commands.scale.growth_tables import growth_table

    unit = size_noun([part.name])
    every, generated = growth_by_family(dots, limit), {each.family for each in part.instances}
    mixed = any(each.family is None and each.file is not None for each in part.instances)
    alone = len(every) == 1 and not mixed
    growing = {name: series for name, series in every.items() if name in generated or alone}
    table = growth_table("", growing, unit) if growing else None
    noun = puzzles.get(part.name).noun
    return Growth(time_against_size(dots, limit, unit, noun, mixed=mixed), table)


def _dots(part: PuzzleComparison, contender: str) -> list[Dot]:
    """The median time of a contender on each board."""
    dots: list[Dot] = []
    for each in part.instances:
        result = each.of(contender)
        measured = result.timing if result else None
        if measured is not None:
            dot = Dot(
                _board(each),
                each.size,
                max(measured.wall_s, LEAST_SECONDS),
                measured.lower_bound,
                each.family or each.dataset,
            )
            dots.append(dot)
    return dots


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
