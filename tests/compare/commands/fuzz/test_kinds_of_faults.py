"""Promised certificates that are missing or wrong, and refusals within the declared limits, are
faults and are shrunk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import SystemRandom
from typing import Any

import pytest

import direct
import puzzles
import puzzles.backend
from compare.commands.fuzz.batch import (
    CERTIFY_EVERY,
    Batch,
    BatchKind,
    FailingBoard,
    Observed,
    Tried,
    boards_of,
)
from compare.commands.fuzz.fault_shrinking import company_fault, shrink_call, shrink_fault
from compare.commands.fuzz.fuzz_search import FuzzSearch, wrong_by
from compare.commands.fuzz.halving import FailedCall, halving
from compare.commands.fuzz.shrinking import Shrunk, chance_of, shrink
from compare.commands.fuzz.trial import conflicting, try_boards
from compare.commands.fuzz.words import noticed_line
from compare.engine.isolate.outcome import DEFAULT_LIMITS, Status
from compare.engine.search.boards import boards
from compare.engine.work.contenders import Ask, BackendContender, DatasetCase, of_backend
from compare.engine.work.judging import read_rows, result_of
from compare.engine.work.result import (
    CONFLICT,
    REFUSED,
    REFUTED,
    UNPROVED,
    Fault,
    Relation,
    Stance,
    faults_of,
)
from compare.engine.work.solving import solve_one
from direct.beams import by_two_sat
from direct.kernel import kernel
from puzzles import beams
from puzzles.backend import Backend, Unsupported, enter
from puzzles.beams.board import Beams, Layout
from puzzles.instance import Instance
from puzzles.shell.time_limits import Deadline
from tests.compare.engine.work.test_relation import RELATED
from tests.places import ROOT
from tests.pools import in_pool
from tests.records import record

IMPOSSIBLE, POSSIBLE, MIRROR = beams.parse("3\n1 3\n..#\n1 2\n-.\n1 2\n/.\n")

Solve = Callable[..., Any]


def right(board: Beams, *, certify: bool = False) -> Layout:
    return by_two_sat.solve(board, certify=certify)


def forgets(board: Beams, *, certify: bool = False) -> Layout:
    return replace(right(board, certify=certify), certificate=None)


def wrong_core(board: Beams, *, certify: bool = False) -> Layout:
    answer = right(board, certify=certify)
    return replace(answer, certificate=answer.certificate and (-1,))


def shy(board: Beams, *, certify: bool = False) -> Layout:
    if (board.grid == ord("/")).any():
        raise Unsupported("no mirrors, please")
    return right(board, certify=certify)


def refuses_to_certify(board: Beams, *, certify: bool = False) -> Layout:
    if certify:
        raise Unsupported("no certificates, please")
    return right(board)


def other_when_certified(board: Beams, *, certify: bool = False) -> Layout:
    return replace(right(board), possible=False, board=None) if certify else right(board)


def nothing(board: Beams, *, certify: bool = False) -> None:
    return None


@pytest.fixture(autouse=True)
def backends_of_beams() -> Iterator[None]:
    """Backends that a test enters as ours are gone after it."""
    entries = puzzles.backend._registry
    direct.SIDE.backends("beams")
    before = dict(entries["direct", "beams"])
    yield
    entries["direct", "beams"] = before


def contender(solve: Solve, *, ours: bool, **fields: Any) -> BackendContender:
    """A backend that a plugin registers, or one of this project's own."""

    def function(board: Beams, *, certify: bool = False) -> Any:
        return solve(board, certify=certify)

    function.__module__ = "direct.planted" if ours else "planted"
    enter(Backend("direct", "beams", "planted", function, "planted", **fields))
    return of_backend(direct.SIDE.get("beams", "planted"), {})


def batch(taking_part: BackendContender) -> Batch:
    return Batch(
        puzzle="beams",
        contenders=(taking_part,),
        seed=1,
        count=1,
        size=9,
        limits=DEFAULT_LIMITS,
        thorough=True,
    )


def kinds(taking_part: BackendContender, board: Beams) -> list[str]:
    """The kinds of faults on a board; of a plugin's backend without the forks."""
    if taking_part.ours:
        return [
            fault.kind
            for each in in_pool(try_boards, batch(taking_part), [board])
            for fault in each.faults
        ]
    ask = Ask(contender=taking_part, cases=[DatasetCase(board)], timed=False, exact=True)
    (row,) = read_rows(taking_part, solve_one(taking_part, board, ask.exact, ask.check))
    return [fault.kind for fault in faults_of(result_of(ask, taking_part, row, check=True))]


