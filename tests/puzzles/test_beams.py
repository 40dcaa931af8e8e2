"""Beams against brute force: every orientation of every turret, beams walked by a walker of the
test's own.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest

import direct
import models
from puzzles import beams
from puzzles.answer import Answer
from puzzles.beams.board import Beams, Layout
from puzzles.beams.check import check
from puzzles.grid import Board, grid_of
from puzzles.verdict import Verdict

TURN = {
    "/": {"N": "E", "S": "W", "E": "N", "W": "S"},
    "\\": {"N": "W", "S": "E", "E": "S", "W": "N"},
}
MOVE = {"N": (-1, 0), "S": (1, 0), "E": (0, 1), "W": (0, -1)}


def shine(rows: list[str], row: int, column: int, heading: str) -> tuple[frozenset[int], bool]:
    """The open cells that one beam lights, and whether it hits a turret."""
    lit = set()
    for _ in range(4 * len(rows) * len(rows[0]) + 1):
        row, column = row + MOVE[heading][0], column + MOVE[heading][1]
        if not (0 <= row < len(rows) and 0 <= column < len(rows[0])) or rows[row][column] == "#":
            break
        kind = rows[row][column]
        if kind in "-|":
            return frozenset(lit), True
        if kind == ".":
            lit.add(row * len(rows[0]) + column)
        else:
            heading = TURN[kind][heading]
    return frozenset(lit), False


def possible(rows: list[str]) -> bool:
    """Whether some way to turn the turrets lights every open cell and hits no turret."""
    choices = []
    for r, c in places(rows, "-|"):
        both = [[shine(rows, r, c, heading) for heading in axis] for axis in ("EW", "NS")]
        choices.append([arms[0][0] | arms[1][0] for arms in both if not (arms[0][1] or arms[1][1])])
    return any(open_cells(rows) <= set().union(*chosen) for chosen in product(*choices))


def places(rows: list[str], kinds: str) -> list[tuple[int, int]]:
    """Where the board has one of these characters."""
    return [(r, c) for r, line in enumerate(rows) for c, kind in enumerate(line) if kind in kinds]


def open_cells(rows: list[str]) -> set[int]:
    return {r * len(rows[0]) + c for r, c in places(rows, ".")}


def every_board(most: tuple[int, int]) -> list[list[str]]:
    """All boards up to a shape over the alphabet, with - and | identified."""
    counts = []
    for rows in range(1, most[0] + 1):
        for columns in range(1, most[1] + 1):
            for cells in product(".#/\\-", repeat=rows * columns):
                text = "".join(cells)
                counts.append([text[k * columns : (k + 1) * columns] for k in range(rows)])
    return counts


@cache
def tiny() -> list[tuple[Beams, bool]]:
    return [(Beams(grid_of(rows)), possible(rows)) for rows in every_board((2, 3))]


def seeded(count: int, seed: int, most: int = 4) -> list[tuple[Beams, bool]]:
    rng = np.random.default_rng(seed)
    counts = []
    for _ in range(count):
        shape = tuple(rng.integers(1, most + 1, 2))
        grid = rng.choice(np.frombuffer(b"...#/\\-|-", np.uint8), shape)
        board = Beams(grid)
        counts.append((board, possible(board.lines())))
    return counts


def solved(board: Beams) -> Layout:
    """The certified answer of the default algorithm."""
    answer = direct.solve(board, certify=True)
    assert isinstance(answer, Layout)
    return answer


def judge(board: Board, answer: Answer, expected: bool) -> None:
    assert isinstance(board, Beams)
    assert isinstance(answer, Layout)
    assert answer.possible == expected, str(board)
    verdict = check(board, answer)
    assert verdict.verdict is Verdict.PROVED, f"{board}\n{verdict}"


@pytest.mark.parametrize("form", ["python", "compiled"])
def test_two_sat_on_every_tiny_board(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", form)
    for board, expected in tiny()[:: 1 if form == "compiled" else 21]:
        judge(board, direct.solve(board, certify=True), expected)


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("backend", ["cnf", "cnf-traced"])
def test_clauses_on_every_tiny_board(backend: str, every: int) -> None:
    """Of one board in `every` the answer is compared with brute force, and of one in four of these
    it is proved.
    """
    some = tiny()[::every]
    answers = models.SIDE.get("beams", backend).solve_many(
        [board for board, _ in some], solver="minisat22"
    )
    for k, ((board, expected), answer) in enumerate(zip(some, answers, strict=True)):
        assert isinstance(answer, Layout)
        assert answer.possible == expected, str(board)
        if k % 4 == 0:
            judge(board, models.solve(board, backend, certify=True, solver="minisat22"), expected)


@pytest.mark.parametrize("more", [50, pytest.param(1000, marks=pytest.mark.slow)])
def test_cpsat_on_all_boards_of_three_cells_and_seeded_ones(more: int) -> None:
    for board, expected in [(b, e) for b, e in tiny() if b.cells <= 3] + seeded(more, 17):
        judge(board, models.solve(board, "cpsat", certify=True), expected)


def test_every_backend_on_seeded_boards() -> None:
    verdicts = set()
    for board, expected in seeded(300, 11):
        judge(board, direct.solve(board, certify=True), expected)
        judge(board, models.solve(board, "cnf", certify=True), expected)
        judge(board, models.solve(board, "cnf-traced", certify=True), expected)
        verdicts.add(expected)
    assert verdicts == {False, True}


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (["."], False),
        (["#"], True),
        (["/"], True),
        (["-"], True),
        (["/.\\", "\\./"], False),  # light that would light itself
        ([".-.", "/.\\", "\\./"], False),
        (["/-", "\\/"], False),  # either way the turret hits itself
        (["T.\\".replace("T", "-"), "#\\/"], True),  # one beam crosses a cell twice
    ],
)
def test_boards_that_naive_programs_get_wrong(rows: list[str], expected: bool) -> None:
    board = Beams(grid_of(rows))
    assert possible(rows) == expected
    for side in (direct, models):
        for backend in side.backends("beams"):
            judge(board, side.solve(board, backend, certify=True), expected)


def test_the_cycle_family_is_settled_by_no_unit_clause() -> None:
    for seed in range(8):
        board = beams.PUZZLE.families["cycle"].board(30, seed)
        answer = solved(board)
        assert answer.possible == (seed % 2 == 1)
        judge(board, answer, seed % 2 == 1)
        if not answer.possible:
            assert len(answer.certificate) > 30
            for cell in range(board.cells):
                if board.grid.flat[cell] == ord(
                    "."
                ):  # two turrets can light each open cell, so none is forced at once
                    assert len({abs(s) for s in sources(board, cell)}) == 2


def sources(board: Board, cell: int) -> list[int]:
    rows = board.lines()
    return [
        r * board.columns + c + 1
        for r, c in places(rows, "-|")
        for heading in "EWNS"
        if cell in shine(rows, r, c, heading)[0]
    ]


def test_the_loops_family_defeats_a_model_without_the_cure() -> None:
    boards = [beams.PUZZLE.families["loops"].board(16, seed) for seed in range(1, 40, 2)]
    impossible = [board for board in boards if direct.solve(board) == Layout(False)]
    assert impossible
    assert all(models.solve(board, "cnf") == Layout(False) for board in impossible)


def test_answers_are_read_as_the_judge_reads_them() -> None:
    board = Beams(grid_of(["-.", "#|"]))
    (answer,) = beams.PUZZLE.parse_answers(
        "case  #1 : possible\n-. \r\n#|\r\n\n", [board], "codejam"
    )
    assert answer == Layout(True, board)
    assert beams.PUZZLE.parse_answers("IMPOSSIBLE\n", [board], "luogu") == [Layout(False)]


def test_formats() -> None:
    board = Beams(grid_of(["-."]))
    answers = [Layout(False), Layout(True, board)]
    assert (
        beams.PUZZLE.print_answers(answers, "codejam")
        == "Case #1: IMPOSSIBLE\nCase #2: POSSIBLE\n-.\n"
    )
    assert beams.PUZZLE.print_answers(answers, "luogu") == "IMPOSSIBLE\nPOSSIBLE\n-.\n"
    assert beams.PUZZLE.print_instances([board, board]) == "2\n1 2\n-.\n1 2\n-.\n"


def test_a_beam_of_a_million_cells() -> None:
    row = "-" + "." * 1_000_000
    board = Beams(grid_of([row]))
    answer = solved(board)
    assert answer.board == board
    upright = direct.solve(Beams(board.grid.T))
    assert isinstance(upright, Layout)
    assert upright.possible


def test_one_is_no_plural() -> None:
    board = Beams(grid_of(["."]))
    refusal = solved(board)
    assert beams.PUZZLE.check(board, refusal).detail == "a core of 1 cell cannot be satisfied"


def test_of_the_core_that_is_shown_no_cell_can_be_left_out() -> None:
    board = beams.PUZZLE.family("cycle").board(20, 2)
    answer = solved(board)
    assert answer.certificate
    padding = tuple(cell for cell in range(board.cells) if chr(board.grid.flat[cell]) in ".-|")
    shown = beams.PUZZLE.with_irreducible_core(board, replace(answer, certificate=padding))
    assert 1 < len(shown.certificate) < len(padding)
    assert check(board, shown).verdict is Verdict.PROVED
    for cell in shown.certificate:
        fewer = tuple(other for other in shown.certificate if other != cell)
        assert check(board, replace(shown, certificate=fewer)).verdict is Verdict.UNPROVED
    wrong = replace(answer, certificate=(0,))
    assert beams.PUZZLE.with_irreducible_core(board, wrong) is wrong
