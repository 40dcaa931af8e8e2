"""The matrix of tests and contenders, as setters know it: which test fails whose solution, with the seconds."""

from __future__ import annotations

from compare.campaign.comparing.comparison import Comparison
from compare.campaign.comparing.results import Compared, Grade, Headline
from compare.campaign.comparing.timing import timing
from compare.show.tables.cells import EMPTY, Cell, Count, Extent, GradedRun, Text
from compare.show.tables.summary import heading
from compare.show.tables.table import Column, Table

MOST_FAILED = 20
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
            return GradedRun(result.grade, timing([result]) if timed else None)

        return Column(name, cell, heading=heading(comparison, puzzle, name))

    columns: list[Column[Compared]] = [
        Column("dataset", lambda each: Text(each.dataset)),
        Column("case", lambda each: Text(each.number) if each.file else Count(each.case)),
        Column("size", lambda each: Extent(each.size, each.shown_size)),
        *map(column, comparison.contenders(puzzle)),
    ]
    title = f"{puzzle}: tests that somebody fails (--show tests has every test)" if failed else puzzle
    return Table.of(title, columns, instances[:most])


def every_test(comparison: Comparison) -> list[Table]:
    """The matrix of each puzzle."""
    return [matrix(comparison, puzzle) for puzzle in comparison.puzzles if comparison.of_puzzle(puzzle)]


def failed_tests(comparison: Comparison) -> list[Table]:
    """Of each puzzle with a program the first tests that some contender FAILED; no table for a puzzle without such a test."""
    tables = [matrix(comparison, puzzle, MOST_FAILED, failed=True) for puzzle in comparison.puzzles if comparison.programs(puzzle)]
    return [table for table in tables if table.rows]
