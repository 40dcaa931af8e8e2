"""What `run` says of a comparison: the tables, then what is wrong, skipped or unproved."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from compare.engine.campaign.comparison import Comparison, Failure
from compare.engine.work.result import REFUTED
from compare.show.messages import (
    boards_together,
    busy_lines,
    describe,
    skipped_lines,
    spared_lines,
)
from compare.show.table import STYLES, Table, render
from compare.show.wording import line_width, noun_of, wrap
from puzzles.text import count_noun, visible

_MAX_SHOWN = 10
"""Disagreements, and failures, that are printed; the rest is counted."""

MAX_REASONS = 5
"""Reasons for UNPROVED answers that are printed for each contender and puzzle."""


def comparison_text(
    comparison: Comparison,
    shown: Sequence[Table],
    format: str = "table",
    *,
    quiet: bool = False,
    wide: bool = False,
    kept: str | None = None,
    more: Sequence[str] = (),
) -> str:
    """Tables; for people also disagreements, failures, and what stayed unproved.

    Args:
        quiet: leave the tables for people out.
        wide: whole tables on a terminal too, however long their lines.
        kept: the file that has all records.
        more: lines that stand below the failures.
    """
    width = line_width(wide=wide)
    if format not in STYLES:
        return render(shown, format, width)
    lines = [*disagreements(comparison, kept), *more]
    if not quiet:
        lines += busy_lines(comparison.processor_share)
        lines += [*skipped_lines(comparison), *spared_lines(comparison)]
    lines += unproved_lines(comparison)
    text = "".join(f"{wrap(line, width)}\n" for line in lines)
    return text if quiet or not shown else f"{render(shown, format, width)}\n{text}"


def disagreements(comparison: Comparison, kept: str | None = None) -> list[str]:
    """The first disagreements, then a line for each of the first failures.

    `kept`: the file that has all records.
    """
    conflicts, failures = comparison.conflicts, comparison.failures
    lines = [describe(conflict, kept) for conflict in conflicts[:_MAX_SHOWN]]
    if conflicts.total > _MAX_SHOWN:
        noun = f"more {noun_of(comparison.puzzles)}"
        lines.append(f"... and {count_noun(conflicts.total - _MAX_SHOWN, noun)} with a CONFLICT\n")
    lines += map(failure_line, failures[:_MAX_SHOWN])
    if failures.total > _MAX_SHOWN:
        lines.append(f"... and {count_noun(failures.total - _MAX_SHOWN, 'more run')} that failed")
    by_chance = (
        (summary.contender, each, *summary.rare.by_chance)
        for each in comparison.instances
        for summary in each.summaries
        if summary.rare.by_chance is not None
    )
    for contender, each, wrong, checked in islice(by_chance, _MAX_SHOWN):
        noun = noun_of([each.puzzle])
        lines.append(
            visible(
                f"WRONG by chance: {contender}, {wrong} of {checked} times on the same {noun}: "
                f"{each.puzzle}, dataset {each.dataset}, case {each.number}"
            )
        )
    return lines


def failure_line(failure: Failure) -> str:
    """What failed, where and why. A start with several boards fails as a whole."""
    result, place = failure.result, str(failure.result)
    if result.together > 1 and failure.fault.kind != REFUTED:
        place = (
            f"{result.puzzle}, dataset {result.dataset}, all {boards_together(result)} in one file"
        )
    return visible(failure.fault.sentence(place))


def unproved_lines(comparison: Comparison) -> list[str]:
    """Why answers stayed UNPROVED: a line for each contender and reason with the first such board,
    the first reasons only.
    """
    about: dict[tuple[str, str], dict[str, list[Failure]]] = {}
    for each in comparison.unproved:
        reasons = about.setdefault((each.result.puzzle, each.result.contender), {})
        reasons.setdefault(each.fault.detail, []).append(each)
    lines: list[str] = []
    for (puzzle, contender), reasons in about.items():
        for first, *others in islice(reasons.values(), MAX_REASONS):
            more = f" and {count_noun(len(others), f'more {noun_of([puzzle])}')}" if others else ""
            lines.append(visible(first.fault.sentence(f"{first.result}{more}")))
        if len(reasons) > MAX_REASONS:
            more = count_noun(len(reasons) - MAX_REASONS, "more reason")
            lines.append(f"... and {more} for {contender} on {puzzle}")
    if left_out := comparison.unproved.total - len(comparison.unproved):
        lines.append(f"... and {count_noun(left_out, 'more answer')} UNPROVED")
    return lines
