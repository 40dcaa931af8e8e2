"""Minesweeper's `cnf`: what it asks the solver, what it knows without asking, and what its formulas
say in words.
"""

from __future__ import annotations

import re
from types import ModuleType

import numpy as np
import pytest

from models import SIDE as MODELS
from models.dimacs import text
from models.minesweeper import by_cnf, by_cnf_totalizer, thresholds
from models.session import Session
from models.solvers.opening import record_solvers
from models.solvers.sat_solver import SolverFailure
from puzzles.grid import grid_of
from puzzles.minesweeper.board import Minesweeper
from tests.puzzles.minesweeper.boards import family, of, proved, solved


def test_a_call_may_ask_of_several_cells_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where most cells are certain that takes few calls; where none is, hardly more than to ask of
    each by itself.
    """
    boards = [family("wall", 16, 1), family("d16", 16, 2), family("isolated", 9, 3)]
    boards += [family(name, 7, seed) for name in ("d20", "short", "counted") for seed in range(25)]
    answers: list[list[list[int]]] = []
    calls: list[list[int]] = []
    for together in (64, 3, 1):
        monkeypatch.setattr(thresholds, "ASKED_TOGETHER", together)
        with record_solvers() as recordings:
            answers.append(
                [solved(board, MODELS, "cnf", certify=False).claims.tolist() for board in boards]
            )
        calls.append([sum(step.solves for step in recording.steps) for recording in recordings])
        for recording in recordings:
            assert all(
                abs(literal) <= recording.variables
                for step in recording.steps
                for literal in step.literals
            )
    assert answers[0] == answers[1] == answers[2]
    assert sum(2 in claims for claims in answers[0]) > 20
    many, few, single = calls
    assert many[0] < few[0] < single[0]
    assert many[1] < few[1] < single[1]
    assert 5 * many[0] < single[0]
    assert many[2] < 2 * single[2]


def test_smallest_cores_of_two_boards_may_be_asked_in_turn() -> None:
    """The last board that was stated is kept; its clues are no other board's."""
    boards = [of("#####/#32#2"), of("####/2#21")]
    answers = [solved(board, MODELS, "cnf") for board in boards]
    for _ in range(2):
        for answer in answers:
            for cell in answer.mines.tolist():
                assert answer.why(cell).core.fewest


def test_a_solver_whose_models_never_differ_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Session, "model", lambda self, variables: np.zeros(variables + 1, np.bool_))
    with pytest.raises(SolverFailure, match="gave a model that violates a clause"):
        MODELS.solve(of("##/#1"), "cnf")


@pytest.mark.parametrize(
    ("rows", "clue", "cells"),
    [
        ("##1/O2O", 4, (0, 1)),  # of two such clues the one beside more cells
        ("3#O/OOO/#1#", 0, ()),
        ("OOX/O1X/OO#", 4, ()),
    ],
)
def test_a_clue_that_forces_its_cells_or_cannot_hold_is_the_smallest_core(
    rows: str, clue: int, cells: tuple[int, ...]
) -> None:
    board = of(rows)
    answer = solved(board, MODELS, "cnf")
    assert [(core.clues, core.cells) for core in answer.certificate.cores] == [((clue,), cells)]
    for cell in cells or (None,):
        core = answer.why(cell).core
        assert (core.cell, core.clues, core.fewest) == (cell, (clue,), True)
    assert proved(board, answer)


@pytest.mark.parametrize("mines", [None, 4])
@pytest.mark.parametrize("module", [by_cnf, by_cnf_totalizer])
def test_each_variable_of_a_written_formula_has_a_name(
    module: ModuleType, mines: int | None
) -> None:
    board = Minesweeper(grid_of(["####", "#2#3", "#4##", "8###"]), mines)
    encoding = module.encode(board)
    named = re.findall(r"^c (\d+) (?:a mine at|counter|some clue)", text(encoding), re.MULTILINE)
    assert [*map(int, named)] == [*range(1, encoding.formula.variables + 1)]
