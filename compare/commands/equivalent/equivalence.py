"""The search of `equivalent`: two models on many boards, what all of them come to, and a smaller
board in place of a large one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from itertools import islice, starmap
from time import monotonic
from typing import NamedTuple

from compare.commands.equivalent.boards_compared import SmallBoards, new_boards
from compare.commands.equivalent.statements import (
    PlainCpSat,
    Unstated,
    foreign_statements,
    read_statements,
    state_board,
)
from compare.commands.equivalent.two_models import OnBoard, Solutions, on_board
from compare.engine.isolate.child import call
from compare.engine.isolate.outcome import Limits, Outcome, Status
from compare.engine.search.reducer import Reducer, from_place, split
from compare.engine.search.search import Search
from compare.engine.work.contenders import BackendContender
from compare.engine.work.pool import Executor, Pool
from compare.engine.work.result import Fault
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle
from puzzles.space import space_of
from puzzles.text import UserError

_MAX_SMALLER = 2000
"""Smaller boards that are tried in place of one on which the models differ."""

_MAX_SMALLER_TOGETHER = 16
"""How many of them are tried together."""

MAX_BOARDS_TOGETHER, _OF_FAMILIES_TOGETHER = 128, 4
"""Boards whose statements one fork makes at most, and boards of families. A large one is alone."""

_BLOCK_S, _FIRST_TOGETHER, _MIN_TOGETHER = 5.0, 16, 4
"""Seconds that a block of boards should take, since the progress is shown after each; boards of the
first one, and of any one at least, for a fork that loads CP-SAT needs a second.
"""

_WITHOUT_SHARED = 256
"""Boards with named variables on both sides after which the lack of a shared name is an error."""


@dataclass(frozen=True)
class ModelPair:
    """Two models of one puzzle, and how they are compared.

    Attributes:
        most: named solutions of a board that are looked at.
        seconds: for one board.
        count: whether only the numbers of named solutions are compared.
        which: solutions that are compared.
        say: takes what the models' own code prints, with a label.
    """

    puzzle: Puzzle
    models: tuple[BackendContender, BackendContender]
    most: int
    seconds: float
    count: bool
    which: Solutions
    say: Callable[[str, str], None]

    @property
    def names(self) -> tuple[str, str]:
        return self.models[0].name, self.models[1].name

    def is_slow(self, pool: Pool, board: Instance) -> bool:
        """Whether a model is one of CP-SAT, by what it states of this board if it is a user's."""
        for model in self.models:
            if model.backend.slow:
                return True
            if not model.ours:
                ended = foreign_statements(pool, model, [board], Limits(self.seconds))
                if ended.ok and isinstance(read_statements(model, ended.value, 1)[0], PlainCpSat):
                    return True
        return False

    def on_boards(self, pool: Pool, boards: Sequence[Instance]) -> list[OnBoard]:
        """What comes of each board. If all together pass a limit, each half is tried."""
        return split(partial(self._together, pool), boards)

    def _together(self, pool: Pool, boards: Sequence[Instance]) -> list[OnBoard] | Outcome:
        """What comes of some boards, in forks for them all; where a limit is passed on several,
        how.
        """
        limits = Limits(self.seconds)
        texts: list[bytes | None] = []
        for model in self.models:
            if model.ours:
                texts.append(None)
                continue
            outcome = foreign_statements(pool, model, boards, limits)
            if outcome.printed:
                self.say(model.name, outcome.printed)
            if not outcome.ok and len(boards) > 1:
                return outcome
            if not outcome.ok:
                fault = Fault(outcome.status, (model.name,), f"encode: {outcome.detail}")
                if outcome.status is not Status.CRASH:
                    return [OnBoard(stopped=fault.sentence())]
                wrong = Unstated(fault.sentence(), wrong=True)
                return [OnBoard([wrong if each is model else None for each in self.models])]
            texts.append(outcome.value)
        outcome = call(self._compare, boards, texts, limits=limits)
        if outcome.ok or len(boards) > 1:
            return outcome.value if outcome.ok else outcome
        ended = f"the comparison ended with {outcome.status}: {outcome.detail}"
        return [OnBoard(stopped=ended, crashed=outcome.status is Status.CRASH)]

    def _compare(self, boards: Sequence[Instance], texts: Sequence[bytes | None]) -> list[OnBoard]:
        """Runs in a fork, in which no foreign code has run."""
        one, other = (
            [state_board(model, board) for board in boards]
            if text is None
            else read_statements(model, text, len(boards))
            for model, text in zip(self.models, texts, strict=True)
        )
        return [
            on_board(pair, self.most, count=self.count, which=self.which)
            for pair in zip(one, other, strict=True)
        ]

    def refuse_wrong(self, compared: ComparedBoard) -> None:
        """Raise `UserError` if a model is wrong: it raises, or returns what is no encoding."""
        board, result = compared
        for name, refusal in zip(self.names, result.refusals, strict=True):
            if refusal is not None and refusal.wrong:
                reason = (
                    refusal.reason if f"{name}:" in refusal.reason else f"{name}: {refusal.reason}"
                )
                raise UserError(
                    f"{reason}\non this {self.puzzle.noun} ({board.shown_size}):\n{board}"
                )


