"""The report's drawings: boards with answers, disagreements, and what goes beyond an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import puzzles
from compare.campaign.record import Record
from compare.campaign.results import Conflict, is_proved
from compare.isolate.outcome import Limits
from compare.isolate.sandbox import call
from compare.show.messages import brief, by_claims, describe
from compare.work.contenders import SIDES
from compare.work.solving import certified_answer
from puzzles.grid import Board
from puzzles.puzzle import Puzzle
from puzzles.verdict import Verdict

MOST_PICTURES, MOST_DRAWN_CELLS = 12, 2500
"""Boards that are drawn of each puzzle, and the cells of the largest of them."""

MOST_EXTRA, EXTRA_LIMITS = 8, Limits(10.0)
"""Pictures that go beyond the answers, and what one board of them may use."""


@dataclass(frozen=True)
class Drawing:
    """A picture with what is written below it; `mark` is a CSS class."""

    svg: str
    caption: str
    mark: str = ""


@dataclass(frozen=True)
class DrawnConflict:
    """A disagreement: each different answer drawn once, and the whole as text."""

    place: str
    drawings: list[Drawing]
    text: str


def _draw(puzzle: Puzzle, record: Record) -> str | None:
    """The board with the record's answer drawn into it; None if it is too large or not recorded."""
    board = record.instance() if record.task.size <= MOST_DRAWN_CELLS else None
    return None if board is None else puzzle.picture(board, record.answer(board))


def _place(record: Record) -> str:
    return f"{record.task.place}: {record.task.shown_size}"


def _says(record: Record, contenders: int = 1) -> str:
    """` says` and the first line of the answer; nothing if that line is a row of the board, which is drawn."""
    if record.run.answer is None:
        return ""
    line, board = brief(record.run.answer), record.instance()
    if board is not None and set(line.encode()) <= set(board.alphabet):
        return ""
    return f" say{'s' * (contenders == 1)} {line}"


def conflict(puzzle: Puzzle, clash: Conflict) -> DrawnConflict:
    """Each different answer drawn once, with who gives it and whether it is proved."""
    refuted_ones = clash.refuted
    drawings: list[Drawing] = []
    for group in by_claims(clash.records):
        shown = next(filter(is_proved, group), group[0])
        by_check = (record.run.check is not None and record.run.check.verdict is Verdict.REFUTED for record in group)
        refuted = any(by_check) or any(record in refuted_ones for record in group)
        proved = any(map(is_proved, group))
        standing = "refuted" if refuted else "proved" if proved else "not proved"
        names = ", ".join(record.task.contender for record in group)
        caption = f"{names}{_says(shown, len(group))}: {standing}"
        drawings.append(Drawing(_draw(puzzle, shown) or "", caption, "bad" if refuted else "good" if proved else ""))
    return DrawnConflict(str(clash.records[0].task), drawings, describe(clash))


def pictures(puzzle: Puzzle, records: Sequence[Record]) -> list[Drawing]:
    """Some boards with their answers: the first few of each dataset in turn, small ones first."""
    best: dict[object, Record] = {}
    for record in records:
        if record.run.answer is not None and record.task.repeat == 1:
            known = best.get(record.task.key)
            if known is None or (is_proved(record) and not is_proved(known)):
                best[record.task.key] = record
    by_dataset: dict[str, list[Record]] = {}
    for record in best.values():
        by_dataset.setdefault(record.task.dataset, []).append(record)
    queues = [sorted(some, key=lambda record: record.task.size) for some in by_dataset.values()]
    chosen: list[Record] = []
    while any(queues) and len(chosen) < MOST_PICTURES:
        chosen += [queue.pop(0) for queue in queues if queue]
    drawings: list[Drawing] = []
    for record in chosen[:MOST_PICTURES]:
        svg = _draw(puzzle, record)
        if svg:
            check = f", {record.run.check.verdict}" if record.run.check else ""
            drawings.append(Drawing(svg, f"{_place(record)}, {record.task.contender}{_says(record)}{check}"))
    return drawings


def extra_pictures(puzzle: Puzzle, records: Sequence[Record]) -> list[Drawing]:
    """What the default direct backend can say beyond the recorded answers, of the smallest board of each dataset."""
    smallest: dict[str, Record] = {}
    for record in sorted(records, key=lambda each: each.task.size):
        smallest.setdefault(record.task.dataset, record)
    drawings: list[Drawing] = []
    for record in smallest.values() if puzzle.exact_options else ():
        board = record.instance() if record.task.size <= MOST_DRAWN_CELLS else None
        if board is None or len(drawings) >= MOST_EXTRA:
            continue
        outcome = call(_extra_pictures_of, puzzle.name, board, limits=EXTRA_LIMITS)
        if outcome.ok:
            drawings += [Drawing(svg, f"{_place(record)}; {caption}") for caption, svg in outcome.value]
    return drawings


def _extra_pictures_of(name: str, board: Board) -> list[tuple[str, str]]:
    puzzle = puzzles.get(name)
    return list(puzzle.extra_pictures(board, certified_answer(SIDES["direct"].get(name), board, {})))
