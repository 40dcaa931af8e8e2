"""What a search has tried: how many boards, how large, and how each contender fared."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

import puzzles
from compare.fuzz.trials.observed import Observed
from puzzles.grid import Board


class Slowest(NamedTuple):
    """The board that took a contender longest. Seconds as the backend says; boards solved together share theirs equally."""

    seconds: float
    rows: int
    columns: int


NO_BOARD = Slowest(-1.0, 0, 0)


@dataclass
class Responses:
    """How one contender fared: on how many boards it answered, refused, or did not take part."""

    answered: int = 0
    refused: int = 0
    skipped: int = 0
    slowest: Slowest = NO_BOARD

    def add(self, other: Responses) -> None:
        self.answered += other.answered
        self.refused += other.refused
        self.skipped += other.skipped
        self.slowest = max(self.slowest, other.slowest)


@dataclass
class Tried:
    """What was tried.

    Attributes:
        boards: how many boards.
        largest: rows and columns of the board with the most cells.
        responses: how each contender fared.
        outcomes: how often the first contender that answered gave each kind of answer, as the puzzle names them.
        printed: by contender, the beginning of what it printed on the first boards on which it printed anything.
    """

    boards: int = 0
    largest: tuple[int, int] = (0, 0)
    responses: dict[str, Responses] = field(default_factory=dict)
    outcomes: Counter[str] = field(default_factory=Counter)
    printed: dict[str, str] = field(default_factory=dict)

    def add(self, other: Tried) -> None:
        self.boards += other.boards
        self.largest = max(self.largest, other.largest, key=lambda shape: shape[0] * shape[1])
        self.outcomes += other.outcomes
        self.printed = other.printed | self.printed
        for name, theirs in other.responses.items():
            self.responses.setdefault(name, Responses()).add(theirs)

    def count(self, board: Board, observed: Observed, names: tuple[str, ...]) -> None:
        """Count a board that all contenders of these names were tried on."""
        self.boards += 1
        self.printed = observed.printed | self.printed
        if board.cells > self.largest[0] * self.largest[1]:
            self.largest = board.rows, board.columns
        for name in names:
            if name not in self.responses:
                self.responses[name] = Responses()
        answered = {each.name for each in observed.answers}
        for each in observed.answers:
            theirs = self.responses[each.name]
            theirs.answered += 1
            if each.seconds is not None and each.seconds > theirs.slowest.seconds:
                theirs.slowest = Slowest(each.seconds, board.rows, board.columns)
        for name in observed.refused:
            self.responses[name].refused += 1
        if len(answered) < len(names):
            failed = {name for fault in observed.faults for name in fault.names}
            for name in set(names) - answered - set(observed.refused) - failed:
                self.responses[name].skipped += 1
        first = next((each.stance for each in observed.answers if each.stance is not None), None)
        if first is not None:
            outcome = puzzles.get(board.puzzle).outcome(first.claims)
            if outcome:
                self.outcomes[outcome] += 1
