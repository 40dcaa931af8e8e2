"""Minesweeper: the write-up's sample, its statements, and every small board against an
enumeration.
"""

from __future__ import annotations

import pytest

from direct import SIDE as DIRECT
from puzzles.verdict import Verdict
from tests.puzzles.minesweeper.boards import (
    BACKENDS,
    PUZZLE,
    by_prose,
    enumerated,
    family,
    judge_claims,
    of,
    seeded,
    solved,
    views,
)


def test_the_write_ups_sample_as_published() -> None:
    folder = PUZZLE.data / "sample"
    text, published = (folder / "writeup.in").read_text(), (folder / "writeup.ans").read_text()
    assert text.startswith("9 9\n.....1#1.\n")
    for side, backend in BACKENDS:
        assert side.solve_text("minesweeper", text, backend=backend) == published
    board = PUZZLE.parse(text)[0]
    for answer in PUZZLE.parse_answers(published, [board], "writeup"):
        assert "/".join(answer.board.lines()[6:]) == "OOXOX2.../###X31.../###X2...."
        assert answer.undecided.tolist() == [63, 64, 65, 72, 73, 74]


@pytest.mark.parametrize(
    ("rows", "rounds", "answer"),
    [
        ("###/O22", 2, "OXX/O22"),
        ("####/1#22", 3, None),
        ("######/22#22O", 4, None),
        ("###O/#2#O/###2", 2, None),
        ("###/#0#/###", 1, "OOO/O0O/OOO"),
    ],
)
def test_boards_that_take_several_rounds(rows: str, rounds: int, answer: str | None) -> None:
    board = of(rows)
    claims, taken = by_prose(board)
    assert taken == rounds
    for side, backend in BACKENDS:
        deduced = solved(board, side, backend)
        assert deduced.undecided.size == 0
        assert claims[1:].tolist() == deduced.claims[1:].tolist() == enumerated(board)[1:].tolist()
        assert answer is None or "/".join(deduced.board.lines()) == answer


def test_blank_cells_are_clues() -> None:
    for side, backend in BACKENDS:
        assert not solved(of("###./#2#./###2"), side, backend).consistent
        assert solved(of("##/#."), side, backend).board.lines() == ["OO", "O."]


def test_the_smallest_forced_cell_that_the_closure_misses() -> None:
    board = of("####/2#21")
    assert solved(board, DIRECT, "two-sat").board == board
    for side, backend in BACKENDS:
        if backend != "two-sat":
            answer = solved(board, side, backend)
            assert answer.board.lines() == ["X###", "2#21"]
            assert answer.mines.tolist() == [0]
            assert answer.safe.tolist() == []
            assert answer.claims.tolist() == [1, 1, 2, 2, 2, 0, 2, 0, 0]


@pytest.mark.parametrize("rows", ["#3223#/######", "#2112#/######"])
def test_rows_on_which_nothing_is_forced(rows: str) -> None:
    for side, backend in BACKENDS:
        answer = solved(of(rows), side, backend)
        assert answer.board == of(rows)
        assert PUZZLE.check(of(rows), answer).verdict is Verdict.PROVED
        assert set(answer.claims.tolist()) == ({-1, 0} if backend == "two-sat" else {0, 1, 2})


@pytest.mark.parametrize(
    "rows", ["3#", "#8", "8", "X0", "1", "X.", "1O", "XX/1#", "###./#2#./###2"]
)
def test_a_clue_that_cannot_hold_is_inconsistent(rows: str) -> None:
    board = of(rows)
    for side, backend in BACKENDS:
        answer = solved(board, side, backend)
        assert answer.claims.tolist() == [0] + [-1] * board.cells
        assert answer.board == board
        assert PUZZLE.print_answers([answer], "writeup") == "Case 1:\nINCONSISTENT\n\n"
        check = PUZZLE.check(board, answer)
        assert (check.verdict, "contradict" in check.detail) == (Verdict.PROVED, True)


@pytest.mark.parametrize("rows", ["#", "X", "O", "##/##", ".", "X1O", "#O/X#"])
def test_boards_without_an_open_clue(rows: str) -> None:
    for side, backend in BACKENDS:
        judge_claims(of(rows), solved(of(rows), side, backend), enumerated(of(rows)))


@pytest.mark.slow
def test_every_view_up_to_3x3_on_every_backend() -> None:
    for board in (board for r in range(1, 4) for c in range(1, 4) for board in views(r, c)):
        truth = enumerated(board)
        for side, backend in BACKENDS[:3]:
            judge_claims(board, solved(board, side, backend), truth)


@pytest.mark.parametrize("kernels", ["python", "compiled"])
def test_seeded_boards_up_to_4x5(kernels: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", kernels)
    verdicts = {0: 0, 1: 0}
    for index, board in enumerate(seeded(400, 1 if kernels == "python" else 2, 14)):
        truth = enumerated(board)
        verdicts[int(truth[0])] += 1
        for side, backend in BACKENDS if index % 10 == 0 else BACKENDS[:3]:
            judge_claims(board, solved(board, side, backend), truth)
    assert min(verdicts.values()) > 30


@pytest.mark.parametrize("backend", ["frontier", "two-sat"])
def test_many_boards_are_solved_as_one_by_one(backend: str) -> None:
    boards = list(seeded(150, 6)) + [
        family(name, 12, 1) for name, told in PUZZLE.families.items() if told.in_contest_format
    ]
    boards.sort(key=lambda board: board.columns)
    together = DIRECT.get("minesweeper", backend).solve_many(boards, certify=True)
    assert together == [solved(board, DIRECT, backend) for board in boards]
    assert (
        10 < sum(answer.claims is not None and answer.claims[0] == 0 for answer in together) < 100
    )
    text = PUZZLE.print_instances(boards)
    printed = PUZZLE.print_answers([solved(board, DIRECT, backend) for board in boards], "writeup")
    assert DIRECT.solve_text("minesweeper", text, backend=backend) == printed