MAX_STOPPED = 3
"""Boards on which a model may be stopped at a limit; if none was compared by then, no more are
tried.
"""


class ComparedBoard(NamedTuple):
    """A board, and what came of the two models on it."""

    board: Instance
    result: OnBoard

    @property
    def differs(self) -> bool:
        """Whether the models differ on it: in a solution, or in the number of solutions."""
        result = self.result
        if not result.compared:
            return False
        (one, other), (one_cut, other_cut) = result.solutions, result.cut
        return result.difference is not None or (one, one_cut) != (other, other_cut)


@dataclass
class ComparedBoards:
    """What some boards come to.

    Attributes:
        boards: how many both models state.
        solutions: for each model its named solutions on all of them.
        by_size: for each size the boards, and the two numbers of named solutions.
        best: for each model whether these were its best solutions alone, on some of the boards.
        cut: boards on which only the first named solutions were looked at.
        left_out: boards that were not compared, by reason; `stopped`: how many of them for a limit
            of time or memory.
        shared: boards on which the models share a name; `named`: boards on which both have names.
        decided: boards on which they share a name and one of them has a solution, so that something
            was compared.
        largest: the largest board that was compared.
        crashed: the first board on which the comparison itself crashed.
        example: the names of both models on a board without a shared one.
        different: the first board on which they differ.
    """

    boards: int = 0
    solutions: tuple[int, int] = (0, 0)
    by_size: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    best: tuple[bool, bool] = (False, False)
    cut: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    stopped: int = 0
    shared: int = 0
    named: int = 0
    decided: int = 0
    largest: Instance | None = None
    crashed: ComparedBoard | None = None
    example: tuple[tuple[tuple[str, ...], int], ...] = ()
    different: ComparedBoard | None = None

    @property
    def given_up(self) -> bool:
        """Whether no more boards are tried: a model was stopped on each of the first ones."""
        return self.boards == 0 and self.stopped >= MAX_STOPPED

    @property
    def cut_short(self) -> bool:
        """Whether something was not compared."""
        return bool(self.cut or self.left_out)

    def add(self, compared: ComparedBoard) -> None:
        """Count one board."""
        board, result = compared
        if not result.compared:
            self.stopped += bool(result.stopped)
            if result.crashed and self.crashed is None:
                self.crashed = compared
            self.left_out[
                result.stopped or next(each.reason for each in result.refusals if each is not None)
            ] += 1
            return
        one, other = result.solutions
        number, ones, others = self.by_size.get(board.shown_size, (0, 0, 0))
        self.by_size[board.shown_size] = number + 1, ones + one, others + other
        self.boards += 1
        self.solutions = self.solutions[0] + one, self.solutions[1] + other
        self.best = self.best[0] or result.best[0], self.best[1] or result.best[1]
        self.cut += any(result.cut)
        self.shared += result.shared > 0
        self.decided += result.shared > 0 and one + other > 0
        if self.largest is None or board.size > self.largest.size:
            self.largest = board
        if all(count for _, count in result.names):
            self.named += 1
            self.example = self.example if result.shared else result.names
        if self.different is None and compared.differs:
            self.different = compared


class BoardBlock(NamedTuple):
    """Boards of one stage, which are compared together."""

    stage: int
    boards: tuple[Instance, ...]


