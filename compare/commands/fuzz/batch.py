"""Batches: which boards of the stream are tried at once, and in what way; and what came of each
board: answers, refusals, and faults, which are what a search looks for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import puzzles
from compare.commands.fuzz.streams import (
    bundled_boards,
    family_boards,
    large_boards,
    promised_boards,
)
from compare.engine.isolate.outcome import Limits, Status
from compare.engine.search.boards import BOUND_BELOW, boards, is_within
from compare.engine.work.contenders import BackendContender, Contender, ProgramContender
from compare.engine.work.result import (
    Fault,
    Result,
    faults_of,
    lacks_certificate,
    shows_defect,
)
from puzzles.answer import Verdict
from puzzles.instance import Instance


class Unfinished(NamedTuple):
    """A call without an answer that is nobody's fault. Nothing is known of its boards.

    Attributes:
        seconds: how long these contenders were busy with the boards, in one call or in several.
        boards: those of the call.
        names: the contenders; several if they solve in one process.
        at_limit: whether the contender reached its own limit; else the time of the search was over
            before.
        begun: how many boards the first of these calls had, of which this one is a part.
    """

    seconds: float
    boards: tuple[Instance, ...]
    names: tuple[str, ...]
    at_limit: bool = False
    begun: int = 1


@dataclass
class Observed:
    """What came of one board.

    Attributes:
        answers: the results of those who answered.
        faults: the faults that need no second answer.
        refused: the contenders that refused the board, whether they may or not.
        spared: the programs that were not given the board, and which promise it breaks.
        unknown: the contenders that do not know the answer.
        untried: whether the time was over before everybody was tried on it.
        given_up: the contenders that were not tried on it, since they had failed on others.
        printed: by contender, the beginning of what it wrote to standard output and standard error,
            on this board or on later ones.
        unfinished: the calls of this board, and perhaps of later ones, that came to no end.
    """

    answers: list[Result] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    spared: dict[str, str] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    untried: bool = False
    given_up: list[str] = field(default_factory=list)
    printed: dict[str, str] = field(default_factory=dict)
    unfinished: list[Unfinished] = field(default_factory=list)

    @classmethod
    def of(cls, results: Iterable[Result]) -> Observed:
        """What these results of one board show."""
        observed = cls()
        for each in results:
            observed.take(each)
        return observed

    @property
    def claiming_answer(self) -> Result | None:
        """The first answer that claims something."""
        return next((each for each in self.answers if each.claims is not None), None)

    def add(self, other: Observed) -> None:
        """Add what came of the same board elsewhere."""
        self.answers += other.answers
        self.faults += other.faults
        self.refused += other.refused
        self.spared |= other.spared
        self.unknown += other.unknown
        self.untried |= other.untried
        self.given_up += other.given_up
        self.printed |= other.printed
        self.unfinished += other.unfinished

    def take(self, result: Result) -> None:
        """Note what a result of this board shows."""
        if result.status is Status.OK:
            self.answers.append(result)
        elif result.status is Status.SKIPPED:
            self.refused.append(result.contender)
        elif result.status is Status.UNKNOWN:
            self.unknown.append(result.contender)
        self.faults += faults_of(result)
        if result.printed:
            self.printed[result.contender] = result.printed


class Slowest(NamedTuple):
    """What took a contender longest: the seconds, and the size of the instance, for people; the
    seconds are negative if nothing was timed.

    Seconds are as the backend says; instances solved together share theirs equally.
    """

    seconds: float = -1.0
    shown_size: str = ""


class Largest(NamedTuple):
    """The largest instance: its size as a number and for people."""

    size: int = 0
    shown: str = "0x0"


FARED = ("answered", "refused", "unknown", "stopped", "spared", "skipped", "given_up")
"""What may come of a contender on a board: it answered, refused, did not know, was stopped at its
limit (and may be), was spared, did not take part, or was given up.
"""


@dataclass
class Responses:
    """How one contender fared.

    Attributes:
        counts: on how many boards each of `FARED` came of it.
        broken: which promises the boards break that it was spared.
    """

    counts: Counter[str] = field(default_factory=Counter)
    broken: Counter[str] = field(default_factory=Counter)
    slowest: Slowest = field(default_factory=Slowest)

    def add(self, other: Responses) -> None:
        self.counts += other.counts
        self.broken += other.broken
        self.slowest = max(self.slowest, other.slowest)


@dataclass
class Tried:
    """What was tried.

    Attributes:
        boards: how many boards.
        untried: how many more there were when the time was over.
        largest: the size of the largest board.
        responses: how each contender fared.
        outcomes: how often the first contender that answered gave each kind of answer, as the
            puzzle names them.
        printed: by contender, the beginning of what it printed on the first boards on which it
            printed anything.
        unfinished: by contenders, the longest of their calls that came to no end and is nobody's
            fault.
        compared: to how many boards several contenders gave answers that claim something.
        unproved: by reason, on how many boards an answer was checked and is not PROVED, and nobody
            else's answer vouches for it.
    """

    boards: int = 0
    untried: int = 0
    largest: Largest = field(default_factory=Largest)
    responses: dict[str, Responses] = field(default_factory=dict)
    outcomes: Counter[str] = field(default_factory=Counter)
    printed: dict[str, str] = field(default_factory=dict)
    unfinished: dict[tuple[str, ...], Unfinished] = field(default_factory=dict)
    compared: int = 0
    unproved: Counter[str] = field(default_factory=Counter)

    def add(self, other: Tried) -> None:
        self.boards += other.boards
        self.untried += other.untried
        self.largest = max(self.largest, other.largest, key=lambda each: each.size)
        self.outcomes += other.outcomes
        self.compared += other.compared
        self.unproved += other.unproved
        self.printed = other.printed | self.printed
        for name, theirs in other.responses.items():
            self.responses.setdefault(name, Responses()).add(theirs)
        self.add_unfinished(other.unfinished.values())

    def add_unfinished(self, calls: Iterable[Unfinished]) -> None:
        """Note calls that came to no end."""
        for call in calls:
            longest = self.unfinished.get(call.names, call)
            self.unfinished[call.names] = max(call, longest, key=lambda each: each.seconds)

    def count(self, board: Instance, observed: Observed, names: tuple[str, ...]) -> None:
        """Count a board that the contenders of these names were tried on, or some of them."""
        if not set(names) <= set(observed.given_up):
            self.boards += 1
            if board.size > self.largest.size:
                self.largest = Largest(board.size, board.shown_size)
        if observed.printed:
            self.printed = observed.printed | self.printed
        for name in names:
            if name not in self.responses:
                self.responses[name] = Responses()
        for each in observed.answers:
            theirs = self.responses[each.contender]
            theirs.counts["answered"] += 1
            seconds = _seconds_of(each)
            if seconds is not None and seconds > theirs.slowest.seconds:
                theirs.slowest = Slowest(seconds, board.shown_size)
        if len(observed.answers) < len(names):
            fared = {
                "refused": observed.refused,
                "unknown": observed.unknown,
                "stopped": {name for call in observed.unfinished for name in call.names},
                "spared": observed.spared,
                "given_up": observed.given_up,
            }
            for what, some in fared.items():
                self._note(what, some)
            for name, broken in observed.spared.items():
                self.responses[name].broken[broken] += 1
            answered = {each.contender for each in observed.answers}
            failed = {name for fault in observed.faults for name in fault.names}
            self._note("skipped", {*names} - answered - failed - {*chain(*fared.values())})
        claims = next((each.claims for each in observed.answers if each.claims is not None), None)
        if claims is not None:
            self.outcomes[puzzles.get(board.puzzle).outcome(claims)] += 1

    def count_proofs(self, answers: Sequence[Result], promising: Collection[str]) -> None:
        """Count a board on which answers were compared, or are not proved.

        A complete answer vouches for the others if it is PROVED, or if it was not checked and its
        contender promises certificates.

        Args:
            promising: the contenders that promise a certificate with each answer.
        """
        self.compared += sum(each.claims is not None for each in answers) > 1
        if any(
            each.complete
            and (each.is_proved or (each.check is None and each.contender in promising))
            for each in answers
        ):
            return
        checks = [each.check for each in answers if each.check is not None]
        unproved = [each for each in checks if each.verdict is Verdict.UNPROVED]
        if unproved and not any(map(shows_defect, unproved)):
            lacking = all(map(lacks_certificate, unproved))
            self.unproved[_UNCERTIFIED if lacking else _STOPPED] += 1

    def _note(self, what: str, names: Iterable[str]) -> None:
        """Note of the contenders of these names how they fared on a board."""
        for name in names:
            self.responses[name].counts[what] += 1


_UNCERTIFIED, _STOPPED = "no certificate", "the check, or the certificate, stopped at a limit"
"""Why an answer is not proved, where nobody is at fault."""


def _seconds_of(result: Result) -> float | None:
    """The seconds that an answer took: as the backend says; else around the call, of which boards
    that were given together have equal shares. None if nobody knows.
    """
    effort, wall_s = result.effort, result.usage.wall_s
    if effort.solve_s is not None:
        return effort.solve_s + (effort.build_s or 0.0)
    return None if wall_s is None else wall_s / result.together


class BatchKind(StrEnum):
    """In what way a batch is tried.

    Attributes:
        ORDINARY: as it is.
        CERTIFIED: every answer is certified and checked.
        LARGE: as ORDINARY, on boards of the contest's own limits and beyond; programs and plugins
            get them one by one.
    """

    ORDINARY = "ordinary"
    CERTIFIED = "certified"
    LARGE = "large"


SHARES = {BatchKind.ORDINARY: 0.94, BatchKind.CERTIFIED: 0.06}
"""The share of the time that each kind of batch gets. A first batch of a kind waits until its share
has come up. Large boards go by number; see `compare.commands.fuzz.schedule`."""

BLOCK = 512
"""Boards in a block of the ordinary stream."""

EXACT_EVERY = 4
"""One board in this many is solved with all exact claims that the backends can give, such as
probabilities. Of large boards that are a batch each, another one in this many is certified."""

CERTIFY_EVERY = 16
"""One answer in this many of our own backends is certified and checked, and of a puzzle of one's
own after the first block.

