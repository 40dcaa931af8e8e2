"""The tables of a comparison: by dataset, by solver, recall, sizes of formulas, proofs, agreement pair by pair."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from compare.campaign.comparison import Comparison
from compare.campaign.relation import Relation
from compare.campaign.results import Compared, Grade, Headline, Result, results_of, tally, timing
from compare.isolate.outcome import Status
from compare.show.tables.cells import (
    EMPTY,
    WITH_START,
    Cell,
    bytes_cell,
    count_cell,
    graded_cell,
    percent,
    performance_cell,
    proofs_cell,
    ratio_cell,
    seconds_cell,
    share_cell,
    sizes_cell,
    states_cell,
    text_cell,
)
from compare.show.tables.table import Column, Table
from compare.show.wording import noun_of, size_noun


class DatasetRow(NamedTuple):
    """A row of the main table: a dataset, or all of them.

    Attributes:
        total: the last row, which counts proofs where the others show times.
    """

    name: str
    instances: list[Compared]
    total: bool = False

    def results(self, contender: str | None = None) -> list[Result]:
        return list(results_of(self.instances, contender))


def performance(results: Sequence[Result]) -> Cell:
    """What one contender did on some instances."""
    counts = tally(results)
    given = any(result.given and result.status is Status.OK for result in results)
    troubles: dict[str, int] = {"WRONG": counts.refuted} if counts.refuted else {}
    return performance_cell(timing(results), counts.recall, {**troubles, **counts.not_ok}, given=given) if results else EMPTY


def _proved(results: Iterable[Result]) -> Cell:
    counts = tally(results)
    return proofs_cell(counts.proved, counts.checked)


def _agreed(row: DatasetRow) -> Cell:
    return count_cell(sum(each.agreed for each in row.instances), len(row.instances))


def _sizes(row: DatasetRow) -> Cell:
    sizes = [each.size for each in row.instances]
    return sizes_cell(min(sizes), max(sizes))


def heading(comparison: Comparison, puzzle: str, contender: str) -> str:
    """How a contender stands at the head of a column, and whether its times include the start of a process."""
    return f"{contender}\n{WITH_START}" if contender in comparison.programs(puzzle) else contender.replace(":", "\n", 1)


def _contender_columns(comparison: Comparison, puzzle: str) -> list[Column[DatasetRow]]:
    def column(name: str) -> Column[DatasetRow]:
        def cell(row: DatasetRow) -> Cell:
            return _proved(row.results(name)) if row.total else performance(row.results(name))

        side, _, backend = name.partition(":")
        group = side if backend else "given answers and programs"
        return Column(name, cell, heading=heading(comparison, puzzle, name), group=group)

    return [column(name) for name in comparison.contenders(puzzle)]


def _dataset_columns(puzzle: str) -> list[Column[DatasetRow]]:
    return [
        Column("dataset", lambda row: text_cell(row.name)),
        Column("instances", lambda row: count_cell(len(row.instances)), heading=f"{noun_of([puzzle])}s", group=""),
        Column("size", _sizes, heading=size_noun([puzzle]), group=""),
    ]


_AGREEMENT_COLUMNS: list[Column[DatasetRow]] = [
    Column("agreed", _agreed, group=""),
    Column("proved", lambda row: _proved(row.results()), group=""),
]


def _rows(comparison: Comparison, puzzle: str) -> list[DatasetRow]:
    return [DatasetRow(name, instances) for name, instances in comparison.by_dataset(puzzle).items()]


def datasets_table(comparison: Comparison, puzzle: str) -> Table:
    """A row for each dataset with a column for each contender; the last row says what was proved of each contender."""
    columns = [*_dataset_columns(puzzle), *_contender_columns(comparison, puzzle), *_AGREEMENT_COLUMNS]
    total = DatasetRow("all", comparison.of_puzzle(puzzle), total=True)
    return Table.of(puzzle, columns, [*_rows(comparison, puzzle), total])


def times_table(comparison: Comparison, puzzle: str) -> Table:
    """The times alone: a row for each dataset, a column for each contender."""
    columns = [*_dataset_columns(puzzle), *_contender_columns(comparison, puzzle)]
    return Table.of(puzzle, columns, _rows(comparison, puzzle))


def solvers_table(comparison: Comparison) -> Table:
    """The table of a run with every solver: a row for each solver, a column for each puzzle and backend.

    The contenders that take no solver come first.
    """
    pairs = [(puzzle, name) for puzzle in comparison.puzzles for name in comparison.contenders(puzzle)]
    backends = list(dict.fromkeys((puzzle, name.partition("@")[0]) for puzzle, name in pairs if "@" in name))
    several = len(backends) > len({puzzle for puzzle, _ in backends})
    rows = sorted({("@" in name, name.rpartition("@")[2]) for _, name in pairs})

    def column(puzzle: str, backend: str) -> Column[tuple[bool, str]]:
        def cell(row: tuple[bool, str]) -> Cell:
            takes_solver, name = row
            contender = f"{backend}@{name}" if takes_solver else name
            return performance(list(results_of(comparison.of_puzzle(puzzle), contender)))

        return Column(f"{puzzle}:{backend}" if several else puzzle, cell, heading=f"{puzzle}\n{backend}" if several else puzzle)

    started = {name for puzzle in comparison.puzzles for name in comparison.programs(puzzle)}

    def shown(row: tuple[bool, str]) -> Cell:
        return text_cell(f"{row[1]} {WITH_START}" if row[1] in started else row[1])

    columns: list[Column[tuple[bool, str]]] = [Column("solver", shown)]
    return Table.of("solvers", columns + [column(*pair) for pair in backends], rows)


def tables(comparison: Comparison) -> list[Table]:
    """What `compare run` shows: a table for each puzzle, or one by solver if every solver took part."""
    puzzles = [puzzle for puzzle in comparison.puzzles if comparison.of_puzzle(puzzle)]
    if any("@" in name for puzzle in puzzles for name in comparison.contenders(puzzle)):
        return [solvers_table(comparison)]
    return [datasets_table(comparison, puzzle) for puzzle in puzzles]


class _Recall(NamedTuple):
    dataset: str
    contender: str
    shares: list[float]


def recall_table(comparison: Comparison, puzzle: str) -> Table:
    """What the incomplete backends find: a row for each dataset and backend, over the boards on which something is certain."""
    rows: list[_Recall] = []
    for dataset, instances in comparison.by_dataset(puzzle).items():
        for contender in comparison.contenders(puzzle):
            recalls = tally(results_of(instances, contender)).recalls
            if recalls:
                rows.append(_Recall(dataset, contender, recalls))
    columns: list[Column[_Recall]] = [
        Column("dataset", lambda row: text_cell(row.dataset)),
        Column("backend", lambda row: text_cell(row.contender)),
        Column("instances", lambda row: count_cell(len(row.shares)), heading=f"{noun_of([puzzle])}s"),
        Column("recall", lambda row: share_cell(sum(row.shares) / len(row.shares)), heading="finds"),
        Column("least", lambda row: share_cell(min(row.shares))),
        Column("all_on", lambda row: text_cell(f"{row.shares.count(1.0)} of {len(row.shares)}"), heading="all on"),
    ]
    return Table.of(puzzle, columns, rows)


def without_recall(comparison: Comparison, puzzle: str) -> list[str]:
    """A line for each dataset with boards that `recall_table` leaves out, since nothing is certain there."""
    lines: list[str] = []
    for dataset, instances in comparison.by_dataset(puzzle).items():
        empty = sum(
            any(r.relation is Relation.SUBSET and not r.complete and r.recall is None for r in each.results) for each in instances
        )
        if empty:
            lines.append(
                f"{dataset}: on {empty} of {len(instances)} {noun_of([puzzle])}s nothing is certain, and they are left out"
            )
    return lines


def sizes_table(comparison: Comparison, puzzle: str) -> Table:
    """What a formula costs: a row for each instance and contender, with the formula's size, the seconds to build and solve, and
    the steps of the search."""
    items = [(each, result) for each in comparison.of_puzzle(puzzle) for result in each.results]

    def place(each: Compared) -> str:
        return f"{each.dataset} ({each.shown_size})"

    columns: list[Column[tuple[Compared, Result]]] = [
        Column("dataset", lambda item: text_cell(place(item[0])), heading=noun_of([puzzle])),
        Column("backend", lambda item: text_cell(item[1].contender)),
        Column("variables", lambda item: count_cell(item[1].variables), align="right"),
        Column("clauses", lambda item: count_cell(item[1].clauses), align="right"),
        Column("build_s", lambda item: seconds_cell(item[1].build_s), heading="build", align="right"),
        Column("solve_s", lambda item: seconds_cell(item[1].solve_s), heading="solve", align="right"),
        Column(
            "wall_s", lambda item: seconds_cell(None if item[1].lower_bound else item[1].wall_s), heading="in all", align="right"
        ),
        Column("conflicts", lambda item: count_cell(item[1].conflicts), align="right"),
        Column("decisions", lambda item: count_cell(item[1].decisions), align="right"),
        Column("propagations", lambda item: count_cell(item[1].propagations), align="right"),
        Column("status", lambda item: states_cell(tally([item[1]]).not_ok), heading="", align="right"),
    ]
    return Table.of(puzzle, columns, items)


def sizes_tables(comparison: Comparison) -> list[Table]:
    """`sizes_table` of each puzzle."""
    return [sizes_table(comparison, puzzle) for puzzle in comparison.puzzles]


def recall_tables(comparison: Comparison) -> list[Table]:
    """`recall_table` of each puzzle in which something is certain."""
    tables = [recall_table(comparison, puzzle) for puzzle in comparison.puzzles]
    return [table for table in tables if table.rows]


def proofs_table(comparison: Comparison, puzzle: str) -> Table:
    """A row for each contender: what was proved of its answers, how its runs ended, its recall, its time and its memory."""
    items = [(name, list(results_of(comparison.of_puzzle(puzzle), name))) for name in comparison.contenders(puzzle)]

    def recall(results: list[Result]) -> Cell:
        share = tally(results).recall
        return text_cell("all" if results[0].complete else "a part") if share is None else text_cell(percent(share))

    def count(value: int, kind: str) -> Cell:
        return count_cell(value, mark=kind if value else "")

    def not_ended(results: list[Result]) -> Cell:
        counts = tally(results).not_ok
        return states_cell(counts, "warn") if counts else text_cell("-")

    columns: list[Column[tuple[str, list[Result]]]] = [
        Column("backend", lambda item: text_cell(item[0])),
        Column("proved", lambda item: count(tally(item[1]).proved, "good")),
        Column("unproved", lambda item: count(tally(item[1]).unproved, "warn")),
        Column("refuted", lambda item: count(tally(item[1]).refuted, "bad")),
        Column("not_ended", lambda item: not_ended(item[1]), heading="not ended"),
        Column("recall", lambda item: recall(item[1]), heading="finds"),
        Column("time", lambda item: performance_cell(timing(item[1]), given=any(result.given for result in item[1]))),
        Column("peak_bytes", lambda item: bytes_cell(max(result.peak_bytes for result in item[1])), heading="peak memory"),
    ]
    return Table.of(puzzle, columns, [item for item in items if item[1]])


def agreement_matrix(comparison: Comparison, puzzle: str) -> list[list[Cell]]:
    """For each two contenders on how many boards they agree, of those that both answered."""
    names = comparison.contenders(puzzle)
    return [[_agreement(comparison, puzzle, a, b) for b in names] for a in names]


def _agreement(comparison: Comparison, puzzle: str, a: str, b: str) -> Cell:
    if a == b:
        answered = sum(result.claims for result in results_of(comparison.of_puzzle(puzzle), a))
        return text_cell(str(answered), "self")
    first, second = sorted((a, b))
    relations = comparison.relations.get((puzzle, first, second))
    if not relations:
        return text_cell("-", "none")
    total, clashes = sum(relations.values()), relations[Relation.CONFLICT]
    partial = "" if relations[Relation.EQUAL] or clashes else " ⊆" if relations[Relation.SUBSET] else " ~"
    return text_cell(f"{total - clashes}/{total}{partial}", "bad" if clashes else "good")


MAX_FAILED = 20
"""Tests with a failure that a run shows without being asked."""


def matrix(comparison: Comparison, puzzle: str, most: int | None = None, *, failed: bool = False) -> Table:
    """A row for each of the first instances, with each contender's result and its time.

    Args:
        most: the number of rows; None for any number.
        failed: only the instances on which some contender FAILED.
    """
    instances = comparison.of_puzzle(puzzle)
    if failed:
        instances = [each for each in instances if Headline.FAILED in {result.trouble for result in each.results}]

    def column(name: str) -> Column[Compared]:
        def cell(each: Compared) -> Cell:
            result = each.of(name)
            if result is None:
                return EMPTY
            ended_well = result.grade in (Grade.RIGHT, Grade.WRONG, Grade.OPEN)
            timed = ended_well or result.lower_bound
            return graded_cell(result.grade, timing([result]) if timed else None)

        return Column(name, cell, heading=heading(comparison, puzzle, name))

    columns: list[Column[Compared]] = [
        Column("dataset", lambda each: text_cell(each.dataset)),
        Column("case", lambda each: text_cell(each.number) if each.file else count_cell(each.case)),
        Column("size", lambda each: Cell(each.shown_size, {"": each.size})),
        *map(column, comparison.contenders(puzzle)),
    ]
    title = f"{puzzle}: tests that somebody fails (--show tests has every test)" if failed else puzzle
    return Table.of(title, columns, instances[:most])


def every_test(comparison: Comparison) -> list[Table]:
    """The matrix of each puzzle."""
    return [matrix(comparison, puzzle) for puzzle in comparison.puzzles if comparison.of_puzzle(puzzle)]


def failed_tests(comparison: Comparison) -> list[Table]:
    """Of each puzzle with a program the first tests that some contender FAILED; no table for a puzzle without such a test."""
    tables = [matrix(comparison, puzzle, MAX_FAILED, failed=True) for puzzle in comparison.puzzles if comparison.programs(puzzle)]
    return [table for table in tables if table.rows]


class Score(NamedTuple):
    """The score of one contender.

    Attributes:
        boards: those that it was given and did not skip.
        solved: those of them on which its first run ended well and its answer was not refuted.
        seconds: the mean over the boards of the median time; a board that was not solved counts as twice the time limit.
    """

    contender: str
    boards: int
    solved: int
    seconds: float


def solved_times(results: list[Result]) -> tuple[list[float], int]:
    """The median seconds of each board that was solved, and how many boards there were, without those that were skipped."""
    timed = [result for result in results if not result.given and result.status is not Status.SKIPPED]
    solved = [result.wall_s for result in timed if result.wall_s is not None and result.status is Status.OK and not result.refuted]
    return solved, len(timed)


def score(contender: str, results: list[Result], limit: float) -> Score | None:
    """The PAR-2 score under this time limit, in seconds; None if nothing was timed."""
    solved, boards = solved_times(results)
    if not boards:
        return None
    return Score(contender, boards, len(solved), (sum(solved) + 2 * limit * (boards - len(solved))) / boards)


def scores_table(comparison: Comparison, puzzle: str, limit: float) -> Table:
    """A row for each contender, the best score first, and how far each is from it."""
    names = comparison.contenders(puzzle)
    everything = comparison.of_puzzle(puzzle)
    scores = [score(name, list(results_of(everything, name)), limit) for name in names]
    ranked = sorted((each for each in scores if each is not None), key=lambda each: each.seconds)
    columns: list[Column[Score]] = [
        Column("backend", lambda each: text_cell(each.contender)),
        Column("solved", lambda each: count_cell(each.solved, of=each.boards)),
        Column("par2_s", lambda each: seconds_cell(each.seconds), heading="PAR-2"),
        Column(
            "ratio",
            lambda each: ratio_cell(each.seconds / ranked[0].seconds if ranked[0].seconds else None, shown=",.1f"),
            heading="to the best",
        ),
    ]
    return Table.of(puzzle, columns, ranked)
