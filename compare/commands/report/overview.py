"""The answer that the report opens with: a row for each contender, with the boards on which it was
right, wrong, slow and so on, and what it said there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import puzzles
from compare.commands.report.drawings import Drawing, board_id
from compare.commands.run.comparison_tables import ratio_to_reference, reference_of
from compare.engine.campaign.comparison import MAX_KEPT, Comparison, Firsts, PuzzleComparison
from compare.engine.campaign.summaries import Compared, Grade, Headline, Summary
from compare.engine.isolate.outcome import Status
from compare.engine.work.result import (
    LACKING,
    REFUSED,
    InstanceKey,
    Kind,
    Result,
    RunKey,
    faults_of,
)
from compare.show.messages import CASE, boards_together, brief
from compare.show.table import WITH_START, Cell, ratio_cell
from compare.show.wording import noun_of
from puzzles.answer import Verdict
from puzzles.text import abridge, count_noun

RIGHT_COLUMN, IN_CONFLICT, NOT_PROVED, SKIPPED, NO_RECORD = (
    "right",
    "in conflict",
    "not proved",
    "skipped",
    "no record",
)

OF_FAULT = {REFUSED: "refused", LACKING: "claims too little"}
"""What a contender did where no grade says it."""

COLUMN_MARKS = {
    RIGHT_COLUMN: "good",
    "wrong": "bad",
    IN_CONFLICT: "bad",
    "crashed": "bad",
    "unreadable": "bad",
    "out of memory": "bad",
    "timed out": "bad",
    OF_FAULT[REFUSED]: "bad",
    OF_FAULT[LACKING]: "bad",
    NOT_PROVED: "warn",
    "does not know": "warn",
    SKIPPED: "",
    "spared": "",
    NO_RECORD: "",
}
"""What a contender may do on a board, in the order of the columns, and how a page marks it. The
faults stand here from the worst on.
"""

ALWAYS = (RIGHT_COLUMN, "wrong", "crashed", "timed out", NOT_PROVED, SKIPPED)
"""Of these the columns that are there even if they count nothing."""

OF_GRADE = {
    Grade.RIGHT: RIGHT_COLUMN,
    Grade.WRONG: "wrong",
    Grade.TIMEOUT: "timed out",
    Grade.MEMORY: "out of memory",
    Grade.CRASH: "crashed",
    Grade.ERROR: "unreadable",
    Grade.SKIPPED: SKIPPED,
    Grade.SPARED: "spared",
    Grade.UNKNOWN: "does not know",
    Grade.OPEN: NOT_PROVED,
}


class NamedBoard(NamedTuple):
    """A board: what a list calls it, and its name within the page."""

    text: str
    board: str


class Boards:
    """The boards on which a contender did one thing.

    Attributes:
        count: how many there are.
        places: by what it said there, the boards; of the first hundred different sayings.
        smallest: the result on the smallest board, if what it did is to be looked at.
        drawing: of that result, if the page draws it here.
    """

    def __init__(self) -> None:
        self.count = 0
        self.places: dict[str, Firsts[NamedBoard]] = {}
        self.smallest: Result | None = None
        self.drawing: Drawing | None = None

    def add(self, place: NamedBoard, saying: str) -> None:
        self.count += 1
        if saying in self.places or len(self.places) < MAX_KEPT:
            self.places.setdefault(saying, Firsts()).add(place)

    def show(self, result: Result) -> None:
        """Keep the result if its board is smaller than that of the one that is kept."""
        if self.smallest is None or result.size < self.smallest.size:
            self.smallest = result

    @property
    def groups(self) -> list[tuple[str, Firsts[NamedBoard]]]:
        """What was said, with the boards: what was said most often first."""
        return sorted(self.places.items(), key=lambda group: -group[1].total)

    @property
    def left_out(self) -> int:
        """On how many boards something else was said."""
        return self.count - sum(places.total for places in self.places.values())


class ContenderRow(NamedTuple):
    """How one contender fared.

    Attributes:
        boards: what it did, and where.
        as_long: how many times as long it takes as the reference.
    """

    puzzle: str
    contender: str
    boards: dict[str, Boards]
    as_long: Cell


class Overview:
    """Takes in the results for a comparison, and keeps what each contender said on some boards.

    Attributes:
        comparison: of all results.
    """

    def __init__(self, planned: Iterable[RunKey]) -> None:
        self.comparison = Comparison(planned)
        self._open: dict[InstanceKey, list[Result]] = {}
        self._boards: dict[tuple[str, str], dict[str, Boards]] = {}

    def add(self, result: Result) -> None:
        """Take in a result."""
        instances = self.comparison.instances
        closed = len(instances)
        self._open.setdefault(result.key, []).append(result)
        self.comparison.add(result)
        if len(instances) > closed:  # it was the last one of its instance
            self._close(instances[-1], self._open.pop(result.key))

    def _close(self, each: Compared, results: Sequence[Result]) -> None:
        for summary in each.summaries:
            own = [result for result in results if result.contender == summary.contender]
            kind = self._kind(each, summary)
            if COLUMN_MARKS[kind] != "bad":  # no worse fault counts already
                faults = (fault.kind for result in own for fault in faults_of(result))
                kind = next((OF_FAULT[fault] for fault in faults if fault in OF_FAULT), kind)
            result = _telling(summary, own)
            boards = self._note(each, summary.contender, kind, _saying(summary, result))
            if COLUMN_MARKS[kind] in ("bad", "warn"):
                boards.show(result)

    def _note(self, each: Compared, contender: str, kind: str, saying: str) -> Boards:
        kinds = self._boards.setdefault((each.puzzle, contender), {})
        boards = kinds.setdefault(kind, Boards())
        text = f"{each.dataset} {each.number} ({each.shown_size})"
        boards.add(NamedBoard(text, board_id(each)), saying)
        return boards

    def _kind(self, each: Compared, summary: Summary) -> str:
        """What a contender did: one of `COLUMN_MARKS`."""
        disputed = any(
            puzzle == each.puzzle and summary.contender in names
            for puzzle, *names in self.comparison.disputes
        )
        if disputed and each.is_disputed and summary.claims:
            return IN_CONFLICT
        if summary.trouble is Headline.UNPROVED:
            return NOT_PROVED
        return OF_GRADE[summary.grade]

    def rows(self, reference: str | None = None) -> list[ContenderRow]:
        """A row for each contender of each puzzle, the worst first. Call it once, when all results
        are there.

        `reference`: as in `reference_of`.
        """
        rows: list[ContenderRow] = []
        for puzzle, part in self.comparison.puzzles.items():
            whose = reference_of(part, reference)
            for name, contender in part.contenders.items():
                for each in part.instances:
                    if contender is not Kind.GIVEN and each.of(name) is None:
                        self._note(each, name, NO_RECORD, "")
                boards = self._boards.get((puzzle, name), {})
                ordered = {kind: boards[kind] for kind in COLUMN_MARKS if kind in boards}
                rows.append(ContenderRow(puzzle, name, ordered, _times_as_long(part, name, whose)))
        return sorted(rows, key=_faults)


def shown_columns(rows: Sequence[ContenderRow]) -> list[str]:
    """What is counted: what always is, and what somebody did."""
    return [
        kind for kind in COLUMN_MARKS if kind in ALWAYS or any(kind in row.boards for row in rows)
    ]


def _faults(row: ContenderRow) -> list[int]:
    """How often a contender is at fault in each way, the worst first; as negative numbers, so that
    the worst contender is sorted to the front.
    """
    kinds = (kind for kind, mark in COLUMN_MARKS.items() if mark in ("bad", "warn"))
    return [-row.boards[kind].count if kind in row.boards else 0 for kind in kinds]


def _times_as_long(part: PuzzleComparison, contender: str, reference: str | None) -> Cell:
    """How many times as long a contender takes as the reference, on the boards that both solved."""
    ratio = ratio_to_reference(part, contender, reference)
    if ratio is None:
        return ratio_cell(None)
    cell = ratio_cell(ratio.ratio, ratio.interval)
    start = f" {WITH_START}," if contender in part.programs else ""
    boards = f"{start} on {count_noun(ratio.both, noun_of([part.name]))}"
    return replace(cell, text=f"{cell.text}{boards}" if ratio.both else "-")


def _telling(summary: Summary, results: Sequence[Result]) -> Result:
    """Of several runs on a board that which shows what the contender is worth there."""
    return next(
        (each for each in results if each.is_refuted or each.status == str(summary.grade)),
        results[0],
    )


def _saying(summary: Summary, result: Result) -> str:
    """What a contender said on a board, or how its run ended."""
    before = f"with all {boards_together(result)} in one file: " if result.together > 1 else ""
    if result.status is not Status.OK:
        return f"{before}{abridge(result.reason) or result.status}"
    parts = ["an answer that is not kept"]
    if result.answer is not None:
        more = " ..." if "\n" in CASE.sub("", result.answer).strip() else ""
        parts = [f"says {abridge(brief(puzzles.get(result.puzzle), result.answer))}{more}"]
    if summary.refuted and not result.is_refuted:
        parts.append("a proved answer contradicts it")
    elif summary.check is not Verdict.PROVED and result.check is not None and result.check.detail:
        parts.append(abridge(result.check.detail))
    if result.lacking:
        parts.append(f"it {result.lacking}")
    return before + "; ".join(parts)