Of plugins of our puzzles, and of programs, every answer is.
"""

LONG_S = 1.0
"""Seconds from which on it is said who is busy with one board, or with making one, when the time is
up.
"""


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Boards to be generated from a seed and tried.

    Attributes:
        index: the number of the first block; `blocks` blocks of `count` boards each are generated.
        start, stop: which of these boards are tried; None: to the last.
        kind: in what way they are tried. Each kind has a stream of its own.
        size: rows and columns of the larger boards; most are far smaller.
        limits: of one board, or of one start of a program.
        format: of the answers of programs.
        thorough: whether every answer is checked, and given with all exact claims.
        together: whether backends that take several boards solve all boards in one call; exact
            claims are left out then.
        families: the boards come from these families alone; empty for the whole stream.
        generator: the boards come from this command, a start for each number of a board; empty for
            none.
        keep_going: whether each board is tried, though others of the batch have failed.
        seconds: how long the batch may take; boards that are not reached by then are not tried.
            None for any time.
    """

    puzzle: str
    contenders: tuple[Contender, ...]
    seed: int
    index: int = 0
    count: int
    size: int
    limits: Limits
    format: str | None = None
    blocks: int = 1
    start: int = 0
    stop: int | None = None
    kind: BatchKind = BatchKind.ORDINARY
    thorough: bool = False
    together: bool = False
    families: tuple[str, ...] = ()
    generator: tuple[str, ...] = ()
    keep_going: bool = False
    seconds: float | None = None

    @property
    def built_in(self) -> tuple[BackendContender, ...]:
        """Those who take part and run no foreign code."""
        return tuple(
            each
            for each in self.contenders
            if isinstance(each, BackendContender) and not each.foreign
        )

    @property
    def one_a_start(self) -> bool:
        """Whether somebody takes part who is started anew for each board."""
        return not puzzles.get(self.puzzle).many_instances and any(
            isinstance(each, ProgramContender) for each in self.contenders
        )

    @property
    def for_programs(self) -> bool:
        """Whether somebody takes part who gets promised boards alone."""
        return any(not each.extended for each in self.contenders)

    @property
    def every(self) -> bool:
        """Whether every answer is checked."""
        return self.thorough or self.kind is BatchKind.CERTIFIED

    @property
    def exact_every(self) -> int | None:
        """One board in how many is solved with all exact claims, alone; None for no board."""
        if self.together or (self._one_large and self.start % EXACT_EVERY):
            return None
        return 1 if self.every else EXACT_EVERY

    @property
    def certify_every(self) -> int | None:
        """One answer in how many of our own backends is certified and checked; None for no
        answer.
        """
        if self._one_large and self.start % EXACT_EVERY != 1:
            return None
        return 1 if self.every else CERTIFY_EVERY

    @property
    def _one_large(self) -> bool:
        """Whether this is a batch of a single large board, not all of whose answers are
        certified.
        """
        single = self.stop is not None and self.stop - self.start == 1
        return single and self.kind is BatchKind.LARGE and not self.every


