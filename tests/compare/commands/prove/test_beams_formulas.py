"""The formulas of the beams lemmas against every tiny board: models are counterexamples."""

from __future__ import annotations

import numpy as np
import pytest

from models.beams import lemma_rules as rules
from models.beams.lemma_board import HEADINGS, TURRET, BeamsBoard
from models.beams.lemma_greedy import StraightBoard
from models.session import session
from puzzles.beams.board import Beams
from puzzles.grid import grid_of
from tests.compare.commands.prove.beams_brute_force import (
    CLAIMS,
    COUNTEREXAMPLE,
    STRAIGHT,
    as_board,
    boards,
    twisted,
)


@pytest.mark.slow
@pytest.mark.parametrize("without_hypothesis", [False, True])
@pytest.mark.parametrize("name", list(CLAIMS))
def test_the_models_of_a_formula_are_the_counterexamples(
    name: str, without_hypothesis: bool
) -> None:
    """On all tiny boards, on one small board in three, and on larger ones at random."""
    straight = name in STRAIGHT
    every = {shape: boards(*shape, ".#-" if straight else ".#/\\-") for shape in ((1, 1), (1, 3))}
    for shape in ((2, 2), (1, 5), (2, 3)) if straight else ((2, 2), (1, 4)):
        every[shape] = boards(*shape, ".#-" if straight else ".#/\\-")[::3]
    if not straight:
        every[3, 3] = twisted(60)
    for shape, some in every.items():
        counterexamples = CLAIMS[name].build(*shape, without_hypothesis)
        with session(counterexamples.formula) as opened:
            for rows in some:
                assert opened.solve(as_board(counterexamples.formula, rows)) == COUNTEREXAMPLE[
                    name
                ](rows, not without_hypothesis), rows


def test_a_turret_is_legal_by_both_its_beams() -> None:
    """One beam crosses a cell twice and hits nothing, the turret's other one hits a turret."""
    rows = ("--.\\", "##\\/")
    for without_hypothesis in (False, True):
        counterexamples = CLAIMS["beams-crosses-once"].build(2, 4, without_hypothesis)
        with session(counterexamples.formula) as opened:
            assert opened.solve(as_board(counterexamples.formula, rows)) == without_hypothesis
            assert opened.solve(as_board(counterexamples.formula, ("#-.\\", "##\\/")))


def test_a_flow_and_a_trail_come_to_a_channel_where_a_beam_does() -> None:
    for statement in ("flow", "trail"):
        for shape in ((2, 2), (1, 3), (3, 3)):
            board = BeamsBoard(*shape)
            ends = board.lit()
            begins = board.flow(ends)[1] if statement == "flow" else board.lit()
            if statement == "trail":
                board.trail(ends, begins)
            with session(board.formula) as opened:
                for rows in boards(*shape)[::3] if shape != (3, 3) else twisted(20):
                    for channel in range(board.channels):
                        crossing = (
                            divmod(int(board.entered[channel]), board.columns),
                            HEADINGS[board.heading[channel]],
                        )
                        only = np.where(np.arange(board.channels) == channel, ends, -ends).tolist()
                        beams = rules.beams_entering(rows, crossing)
                        assert opened.solve([*as_board(board.formula, rows), *only]) == bool(beams)
                        if beams:
                            (row, column), heading = beams[0].crossings[0]
                            arm = board.channel[
                                row * board.columns + column, HEADINGS.index(heading)
                            ]
                            assert len(beams) == 1
                            assert not opened.solve(
                                [*as_board(board.formula, rows), *only, -int(begins[arm])]
                            )


@pytest.mark.parametrize("name", list(CLAIMS))
@pytest.mark.parametrize("size", [0, 3, 4])
def test_a_vacuity_check_is_a_board_on_which_the_claim_fails(name: str, size: int) -> None:
    size = size or min(CLAIMS[name].size, 6)
    counterexample = CLAIMS[name].build(size, size, True).model()
    assert counterexample is not None
    assert CLAIMS[name].failure_on(counterexample)
    assert Beams(grid_of(counterexample.rows)).lines() == list(counterexample.rows)
    if size < 5:
        assert COUNTEREXAMPLE[name](counterexample.rows, False)


def test_a_straight_board_has_no_mirrors() -> None:
    board = StraightBoard(2, 2)
    assert "".join(board.kind) == ".#" + TURRET
    with session(board.formula) as opened:
        assert opened.solve()
        assert set("".join(board.read(opened.model()))) <= set(".#-")