@pytest.mark.parametrize("ours", [True, False])
@pytest.mark.parametrize(
    ("solve", "board", "certifies", "expected"),
    [
        (right, IMPOSSIBLE, None, {True: [], False: []}),
        (forgets, IMPOSSIBLE, None, {True: [UNPROVED], False: []}),
        (forgets, IMPOSSIBLE, True, {True: [UNPROVED], False: [UNPROVED]}),
        (forgets, IMPOSSIBLE, False, {True: [], False: []}),
        (wrong_core, IMPOSSIBLE, None, {True: [UNPROVED], False: [UNPROVED]}),
        (wrong_core, POSSIBLE, None, {True: [], False: []}),
        (refuses_to_certify, POSSIBLE, True, {True: [UNPROVED], False: [UNPROVED]}),
        (other_when_certified, POSSIBLE, None, {True: [REFUTED], False: [REFUTED]}),
        (shy, MIRROR, None, {True: [REFUSED], False: [REFUSED]}),
        (shy, POSSIBLE, None, {True: [], False: []}),
        (nothing, POSSIBLE, None, {True: [REFUSED], False: [REFUSED]}),
    ],
)
def test_what_is_a_fault(
    solve: Solve, board: Beams, certifies: bool | None, expected: dict[bool, list[str]], ours: bool
) -> None:
    assert kinds(contender(solve, ours=ours, certifies=certifies), board) == expected[ours]


@pytest.mark.parametrize("ours", [True, False])
def test_a_refusal_may_be_declared(ours: bool) -> None:
    by_kind = contender(
        shy, ours=ours, refuses=lambda board, *, certify: bool((board.grid == ord("/")).any())
    )
    assert kinds(by_kind, MIRROR) == []
    assert kinds(replace(contender(shy, ours=ours, limit=1), limit=None), MIRROR) == []
    certified = contender(
        forgets, ours=ours, certifies=True, refuses=lambda board, *, certify: certify
    )
    assert kinds(certified, IMPOSSIBLE) == []


@pytest.mark.parametrize(
    ("solve", "kind", "cells"),
    [(forgets, UNPROVED, 1), (wrong_core, UNPROVED, 1), (shy, REFUSED, 1), (nothing, REFUSED, 1)],
)
def test_each_kind_is_shrunk(solve: Solve, kind: str, cells: int) -> None:
    taking_part = contender(solve, ours=True)
    (board,) = beams.parse("1\n3 4\n..#-\n#/.\\\n.|.#\n")
    shrunk = in_pool(shrink, batch(taking_part), board, Fault(kind, (taking_part.name,)))
    assert shrunk.smallest.board.size == cells
    assert [fault.kind for fault in shrunk.smallest.faults] == [kind]


def crowded(boards: Sequence[Beams], *, certify: bool = False) -> list[Layout]:
    if len(boards) > 5:
        raise ValueError("more than five boards")
    return by_two_sat.solve_many(boards, certify=certify)


@pytest.mark.slow
def test_a_call_that_fails_although_no_board_of_it_does_is_shrunk_to_the_fewest_boards() -> None:
    taking_part = contender(right, ours=True, many=crowded)
    both = replace(
        batch(taking_part),
        contenders=(of_backend(direct.SIDE.get("beams", "two-sat"), {}), taking_part),
    )
    stream = boards(puzzles.get("beams"), 1, 0, 16, 6)
    assert in_pool(try_boards, both, stream[:5]) == []
    failing = in_pool(try_boards, both, stream)
    faults = [fault for each in failing for fault in each.faults]
    assert {(fault.kind, fault.names, len(fault.together)) for fault in faults} == {
        (Status.CRASH, (taking_part.name,), 8)
    }
    assert failing[0].board == faults[0].together[0] == stream[0]
    shrunk = in_pool(shrink_call, both, faults[0])
    (smallest,) = shrunk.smallest.faults
    assert [board.size for board in smallest.together] == [1] * 6


def turned_back(boards: Sequence[Beams], *, certify: bool = False) -> list[Layout]:
    """After a board with a mirror, a possible board keeps its turrets as they stood."""
    answers = by_two_sat.solve_many(boards, certify=certify)
    mirror = [bool((board.grid == ord("/")).any()) for board in boards]
    return [
        replace(answer, board=board) if answer.possible and any(mirror[:k]) else answer
        for k, (board, answer) in enumerate(zip(boards, answers, strict=True))
    ]


