"""The report's drawings: boards with answers, disagreements, and what goes beyond an answer."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

import numpy as np

import puzzles
from compare.commands import hints
from compare.engine.campaign.comparison import Conflict
from compare.engine.campaign.summaries import Compared
from compare.engine.isolate.child import call
from compare.engine.isolate.outcome import Limits
from compare.engine.work.contenders import SIDES, backends
from compare.engine.work.result import InstanceKey, Result
from compare.engine.work.solving import certified_answer
from compare.show.messages import brief, by_claims, describe, who
from puzzles.answer import Claims, Verdict
from puzzles.grid import Board
from puzzles.instance import Instance
from puzzles.pictures import one_scale
from puzzles.puzzle import Puzzle

MAX_PICTURES, MAX_DRAWN_CELLS, MAX_DRAWN_SIDE = 12, 2500, 100
"""Boards that are drawn of each puzzle, the cells of the largest of them, and those of a side."""

MAX_FAULTS = 12
"""Boards of each puzzle that are drawn where it is said what contenders did wrong there."""

MAX_EXTRA, EXTRA_LIMITS = 8, Limits(10.0)
"""Pictures that go beyond the answers, and what one board of them may use."""


@dataclass(frozen=True)
class Drawing:
    """A picture with what is written below it.

    Attributes:
        mark: a CSS class.
        link: what follows the address of the page if it shall open this board; empty if no link can
            hold it.
        board: the name of the board within the page, to which links lead; empty if they lead to
            another drawing of it.
    """

    svg: str
    caption: str
    mark: str = ""
    link: str = ""
    board: str = ""


@dataclass(frozen=True)
class DrawnConflict:
    """A disagreement: each different answer drawn once, and the whole as text.

    `board`: the name of the board within the page.
    """

    board: str
    place: str
    drawings: list[Drawing]
    text: str


def _board(result: Result) -> Instance | None:
    """The board of a result; None if it is too large to be drawn, or not recorded."""
    large = result.size > MAX_DRAWN_CELLS or max(result.shape or (0,)) > MAX_DRAWN_SIDE
    return None if large else result.instance()


def _draw(puzzle: Puzzle, result: Result) -> str:
    """The board with the result's answer drawn into it; empty if it cannot be drawn.

    A result keeps no certificate. The default direct backend is asked for one of the same claims,
    so that the core is drawn.
    """
    board = _board(result)
    if board is None:
        return ""
    answer = result.read_answer(board)
    if answer is not None and answer.claims is not None and result.is_proved and _takes(board):
        outcome = call(_certificate_for, puzzle.name, board, answer.claims, limits=EXTRA_LIMITS)
        if outcome.ok and outcome.value is not None:
            answer = replace(answer, certificate=outcome.value)
    with one_scale():
        return puzzle.picture(board, answer and puzzle.with_irreducible_core(board, answer)) or ""


def _takes(board: Instance) -> bool:
    """Whether there is a direct backend that is quick enough on a board to be asked for a
    drawing.
    """
    backend = next(iter(SIDES["direct"].backends(board.puzzle).values()), None)
    if backend is None:
        return False
    sizes = (backend.limit, backend.quick)
    return not any(size is not None and board.size > size for size in sizes)


def _certificate_for(name: str, board: Instance, claims: Claims) -> Any:
    """A certificate of these claims by the default direct backend; None if that claims something
    else.
    """
    certified = SIDES["direct"].get(name).solve(board, certify=True)
    same = certified.claims is not None and np.array_equal(certified.claims, claims)
    return certified.certificate if same else None


def _link(result: Result) -> str:
    """The fragment of the page for the board of a result; empty if its text is not recorded, or too
    long, or if no built-in backend solves the puzzle.

    Answers of our backends are made anew there. Any other answer that is not proved, the link
    holds.
    """
    puzzle, answer = puzzles.get(result.puzzle), result.answer
    if result.text is None or not backends(puzzle.name):
        return ""
    for each in hints():
        linked = None
        if answer is not None and not result.is_proved:
            format = None if result.format == puzzle.formats[0] else result.format
            linked = each.LinkedAnswer(result.contender, answer, format)
        return each.fragment(puzzle.name, result.text, linked)
    return ""


def _place(result: Result) -> str:
    return f"{result.key.place}: {result.shown_size}"


def _says(result: Result, contenders: int = 1) -> str:
    """` says` and the first line of the answer; nothing if that line is a row of the board, which
    is drawn.
    """
    if result.answer is None:
        return ""
    line, board = brief(puzzles.get(result.puzzle), result.answer), result.instance()
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
    refuted = [each for each in clash.results if each.is_refuted]
    others = [each for each in clash.results if not each.is_refuted]
    for group in (*by_claims(others), *by_claims(refuted)):
        shown = next((result for result in group if result.is_proved), group[0])
        loses = any(result in clash.refuted for result in group)
        mark, standing = ("good", "proved") if shown.is_proved else ("", "not proved")
        if loses or any(result.is_refuted for result in group):
            mark, standing = "bad", "refuted"
        checks = [check for result in group if (check := result.check) and check.detail]
        if loses:
            winner = next(result for result in clash.results if result.is_proved)
            reason = f"; the proved answer of {winner.contender} contradicts it"
            checks = [check for check in checks if check.verdict is not Verdict.UNPROVED]
        else:
            reason = ""
        if checks:
            reason = f"; {min(checks, key=lambda check: _FIRST.index(check.verdict)).detail}"
        names = ", ".join(map(who, group))
        drawn = _draw(puzzle, shown)
        caption = f"{names}{_says(shown, len(group))}: {standing}{reason}"
        if not drawn:
            caption += f" (not drawn: {shown.shown_size})"
        drawings.append(Drawing(drawn, caption, mark, _link(shown)))
    first = clash.results[0]
    return DrawnConflict(board_id(first), str(first), drawings, describe(clash, whole=True))


def board_id(board: Result | Compared) -> str:
    """The name of a board within the page."""
    name = f"{board.dataset}\0{board.number}".encode()
    return f"{board.puzzle}-{hashlib.sha256(name).hexdigest()[:12]}"


def board_drawing(result: Result) -> Drawing | None:
    """The board of a result with its answer; None if it cannot be drawn."""
    puzzle = puzzles.get(result.puzzle)
    check = f", {result.check.verdict}" if result.check else ""
    caption = f"{_place(result)}, {result.contender}{_says(result)}{check}"
    svg = _draw(puzzle, result)
    return Drawing(svg, caption, link=_link(result), board=board_id(result)) if svg else None


class Gallery:
    """The results of one puzzle that the report draws.

    It keeps no more of them than it draws, however many are added.
    """

    def __init__(self) -> None:
        self._answered: dict[str, dict[InstanceKey, Result]] = {}
        self._smallest: dict[str, Result] = {}

    def add(self, result: Result) -> None:
        """Keep a result if it is among the smallest of its dataset; of one instance a proved answer
        is kept before others.
        """
        smallest = self._smallest.get(result.dataset)
        if smallest is None or result.size < smallest.size:
            self._smallest[result.dataset] = result
        if result.answer is None or result.repeat != 1 or result.together != 1:
            return
        answered = self._answered.setdefault(result.dataset, {})
        known = answered.get(result.key)
        if known is None or (result.is_proved and not known.is_proved):
            answered[result.key] = result
        if len(answered) > MAX_PICTURES:
            largest = max(answered.values(), key=lambda each: each.size)
            del answered[largest.key]

    def pictures(self) -> list[Drawing]:
        """Some boards with their answers: the smallest few of each dataset in turn."""
        queues = (
            sorted(some.values(), key=lambda result: result.size)
            for some in self._answered.values()
        )
        in_turn = [result for some in zip_longest(*queues) for result in some if result is not None]
        return [each for each in map(board_drawing, in_turn[:MAX_PICTURES]) if each is not None]

    def extra_pictures(self, puzzle: Puzzle) -> list[Drawing]:
        """What the default direct backend can say beyond the recorded answers, of the smallest
        board of each dataset.
        """
        drawings: list[Drawing] = []
        by_size = sorted(self._smallest.values(), key=lambda result: result.size)
        for result in by_size if puzzle.exact_options else ():
            board = _board(result)
            if board is None or len(drawings) >= MAX_EXTRA:
                continue
            outcome = call(_extra_pictures_of, puzzle.name, board, limits=EXTRA_LIMITS)
            for caption, svg in outcome.value if outcome.ok else ():
                drawings.append(Drawing(svg, f"{_place(result)}; {caption}", link=_link(result)))
        return drawings


def _extra_pictures_of(name: str, board: Instance) -> list[tuple[str, str]]:
    answer = certified_answer(SIDES["direct"].get(name), board, {})
    with one_scale():
        return list(puzzles.get(name).extra_pictures(board, answer))
