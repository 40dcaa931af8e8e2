"""What the report shows of one puzzle: conflicts, drawings, tables, scores and plots, in the order
of the page.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import puzzles
from compare.commands import commands
from compare.commands.report import drawings
from compare.commands.report.overview import ContenderRow
from compare.commands.report.report_plots import (
    LEAST_SECONDS,
    SolvedBoards,
    cactus,
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
from compare.commands.report.template import fits_paper
from compare.commands.run import views
from compare.commands.run.comparison_tables import reference_of
from compare.commands.run.grid_tables import grid_tables
from compare.engine.campaign.comparison import Comparison, PuzzleComparison
from compare.engine.campaign.summaries import Compared, Headline
from compare.engine.isolate.outcome import Limits, Status
from compare.engine.work.result import InstanceKey, Result
from compare.show.plots import Dot, Dots, Plot
from compare.show.table import WITH_START, Table
from compare.show.wording import size_noun

MAX_CONFLICTS, MAX_ROWS = 20, 1000

RANK = list(Headline).index
"""How bad a headline is: the worst is 0."""


def _worst_first(part: PuzzleComparison, rows: Sequence[ContenderRow]) -> PuzzleComparison:
    """A puzzle's comparison with its contenders in the order of these rows, and with the boards
    first that somebody fails.
    """

    def fault(each: Compared) -> int:
        troubles = [RANK(some.trouble) for some in each.summaries if some.trouble is not None]
        if each.is_disputed:
            troubles.append(RANK(Headline.CONFLICT))
        return min(troubles, default=len(Headline))

    names = (row.contender for row in rows if row.puzzle == part.name)
    return replace(
        part,
        contenders={name: part.contenders[name] for name in names},
        instances=sorted(part.instances, key=fault),
    )


def puzzle_section(
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
        "matrix_fits": fits_paper(
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
