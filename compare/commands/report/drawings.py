"""The report's drawings: boards with answers, disagreements, and what goes beyond an answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

import numpy as np

import puzzles
from compare.commands import hints
from compare.engine.campaign.comparison import Conflict
from compare.engine.campaign.record import InstanceKey, Record
from compare.engine.isolate.child import call
from compare.engine.isolate.outcome import Limits
from compare.engine.work.contenders import SIDES, backends
from compare.engine.work.solving import certified_answer
from compare.show.messages import brief, by_claims, describe, who
from puzzles.answer import Claims, Verdict
from puzzles.grid import Board
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle

MAX_PICTURES, MAX_DRAWN_CELLS = 12, 2500
"""Boards that are drawn of each puzzle, and the cells of the largest of them."""

MAX_EXTRA, EXTRA_LIMITS = 8, Limits(10.0)
"""Pictures that go beyond the answers, and what one board of them may use."""


@dataclass(frozen=True)
class Drawing:
    """A picture with what is written below it.

    Attributes:
        mark: a CSS class.
        link: what follows the address of the page if it shall open this board; empty if no link can
            hold it.
    """

    svg: str
    caption: str
    mark: str = ""
    link: str = ""


@dataclass(frozen=True)
class DrawnConflict:
    """A disagreement: each different answer drawn once, and the whole as text."""

    place: str
    drawings: list[Drawing]
    text: str


def _board(record: Record) -> Instance | None:
    """The board of a record; None if it is too large to be drawn, or not recorded."""
    return record.instance() if record.task.size <= MAX_DRAWN_CELLS else None


def _draw(puzzle: Puzzle, record: Record) -> str:
    """The board with the record's answer drawn into it; empty if it cannot be drawn.

    A record keeps no certificate. The default direct backend is asked for one of the same claims,
    so that the core is drawn.
    """
    board = _board(record)
    if board is None:
        return ""
    answer = record.answer(board)
    if answer is not None and answer.claims is not None and record.is_proved:
        outcome = call(_certificate_for, puzzle.name, board, answer.claims, limits=EXTRA_LIMITS)
        if outcome.ok and outcome.value is not None:
            answer = replace(answer, certificate=outcome.value)
    return puzzle.picture(board, answer and puzzle.with_irreducible_core(board, answer)) or ""


def _certificate_for(name: str, board: Instance, claims: Claims) -> Any:
    """A certificate of these claims by the default direct backend; None if that claims something
    else.
    """
    certified = SIDES["direct"].get(name).solve(board, certify=True)
    same = certified.claims is not None and np.array_equal(certified.claims, claims)
    return certified.certificate if same else None


def _link(record: Record) -> str:
    """The fragment of the page for the board of a record; empty if its text is not recorded, or too
    long, or if no built-in backend solves the puzzle.

    Answers of our backends are made anew there. Any other answer that is not proved, the link
    holds.
    """
    puzzle, answer = puzzles.get(record.task.puzzle), record.run.answer
    if record.text is None or not backends(puzzle.name):
        return ""
    for each in hints():
        linked = None
        if answer is not None and not record.is_proved:
            format = None if record.format == puzzle.formats[0] else record.format
            linked = each.LinkedAnswer(record.task.contender, answer, format)
        return each.fragment(puzzle.name, record.text, linked)
    return ""


def _place(record: Record) -> str:
    return f"{record.task.place}: {record.task.shown_size}"


def _says(record: Record, contenders: int = 1) -> str:
    """` says` and the first line of the answer; nothing if that line is a row of the board, which
    is drawn.
    """
    if record.run.answer is None:
        return ""
    line, board = brief(puzzles.get(record.task.puzzle), record.run.answer), record.instance()
    if isinstance(board, Board) and set(line.encode()) <= set(board.alphabet):
        return ""
    return f" say{'s' * (contenders == 1)} {line}"


_FIRST = (Verdict.REFUTED, Verdict.PROVED, Verdict.UNPROVED)
"""The check of the same answer that is shown, if its checks differ."""


def conflict(puzzle: Puzzle, clash: Conflict) -> DrawnConflict:
    """Each different answer drawn once, with who gives it, whether it is proved, and what the check
    says of it, or whose proved answer contradicts it.
    """
    drawings: list[Drawing] = []
    for group in by_claims(clash.records):
        shown = next((record for record in group if record.is_proved), group[0])
        loses = any(record in clash.refuted for record in group)
        mark, standing = ("good", "proved") if shown.is_proved else ("", "not proved")
        if loses or any(record.is_refuted for record in group):
            mark, standing = "bad", "refuted"
        checks = [check for record in group if (check := record.run.check) and check.detail]
        if loses:
            winner = next(record for record in clash.records if record.is_proved)
            reason = f"; the proved answer of {winner.task.contender} contradicts it"
            checks = [check for check in checks if check.verdict is not Verdict.UNPROVED]
        else:
            reason = ""
        if checks:
            reason = f"; {min(checks, key=lambda check: _FIRST.index(check.verdict)).detail}"
        names = ", ".join(map(who, group))
        caption = f"{names}{_says(shown, len(group))}: {standing}{reason}"
        drawings.append(Drawing(_draw(puzzle, shown), caption, mark, _link(shown)))
    return DrawnConflict(str(clash.records[0].task), drawings, describe(clash, whole=True))


class Gallery:
    """The records of one puzzle that the report draws.

    It keeps no more of them than it draws, however many are added.
    """

    def __init__(self) -> None:
        self._answered: dict[str, dict[InstanceKey, Record]] = {}
        self._smallest: dict[str, Record] = {}

    def add(self, record: Record) -> None:
        """Keep a record if it is among the smallest of its dataset; of one instance a proved answer
        is kept before others.
        """
        smallest = self._smallest.get(record.task.dataset)
        if smallest is None or record.task.size < smallest.task.size:
            self._smallest[record.task.dataset] = record
        if record.run.answer is None or record.task.repeat != 1 or record.task.together != 1:
            return
        answered = self._answered.setdefault(record.task.dataset, {})
        known = answered.get(record.task.key)
        if known is None or (record.is_proved and not known.is_proved):
            answered[record.task.key] = record
        if len(answered) > MAX_PICTURES:
            largest = max(answered.values(), key=lambda each: each.task.size)
            del answered[largest.task.key]

    def pictures(self, puzzle: Puzzle) -> list[Drawing]:
        """Some boards with their answers: the smallest few of each dataset in turn."""
        queues = (
            sorted(some.values(), key=lambda record: record.task.size)
            for some in self._answered.values()
        )
        in_turn = [record for some in zip_longest(*queues) for record in some if record is not None]
        drawings: list[Drawing] = []
        for record in in_turn[:MAX_PICTURES]:
            check = f", {record.run.check.verdict}" if record.run.check else ""
            caption = f"{_place(record)}, {record.task.contender}{_says(record)}{check}"
            if svg := _draw(puzzle, record):
                drawings.append(Drawing(svg, caption, link=_link(record)))
        return drawings

    def extra_pictures(self, puzzle: Puzzle) -> list[Drawing]:
        """What the default direct backend can say beyond the recorded answers, of the smallest
        board of each dataset.
        """
        drawings: list[Drawing] = []
        by_size = sorted(self._smallest.values(), key=lambda record: record.task.size)
        for record in by_size if puzzle.exact_options else ():
            board = _board(record)
            if board is None or len(drawings) >= MAX_EXTRA:
                continue
            outcome = call(_extra_pictures_of, puzzle.name, board, limits=EXTRA_LIMITS)
            for caption, svg in outcome.value if outcome.ok else ():
                drawings.append(Drawing(svg, f"{_place(record)}; {caption}", link=_link(record)))
        return drawings


def _extra_pictures_of(name: str, board: Instance) -> list[tuple[str, str]]:
    puzzle = puzzles.get(name)
    return list(
        puzzle.extra_pictures(board, certified_answer(SIDES["direct"].get(name), board, {}))
    )
