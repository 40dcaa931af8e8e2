"""The tables of the report alone: times, proofs, agreement pair by pair, scores."""

from __future__ import annotations

from dataclasses import replace
from operator import itemgetter

from msgspec.structs import replace as with_fields

from compare.commands.run.comparison_tables import (
    datasets_table,
    not_told_apart,
    par_2,
    performance_cell,
)
from compare.engine.campaign.comparison import Comparison, PuzzleComparison
from compare.engine.campaign.summaries import Summary, Tally, summary_rows
from compare.engine.work.result import Relation
from compare.show.table import (
    TOLD_APART,
    Cell,
    Column,
    Entry,
    Table,
    counts_cell,
    number_cell,
    part_cell,
    percent,
    ratio_cell,
    text_cell,
)


def times_table(part: PuzzleComparison, reference: str | None) -> Table:
    """The times alone, without what agrees and what is proved, in few rows; `reference` as in
    `datasets_table`.
    """
    row_of = summary_rows({name: len(some) for name, some in part.by_dataset().items()})
    part = replace(
        part,
        datasets=dict.fromkeys(row_of[name] for name in part.datasets if name in row_of),
        instances=[with_fields(each, dataset=row_of[each.dataset]) for each in part.instances],
    )
    whole, proved = datasets_table(part, reference), len(part.by_dataset())
    rows = whole.rows[:proved] + whole.rows[proved + 1 :]
    return replace(whole, rows=rows).of_columns(range(len(whole.columns) - 2))


def proofs_table(part: PuzzleComparison) -> Table:
    """A row for each contender: what was proved of its answers, how its runs ended, its recall, its
    time and its memory.
    """

    def row(name: str, summaries: list[Summary]) -> list[Entry]:
        tally, peak = Tally.of(summaries), max(each.peak_bytes for each in summaries)
        unproved = max(0, tally.checked - tally.proved - tally.refuted)
        counts = ((tally.proved, "good"), (unproved, "warn"), (tally.refuted, "bad"))
        finds = "all" if summaries[0].who.complete else "a part"
        if tally.recall is not None:
            finds = percent(tally.recall)
        return [
            name,
            *(number_cell(count, mark=mark if count else "") for count, mark in counts),
            counts_cell(tally.not_ok, "warn") if tally.not_ok else "-",
            finds,
            performance_cell(summaries, time_alone=True),
            number_cell(peak, "bytes") if peak else Cell("-", {"": None}),
        ]

    rest = [
        Column("not_ended", "not ended"),
        Column("recall", "finds"),
        "time",
        Column("peak_bytes", "peak memory"),
    ]
    rows = [
        row(name, summaries) for name in part.contenders if (summaries := part.of_contender(name))
    ]
    return Table.of(part.name, ["backend", "proved", "unproved", "refuted", *rest], rows)


def agreement_matrix(part: PuzzleComparison) -> list[list[Cell]]:
    """For each two contenders on how many boards they agree, of those that both answered; empty if
    all agree.
    """
    if not any(relations[Relation.CONFLICT] for relations in part.relations.values()):
        return []

    def agreement(a: str, b: str) -> Cell:
        if a == b:
            return text_cell(str(sum(summary.claims for summary in part.of_contender(a))), "self")
        relations = part.relations.get((min(a, b), max(a, b)))
        if relations is None:
            return text_cell("-", "none")
        total, clashes = relations.total(), relations[Relation.CONFLICT]
        text = f"{total - clashes}/{total}"
        if not relations[Relation.EQUAL] and not clashes:
            text += " ⊆" if relations[Relation.SUBSET] else " ~"
        return text_cell(text, "bad" if clashes else "good")

    return [[agreement(a, b) for b in part.contenders] for a in part.contenders]


def scores_tables(comparison: Comparison, part: PuzzleComparison, limit: float) -> list[Table]:
    """A row for each contender that was timed, the best PAR-2 score first, who is not told apart
    from whom, and how far each is from the best. A second table has those that are not ranked, with
    the reason: they were not run on every board, so that their means are over other boards, or they
    claim only a part, as a heuristic does, which is another task.
    """
    ranked: list[tuple[float, str, Cell]] = []
    apart: list[tuple[float, str, Cell]] = []
    for name in part.contenders:
        score, solved, boards = par_2(part.of_contender(name), limit)
        if score is not None:
            every = boards == len(part.instances) and part.claims_all(name)
            (ranked if every else apart).append((score, name, part_cell(len(solved), boards)))
    for some in (ranked, apart):
        some.sort(key=itemgetter(0))
    columns = ["backend", "solved", Column("par2_s", "PAR-2")]
    best = ranked[0][0] if ranked else 0.0
    same = not_told_apart(part, [name for _, name, _ in ranked], limit)
    beside = Column("not_told_apart", f"not {TOLD_APART} from rank")
    return [
        Table.of(
            part.name,
            ["rank", *columns, beside, Column("ratio", "to the best")],
            [
                [rank, name, solved, number_cell(score, "s"), others, _to_the_best(score, best)]
                for rank, ((score, name, solved), others) in enumerate(
                    zip(ranked, same, strict=True), 1
                )
            ],
        ),
        Table.of(
            part.name,
            [*columns, Column("reason", "not ranked")],
            [
                [name, solved, number_cell(score, "s"), _not_run(comparison, part, name)]
                for score, name, solved in apart
            ],
        ),
    ]


def _to_the_best(score: float, best: float) -> Cell:
    return ratio_cell(score / best if best else None, written="{:,.1f}".format)


def _not_run(comparison: Comparison, part: PuzzleComparison, contender: str) -> str:
    """Why a contender is not ranked: on how many boards it was not run, and why, or that it claims
    only a part.
    """
    counts = {
        f"skipped: {reason}": count
        for (name, puzzle, reason), count in comparison.skipped.items()
        if (name, puzzle) == (contender, part.name)
    }
    spared = comparison.spared.get((contender, part.name), {})
    counts |= {f"spared: {reason}": count for reason, count in spared.items()}
    counts["no record"] = sum(each.of(contender) is None for each in part.instances)
    reasons = [f"{count} {why}" for why, count in counts.items() if count]
    if not part.claims_all(contender):
        reasons.append("claims only a part")
    return "\n".join(reasons)
