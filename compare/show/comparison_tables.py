"""The tables of a comparison: by dataset, by solver, by test, recall, sizes of formulas, proofs,
agreement pair by pair, scores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from compare.campaign.comparison import Comparison, PuzzleComparison
from compare.campaign.relation import Relation
from compare.campaign.results import Compared, Grade, Headline, Result, Tally, Timing, results_of
from compare.isolate.outcome import Status
from compare.show.table import (
    LOWER_BOUND,
    PARALLEL,
    SPREAD,
    WITH_START,
    Cell,
    Column,
    Table,
    Value,
    counts_cell,
    number_cell,
    part_cell,
    percent,
    ratio_cell,
    seconds,
    text_cell,
)
from compare.show.wording import noun_of, size_noun


def _time_text(timing: Timing, *, whole: bool = False) -> str:
    """A time for people: building and solving apart if both are known and it is not to be `whole`,
    then the marks.
    """
    number = seconds(timing.wall_s)
    if timing.build_s is not None and timing.solve_s is not None and not whole:
        number = f"{seconds(timing.build_s)} + {seconds(timing.solve_s)}"
    before = f"{LOWER_BOUND} " if timing.lower_bound else ""
    spread = "" if timing.spread is None else f" {SPREAD}{timing.spread:.0%}"
    return f"{before}{number}{spread}{f' {PARALLEL}' if timing.parallel else ''}"


def _time_cell(
    results: Sequence[Result], given: bool, recall: float | None = None, not_ok: Cell | None = None
) -> Cell:
    """The time of some results, and what else is to be said of them. Short, building and solving
    are one number.

    Args:
        given: an answer existed already, and has no time.
        recall, not_ok: the share that they find, and how many did not end well.
    """
    timing = Timing.of(results)
    rest = [] if recall is None else [f"finds {percent(recall)}"]
    rest += [not_ok.text] if not_ok is not None and not_ok.text else []
    fields: dict[str, Value] = {"wall_s": timing and timing.wall_s}
    times, short = (["given"] if given else []), None
    if timing is not None:
        more = {"build_s": timing.build_s, "solve_s": timing.solve_s, "spread": timing.spread}
        fields |= {name: value for name, value in more.items() if value is not None}
        fields |= {
            name: True
            for name in ("lower_bound", "parallel", "with_start")
            if getattr(timing, name)
        }
        times, short = [_time_text(timing)], "\n".join([_time_text(timing, whole=True), *rest])
    if recall is not None:
        fields["recall"] = recall
    mark = "warn" if timing is not None and timing.lower_bound else ""
    return Cell(
        "\n".join([*times, *rest]), {**fields, **(not_ok.fields if not_ok else {})}, mark, short
    )


def _performance(results: Sequence[Result]) -> Cell | str:
    """What one contender did on some instances: its time, its recall, and what went wrong."""
    if not results:
        return ""
    counts = Tally.of(results)
    given = any(result.given and result.status is Status.OK for result in results)
    wrong = {"WRONG": counts.refuted} if counts.refuted else {}
    return _time_cell(results, given, counts.recall, counts_cell({**wrong, **counts.not_ok}))


def _proved(results: Sequence[Result]) -> Cell:
    counts = Tally.of(results)
    return part_cell(counts.proved, counts.checked, ("proved", "checked"))


def datasets_table(part: PuzzleComparison) -> Table:
    """A row for each dataset with a column for each contender; the last row says what was proved of
    each contender.
    """

    def of_contender(name: str) -> Column:
        side, _, backend = name.partition(":")
        return Column(
            name, _heading(part, name), group=side if backend else "given answers and programs"
        )

    def row(
        name: str, instances: list[Compared], cell: Callable[[Sequence[Result]], Cell | str]
    ) -> list[Cell | str | int]:
        sizes = [each.size for each in instances]
        least, largest = min(sizes), max(sizes)
        size = Cell(
            str(largest) if least == largest else f"{least}-{largest}",
            {"min": least, "max": largest},
            key=largest,
        )
        cells = [cell(list(results_of(instances, contender))) for contender in part.contenders]
        agreed = part_cell(sum(each.agreed for each in instances), len(instances))
        return [name, len(instances), size, *cells, agreed, _proved(list(results_of(instances)))]

    columns = [
        "dataset",
        Column("instances", f"{noun_of([part.name])}s", group=""),
        Column("size", size_noun([part.name]), group=""),
        *map(of_contender, part.contenders),
        *(Column("agreed", group=""), Column("proved", group="")),
    ]
    rows = [row(name, some, _performance) for name, some in part.by_dataset().items()]
    return Table.of(part.name, columns, [*rows, row("all", part.instances, _proved)])


def times_table(part: PuzzleComparison) -> Table:
    """The times alone, without what agrees and what is proved."""
    whole = datasets_table(part)
    return replace(whole, rows=whole.rows[:-1]).of_columns(range(len(whole.columns) - 2))


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
    pairs = [(part, name) for part in comparison.puzzles.values() for name in part.contenders]
    backends = list(
        dict.fromkeys((part.name, name.partition("@")[0]) for part, name in pairs if "@" in name)
    )
    several = len(backends) > len({puzzle for puzzle, _ in backends})
    started = {name for part in comparison.puzzles.values() for name in part.programs}
    columns = [
        Column(f"{puzzle}:{name}", f"{puzzle}\n{name}") if several else Column(puzzle)
        for puzzle, name in backends
    ]
    rows: list[list[Cell | str]] = []
    for takes_solver, solver in sorted(
        {("@" in name, name.rpartition("@")[2]) for _, name in pairs}
    ):
        names = [
            (puzzle, f"{backend}@{solver}" if takes_solver else solver)
            for puzzle, backend in backends
        ]
        shown = f"{solver} {WITH_START}" if solver in started else solver
        rows.append(
            [
                shown,
                *(_performance(comparison.puzzles[puzzle].results(name)) for puzzle, name in names),
            ]
        )
    return Table.of("solvers", ["solver", *columns], rows)


def tables(comparison: Comparison) -> list[Table]:
    """What `compare run` shows: a table for each puzzle, or one by solver if every solver took
    part.
    """
    parts = [part for part in comparison.puzzles.values() if part.instances]
    if any("@" in name for part in parts for name in part.contenders):
        return [solvers_table(comparison)]
    return list(map(datasets_table, parts))


def recall_table(part: PuzzleComparison) -> Table:
    """What the incomplete backends find: a row for each dataset and backend, over the boards on
    which something is certain.
    """
    rows: list[list[Cell | str | int]] = []
    for dataset, instances in part.by_dataset().items():
        for contender in part.contenders:
            shares = Tally.of(results_of(instances, contender)).recalls
            if shares:
                mean, least = (
                    number_cell(share, "share")
                    for share in (sum(shares) / len(shares), min(shares))
                )
                rows.append(
                    [
                        dataset,
                        contender,
                        len(shares),
                        mean,
                        least,
                        f"{shares.count(1.0)} of {len(shares)}",
                    ]
                )
    boards = Column("instances", f"{noun_of([part.name])}s")
    columns = [
        "dataset",
        "backend",
        boards,
        Column("recall", "finds"),
        "least",
        Column("all_on", "all on"),
    ]
    return Table.of(part.name, columns, rows)


def without_recall(part: PuzzleComparison) -> list[str]:
    """A line for each dataset with boards that `recall_table` leaves out, since nothing is certain
    there.
    """
    lines: list[str] = []
    for dataset, instances in part.by_dataset().items():
        empty = sum(
            any(
                r.relation is Relation.SUBSET and not r.complete and r.recall is None
                for r in each.results
            )
            for each in instances
        )
        if empty:
            boards = f"{len(instances)} {noun_of([part.name])}s"
            lines.append(
                f"{dataset}: on {empty} of {boards} nothing is certain, and they are left out"
            )
    return lines


def sizes_table(part: PuzzleComparison) -> Table:
    """What a formula costs: a row for each instance and contender, with the formula's size, the
    seconds to build and solve, and the steps of the search."""

    def row(each: Compared, result: Result) -> list[Cell | str | int | None]:
        times = (result.build_s, result.solve_s, None if result.lower_bound else result.wall_s)
        return [
            f"{each.dataset} ({each.shown_size})",
            result.contender,
            *(result.variables, result.clauses),
            *(number_cell(time, "s") for time in times),
            *(result.conflicts, result.decisions, result.propagations),
            counts_cell(Tally.of([result]).not_ok),
        ]

    headings = {"build_s": "build", "solve_s": "solve", "wall_s": "in all", "status": ""}
    names = (
        "variables",
        "clauses",
        "build_s",
        "solve_s",
        "wall_s",
        "conflicts",
        "decisions",
        "propagations",
        "status",
    )
    numbers = [Column(name, headings.get(name), align="right") for name in names]
    columns = [Column("dataset", noun_of([part.name])), "backend", *numbers]
    return Table.of(
        part.name,
        columns,
        [row(each, result) for each in part.instances for result in each.results],
    )


def proofs_table(part: PuzzleComparison) -> Table:
    """A row for each contender: what was proved of its answers, how its runs ended, its recall, its
    time and its memory.
    """

    def row(name: str, results: list[Result]) -> list[Cell | str]:
        tally = Tally.of(results)
        unproved = max(0, tally.checked - tally.proved - tally.refuted)
        counts = ((tally.proved, "good"), (unproved, "warn"), (tally.refuted, "bad"))
        return [
            name,
            *(number_cell(count, mark=mark if count else "") for count, mark in counts),
            counts_cell(tally.not_ok, "warn") if tally.not_ok else "-",
            percent(tally.recall)
            if tally.recall is not None
            else "all"
            if results[0].complete
            else "a part",
            _time_cell(results, any(result.given for result in results)),
            number_cell(max(each.peak_bytes for each in results), "bytes"),
        ]

    rest = [
        Column("not_ended", "not ended"),
        Column("recall", "finds"),
        "time",
        Column("peak_bytes", "peak memory"),
    ]
    rows = [row(name, results) for name in part.contenders if (results := part.results(name))]
    return Table.of(part.name, ["backend", "proved", "unproved", "refuted", *rest], rows)


def agreement_matrix(part: PuzzleComparison) -> list[list[Cell]]:
    """For each two contenders on how many boards they agree, of those that both answered."""

    def agreement(a: str, b: str) -> Cell:
        if a == b:
            return text_cell(str(sum(result.claims for result in part.results(a))), "self")
        first, second = sorted((a, b))
        relations = part.relations.get((first, second))
        if relations is None:
            return text_cell("-", "none")
        total, clashes = relations.total(), relations[Relation.CONFLICT]
        partial = (
            ""
            if relations[Relation.EQUAL] or clashes
            else " ⊆"
            if relations[Relation.SUBSET]
            else " ~"
        )
        return text_cell(f"{total - clashes}/{total}{partial}", "bad" if clashes else "good")

    return [[agreement(a, b) for b in part.contenders] for a in part.contenders]


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

    def cell(result: Result | None) -> Cell | str:
        if result is None:
            return ""
        grade = result.grade
        timed = grade in (Grade.RIGHT, Grade.WRONG, Grade.OPEN) or result.lower_bound
        timing = Timing.of([result]) if timed else None
        text = str(grade) if timing is None else f"{grade} {_time_text(timing)}"
        mark = {Grade.RIGHT: "good", Grade.OPEN: "", Grade.SKIPPED: ""}.get(grade, "bad")
        wall_s = timing and timing.wall_s
        return Cell(text, {"result": str(grade), "wall_s": wall_s}, mark, key=wall_s)

    def row(each: Compared) -> list[Cell | str | int]:
        size = Cell(each.shown_size, {"": each.size})
        return [
            each.dataset,
            each.number if each.file else each.case,
            size,
            *(cell(each.of(name)) for name in part.contenders),
        ]

    instances, title = part.instances, part.name
    if failed:
        instances = [
            each
            for each in instances
            if Headline.FAILED in {result.trouble for result in each.results}
        ]
        title += ": tests that somebody fails (--show tests has every test)"
    contenders = [Column(name, _heading(part, name)) for name in part.contenders]
    return Table.of(title, ["dataset", "case", "size", *contenders], map(row, instances[:most]))


def failed_tests(comparison: Comparison) -> list[Table]:
    """Of each puzzle with a program the first tests that some contender FAILED; no table for a
    puzzle without such a test.
    """
    tables = [
        results_table(part, MAX_FAILED, failed=True)
        for part in comparison.puzzles.values()
        if part.programs
    ]
    return [table for table in tables if table.rows]


VIEWS: dict[str, Callable[[Comparison], list[Table]]] = {
    "tests": lambda comparison: [
        results_table(part) for part in comparison.puzzles.values() if part.instances
    ],
    "sizes": lambda comparison: list(map(sizes_table, comparison.puzzles.values())),
    "recall": lambda comparison: [
        table for table in map(recall_table, comparison.puzzles.values()) if table.rows
    ],
}
"""What `--show` can show in place of the tables by dataset."""


def solved_times(results: Sequence[Result]) -> tuple[list[float], int]:
    """The median seconds of each board that was solved, and how many boards there were, without
    those that were skipped.
    """
    timed = [
        result for result in results if not result.given and result.status is not Status.SKIPPED
    ]
    solved = [
        result.wall_s
        for result in timed
        if result.wall_s is not None and result.status is Status.OK and not result.refuted
    ]
    return solved, len(timed)


def scores_table(part: PuzzleComparison, limit: float) -> Table:
    """A row for each contender that was timed, the best PAR-2 score first, and how far each is from
    it.

    The score is the mean over its boards, without those that were skipped, of the median seconds. A
    board counts as twice the time limit on which the first run did not end well or the answer was
    refuted.
    """
    scores: list[tuple[float, str, Cell]] = []
    for name in part.contenders:
        solved, boards = solved_times(part.results(name))
        if boards:
            score = (sum(solved) + 2 * limit * (boards - len(solved))) / boards
            scores.append((score, name, part_cell(len(solved), boards)))
    scores.sort(key=lambda each: each[0])
    best = scores[0][0] if scores else 0.0
    rows = [
        [
            name,
            solved,
            number_cell(score, "s"),
            ratio_cell(score / best if best else None, shown=",.1f"),
        ]
        for score, name, solved in scores
    ]
    return Table.of(
        part.name,
        ["backend", "solved", Column("par2_s", "PAR-2"), Column("ratio", "to the best")],
        rows,
    )
