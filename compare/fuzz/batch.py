"""Batches: which boards of the stream are tried at once, and in what way."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from time import monotonic

import puzzles
from compare.fuzz.boards import boards, bundled_boards, family_boards, large_boards
from compare.fuzz.generated import generated_boards
from compare.fuzz.trials.observed import Fault
from compare.fuzz.tried import Tried
from compare.isolate.outcome import Limits
from compare.work.contenders import Contender
from puzzles.instance import Instance


class BatchKind(StrEnum):
    """In what way a batch is tried.

    Attributes:
        ORDINARY: as it is.
        CERTIFIED: every answer is certified and checked.
        PLAIN: the kernels run in plain Python, which notices an index out of range.
        FORCED: as PLAIN, and a seeded half of the thresholds between algorithms is forced low.
        SELDOM: small boards, with the slow backends and the written encodings as well.
        LARGE: as ORDINARY, on boards up to the contest's own limits.
    """

    ORDINARY = "ordinary"
    CERTIFIED = "certified"
    PLAIN = "plain"
    FORCED = "forced"
    SELDOM = "seldom"
    LARGE = "large"


SHARES = {
    BatchKind.ORDINARY: 0.70,
    BatchKind.CERTIFIED: 0.06,
    BatchKind.PLAIN: 0.06,
    BatchKind.FORCED: 0.06,
    BatchKind.SELDOM: 0.06,
    BatchKind.LARGE: 0.06,
}
"""The share of the time that each kind of batch gets. A first batch of a kind waits until its share has come up."""

BLOCK = 512
"""Boards in a block of the ordinary stream."""

EXACT_EVERY = 4
"""One board in this many is solved with all exact claims that the backends can give, such as probabilities."""

PLAIN_KINDS = (BatchKind.PLAIN, BatchKind.FORCED)


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
        extended: whether programs get the boards too that the contest's format cannot say.
        thorough: whether every answer is checked, and given with all exact claims.
        together: whether backends that take several boards solve all boards in one call; exact claims are left out then.
        families: the boards come from these families alone; empty for the whole stream.
        generator: the boards come from this command, a start for each number of a board; empty for none.
        seconds: how long the batch may take; boards that are not reached by then are not tried. None for any time.
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
    extended: bool = False
    thorough: bool = False
    together: bool = False
    families: tuple[str, ...] = ()
    generator: tuple[str, ...] = ()
    seconds: float | None = None

    @property
    def every(self) -> bool:
        """Whether every answer is checked."""
        return self.thorough or self.kind is BatchKind.CERTIFIED

    @property
    def exact_every(self) -> int | None:
        """One board in how many is solved with all exact claims, alone; None for no board."""
        return None if self.together else 1 if self.every else EXACT_EVERY


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
    """

    failing: list[FailingBoard]
    seconds: float
    tried: Tried = field(default_factory=Tried)
    broken: str = ""


class Deadline:
    """The moment at which a batch is to end."""

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else monotonic() + seconds

    @property
    def over(self) -> bool:
        return self.left == 0

    @property
    def left(self) -> float | None:
        """The seconds that are left; None for any number."""
        return None if self._end is None else max(0.0, self._end - monotonic())

    def within(self, limits: Limits) -> Limits:
        """The limits of a run that has to end by then."""
        if self._end is None:
            return limits
        return replace(limits, seconds=max(0.01, min(limits.seconds, self._end - monotonic())))


def boards_of(batch: Batch) -> list[Instance]:
    """The boards of a batch. The first ordinary block ends with the bundled boards.

    Each kind has a range of block numbers of its own, so that no two kinds try the same boards.
    """
    puzzle = puzzles.get(batch.puzzle)
    if batch.generator:
        numbers = range(batch.count * batch.blocks)[batch.start : batch.stop]
        first_seed = batch.seed + batch.index * batch.count + numbers.start
        return generated_boards(puzzle, batch.generator, first_seed, len(numbers), batch.limits)
    first = batch.index + (list(BatchKind).index(batch.kind) << 32)
    stream: list[Instance] = []
    for index in range(first, first + batch.blocks):
        if batch.families:
            stream += family_boards(puzzle, batch.families, batch.seed, index, batch.count, batch.size)
            continue
        stream_of_kind = large_boards if batch.kind is BatchKind.LARGE else boards
        block = stream_of_kind(puzzle, batch.seed, index, batch.count, batch.size)
        if index == 0:
            bundled = bundled_boards(puzzle)[: len(block)]
            block[len(block) - len(bundled) :] = bundled
        stream += block
    return stream[batch.start : batch.stop]
