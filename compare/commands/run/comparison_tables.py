"""The table of a comparison by dataset, what the cells of all tables say, and how many times as
long a contender takes as the reference: the geometric mean of the ratios of their times, over the
instances that both solved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import geometric_mean, median

import numpy as np
from msgspec.structs import asdict

from compare.engine.campaign.comparison import Comparison, PuzzleComparison
from compare.engine.campaign.ratios import FEWEST, SHORTEST_S, bootstrap, called, told_apart
from compare.engine.campaign.summaries import (
    Compared,
    Grade,
    Summary,
    Tally,
    Timing,
    summaries_of,
)
from compare.engine.isolate.outcome import Status
from compare.engine.work.contenders import Kind
from compare.show.table import (
    AGREED,
    APART,
    AS_LONG,
    LOWER_BOUND,
    PARALLEL,
    SPREAD,
    WITH_START,
    Cell,
    CellValue,
    Column,
    Entry,
    Table,
    counts_cell,
    gap_text,
    part_cell,
    percent,
    ratio_cell,
    seconds,
    three_digits,
)
from compare.show.wording import noun_of, size_noun


@dataclass(frozen=True)
class TimeRatio:
    """How many times as long a contender takes as the reference.

    Attributes:
        ratio: the geometric mean of the ratios of wall times; None if no instance was solved by
            both.
        interval: its 95% bootstrap interval; None with fewer than three such instances.
        build, solve: as `ratio`, but only building the formula, and only solving it, against the
            reference's whole time; None unless every run says both.
        both: how many instances both solved.
        unsolved: how many of the contender's instances it did not solve, the skipped ones included.
    """

    ratio: float | None
    interval: tuple[float, float] | None
    build: float | None
    solve: float | None
    both: int
    unsolved: int


def reference_of(part: PuzzleComparison, name: str | None = None) -> str | None:
    """The contender that the times of the others are related to: the first that is called `name`,
    else the first complete one; only contenders with a time. None if there is none.
    """
    timed: dict[str, bool] = {}  # by contender with a time, whether it claims everything
    for each in summaries_of(part.instances):
        if _time_of(each):
            timed[each.who.name] = each.who.complete
    known = [contender for contender in part.contenders if contender in timed]
    if name is not None and (chosen := called(known, name)):
        return chosen[0]
    for contender in known:
        if timed[contender]:
            return contender
    return None


def time_ratio(instances: Iterable[Compared], contender: str, reference: str) -> TimeRatio:
    """How many times as long `contender` takes as `reference` on some instances of a puzzle. The
    reference itself has no interval: its number is 1.
    """
    pairs: list[tuple[Timing, Timing]] = []
    unsolved = 0
    for each in instances:
        mine, other = each.of(contender), each.of(reference)
        if mine is None:
            continue
        timing, of_reference = _time_of(mine), other and _time_of(other)
        if timing is None:
            unsolved += mine.grade is not Grade.SPARED
        elif of_reference is not None:
            pairs.append((of_reference, timing))
    if not pairs:
        return TimeRatio(None, None, None, None, 0, unsolved)

    def mean(seconds: Sequence[float | None]) -> float | None:
        known = [each for each in seconds if each is not None]
        if len(known) < len(pairs):
            return None
        return geometric_mean(
            max(each, SHORTEST_S) / max(one.wall_s, SHORTEST_S)
            for each, (one, _) in zip(known, pairs, strict=True)
        )

    interval = None
    if contender != reference and len(pairs) >= FEWEST:
        times = [[[max(each.wall_s, SHORTEST_S)] for each in pair] for pair in pairs]
        interval = bootstrap([(one, mine) for one, mine in times])
    return TimeRatio(
        mean([mine.wall_s for _, mine in pairs]),
        interval,
        mean([mine.build_s for _, mine in pairs]),
        mean([mine.solve_s for _, mine in pairs]),
        len(pairs),
        unsolved,
    )


def _time_of(summary: Summary) -> Timing | None:
    """The contender's time on an instance that it solved; None where it did not, or where its
    answer existed already.
    """
    return summary.timing if summary.grade in (Grade.RIGHT, Grade.OPEN) else None


def time_text(timing: Timing, *, whole: bool = False) -> str:
    """A time for people: building and solving apart if both are known and it is not to be `whole`,
    then the marks.
    """
    text = f"{LOWER_BOUND} " if timing.lower_bound else ""
    if timing.build_s is not None and timing.solve_s is not None and not whole:
        text += f"{seconds(timing.build_s)}{APART}{seconds(timing.solve_s)}"
    else:
        text += seconds(timing.wall_s)
    if timing.spread is not None:
        text += f" {SPREAD}{timing.spread:.0%}"
    return f"{text} {PARALLEL}" if timing.parallel else text


def performance_cell(summaries: Sequence[Summary], *, time_alone: bool = False) -> Cell | str:
    """What one contender did on some instances: its time, and unless that is asked for alone, its
    recall or gaps and what went wrong. Short, building and solving are one number.
    """
    if not summaries:
        return ""
    timing, counts = Timing.middle([each.timing for each in summaries]), Tally.of(summaries)
    rest: list[str] = []
    fields: dict[str, CellValue] = {"wall_s": None}
    if timing is not None:
        known = asdict(timing).items()
        fields |= {name: value for name, value in known if not (value is None or value is False)}
        fields["wall_s"] = timing.wall_s
        if summaries[0].who.kind is Kind.PROGRAM:
            fields["with_start"] = True  # each time includes the start of a process
    if not time_alone:
        if counts.recall is not None:
            rest.append(f"finds {percent(counts.recall)}")
            fields["recall"] = counts.recall
        if counts.gaps:
            middle, largest = median(counts.gaps), max(counts.gaps)
            at_most = f" (at most {gap_text(largest)})" if len(counts.gaps) > 1 else ""
            known = all(each.rare.best_proved for each in summaries if each.rare.gap is not None)
            to_what = "" if known else " to the best known"
            rest.append(f"gap {gap_text(middle)}{at_most}{to_what}")
            fields |= {"median_gap": middle, "largest_gap": largest}
        wrong = {"WRONG": counts.refuted} if counts.refuted else {}
        ended = counts_cell({**wrong, **counts.not_ok})
        rest += filter(None, [ended.text])
        fields |= ended.fields
    if timing is None:
        given = any(summary.given and summary.status is Status.OK for summary in summaries)
        return Cell("\n".join(["given", *rest] if given else rest), fields)
    text, short = ("\n".join([time_text(timing, whole=whole), *rest]) for whole in (False, True))
    return Cell(text, fields, "warn" if timing.lower_bound else "", short)


def _proved_cell(summaries: Sequence[Summary]) -> Cell:
    counts = Tally.of(summaries)
    return part_cell(counts.proved, counts.checked, ("proved", "checked"))


def times_as_long_cell(ratio: TimeRatio) -> Cell:
    """How many times as long a contender takes as the reference, and what it did not solve. Long,
    building and solving also stand alone.
    """
    cell = ratio_cell(ratio.ratio, ratio.interval)
    text, short = cell.text, cell.text.replace(" (", "\n(")
    if ratio.build is not None and ratio.solve is not None:
        text += f"\n{three_digits(ratio.build)}{APART}{three_digits(ratio.solve)}"
    if ratio.unsolved:
        text, short = (f"{each}\n{ratio.unsolved:,} unsolved" for each in (text, short))
    fields: dict[str, CellValue] = {
        **cell.fields,
        "build_ratio": ratio.build,
        "solve_ratio": ratio.solve,
        "solved_by_both": ratio.both,
        "unsolved": ratio.unsolved,
    }
    return Cell(text.lstrip("\n"), fields, short=short.lstrip("\n"))


def datasets_table(part: PuzzleComparison, reference: str | None = None) -> Table:
    """A row for each dataset with a column for each contender; the row `all` says what was proved
    of each contender, and the last row how many times as long it takes as the reference.

    `reference`: what the reference is called; None for the first complete contender.
    """

    def row(
        label: str, instances: list[Compared], cell: Callable[[Sequence[Summary]], Cell | str]
    ) -> list[Entry]:
        sizes = [each.size for each in instances]
        least, largest = min(sizes), max(sizes)
        shown = str(largest) if least == largest else f"{least}-{largest}"
        return [
            label,
            len(instances),
            Cell(shown, {"min": least, "max": largest}, key=largest),
            *(cell(summaries_of(instances, name)) for name in part.contenders),
            part_cell(sum(each.agreed for each in instances), len(instances)),
            _proved_cell(summaries_of(instances)),
        ]

    columns: list[Column | str] = [
        "dataset",
        Column("instances", f"{noun_of([part.name])}s", group=""),
        Column("size", size_noun([part.name]), group=""),
    ]
    for name in part.contenders:
        side, colon, _ = name.partition(":")
        group = side if colon else "given answers and programs"
        columns.append(Column(name, heading(part, name), group=group))
    columns += [Column(AGREED, group=""), Column("proved", group="")]
    rows = [row(name, some, performance_cell) for name, some in part.by_dataset().items()]
    rows.append(row("all", part.instances, _proved_cell))
    whose = reference_of(part, reference)
    if whose is not None and len(part.contenders) > 1:
        rows.append(_times_as_long_row(part, whose))
    return Table.of(part.name, columns, rows)


def ratio_to_reference(
    part: PuzzleComparison, contender: str, reference: str | None
) -> TimeRatio | None:
    """How many times as long a contender takes as the reference, whose own number has no interval;
    None without a reference, and of answers that existed already.
    """
    if reference is None or part.contenders[contender] is Kind.GIVEN:
        return None
    return time_ratio(part.instances, contender, reference)


def _times_as_long_row(part: PuzzleComparison, reference: str) -> list[Entry]:
    """A cell for each contender that has times."""

    def cell(contender: str) -> Cell | str:
        ratio = ratio_to_reference(part, contender, reference)
        return "" if ratio is None else times_as_long_cell(ratio)

    name = Cell(f"times {AS_LONG}", {"": f"times {AS_LONG}"}, short=f"times\n{AS_LONG}")
    return [name, None, "", *map(cell, part.contenders), "", ""]


def par_2(summaries: Iterable[Summary], limit: float) -> tuple[float | None, list[float], int]:
    """The score of solver competitions, lower is better; the seconds of each instance that was
    solved; and how many instances there were, without those that were skipped.

    The score is the mean of the median seconds. An instance counts as twice the time limit on which
    the first run did not end well, or the answer was refuted. None if there is no instance.
    """
    timed = [each for each in summaries if each.was_timed]
    solved = [each.solved_s for each in timed if each.solved_s is not None]
    unsolved = len(timed) - len(solved)
    if not timed:
        return None, solved, 0
    penalty = 2 * limit * unsolved if unsolved else 0.0
    return (sum(solved) + penalty) / len(timed), solved, len(timed)


def not_told_apart(part: PuzzleComparison, ranked: Sequence[str], limit: float) -> list[str]:
    """Of each contender, the ranks of those whose PAR-2 scores are not told apart from its own.

    `ranked`: contenders that were run on every instance, the first one first.
    """
    return [
        ", ".join(str(k + 1) for k, is_apart in enumerate(row) if k != own and not is_apart)
        for own, row in enumerate(scores_apart(part, ranked, limit))
    ]


def scores_apart(
    part: PuzzleComparison, contenders: Sequence[str], limit: float
) -> Sequence[Sequence[bool]]:
    """Of each two contenders, whether their PAR-2 scores are told apart; see `told_apart`.

    `contenders`: those that were run on the same instances.
    """
    scores = [
        [each.score(limit) for each in part.of_contender(name) if each.was_timed]
        for name in contenders
    ]
    return told_apart(np.array(scores)).tolist() if scores else []


def heading(part: PuzzleComparison, contender: str) -> str:
    """How a contender stands at the head of a column, and whether its times include the start of a
    process.
    """
    return (
        f"{contender}\n{WITH_START}"
        if part.contenders[contender] is Kind.PROGRAM
        else contender.replace(":", "\n", 2).replace(",", ",\n")
    )


def datasets_tables(comparison: Comparison, reference: str | None = None) -> list[Table]:
    """A table for each puzzle; `reference` as in `datasets_table`."""
    parts = comparison.puzzles.values()
    return [datasets_table(part, reference) for part in parts if part.instances]