def mixed_up(boards: Sequence[Beams], *, certify: bool = False) -> list[Layout]:
    """After a board of more rows, no board is possible."""
    answers = by_two_sat.solve_many(boards, certify=certify)
    rows = [board.rows for board in boards]
    return [
        Layout(False) if max(rows[:k], default=0) > rows[k] else answer
        for k, answer in enumerate(answers)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("many", "ours", "cells", "detail"),
    [
        (turned_back, True, [1, 2], "is not lit"),
        (turned_back, False, [1, 2], "is not lit"),
        (mixed_up, True, [2, 1], "it answers otherwise than alone"),
    ],
)
def test_an_answer_that_is_wrong_in_company_is_shrunk_to_the_boards_that_it_takes(
    many: Solve, ours: bool, cells: list[int], detail: str
) -> None:
    taking_part = contender(right, ours=ours, many=many)
    both = replace(
        batch(taking_part),
        contenders=(of_backend(direct.SIDE.get("beams", "two-sat"), {}), taking_part),
    )
    both = replace(both, thorough=False, kind=BatchKind.CERTIFIED, count=16, size=4)
    failing = in_pool(try_boards, both, boards_of(both))
    wrong = [
        (each.board, fault)
        for each in failing
        for fault in each.faults
        if taking_part.name in fault.names
    ]
    assert {fault.kind for _, fault in wrong} <= {CONFLICT, REFUTED}
    board, fault = wrong[0]
    assert in_pool(try_boards, replace(both, thorough=True), [board]) == []
    shrunk = in_pool(shrink_fault, both, board, fault)
    (smallest,) = shrunk.smallest.faults
    assert [board.size for board in smallest.together] == cells
    assert (smallest.kind, smallest.names) == (REFUTED, (taking_part.name,))
    assert smallest.detail.startswith("board 2: ")
    assert detail in smallest.detail


def test_who_answers_otherwise_in_company_than_alone_is_refuted_alone_and_once() -> None:
    wrong, ours = (
        contender(right, ours=True, many=mixed_up),
        of_backend(direct.SIDE.get("beams", "two-sat"), {}),
    )
    both = replace(batch(wrong), contenders=(ours, wrong))
    stream = beams.parse("2\n2 1\n#\n#\n1 1\n#\n")
    conflict = Fault(CONFLICT, (ours.name, wrong.name))
    fault = in_pool(company_fault, both, stream, 1, conflict)
    assert fault is not None
    assert (fault.kind, fault.names, fault.together) == (REFUTED, (wrong.name,), tuple(stream))
    assert (
        wrong_by(fault, frozenset()) == wrong_by(conflict, frozenset({ours.name})) == {wrong.name}
    )
    assert (
        wrong_by(conflict, frozenset())
        == wrong_by(conflict, frozenset(conflict.names))
        == frozenset()
    )


def by_chance(board: Beams, *, certify: bool = False) -> Layout:
    wrong = SystemRandom().random() < 0.3
    return Layout(False) if wrong else right(board, certify=certify)


solved: list[Beams] = []
"""The boards of this process so far."""


def tired(board: Beams, *, certify: bool = False) -> Layout:
    solved.append(board)
    return Layout(False) if len(solved) > 5 else right(board, certify=certify)


@pytest.mark.parametrize("solve", [by_chance, tired])
@pytest.mark.parametrize("kind", [CONFLICT, REFUTED])
def test_what_is_by_chance_differs_from_call_to_call(solve: Solve, kind: str) -> None:
    taking_part = contender(solve, ours=False)
    fault = Fault(kind, (taking_part.name,))
    once = Shrunk(FailingBoard(POSSIBLE, (fault,)), fault, 0)
    chance = in_pool(chance_of, batch(taking_part), once)
    if solve is tired:  # what it says depends on the boards before, and on nothing else
        assert chance is None
    else:
        assert chance is not None
        assert chance.contender == taking_part.name
        assert 0 < chance.times < chance.runs == 100


def test_who_answers_wrongly_is_blamed_once() -> None:
    def ignored(*_: object) -> None:
        pass

    whole = batch(contender(right, ours=True))
    search = FuzzSearch(
        [whole],
        cases=1,
        seconds=None,
        keep_going=True,
        noticed=ignored,
        discovered=ignored,
        progress=ignored,
    )
    leak = Fault(REFUTED, ("mine",), together=(POSSIBLE, MIRROR))
    search._known.append(leak)
    search._wrong.add("mine")
    same = [
        leak,
        Fault(REFUTED, ("mine",)),
        Fault(CONFLICT, ("mine", "example")),
        Fault(CONFLICT, ("direct:two-sat", "mine")),
    ]
    assert all(map(search._is_known, same))
    others = [
        Fault(REFUTED, ("example",)),
        Fault(CONFLICT, ("direct:two-sat", "example")),
        Fault(Status.CRASH, ("mine",)),
    ]
    assert not any(map(search._is_known, others))


def test_nobody_whose_answer_is_proved_is_accused_before_a_board_is_shrunk() -> None:
    puzzle, board, conflict = (
        puzzles.get("beams"),
        POSSIBLE,
        Fault(CONFLICT, ("direct:two-sat", "mine")),
    )
    where = f"on a board of {board.shown_size}"
    wrong = f"WRONG: mine {where}, by the proved answer of direct:two-sat; shrinking it"
    for proved in ({"direct:two-sat"}, {"direct:two-sat", "mine"}):
        assert noticed_line(puzzle, board, conflict, frozenset(proved)) == wrong
    unknown = noticed_line(puzzle, board, conflict, frozenset())
    assert unknown == f"CONFLICT: direct:two-sat and mine {where}; shrinking it"


