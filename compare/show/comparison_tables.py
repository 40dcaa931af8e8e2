"""The tables of a comparison: by dataset, by solver, by test, recall, sizes of formulas."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict

from compare.engine.campaign.comparison import Comparison, PuzzleComparison
from compare.engine.campaign.summaries import (
    Compared,
    Grade,
    Headline,
    Summary,
    Tally,
    Timing,
    summaries_of,
)
from compare.engine.isolate.outcome import Status
from compare.engine.work.result import Relation
from compare.show.table import (
    LOWER_BOUND,
    PARALLEL,
    SPREAD,
    WITH_START,
    Cell,
    Column,
    Entry,
    Table,
    Value,
    counts_cell,
    number_cell,
    part_cell,
    percent,
    seconds,
)
from compare.show.wording import noun_of, size_noun


def _time_text(timing: Timing, *, whole: bool = False) -> str:
    """A time for people: building and solving apart if both are known and it is not to be `whole`,
    then the marks.
    """
    text = f"{LOWER_BOUND} " if timing.lower_bound else ""
    if timing.build_s is not None and timing.solve_s is not None and not whole:
        text += f"{seconds(timing.build_s)} + {seconds(timing.solve_s)}"
    else:
        text += seconds(timing.wall_s)
    if timing.spread is not None:
        text += f" {SPREAD}{timing.spread:.0%}"
    return f"{text} {PARALLEL}" if timing.parallel else text


def performance_cell(summaries: Sequence[Summary], *, time_alone: bool = False) -> Cell | str:
    """What one contender did on some instances: its time, and unless that is asked for alone, its
    recall and what went wrong. Short, building and solving are one number.
    """
    if not summaries:
        return ""
    timing, counts = Timing.middle(each.timing for each in summaries), Tally.of(summaries)
    rest: list[str] = []
    fields: dict[str, Value] = {"wall_s": None}
    if timing is not None:
        known = asdict(timing).items()
        fields |= {name: value for name, value in known if not (value is None or value is False)}
        fields["wall_s"] = timing.wall_s
    if not time_alone:
        if counts.recall is not None:
            rest.append(f"finds {percent(counts.recall)}")
            fields["recall"] = counts.recall
        wrong = {"WRONG": counts.refuted} if counts.refuted else {}
        ended = counts_cell({**wrong, **counts.not_ok})
        rest += filter(None, [ended.text])
        fields |= ended.fields
    if timing is None:
        given = any(summary.given and summary.status is Status.OK for summary in summaries)
        return Cell("\n".join(["given", *rest] if given else rest), fields)
    text, short = ("\n".join([_time_text(timing, whole=whole), *rest]) for whole in (False, True))
    return Cell(text, fields, "warn" if timing.lower_bound else "", short)


def _proved(summaries: Sequence[Summary]) -> Cell:
    counts = Tally.of(summaries)
    return part_cell(counts.proved, counts.checked, ("proved", "checked"))


def datasets_table(part: PuzzleComparison) -> Table:
    """A row for each dataset with a column for each contender; the last row says what was proved of
    each contender.
    """

    def row(
        name: str, instances: list[Compared], cell: Callable[[Sequence[Summary]], Cell | str]
    ) -> list[Entry]:
        sizes = [each.size for each in instances]
        least, largest = min(sizes), max(sizes)
        shown = str(largest) if least == largest else f"{least}-{largest}"
        return [
            name,
            len(instances),
            Cell(shown, {"min": least, "max": largest}, key=largest),
            *(cell(list(summaries_of(instances, contender))) for contender in part.contenders),
            part_cell(sum(each.agreed for each in instances), len(instances)),
            _proved(list(summaries_of(instances))),
        ]

    columns: list[Column | str] = [
        "dataset",
        Column("instances", f"{noun_of([part.name])}s", group=""),
        Column("size", size_noun([part.name]), group=""),
    ]
    for name in part.contenders:
        side, colon, _ = name.partition(":")
        group = side if colon else "given answers and programs"
        columns.append(Column(name, _heading(part, name), group=group))
    columns += [Column("agreed", group=""), Column("proved", group="")]
    rows = [row(name, some, performance_cell) for name, some in part.by_dataset().items()]
    return Table.of(part.name, columns, [*rows, row("all", part.instances, _proved)])


def _heading(part: PuzzleComparison, contender: str) -> str:
    """How a contender stands at the head of a column, and whether its times include the start of a
    process.
    """
    return (
        f"{contender}\n{WITH_START}"
        if contender in part.programs
        else contender.replace(":", "\n", 1)
    )


def solvers_table(comparison: Comparison) -> Table:
    """The table of a run with every solver: a row for each solver, a column for each puzzle and
    backend.

    The contenders that take no solver come first.
    """
    parts = comparison.puzzles
    pairs = [(puzzle, name) for puzzle, part in parts.items() for name in part.contenders]
    backends = list(
        dict.fromkeys((puzzle, name.partition("@")[0]) for puzzle, name in pairs if "@" in name)
    )
    several = len(backends) > len(dict(backends))
    started = {name for part in parts.values() for name in part.programs}
    columns = [
        Column(f"{puzzle}:{name}", f"{puzzle}\n{name}") if several else puzzle
        for puzzle, name in backends
    ]
    rows: list[list[Entry]] = []
    for takes, solver in sorted({("@" in name, name.rpartition("@")[2]) for _, name in pairs}):
        cells = (
            performance_cell(parts[puzzle].of_contender(f"{name}@{solver}" if takes else solver))
            for puzzle, name in backends
        )
        rows.append([f"{solver} {WITH_START}" if solver in started else solver, *cells])
    return Table.of("solvers", ["solver", *columns], rows)


def tables(comparison: Comparison, view: str | None = None) -> list[Table]:
    """What `compare run` shows: a table for each puzzle, or one by solver if every solver took
    part; or one of `VIEWS`.
    """
    every = comparison.puzzles.values()
    if view is not None:
        return _some(map(VIEWS[view], every))
    parts = [part for part in every if part.instances]
    if any("@" in name for part in parts for name in part.contenders):
        return [solvers_table(comparison)]
    return list(map(datasets_table, parts))


def recall_table(part: PuzzleComparison) -> Table:
    """What the incomplete backends find: a row for each dataset and backend, over the boards on
    which something is certain.
    """
    rows: list[list[Entry]] = []
    for dataset, instances in part.by_dataset().items():
        for contender in part.contenders:
            tally = Tally.of(summaries_of(instances, contender))
            if shares := tally.recalls:
                finds = (number_cell(each, "share") for each in (tally.recall, min(shares)))
                all_on = f"{shares.count(1.0)} of {len(shares)}"
                rows.append([dataset, contender, len(shares), *finds, all_on])
    columns = [
        *("dataset", "backend"),
        Column("instances", f"{noun_of([part.name])}s"),
        Column("recall", "finds"),
        "least",
        Column("all_on", "all on"),
    ]
    return Table.of(part.name, columns, rows)


def without_recall(part: PuzzleComparison) -> list[str]:
    """A line for each dataset with boards that `recall_table` leaves out, since nothing is certain
    there.
    """
    noun = noun_of([part.name])
    lines: list[str] = []
    for dataset, instances in part.by_dataset().items():
        empty = sum(
            any(
                r.relation is Relation.SUBSET and not r.complete and r.recall is None
                for r in each.summaries
            )
            for each in instances
        )
        if empty:
            of_all = f"{empty} of {len(instances)} {noun}s"
            lines.append(f"{dataset}: on {of_all} nothing is certain, and they are left out")
    return lines


def sizes_table(part: PuzzleComparison) -> Table:
    """What a formula costs: a row for each instance and contender, with the formula's size, the
    seconds to build and solve, and the steps of the search."""

    noun = noun_of([part.name])
    headings = {
        **dict.fromkeys(("variables", "clauses")),
        "build_s": "build",
        "solve_s": "solve",
        "wall_s": "in all",
        **dict.fromkeys(("conflicts", "decisions", "propagations")),
        "status": "",
    }
    numbers = (Column(name, heading, "right") for name, heading in headings.items())
    rows: list[list[Entry]] = []
    for each in part.instances:
        for summary in each.summaries:
            timing = summary.timing
            seconds_of = (None, None, None)
            if timing is not None:
                wall_s = None if timing.lower_bound else timing.wall_s
                seconds_of = (timing.build_s, timing.solve_s, wall_s)
            rows.append(
                [
                    f"{each.dataset} ({each.shown_size})",
                    *(summary.contender, summary.variables, summary.clauses),
                    *(number_cell(each, "s") for each in seconds_of),
                    *(summary.conflicts, summary.decisions, summary.propagations),
                    counts_cell(Tally.of([summary]).not_ok),
                ]
            )
    return Table.of(part.name, [Column("dataset", noun), "backend", *numbers], rows)


MAX_FAILED = 20
"""Tests with a failure that a run shows without being asked."""


def results_table(
    part: PuzzleComparison, most: int | None = None, *, failed: bool = False
) -> Table:
    """A row for each of the first instances, with each contender's result and its time.

    Args:
        most: the number of rows; None for any number.
        failed: only the instances on which some contender FAILED.
    """

    def cell(summary: Summary | None) -> Cell | str:
        if summary is None:
            return ""
        grade = summary.grade
        timing = summary.timing
        if timing is not None and not timing.lower_bound:
            timing = timing if grade in (Grade.RIGHT, Grade.WRONG, Grade.OPEN) else None
        text = str(grade) if timing is None else f"{grade} {_time_text(timing)}"
        mark = {Grade.RIGHT: "good", Grade.OPEN: ""}.get(grade, "bad" if grade.was_run else "")
        wall_s = timing and timing.wall_s
        return Cell(text, {"result": str(grade), "wall_s": wall_s}, mark, key=wall_s)

    instances, title = part.instances, part.name
    if failed:
        instances = [
            each
            for each in instances
            if any(summary.trouble is Headline.FAILED for summary in each.summaries)
        ]
        title += ": tests that somebody fails (--show tests has every test)"
    rows = [
        [
            each.dataset,
            each.number if each.file else each.case,
            Cell(each.shown_size, {"": each.size}),
            *(cell(each.of(name)) for name in part.contenders),
        ]
        for each in instances[:most]
    ]
    contenders = [Column(name, _heading(part, name)) for name in part.contenders]
    return Table.of(title, ["dataset", "case", "size", *contenders], rows)


def failed_tests(comparison: Comparison) -> list[Table]:
    """Of each puzzle with a program the first tests that some contender FAILED; no table for a
    puzzle without such a test.
    """
    parts = [part for part in comparison.puzzles.values() if part.programs]
    return _some(results_table(part, MAX_FAILED, failed=True) for part in parts)


def _some(tables: Iterable[Table]) -> list[Table]:
    """The tables that have rows."""
    return [table for table in tables if table.rows]


VIEWS: dict[str, Callable[[PuzzleComparison], Table]] = {
    "tests": results_table,
    "sizes": sizes_table,
    "recall": recall_table,
}
"""What `--show` can show in place of the tables by dataset, a table for each puzzle."""
