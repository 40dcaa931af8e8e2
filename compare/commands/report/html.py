"""The report: files of records as one self-contained page.

The verdict comes first, then what it rests on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import puzzles
from compare.commands import commands, hints
from compare.commands.report import drawings
from compare.commands.report.report_plots import cactus, scatter
from compare.commands.report.report_tables import (
    agreement_matrix,
    proofs_table,
    scores_table,
    solved_times,
    times_table,
)
from compare.commands.run import views
from compare.engine.campaign.comparison import Comparison, PuzzleComparison
from compare.engine.campaign.header import Header
from compare.engine.campaign.summaries import Headline
from compare.engine.work.contenders import backends
from compare.engine.work.result import Result
from compare.show import messages
from compare.show.plots import Dot, Dots
from compare.show.table import WITH_START, Cell, Table, notes, one_line, render, text_cell
from compare.show.wording import noun_of, size_noun
from puzzles.extras import not_installed
from puzzles.shell.streams import visible
from puzzles.text import UserError

MAX_CONFLICTS, MAX_ROWS = 20, 1000

TEMPLATE = Path(__file__).parent / "report.html.j2"


File = tuple[str, Header, Iterable[Result]]
"""A file of records: its name, its header, and its records, which can be read several times."""


def page(files: Sequence[File], port: int | None = None) -> str:
    """The report of all records of some files as HTML. They are read twice, and few of them are
    kept in memory.

    Runs of one contender on one board in several files are its repeats. Where the files have
    several time limits, the longest counts. `port` is that of the page, for links.

    Raises:
        UserError: there are no records in them, or what draws the page is not installed.
    """
    template = page_template(TEMPLATE, "matplotlib")
    comparison = Comparison(result.run_key for _, _, results in files for result in results)
    galleries = defaultdict[str, drawings.Gallery](drawings.Gallery)
    limits = defaultdict[str, float](float)
    for _, header, records in files:
        for record in records:
            comparison.add(record)
            puzzle = record.puzzle
            galleries[puzzle].add(record)
            limits[puzzle] = max(limits[puzzle], header.settings.limits.seconds)
    if not galleries:
        raise UserError(
            f"there is no record in {'this file' if len(files) == 1 else 'these files'} yet"
        )
    in_page = [puzzles.get(name) for name in comparison.puzzles if backends(name)]
    html = template.render(
        verdict=str(messages.verdict(comparison)),
        agree=comparison.headline in (Headline.ALL_AGREE, Headline.ACCEPTED),
        tiles=_tiles(comparison).items(),
        puzzles=[
            _section(comparison, part, galleries[name], limits[name])
            for name, part in comparison.puzzles.items()
        ],
        notes=notes(render(views.tables(comparison))),
        failures=[
            *map(messages.failure_line, comparison.failures),
            *map(views.only_together, comparison.only_together.values()),
        ],
        not_asked=[*messages.skipped(comparison), *messages.spared(comparison)],
        more_failures=comparison.failures.total - len(comparison.failures),
        files=[(name, _environment(header)) for name, header, _ in files],
        page_address="".join(each.address(port) for each in hints()),
        page_command="".join(each.page_command(in_page, port) for each in hints() if in_page),
    )
    return visible(html)


def page_template(path: Path, *modules: str) -> Any:
    """The template of a page that these modules draw; raises `UserError` if they, or what fills it,
    are not installed.
    """
    try:
        for name in (*modules, "jinja2"):
            import_module(name)
    except ImportError as error:
        raise UserError(not_installed([error.name or "jinja2"])) from None
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    environment.filters["one_line"] = one_line
    return environment.from_string(path.read_text(encoding="utf-8"))


def _tiles(comparison: Comparison) -> dict[str, Cell]:
    """The large numbers above all, each with what it counts."""
    tally = comparison.tally
    tiles = {
        f"{noun_of(comparison.puzzles)}s": text_cell(str(len(comparison.instances))),
        "runs": text_cell(str(tally.statuses.total())),
        "answers proved": text_cell(f"{tally.proved} of {tally.checked}"),
    }
    bad = {"conflicts": comparison.conflicts.total, "answers refuted": tally.refuted}
    tiles |= {name: text_cell(str(count), "bad" if count else "") for name, count in bad.items()}
    for status, count in tally.not_ok.items():
        tiles[str(status)] = text_cell(str(count), "warn")
    return tiles


def _section(
    comparison: Comparison, part: PuzzleComparison, gallery: drawings.Gallery, limit: float
) -> dict[str, Any]:
    puzzle, unit = puzzles.get(part.name), size_noun([part.name])
    labels = {
        name: f"{name} {WITH_START}" if name in part.programs else name for name in part.contenders
    }
    dots: Dots = {label: some for name, label in labels.items() if (some := _dots(part, name))}
    solved = {
        label: times
        for name, label in labels.items()
        if (times := solved_times(part.of_contender(name)))[1]
    }
    growth = _growth(part, dots, limit)
    drawn = (growth.plot, cactus(solved, limit), scatter(dots, next(iter(dots), ""), limit))
    clashes = [clash for clash in comparison.conflicts if clash.results[0].puzzle == part.name]
    return {
        "puzzle": puzzle,
        "contenders": list(part.contenders),
        "conflicts": [drawings.conflict(puzzle, clash) for clash in clashes[:MAX_CONFLICTS]],
        "more_conflicts": max(0, len(clashes) - MAX_CONFLICTS),
        "times": times_table(part),
        "matrix": agreement_matrix(part),
        "proofs": proofs_table(part),
        "recall": views.recall_table(part),
        "without_recall": views.without_recall(part),
        "plots": [svg for svg in drawn if svg],
        "unit": unit,
        "growth": growth.table,
        "pictures": gallery.pictures(puzzle),
        "extra_pictures": gallery.extra_pictures(puzzle),
        "scores": scores_table(part, limit),
        "limit": f"{limit:g} s",
        "failed_tests": views.results_table(part, views.MAX_FAILED, failed=True),
        "tests": views.results_table(part, MAX_ROWS),
    }


class Growth(NamedTuple):
    """How time grows with size, for the report.

    Attributes:
        plot: an SVG; None if there is nothing to draw.
        table: a row for each contender of each family; None if no family has enough sizes.
    """

    plot: str | None = None
    table: Table | None = None


def _growth(part: PuzzleComparison, dots: Dots, limit: float) -> Growth:
    """The part of `scale` in the report: nothing where that command is not here."""
    if "scale" not in commands():
        return Growth()
    from compare.commands.scale.growth_plots import families, time_against_size
    from compare.commands.scale.growth_tables import growth_table

    unit = size_noun([part.name])
    every, generated = families(dots, limit), {each.family for each in part.instances}
    growing = {
        name: series for name, series in every.items() if name in generated or len(every) == 1
    }
    table = growth_table("", growing, unit) if growing else None
    return Growth(time_against_size(dots, limit, unit), table)


def _dots(part: PuzzleComparison, contender: str) -> list[Dot]:
    """The median time of a contender on each board."""
    dots: list[Dot] = []
    for board, each in enumerate(part.instances):
        result = each.of(contender)
        measured = result.timing if result else None
        if measured is not None:
            dot = Dot(
                board,
                each.size,
                max(measured.wall_s, 1e-7),
                measured.lower_bound,
                each.family or each.dataset,
            )
            dots.append(dot)
    return dots


def _environment(header: Header) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for name, value in header.items().items():
        if value in (None, [], ()):
            continue
        if isinstance(value, dict):
            pairs = ((key, "-" if each is None else each) for key, each in value.items())
            value = ", ".join(f"{key} {each}" for key, each in pairs)
        elif name == "memory":
            value = f"{value / 2**30:.1f} GB"
        rows.append((name, str(value)))
    return rows