@pytest.mark.parametrize(("stopped_calls", "together"), [(9, 4), (1, 0)])
def test_a_call_that_is_stopped_twice_although_its_halves_are_quick(
    stopped_calls: int, together: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = 0.0
    monkeypatch.setattr("compare.commands.fuzz.halving.monotonic", lambda: clock)
    stream = boards(puzzles.get("beams"), 1, 0, 4, 6)
    stopped: list[int] = []

    def attempt(part: Sequence[Instance]) -> list[Observed] | FailedCall:
        nonlocal clock
        if len(part) <= 2 or len(stopped) == stopped_calls:
            clock += 0.01
            return [Observed() for _ in part]
        clock += 0.5
        stopped.append(len(part))
        return FailedCall(Status.TIMEOUT, ("mine",), "stopped at 0.5 s")

    faults = [
        fault
        for each in halving(attempt, ("contender",), stream, Deadline())
        for fault in each.faults
    ]
    assert [(fault.kind, len(fault.together)) for fault in faults] == [
        (Status.TIMEOUT, together)
    ] * (together > 0)


@pytest.mark.parametrize(
    ("status", "keep_going", "given_up"),
    [
        (Status.CRASH, False, 13),
        (Status.CRASH, True, 0),
        (Status.ERROR, True, 0),
        (Status.TIMEOUT, True, 13),
        (Status.MEMORY, True, 13),
    ],
)
def test_a_search_that_keeps_going_gives_up_no_board_but_those_that_cost_a_whole_limit(
    status: Status, keep_going: bool, given_up: int
) -> None:
    stream = boards(puzzles.get("beams"), 1, 0, 16, 6)

    def attempt(part: Sequence[Instance]) -> list[Observed] | FailedCall:
        if len(part) > 1:
            return FailedCall(status, ("mine",), "")
        return [Observed(faults=[Fault(status, ("mine",))])]

    observed = halving(attempt, ("mine",), stream, Deadline(), keep_going=keep_going)
    assert [each.given_up for each in observed] == [[]] * (16 - given_up) + [["mine"]] * given_up
    assert not any(each.untried for each in observed)
    tried = Tried()
    for board, each in zip(stream, observed, strict=True):
        tried.count(board, each, ("mine",))
    assert (tried.boards, tried.responses["mine"].counts["given_up"]) == (16 - given_up, given_up)


@kernel
def misread(cells: Any, at: int) -> int:
    return cells[at]


@pytest.mark.parametrize("at", [0, 9])
def test_a_kernel_in_plain_python_that_reads_out_of_range_crashes(
    at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", "python")

    def reading(board: Beams, *, certify: bool = False) -> Layout:
        misread.at(board.cells)(board.grid.reshape(-1), at)
        return right(board, certify=certify)

    failing = in_pool(try_boards, batch(contender(reading, ours=True)), [POSSIBLE])
    assert [fault.kind for each in failing for fault in each.faults] == [Status.CRASH] * (at != 0)


def test_of_an_own_puzzle_one_answer_in_sixteen_is_certified_after_the_first_block(
    tmp_path: Path,
) -> None:
    text = (ROOT / "examples" / "lights.py").read_text()
    core = "core = tuple(k for k in range(board.cells) if used >> k & 1)"
    assert text.count(core) == 1
    (tmp_path / "lights.py").write_text(text.replace(core, "core = ()"))
    puzzle = puzzles.find(str(tmp_path / "lights.py"))
    wrong = of_backend(direct.SIDE.get("lights"), {})
    first = Batch(
        puzzle="lights", contenders=(wrong,), seed=1, count=64, size=4, limits=DEFAULT_LIMITS
    )
    boards = [puzzle.of_text("1 2\n*.\n")] * 64
    batches = (first, replace(first, index=1), replace(first, index=1, thorough=True))
    assert [len(in_pool(try_boards, each, boards)) for each in batches] == [
        64,
        64 // CERTIFY_EVERY,
        64,
    ]


@pytest.mark.parametrize(("a", "b", "relation"), RELATED)
def test_pairs_of_answers_that_cannot_both_be_right(
    a: Stance, b: Stance, relation: Relation
) -> None:
    first, second, third = (
        record(contender=name, claims=each.claims, complete=each.complete)
        for name, each in (("first", a), ("second", b), ("third", a))
    )
    pairs = [(first, second), (second, third)] if relation is Relation.CONFLICT else []
    assert conflicting([first, second, third]) == pairs
