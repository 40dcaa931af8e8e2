"""PAR-2, the score of solver competitions: speed and failures in one number."""

from __future__ import annotations

from typing import NamedTuple

from compare.campaign.comparing.comparison import Comparison
from compare.campaign.comparing.results import Result, results_of
from compare.isolate.outcome import Status
from compare.show.tables.cells import Count, Ratio, Seconds, Text
from compare.show.tables.table import Column, Table


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
        Column("backend", lambda each: Text(each.contender)),
        Column("solved", lambda each: Count(each.solved, of=each.boards)),
        Column("par2_s", lambda each: Seconds(each.seconds), heading="PAR-2"),
        Column(
            "ratio",
            lambda each: Ratio(each.seconds / ranked[0].seconds if ranked[0].seconds else None, shown=",.1f"),
            heading="to the best",
        ),
    ]
    return Table.of(puzzle, columns, ranked)
