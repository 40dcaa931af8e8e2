"""Two models on many boards: the boards, what all of them come to, and a smaller board in place of
a large one.

The boards are all small ones, the smallest first, then some of each family.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice

from compare.equivalent.two_models import (
    OnBoard,
    Unstated,
    foreign_statements,
    on_board,
    read_statements,
    statement,
)
from compare.isolate.child import call
from compare.isolate.outcome import Limits, Outcome, Status
from compare.reducer import Reducer, from_place, split
from compare.work.contenders import BackendContender
from compare.work.faults import Fault
from compare.work.pool import Pool
from puzzles.grid import Board
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle
from puzzles.space import space_of
from puzzles.space.grid_space import shapes, tiny_grids
from puzzles.text import UserError

FAMILY_SIZES = (2, 3, 4, 5, 6)
"""The sizes of the boards of families, in turn, as far as they are asked for."""


@dataclass(frozen=True)
class SmallBoards:
    """All boards up to a number of cells; of a puzzle without boards, the shortest cases.

    Attributes:
        like: a board whose other fields than its grid all of them have; of cases, a larger one than
            all of them.
        size: rows and columns that none of them exceeds; None for any.
        cells: every board of up to this many cells is among them, if it fits into the square; 0 of
            cases.
        number: at most so many there are.
    """

    puzzle: Puzzle
    like: Instance
    size: int | None
    cells: int
    number: int

    @property
    def whole(self) -> bool:
        """Whether every board that was asked for is among them."""
        return self.size is None or self.cells >= self.size**2

    def __iter__(self) -> Iterator[Instance]:
        if not isinstance(self.like, Board):
            yield from islice(
                space_of(self.puzzle).tiny(self.like, self.number).instances, self.number
            )
            return
        grids = tiny_grids(
            self.like.alphabet, self.cells + 1, square=self.puzzle.square, size=self.size
        )
        for grid in grids:
            with suppress(ValueError):  # the puzzle allows no such board
                yield replace(self.like, grid=grid)


def small_boards(puzzle: Puzzle, size: int | None, most: int) -> SmallBoards:
    """The small boards: of up to n cells each, where n is the largest number for which they are at
    most `most`.

    Args:
        size: only boards of at most this many rows and columns; None for any.
    """
    like = puzzle.family(puzzle.first_family()).nearest(FAMILY_SIZES[-1], 1)
    if not isinstance(like, Board):
        return SmallBoards(puzzle, like, None, 0, most)
    cells, number = 0, 0
    while size is None or cells < size**2:
        shaped = len(shapes(cells + 1, square=puzzle.square, size=size))
        more = shaped * len(like.alphabet) ** (cells + 1)
        if number + more > most:
            break
        cells, number = cells + 1, number + more
    return SmallBoards(puzzle, like, size, cells, number)


def family_boards(puzzle: Puzzle, largest: int, seed: int, count: int) -> Iterator[Instance]:
    """Boards of all families in turn, those for fuzzing alone included."""
    all_families = {**puzzle.families, **puzzle.fuzz_families}.values()
    families = [family for family in all_families if family.least <= largest]
    sizes = sorted({size for size in FAMILY_SIZES if size < largest} | {largest})
    for number in range(count if families else 0):
        turn, place = divmod(number, len(families))
        yield families[place].nearest(sizes[turn % len(sizes)], seed + number)


_AT_ONCE = 128
"""Boards whose statements one fork makes."""

_MAX_SMALLER = 2000
"""Smaller boards that are tried in place of one on which the models differ."""

_MAX_TOGETHER = 16
"""How many of them are tried together."""

_WITHOUT_SHARED = 256
"""Boards with named variables on both sides after which the lack of a shared name is an error."""


@dataclass(frozen=True)
class ModelPair:
    """Two models of one puzzle, and how they are compared.

    Attributes:
        most: named solutions of a board that are looked at.
        seconds: for one board.
        count: whether only the numbers of named solutions are compared.
        say: takes what the models' own code prints, with a label.
        pool: the children in which models of plugins state their encodings.
    """

    puzzle: Puzzle
    models: tuple[BackendContender, BackendContender]
    most: int
    seconds: float
    count: bool
    say: Callable[[str, str], None]
    pool: Pool

    @property
    def names(self) -> tuple[str, str]:
        return self.models[0].name, self.models[1].name

    def results(
        self, boards: Iterable[Instance], at_once: int = _AT_ONCE
    ) -> Iterator[tuple[Instance, OnBoard]]:
        """What comes of each board, in order.

        Raises:
            UserError: a model is wrong: it raises, or returns what is no encoding.
        """
        left = iter(boards)
        while some := list(islice(left, at_once)):
            for board, result in zip(some, split(self._together, some), strict=True):
                self._refuse_wrong(board, result)
                yield board, result

    def _together(self, boards: Sequence[Instance]) -> list[OnBoard] | Outcome:
        """What comes of some boards, in forks for them all; where a limit is passed on several,
        how.
        """
        limits = Limits(self.seconds)
        texts: list[bytes | None] = []
        for model in self.models:
            if model.ours:
                texts.append(None)
                continue
            outcome = foreign_statements(self.pool, model, boards, limits)
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
        outcome = call(self._compared, boards, texts, limits=limits)
        if outcome.ok or len(boards) > 1:
            return outcome.value if outcome.ok else outcome
        ended = f"the comparison ended with {outcome.status}: {outcome.detail}"
        return [OnBoard(stopped=ended)]

    def _compared(self, boards: Sequence[Instance], texts: Sequence[bytes | None]) -> list[OnBoard]:
        """Runs in a fork, in which no foreign code has run."""
        one, other = (
            [statement(model, board) for board in boards]
            if text is None
            else read_statements(model, text, len(boards))
            for model, text in zip(self.models, texts, strict=True)
        )
        return [
            on_board(pair, self.most, count=self.count) for pair in zip(one, other, strict=True)
        ]

    def _refuse_wrong(self, board: Instance, result: OnBoard) -> None:
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


@dataclass
class ComparedBoards:
    """What the boards of one stage come to.

    Attributes:
        boards: how many both models state.
        solutions: for each model its named solutions on all of them.
        by_size: for each size the boards, and the two numbers of named solutions.
        cut: boards on which only the first named solutions were looked at.
        left_out: boards that were not compared, by reason; `stopped`: how many of them for a limit
            of time or memory.
        shared: boards on which the models share a name; `named`: boards on which both have names.
        example: the names of both models on a board without a shared one.
        different: the first board on which they differ.
    """

    boards: int = 0
    solutions: tuple[int, int] = (0, 0)
    by_size: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    cut: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    stopped: int = 0
    shared: int = 0
    named: int = 0
    example: tuple[tuple[tuple[str, ...], int], ...] = ()
    different: tuple[Instance, OnBoard] | None = None

    @property
    def cut_short(self) -> bool:
        """Whether something was not compared."""
        return bool(self.cut or self.left_out)

    def add(self, board: Instance, result: OnBoard) -> None:
        """Count one board."""
        if not result.compared:
            self.stopped += bool(result.stopped)
            self.left_out[
                result.stopped or next(each.reason for each in result.refusals if each is not None)
            ] += 1
            return
        one, other = result.solutions
        number, ones, others = self.by_size.get(board.shown_size, (0, 0, 0))
        self.by_size[board.shown_size] = number + 1, ones + one, others + other
        self.boards += 1
        self.solutions = self.solutions[0] + one, self.solutions[1] + other
        self.cut += any(result.cut)
        self.shared += result.shared > 0
        if all(count for _, count in result.names):
            self.named += 1
            self.example = self.example if result.shared else result.names
        if self.different is None and (
            result.difference is not None or (one != other and not any(result.cut))
        ):
            self.different = board, result


def compared(
    pair: ModelPair, boards: Iterable[Instance], *, at_once: int = _AT_ONCE
) -> ComparedBoards:
    """Compare the models board by board, up to the first difference; numbers of solutions on all
    boards.

    Raises:
        UserError: a model is wrong, or the models share no name.
    """
    total = ComparedBoards()
    for board, result in pair.results(boards, at_once):
        total.add(board, result)
        if total.different is not None and not pair.count:
            break
        if total.boards == 0 and total.stopped >= MAX_STOPPED:
            break
        if total.named >= _WITHOUT_SHARED:
            refuse_without_shared(pair, total)
    return total


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


def smaller(pair: ModelPair, board: Instance, result: OnBoard) -> tuple[Instance, OnBoard]:
    """A board, made smaller step by step while the models differ on it."""
    space = space_of(pair.puzzle)
    left = _MAX_SMALLER

    def first_different(
        boards: Sequence[tuple[Instance, OnBoard]],
    ) -> tuple[int, tuple[Instance, OnBoard]] | None:
        nonlocal left
        left -= len(boards)
        compared = enumerate(pair.results([board for board, _ in boards], _MAX_TOGETHER))
        return next(((k, shown) for k, shown in compared if shown[1].difference is not None), None)

    reducer = Reducer(
        (board, result),
        first_different,
        over=lambda: left <= 0,
        key=lambda shown: shown[0].digest,
        at_first=_MAX_TOGETHER,
        most_at_once=_MAX_TOGETHER,
    )
    reducer.descend(
        from_place(lambda shown: ((smaller, shown[1]) for smaller in space.smaller(shown[0])))
    )
    return reducer.smallest
