"""Ways of solving that users seldom meet: kernels in plain Python, which notices an index out of
range; thresholds between algorithms forced low; slow backends; formulas that are written down. On
seeded boards every answer is certified and checked, and all agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

import direct
import puzzles
from compare.commands.fuzz.batch import Batch, Tried
from compare.commands.fuzz.streams import bearing
from compare.commands.fuzz.trial import observe_boards
from compare.engine.isolate.outcome import Limits
from compare.engine.search.boards import boards
from compare.engine.work.contenders import Contender, backends, of_backend
from compare.engine.work.result import Fault
from models.dimacs import encode_board
from models.session import session
from models.solvers.solver_names import DEFAULT_SOLVER
from puzzles.answer import Claims
from puzzles.backend import Unsupported
from puzzles.grid import Board
from puzzles.shell.time_limits import Deadline
from puzzles.text import UserError
from tests.pools import in_pool
from tests.thresholds import LOW, forced, import_thresholds

LARGER, SMALLER = 14, 6
"""Rows and columns of the larger boards; those for slow backends."""

SUBSETS = 4
"""Subsets of the thresholds, of which each is forced low for a share of the boards."""

each_puzzle = pytest.mark.parametrize(
    ("name", "count"),
    [
        pytest.param(name, count, marks=[pytest.mark.slow] * (count > 32 or name == "nogo"))
        for name in puzzles.names()
        for count in (32, 256)
    ],
)
"""Each puzzle with a number of boards."""


def stream(name: str, count: int, size: int) -> list[Board]:
    """Every second board may be one that the contest's format cannot say, such as one with a number
    of mines.
    """
    blocks = [boards(puzzles.get(name), 7, index, count // 2, size) for index in (0, 1)]
    mixed = [board for pair in zip(*blocks, strict=True) for board in pair]
    return [board for board in mixed if isinstance(board, Board)]


def taking_part(name: str, size: int, *, slow: bool = False) -> tuple[Contender, ...]:
    return tuple(
        bearing(of_backend(each, {}), size)
        for each in backends(name)
        if each.available() is None and (slow or not each.slow)
    )


def observed(contenders: tuple[Contender, ...], some: Sequence[Board]) -> tuple[list[Fault], Tried]:
    """The faults that show on some boards, and what was tried."""
    batch = Batch(
        puzzle=some[0].puzzle,
        contenders=contenders,
        seed=1,
        count=len(some),
        size=LARGER,
        limits=Limits(300.0),
        thorough=True,
    )
    failing, tried = in_pool(observe_boards, batch, some, Deadline())
    return [fault for each in failing for fault in each.faults], tried


def check_all_answered(tried: Tried, contenders: tuple[Contender, ...], count: int) -> None:
    """The first contender, which takes all boards, answered them, and each of the others some."""
    assert tried.boards == count
    answered = [tried.responses[each.name].counts["answered"] for each in contenders]
    assert answered[0] == count
    assert min(answered) > 0, dict(zip((each.name for each in contenders), answered, strict=True))


@each_puzzle
def test_kernels_in_plain_python(name: str, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", "python")
    contenders = taking_part(name, LARGER)
    faults, tried = observed(contenders, stream(name, count, LARGER))
    assert faults == []
    check_all_answered(tried, contenders, count)


@each_puzzle
def test_thresholds_forced_low(name: str, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiled kernel holds its thresholds as constants."""
    monkeypatch.setenv("TWOFOLD_KERNELS", "python")
    contenders, some = taking_part(name, LARGER), stream(name, count, LARGER)
    everything = Tried()
    for number in range(SUBSETS):
        with forced(1, number):
            faults, tried = observed(contenders, some[number::SUBSETS])
        assert faults == []
        everything.add(tried)
    check_all_answered(everything, contenders, count)


def test_a_part_of_the_thresholds_is_forced_low_for_a_while() -> None:
    modules = import_thresholds()

    def values() -> list[int]:
        return [getattr(module, name) for module in modules for name in LOW[module.__name__]]

    before, low = values(), [each for lows in LOW.values() for each in lows.values()]
    subsets: set[tuple[int, ...]] = set()
    for number in range(SUBSETS):
        with forced(1, number):
            now = values()
        assert all(each in pair for each, *pair in zip(now, before, low, strict=True))
        assert 2 < sum(each != was for each, was in zip(now, before, strict=True)) < len(low) - 2
        subsets.add(tuple(now))
        assert values() == before
    assert len(subsets) == SUBSETS


@each_puzzle
def test_slow_backends(name: str, count: int) -> None:
    contenders = taking_part(name, SMALLER, slow=True)
    faults, tried = observed(contenders, stream(name, count, SMALLER))
    assert faults == []
    check_all_answered(tried, contenders, count)


def contradiction(board: Board, claims: Claims) -> str:
    """What the formula of a board, or that of a question about one of its cells, and the claims
    contradict each other in; empty if they agree.
    """
    cell = Random(board.digest).randrange(board.cells)
    for place in (None, (cell // board.columns + 1, cell % board.columns + 1)):
        try:
            encoding = encode_board(board, place)
        except (Unsupported, UserError):
            continue
        expected = encoding.expected(claims)
        with session(encoding.formula, DEFAULT_SOLVER) as opened:
            if expected is not None and opened.solve() != expected:
                return f"{encoding.meaning}, not {expected}"
    return ""


@each_puzzle
def test_written_formulas(name: str, count: int) -> None:
    """They fit the right answer, and not any other."""
    told_apart = 0
    for board in stream(name, count, SMALLER):
        claims = direct.solve(board).claims
        assert claims is not None
        assert contradiction(board, claims) == "", board
        wrong = (1 - claims) if name != "nogo" else claims[1:]
        told_apart += board.cells <= 16 and contradiction(board, wrong) != ""
    assert told_apart > 0