class EquivalenceSearch(Search[BoardBlock, list[OnBoard], ComparedBoard, ComparedBoard]):
    """Compares two models board by board, up to the first difference; numbers of solutions on all
    boards.

    Attributes:
        stages: what the boards of each stage come to: small boards, boards of families, large ones.
        total: what all of them come to.
        small: the boards of the first stage.
        smallest: where the models differ, made smaller if there may be something smaller; None if
            they do not.
    """

    def __init__(
        self,
        pair: ModelPair,
        small: SmallBoards,
        of_families: Iterable[Instance],
        large: Iterable[Instance],
        *,
        cases: int,
        progress: Callable[[int, str], object],
    ) -> None:
        """`cases`: boards of families that are compared at most. No board is compared again. For
        `progress` see `Search`.
        """
        super().__init__(
            seconds=None, progress=progress, discovered=self._keep, keep_going=pair.count
        )
        self.pair, self.small = pair, small
        known: set[str] = set()
        stages = [
            (new_boards(small, known), MAX_BOARDS_TOGETHER),
            (islice(new_boards(of_families, known), cases), _OF_FAMILIES_TOGETHER),
            (new_boards(large, known), 1),
        ]
        self.stages = [ComparedBoards() for _ in stages]
        self.total = ComparedBoards()
        self.smallest: ComparedBoard | None = None
        self._together, self._asked = _FIRST_TOGETHER, 0.0
        self._blocks = self._in_blocks(stages)

    def _keep(self, found: ComparedBoard) -> None:
        self.smallest = found

    @property
    def enough(self) -> bool:
        return super().enough or self.total.crashed is not None

    def _in_blocks(self, stages: Sequence[tuple[Iterator[Instance], int]]) -> Iterator[BoardBlock]:
        """The boards of each stage in blocks of at most so many."""
        for stage, (left, at_once) in enumerate(stages):
            while not self.stages[stage].given_up:
                some = tuple(islice(left, min(at_once, self._together)))
                if not some:
                    break
                yield BoardBlock(stage, some)

    def next_block(self, left_s: float) -> BoardBlock | None:
        return next(self._blocks, None)

    def ask(self, workers: Executor, block: BoardBlock, left_s: float) -> Future[list[OnBoard]]:
        self._asked = monotonic()
        return workers.submit(self._on_boards, block.boards)

    def _on_boards(self, pool: Pool, boards: Sequence[Instance]) -> list[OnBoard]:
        return self.pair.on_boards(pool, boards)

    def failures(self, block: BoardBlock, tried: list[OnBoard]) -> Iterator[ComparedBoard]:
        stage = self.stages[block.stage]
        self.progress(len(block.boards), "")
        affordable = len(block.boards) * _BLOCK_S / max(monotonic() - self._asked, 1e-6)
        self._together = max(
            _MIN_TOGETHER, min(int(affordable), 2 * self._together, MAX_BOARDS_TOGETHER)
        )
        for compared in starmap(ComparedBoard, zip(block.boards, tried, strict=True)):
            self.pair.refuse_wrong(compared)
            stage.add(compared)
            self.total.add(compared)
            if self.total.different is compared:
                yield compared
            if stage.given_up or self.enough:
                return
            if stage.named >= _WITHOUT_SHARED:
                refuse_without_shared(self.pair, stage)

    def smaller(self, failure: ComparedBoard, workers: Executor) -> ComparedBoard:
        """The board, made smaller step by step while the models differ on it."""
        of_all_small_ones = self.small.cells > 0 and self.stages[0].different is not None
        if of_all_small_ones:
            return failure
        space = space_of(self.pair.puzzle)
        left = _MAX_SMALLER

        def first_different(
            candidates: Sequence[ComparedBoard],
        ) -> tuple[int, ComparedBoard] | None:
            nonlocal left
            left -= len(candidates)
            boards = [each.board for each in candidates]
            results = workers.submit(self._on_boards, boards).result()
            for k, compared in enumerate(map(ComparedBoard, boards, results)):
                self.pair.refuse_wrong(compared)
                if compared.differs:
                    return k, compared
            return None

        reducer = Reducer(
            failure,
            first_different,
            over=lambda: left <= 0,
            key=lambda each: each.board.digest,
            at_first=_MAX_SMALLER_TOGETHER,
            most_at_once=_MAX_SMALLER_TOGETHER,
        )
        reducer.descend(
            from_place(
                lambda each: (each._replace(board=board) for board in space.smaller(each.board))
            )
        )
        return reducer.smallest

    def cut_short(
        self, failure: ComparedBoard, why: BaseException, workers: Executor
    ) -> ComparedBoard:
        return failure


def refuse_without_value(pair: ModelPair, total: ComparedBoards) -> None:
    """Raise `UserError` if only optimal solutions are asked for, and on no board a model says which
    ones are.
    """
    for name, is_valued in zip(pair.names, total.best, strict=True):
        if pair.which is Solutions.OPTIMAL and total.boards and not is_valued:
            raise UserError(
                f"{name} has neither an objective nor soft clauses on any {pair.puzzle.noun} that "
                f"was compared ({total.boards:,}), so no solution is better than another: leave "
                "--optimal out"
            )


def refuse_without_shared(pair: ModelPair, total: ComparedBoards) -> None:
    """Raise `UserError` if both models have names and never share one."""
    if total.shared or not total.named:
        return
    lists = [
        f"{name} has {count}: "
        + ", ".join(repr(each) for each in beginning)
        + (", ..." if count > len(beginning) else "")
        for name, (beginning, count) in zip(pair.names, total.example, strict=True)
    ]
    raise UserError(
        "the two models share no name, so nothing can be compared: give equal variables equal "
        "names\n" + "\n".join(lists)
    )
