"""Runs in solvers that are kept: what does not count is made again in a new one, and a difference
is reported.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from time import sleep

import numpy as np
import pytest

import puzzles
from compare.commands.run.campaign import Contradictions
from compare.engine.campaign.plan import Dataset, Settings
from compare.engine.isolate.outcome import Limits, Status
from compare.engine.work.asking import carry_out
from compare.engine.work.contenders import (
    SIDES,
    Ask,
    BackendContender,
    DatasetCase,
    ProgramContender,
    of_backend,
)
from compare.engine.work.pool import Local, Pool
from compare.engine.work.result import Result, same_claims
from puzzles.answer import Claims, Verdict
from puzzles.backend import backend
from puzzles.geography.board import Geography, Losing

solved = Counter[int]()
"""How many boards each process has solved."""

MANY = 30
"""More boards than a new solver solves for one run, those that get it ready included."""


@pytest.fixture
def boards() -> list[Geography]:
    puzzle = puzzles.get("geography")
    return [puzzle.families["walls-20"].board(4, seed) for seed in range(6)]  # pyright: ignore[reportReturnType]


def contender(name: str, function: Callable[..., Losing]) -> BackendContender:
    backend("geography", name, side="direct", source="a test")(function)
    return replace(
        of_backend(SIDES["direct"].get("geography", name), {}), ours=True, certifies=True
    )


@pytest.fixture
def pool() -> Iterator[Pool]:
    made = Pool(forks_of_this=True)
    yield made
    made.close()


def run(pool: Pool, each: BackendContender, board: Geography, seconds: float = 20.0) -> Result:
    ask = Ask(contender=each, cases=[DatasetCase(board)], limits=Limits(seconds))
    return carry_out(pool, ask)[0]


def test_our_backends_stand_and_are_proved(pool: Pool, boards: list[Geography]) -> None:
    each = of_backend(SIDES["models"].get("geography"), {})
    runs = [run(pool, each, board) for board in boards]
    assert {(each.status, each.check and each.check.verdict) for each in runs} == {
        (Status.OK, Verdict.PROVED)
    }
    with pool.solver(each) as kept:
        assert kept.usable
        first = kept.pid
    with pool.solver(each) as kept, pool.solver(each, new=True) as new:
        assert kept.pid == first != new.pid


def right(board: Geography, *, certify: bool = False) -> Losing:
    return SIDES["direct"].get("geography").solve(board, certify=certify)


def test_an_answer_that_depends_on_earlier_boards_is_reported(
    pool: Pool, boards: list[Geography]
) -> None:
    def forgets(board: Geography, *, certify: bool = False) -> Losing:
        solved[os.getpid()] += 1
        answer = right(board, certify=certify)
        return (
            answer if solved[os.getpid()] <= MANY else replace(answer, cells=np.empty(0, np.int32))
        )

    each = contender("forgets", forgets)
    runs = [run(pool, each, board) for board in boards * 3]
    assert {(each.status, each.check and each.check.verdict) for each in runs} == {
        (Status.OK, Verdict.PROVED)
    }
    notes = [each.printed for each in runs if each.printed]
    assert notes
    # If the timed answer was still right, the words say that the certified one differs from it.
    assert re.match(
        r"in a process that had solved others before, this run ended otherwise: OK[^;]*, "
        r"REFUTED; ",
        notes[0],
    )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Claimed(Losing):
    """An answer that the check proves by its cells, and that claims the opposite of them."""

    @property
    def claims(self) -> Claims:
        return 1 - super().claims


def test_two_proved_answers_that_differ_are_made_again(pool: Pool, boards: list[Geography]) -> None:
    def turns(board: Geography, *, certify: bool = False) -> Losing:
        solved[os.getpid()] += 1
        answer = right(board, certify=certify)
        if solved[os.getpid()] <= MANY:
            return answer
        return Claimed(answer.board, answer.cells, certificate=answer.certificate)

    turning, steady = contender("turns", turns), of_backend(SIDES["direct"].get("geography"), {})
    dataset = Dataset(name="boards", instances=tuple(boards * 3))
    contradictions = Contradictions(Local(1, pool))
    asks = [Settings().ask(each, (case,)) for case in dataset.cases() for each in (steady, turning)]
    runs = [contradictions.settle(ask, carry_out(pool, ask)[0]) for ask in asks]
    pairs = list(zip(runs[::2], runs[1::2], strict=True))
    assert all(
        one.claims is not None and same_claims(one.claims, other.claims) for one, other in pairs
    )
    notes = [other.printed for _, other in pairs if other.printed]
    assert any(
        "before, this run ended otherwise: OK, PROVED; in a process of its own, which counts: "
        "OK, PROVED" in note
        for note in notes
    )


def test_two_answers_that_nobody_checks_and_that_differ_are_made_again(
    pool: Pool, boards: list[Geography]
) -> None:
    def turns(board: Geography, *, certify: bool = False) -> Losing:
        solved[os.getpid()] += 1
        answer = right(board)
        return answer if solved[os.getpid()] <= 3 else Claimed(answer.board, answer.cells)

    turning, steady = contender("turns", turns), of_backend(SIDES["direct"].get("geography"), {})
    dataset = Dataset(name="boards", instances=tuple(boards))
    contradictions, unchecked = Contradictions(Local(1, pool)), Settings(check=False)
    asks = [unchecked.ask(each, (case,)) for case in dataset.cases() for each in (steady, turning)]
    runs = [contradictions.settle(ask, carry_out(pool, ask)[0]) for ask in asks]
    assert all(
        one.claims is not None and same_claims(one.claims, other.claims)
        for one, other in zip(runs[::2], runs[1::2], strict=True)
    )
    notes = [bool(other.printed) for other in runs[1::2]]
    assert notes == [False] * 3 + [True] * 3


def test_nobody_waits_twice_for_a_limit(
    pool: Pool, boards: list[Geography], tmp_path: Path
) -> None:
    begun = tmp_path / "begun"

    def sleeps(board: Geography, *, certify: bool = False) -> Losing:
        with begun.open("a") as file:
            file.write(f"{os.getpid()}\n")
        if board == boards[1]:
            sleep(600)
        return right(board, certify=certify)

    each = contender("sleeps", sleeps)
    runs = [run(pool, each, board, seconds=0.5) for board in boards[:3]]
    assert [each.status for each in runs] == [Status.OK, Status.TIMEOUT, Status.OK]
    pids = begun.read_text().split()
    assert pids == [pids[0]] * 3 + [pids[-1]] * 2  # two calls a board, the certified one included
    assert pids[0] != pids[-1]


def test_a_crash_that_comes_back_is_a_crash(pool: Pool, boards: list[Geography]) -> None:
    def raises(board: Geography, *, certify: bool = False) -> Losing:
        if board == boards[1]:
            raise ValueError("no such board")
        return right(board, certify=certify)

    each = contender("raises", raises)
    runs = [run(pool, each, board) for board in boards[:3]]
    assert [each.status for each in runs] == [Status.OK, Status.CRASH, Status.OK]
    assert (runs[1].reason, runs[1].printed) == ("raised ValueError: no such board", "")


def test_boards_in_one_start_have_what_each_may_print_together(pool: Pool) -> None:
    """A program prints 90 bytes a board, of which most are blanks."""
    puzzle, several = puzzles.get("beams"), 4
    board = puzzle.parse("1\n1 1\n.\n")[0]
    lines = 'printf "%-90s" "Case #$k: IMPOSSIBLE"; echo'
    loop = f"for k in $(seq {several}); do {lines}; done"
    program = ProgramContender(puzzle="beams", name="mine", command=("sh", "-c", loop))
    ends: list[list[tuple[Status, str]]] = []
    for output in (91, 90):
        limits = Limits(20.0, output=output)
        ask = Ask(contender=program, cases=[DatasetCase(board)] * several, limits=limits)
        ends.append([(each.status, each.reason) for each in carry_out(pool, ask)])
    assert ends == [
        [(Status.OK, "")] * several,
        [(Status.ERROR, "printed more than 360 bytes")] * several,
    ]