@dataclass(frozen=True)
class FailingBoard:
    """A board and what is wrong on it."""

    board: Instance
    faults: tuple[Fault, ...]


@dataclass(frozen=True)
class BatchResult:
    """What came of a batch.

    Attributes:
        failing: the boards that fail.
        seconds: how long it took, without loading and compiling.
        tried: what was tried.
        broken: what was raised outside of every sandbox; empty if nothing was.
        cut_off: the start of the generator that the end of the search cut off, for people; empty if
            there is none.
    """

    failing: list[FailingBoard]
    seconds: float
    tried: Tried = field(default_factory=Tried)
    broken: str = ""
    cut_off: str = ""


def boards_of(batch: Batch) -> list[Instance]:
    """The boards of a batch. The first ordinary block begins with the edge cases and ends with the
    bundled boards.

    Each kind has a range of block numbers of its own, so that no two kinds try the same boards.
    """
    first = batch.index + (list(BatchKind).index(batch.kind) << 32)
    stream: list[Instance] = []
    for index in range(first, first + batch.blocks):
        is_large = batch.kind is BatchKind.LARGE
        format = puzzles.get(batch.puzzle).format(batch.format) if batch.for_programs else None
        stream += _block(
            batch.puzzle,
            batch.families,
            is_large,
            batch.seed,
            index,
            batch.count,
            batch.size,
            format,
        )
    return stream[batch.start : batch.stop]


@lru_cache(maxsize=2)
def _block(
    name: str,
    families: tuple[str, ...],
    is_large: bool,
    seed: int,
    index: int,
    count: int,
    size: int,
    promised_in: str | None,
) -> tuple[Instance, ...]:
    """The boards of one block, kept for the batches that follow with others of its boards.

    Args:
        promised_in: the answer format that says which contest's promises most boards keep; None for
            boards as they come.
    """
    puzzle = puzzles.get(name)
    if families:
        block = family_boards(puzzle, families, seed, index, count, size)
    elif is_large:
        block = large_boards(puzzle, seed, index, count, size)
    else:
        block = boards(puzzle, seed, index, count, size)
    if index == 0 and not families and not is_large:
        edges, bundled = (
            [each for each in some if size >= BOUND_BELOW or is_within(each, size)][:count]
            for some in (puzzle.edge_cases(), bundled_boards(puzzle))
        )
        block[: len(edges)] = edges
        block[count - len(bundled) :] = bundled
    return tuple(block if promised_in is None else promised_boards(puzzle, block, promised_in))
