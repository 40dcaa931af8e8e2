"""Beams against brute force: every orientation of every turret is tried."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest

import direct
import models
from puzzles import beams
from puzzles.answer import Answer, Verdict
from puzzles.beams.board import Beams, Layout
from puzzles.beams.check import check
from puzzles.grid import Board, grid_of
from tests.oracles import beams as rules
from tests.oracles.beams import possible
from tests.oracles.boards import all_boards


@cache
def tiny(step: int, cells: int = 6) -> list[tuple[Beams, bool]]:
    """One in `step` of all boards up to 2x3 and of so many cells, with - and | identified."""
    shapes = [(r, c) for r, c in product((1, 2), (1, 2, 3)) if r * c <= cells]
    every = [rows for shape in shapes for rows in all_boards(*shape, ".#/\\-")]
    return [(Beams(grid_of(rows)), possible(rows)) for rows in every[::step]]


def seeded(count: int, seed: int, most: int = 4) -> list[tuple[Beams, bool]]:
    rng = np.random.default_rng(seed)
    kinds = np.frombuffer(b"...#/\\-|-", np.uint8)
    drawn = [Beams(rng.choice(kinds, rng.integers(1, most + 1, 2))) for _ in range(count)]
    return [(board, possible(board.lines())) for board in drawn]


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


EACH_FIFTH_OR_ALL = pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.slow)])
"""Of one tiny board in `every` the answer is compared with brute force."""


@EACH_FIFTH_OR_ALL
@pytest.mark.parametrize(("form", "times"), [("python", 4), ("compiled", 1)])
def test_two_sat_on_every_tiny_board(
    form: str, times: int, every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", form)
    for board, expected in tiny(every * times):
        judge(board, direct.solve(board, certify=True), expected)


@EACH_FIFTH_OR_ALL
@pytest.mark.parametrize("backend", ["cnf", "cnf-traced"])
def test_clauses_on_every_tiny_board(backend: str, every: int) -> None:
    """Of one in four of the answers it is also proved."""
    some = tiny(every)
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
    for board, expected in [*tiny(1, cells=3), *seeded(more, 17)]:
        judge(board, models.solve(board, "cpsat", certify=True), expected)


def test_every_backend_on_seeded_boards() -> None:
    verdicts = set()
    for board, expected in seeded(200, 11):
        judge(board, direct.solve(board, certify=True), expected)
        for backend in ("cnf", "cnf-traced"):
            judge(board, models.solve(board, backend, certify=True), expected)
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
            # Two turrets can light each open cell, so none is forced at once.
            rows = board.lines()
            turrets = rules.cells(rows, "-|")
            light = [
                rules.lit(rows, turret, "-") | rules.lit(rows, turret, "|") for turret in turrets
            ]
            for cell in rules.cells(rows, "."):
                assert sum(cell in each for each in light) == 2


def test_the_loops_family_defeats_a_model_without_the_cure() -> None:
    boards = [beams.PUZZLE.families["loops"].board(16, seed) for seed in range(1, 40, 2)]
    impossible = [board for board in boards if direct.solve(board) == Layout(False)]
    assert impossible
    assert all(models.solve(board, "cnf") == Layout(False) for board in impossible)


def test_formats_and_answers_as_the_judge_reads_them() -> None:
    board, small = Beams(grid_of(["-.", "#|"])), Beams(grid_of(["-."]))
    for heading in ("case  #1 : possible", " Case #1: POSSIBLE", "\tCASE#01:POSSIBLE"):
        text = f"{heading}\n-. \r\n#|\r\n\n"
        assert beams.PUZZLE.parse_answers(text, [board], "codejam") == [Layout(True, board)]
    assert beams.PUZZLE.parse_answers("IMPOSSIBLE\n", [board], "luogu") == [Layout(False)]
    answers = [Layout(False), Layout(True, small)]
    for format, text in (
        ("codejam", "Case #1: IMPOSSIBLE\nCase #2: POSSIBLE\n-.\n"),
        ("luogu", "IMPOSSIBLE\nPOSSIBLE\n-.\n"),
    ):
        assert beams.PUZZLE.print_answers(answers, format) == text
    assert beams.PUZZLE.print_instances([small, small]) == "2\n1 2\n-.\n1 2\n-.\n"


def test_a_beam_of_a_million_cells() -> None:
    board = Beams(grid_of(["-" + "." * 1_000_000]))
    assert solved(board).board == board
    assert solved(Beams(board.grid.T)).possible


def test_of_the_core_that_is_shown_no_cell_can_be_left_out() -> None:
    board = beams.PUZZLE.family("cycle").board(20, 2)
    answer = solved(board)
    assert answer.certificate
    padding = tuple(cell for cell, kind in enumerate("".join(board.lines())) if kind in ".-|")
    one = Beams(grid_of(["."]))
    assert check(one, solved(one)).detail == "a core of 1 cell cannot be satisfied"
    shown = beams.PUZZLE.with_irreducible_core(board, replace(answer, certificate=padding))
    assert 1 < len(shown.certificate) < len(padding)
    assert check(board, shown).verdict is Verdict.PROVED
    for cell in shown.certificate:
        fewer = tuple(other for other in shown.certificate if other != cell)
        assert check(board, replace(shown, certificate=fewer)).verdict is Verdict.UNPROVED
    as_list = check(board, replace(shown, certificate=[0]))
    assert as_list.verdict is Verdict.UNPROVED
    assert as_list.detail == "the core is of type list: expected a tuple of cells"
    wrong = replace(answer, certificate=(0,))
    assert beams.PUZZLE.with_irreducible_core(board, wrong) is wrong
