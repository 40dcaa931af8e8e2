"""What `run` shows in place of the tables by dataset (by solver, by test, recall, sizes of
formulas, gaps), and what it says below them: what is wrong, skipped or unproved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import chain, islice
from operator import itemgetter

import puzzles
from compare.commands.run.comparison_tables import (
    datasets_tables,
    heading,
    not_told_apart,
    par_2,
    performance_cell,
    ratio_to_reference,
    reference_of,
    time_text,
)
from compare.commands.run.grid_tables import grid_tables
from compare.engine.campaign.comparison import Comparison, Failure, OnlyTogether, PuzzleComparison
from compare.engine.campaign.summaries import (
    Grade,
    Headline,
    Summary,
    Tally,
    summaries_of,
)
from compare.engine.isolate.outcome import Status
from compare.engine.work.result import REFUTED, Relation
from compare.show.messages import (
    boards_together,
    busy_lines,
    describe,
    skipped_lines,
    spared_lines,
)
from compare.show.table import (
    AS_LONG,
    LOWER_BOUND,
    PAR2,
    STYLES,
    TOLD_APART,
    WITH_START,
    Cell,
    Column,
    Entry,
    Table,
    counts_cell,
    gap_text,
    number_cell,
    part_cell,
    ratio_cell,
    render,
)
from compare.show.wording import line_width, noun_of, wrap
from puzzles.text import count_noun, visible

_MAX_SHOWN = 10
"""Disagreements, and failures, that are printed; the rest is counted."""

MAX_REASONS = 5
"""Reasons for UNPROVED answers that are printed for each contender and puzzle."""


def tables(
    comparison: Comparison,
    view: str | None = None,
    reference: str | None = None,
    limit: float | None = None,
) -> list[Table]:
    """A table for each puzzle, or one by solver if every solver took part; or one of `VIEWS`.

    Args:
        reference: as in `datasets_table`.
        limit: the seconds of a run, if all had the same. SAT solvers are ranked then, and the
            tables of options follow, where there are some.
    """
    every = comparison.puzzles.values()
    if view is not None:
        return _some(map(VIEWS[view], every))
    some = [part for part in every if part.instances]
    scored = [part.on_common_boards() for part in some] if comparison.missing else some
    if limit is not None and some and all(puzzles.get(p.name).compares_solvers for p in some):
        return [ranking_table(part, limit, reference) for part in scored]
    names = [name for part in some for name in part.contenders]
    if any("@" in name for name in names):
        shown = [solvers_table(comparison)]
    else:
        shown = datasets_tables(comparison, reference)
    if limit is not None and any("=" in name for name in names):
        shown += chain.from_iterable(grid_tables(part, limit) for part in scored)
    return shown


def scored_boards(part: PuzzleComparison) -> str:
    """On which boards scores are where runs are missing, as a sentence."""
    return f"Runs are missing: {PAR2} of {part.name} is {over_common_boards(part)}"


def over_common_boards(part: PuzzleComparison) -> str:
    """How many boards every contender has a record of, for a sentence."""
    common = len(part.on_common_boards().instances)
    every = count_noun(len(part.instances), noun_of([part.name]))
    return f"over the {common} of {every} on which all contenders have a record"


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


def ranking_table(part: PuzzleComparison, limit: float, reference: str | None = None) -> Table:
    """SAT solvers as competitions rank them: a row for each, the least PAR-2 first. Who is not told
    apart from whom stands beside the score, and how many times as long each takes as the reference
    (as in `datasets_table`) at the end.

    Who was refuted has no rank, and neither has who was not run on every formula: the score is over
    others then.
    """
    rows: list[tuple[bool, float, str, list[Entry], list[Entry]]] = []
    whose = reference_of(part, reference)
    for name in part.contenders:
        summaries = part.of_contender(name)
        score, solved, count = par_2(summaries, limit)
        if score is None:
            continue
        ranked = count == len(part.instances) and not part.tallies[name].refuted
        kinds = Counter(each.rare.outcome for each in summaries if each.solved_s is not None)
        tally = Tally.of(summaries)
        numbers = [kinds["SATISFIABLE"], kinds["UNSATISFIABLE"], len(solved), count - len(solved)]
        label = name.rpartition("@")[2]
        ratio = ratio_to_reference(part, name, whose)
        before = [
            f"{label} {WITH_START}" if name in part.programs else label,
            *numbers,
            number_cell(score, "s"),
        ]
        after = [
            part_cell(tally.proved, tally.checked, ("proved", "checked")),
            performance_cell(summaries),
            "" if ratio is None else ratio_cell(ratio.ratio, ratio.interval),
        ]
        rows.append((not ranked, score, name, before, after))
    rows.sort(key=itemgetter(0, 1))
    columns = [
        *("rank", "solver"),
        Column("sat", "SAT"),
        Column("unsat", "UNSAT"),
        *("solved", "unsolved"),
        Column("par2_s", "PAR-2"),
        Column("not_told_apart", f"not {TOLD_APART} from rank"),
        "proved",
        Column("run", "median time"),
        Column("times_as_long", f"times {AS_LONG}"),
    ]
    ranked = [name for unranked, _, name, *_ in rows if not unranked]
    places = [*enumerate(not_told_apart(part, ranked, limit), 1)]
    places += [(None, "")] * (len(rows) - len(ranked))
    every = (
        [rank, *before, same, *after]
        for (rank, same), (*_, before, after) in zip(places, rows, strict=True)
    )
    return Table.of(part.name, columns, every)


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
                r.relation is Relation.SUBSET and not r.who.complete and r.rare.recall is None
                for r in each.summaries
            )
            for each in instances
        )
        if empty:
            of_all = f"{empty} of {len(instances)} {noun}s"
            lines.append(f"{dataset}: on {of_all} nothing is certain, and they are left out")
    return lines


def gaps_table(part: PuzzleComparison) -> Table:
    """How far each solution is from the best known one: a row for each instance and contender."""
    rows: list[list[Entry]] = []
    for each in part.instances:
        for summary in each.summaries:
            worth = summary.rare
            if worth.value is None and worth.bound is None:
                continue
            relative, best = worth.relative_gap, "" if worth.best is None else "best known"
            gap = "" if relative is None else Cell(gap_text(relative), {"": relative}, key=relative)
            rows.append(
                [
                    each.dataset,
                    each.number,
                    *(summary.contender, worth.value, worth.bound, worth.best),
                    "optimum" if worth.best_proved else best,
                    *(worth.gap, gap, number_cell(worth.primal_integral, "share")),
                    counts_cell(Tally.of([summary]).not_ok),
                ]
            )
    columns: list[Column | str] = ["dataset", "case", "backend", "value", "bound", "best"]
    columns += [Column("known", "which is"), "gap", Column("relative_gap", "relative")]
    columns += [Column("primal_integral", "primal integral"), Column("status", "not ended")]
    return Table.of(part.name, columns, rows)


def sizes_table(part: PuzzleComparison) -> Table:
    """What a formula costs: a row for each instance and contender, with the formula's size, the
    seconds to build and solve, and the steps of the search.
    """
    headings = {
        **dict.fromkeys(("variables", "clauses")),
        "build_s": "build",
        "solve_s": "solve",
        "wall_s": "in all",
        "cpu_s": "CPU",
        **dict.fromkeys(("conflicts", "decisions", "propagations")),
        "status": "",
    }
    numbers = (Column(name, heading, "right") for name, heading in headings.items())
    rows: list[list[Entry]] = []
    for each in part.instances:
        for summary in each.summaries:
            timing = summary.timing
            seconds_of, in_all, cpu_s = (None, None), number_cell(None), None
            if timing is not None:
                seconds_of, cpu_s = (timing.build_s, timing.solve_s), timing.cpu_s
                in_all = number_cell(timing.wall_s, "s")
                if timing.lower_bound:  # the column of how runs ended says so to programs
                    in_all = replace(in_all, text=f"{LOWER_BOUND} {in_all.text}")
            rows.append(
                [
                    *(each.dataset, each.number if each.file else each.case),
                    Cell(each.shown_size, {"": each.size}),
                    *(summary.contender, summary.variables, summary.clauses),
                    *(number_cell(each, "s") for each in seconds_of),
                    in_all,
                    number_cell(cpu_s, "s"),
                    *(summary.conflicts, summary.decisions, summary.propagations),
                    counts_cell(Tally.of([summary]).not_ok),
                ]
            )
    return Table.of(part.name, ["dataset", "case", "size", "backend", *numbers], rows)


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
        has_time = grade in (Grade.RIGHT, Grade.WRONG, Grade.OPEN, Grade.TIMEOUT)
        timing = summary.timing if has_time else None
        text = str(grade) if timing is None else f"{grade} {time_text(timing)}"
        mark = {Grade.RIGHT: "good", Grade.OPEN: ""}.get(grade, "bad" if grade.was_run else "")
        wall_s, cpu_s = (None, None) if timing is None else (timing.wall_s, timing.cpu_s)
        fields = {"result": str(grade), "wall_s": wall_s, "cpu_s": cpu_s}
        return Cell(text, fields, mark, key=wall_s)

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
    contenders = [Column(name, heading(part, name)) for name in part.contenders]
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
    "gaps": gaps_table,
}
"""What `--show` can show in place of the tables by dataset, a table for each puzzle."""


def only_together(leak: OnlyTogether) -> str:
    """What a program does only where the boards come in one file."""
    first = leak.first
    where = f"the {boards_together(first)} of {first.puzzle}, dataset {first.dataset}"
    says = (
        f"answers each of {where}, alone; in one file, as from a judge, it ends in {first.status}."
    )
    if first.status is Status.OK:
        says = (
            f"answers {leak.count} of {where}, otherwise in one file, as from a judge, than alone; "
            f"the first is case {first.number}. It keeps something from one case to the next, or "
            "its answers are random."
        )
    return visible(f"{first.contender} {says}")


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
