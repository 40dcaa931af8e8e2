"""Minesweeper: corrupted answers are never proved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from direct import SIDE as DIRECT
from models import SIDE as MODELS
from puzzles.answer import Verdict
from puzzles.minesweeper.board import Certificate, Core, Deduction, Minesweeper
from tests.puzzles.minesweeper.boards import PUZZLE, family, of, proved, solved, verdict

BOARD = of("####/2#21")


def corrupted() -> Iterator[tuple[str, Deduction, Verdict]]:
    """Answers to BOARD with something false or missing, and what the check may say of each."""
    good = solved(BOARD, DIRECT, "frontier")
    proof: Certificate = good.certificate
    core = proof.cores[0]
    unproved: dict[str, Certificate | None] = {
        "no certificate": None,
        "no layouts": replace(proof, layouts=()),
        "one layout": replace(proof, layouts=proof.layouts[:1]),
        "no core": replace(proof, cores=()),
        "a core of the wrong cell": replace(proof, cores=(Core(core.clues, (1,)),)),
    }
    for clue in core.clues:
        short = core._replace(clues=tuple(other for other in core.clues if other != clue))
        unproved[f"a core without {clue}"] = replace(proof, cores=(short,))
    wrong: Any
    for wrong in (0, -1, 99, "4"):
        strange = Core((*core.clues[1:], wrong), core.cells)
        unproved[f"a core with {wrong!r}"] = replace(proof, cores=(strange,))
    needless = (*proof.cores, Core((0,), core.cells))
    unproved["a core of what is no clue, which no cell needs"] = replace(proof, cores=needless)
    for cell in range(BOARD.cells):
        flipped = bytearray(proof.layouts[0])
        flipped[cell] ^= 1
        layouts = (bytes(flipped), *proof.layouts[1:])
        unproved[f"a layout flipped at {cell}"] = replace(proof, layouts=layouts)
    for wrong in (b"", bytes(7), bytes([2] * 8), "11000000"):
        unproved[f"the layout {wrong!r}"] = replace(proof, layouts=(wrong, *proof.layouts))
    for name, certificate in unproved.items():
        yield name, replace(good, certificate=certificate), Verdict.UNPROVED
    yield "called inconsistent", replace(good, consistent=False, board=BOARD), Verdict.REFUTED
    yield (
        "called inconsistent by a core",
        Deduction(False, BOARD, certificate=Certificate((Core(core.clues),))),
        Verdict.UNPROVED,
    )
    yield "called inconsistent without", Deduction(False, BOARD), Verdict.UNPROVED
    yield "too little claimed", replace(good, board=BOARD), Verdict.UNPROVED
    yield (
        "clues broken without a certificate",
        replace(good, board=of("XXXX/2#21"), certificate=None),
        Verdict.REFUTED,
    )
    for what, rows in (
        ("a safe cell for a mine", "O###/2#21"),
        ("a mine too many", "XX##/2#21"),
        ("a clue changed", "X###/2#22"),
        ("a cell opened", "X##./2#21"),
        ("another size", "X###2#21"),
    ):
        yield what, replace(good, board=of(rows)), Verdict.REFUTED


@pytest.mark.parametrize(
    ("answer", "says"), [pytest.param(a, v, id=name) for name, a, v in corrupted()]
)
def test_corrupted_answers_are_never_proved(answer: Deduction, says: Verdict) -> None:
    assert verdict(BOARD, answer) is says


def test_an_answer_that_leaves_nothing_open_is_its_own_layout() -> None:
    board = of("#1/1.")
    answer = solved(board, DIRECT, "frontier")
    assert verdict(board, answer) is Verdict.REFUTED or not answer.consistent
    board = of("#1/11")
    answer = solved(board, DIRECT, "frontier")
    bare = replace(answer, certificate=replace(answer.certificate, layouts=()))
    assert proved(board, bare)
    assert verdict(board, replace(answer, board=of("O1/11"))) is Verdict.REFUTED


def test_a_layout_must_have_the_number_of_mines_given() -> None:
    board = of("#1#", 1)
    good = Deduction(True, board, certificate=Certificate((), (b"\1\0\0", b"\0\0\1")))
    assert proved(board, good)
    assert verdict(Minesweeper(board.grid, 2), good) is Verdict.UNPROVED


def test_of_the_core_that_is_shown_no_clue_can_be_left_out() -> None:
    board = Minesweeper(family("d12", 16, 0).grid, 15)
    clues = tuple(board.clues)
    every_clue = Deduction(False, board, certificate=Certificate((Core(clues, counted=True),)))
    shown = PUZZLE.with_irreducible_core(board, every_clue)
    (core,) = shown.certificate.cores
    assert 1 < len(core.clues) < len(clues) / 4
    assert proved(board, shown)
    for clue in core.clues:
        fewer = core._replace(clues=tuple(other for other in core.clues if other != clue))
        less = replace(shown, certificate=Certificate((fewer,)))
        assert verdict(board, less) is Verdict.UNPROVED


@pytest.mark.parametrize("board", ["##", "###", "#" * 9])
def test_each_layout_of_a_certificate_stands_there_once(board: str) -> None:
    """With one mine on n cells there are n layouts."""
    one_mine = replace(of(board), mines=1)
    for backend in ("cnf", "count", "cpsat"):
        layouts = solved(one_mine, MODELS, backend).certificate.layouts
        assert len(layouts) == len(set(layouts)) <= len(board)
