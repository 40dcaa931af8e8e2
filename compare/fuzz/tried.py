"""What a search has tried: how many boards, how large, and how each contender fared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import puzzles
from compare.fuzz.trials.observed import CutOff, Observed
from puzzles.instance import Instance


class Slowest(NamedTuple):
    """What took a contender longest: the seconds, and the size of the instance, for people.

    Seconds are as the backend says; instances solved together share theirs equally.
    """

    seconds: float
    shown_size: str


NOTHING_TIMED = Slowest(-1.0, "")


class Largest(NamedTuple):
    """The largest instance: its size as a number and for people."""

    size: int
    shown: str


NOTHING_TRIED = Largest(0, "0x0")


@dataclass
class Responses:
    """How one contender fared: on how many boards it answered, refused, or did not take part."""

    answered: int = 0
    refused: int = 0
    skipped: int = 0
    slowest: Slowest = NOTHING_TIMED

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
        largest: the size of the largest board.
        responses: how each contender fared.
        outcomes: how often the first contender that answered gave each kind of answer, as the puzzle names them.
        printed: by contender, the beginning of what it printed on the first boards on which it printed anything.
        cut_off: by contenders, the longest of their calls that had not come back when the time was over.
    """

    boards: int = 0
    largest: Largest = NOTHING_TRIED
    responses: dict[str, Responses] = field(default_factory=dict)
    outcomes: Counter[str] = field(default_factory=Counter)
    printed: dict[str, str] = field(default_factory=dict)
    cut_off: dict[tuple[str, ...], CutOff] = field(default_factory=dict)

    def add(self, other: Tried) -> None:
        self.boards += other.boards
        self.largest = max(self.largest, other.largest, key=lambda each: each.size)
        self.outcomes += other.outcomes
        self.printed = other.printed | self.printed
        for name, theirs in other.responses.items():
            self.responses.setdefault(name, Responses()).add(theirs)
        self.add_cut_off(other.cut_off.values())

    def add_cut_off(self, calls: Iterable[CutOff]) -> None:
        """Note calls that had not come back when the time was over."""
        for call in calls:
            self.cut_off[call.names] = max(call, self.cut_off.get(call.names, call))

    def count(self, board: Instance, observed: Observed, names: tuple[str, ...]) -> None:
        """Count a board that all contenders of these names were tried on."""
        self.boards += 1
        if observed.printed:
            self.printed = observed.printed | self.printed
        if board.size > self.largest.size:
            self.largest = Largest(board.size, board.shown_size)
        for name in names:
            if name not in self.responses:
                self.responses[name] = Responses()
        for each in observed.answers:
            theirs = self.responses[each.name]
            theirs.answered += 1
            if each.seconds is not None and each.seconds > theirs.slowest.seconds:
                theirs.slowest = Slowest(each.seconds, board.shown_size)
        for name in observed.refused:
            self.responses[name].refused += 1
        if len(observed.answers) < len(names):
            answered = {each.name for each in observed.answers}
            failed = {name for fault in observed.faults for name in fault.names}
            for name in set(names) - answered - set(observed.refused) - failed:
                self.responses[name].skipped += 1
        first = next((each.stance for each in observed.answers if each.stance is not None), None)
        if first is not None:
            outcome = puzzles.get(board.puzzle).outcome(first.claims)
            if outcome:
                self.outcomes[outcome] += 1
