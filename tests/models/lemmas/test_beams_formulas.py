"""The formulas of the beams lemmas against every tiny board: models are counterexamples."""

from __future__ import annotations

import pytest

from models.lemmas.beams import concrete
from models.lemmas.beams.greedy import MirrorlessBoard
from models.lemmas.beams.symbolic import HEADINGS, TURRET, SymbolicBoard
from models.lemmas.lemma import (
    Counterexample,
    CounterexampleFormula,
    board_of,
)
from models.lemmas.logic import true_index
from models.session import session
from puzzles.beams.board import Beams
from puzzles.grid import grid_of
from tests.models.lemmas.beams_brute_force import (
    CLAIMS,
    COUNTEREXAMPLE,
    STRAIGHT,
    as_board,
    boards,
    found,
    twisted,
)


@pytest.mark.parametrize("without_hypothesis", [False, True])
@pytest.mark.parametrize("name", list(CLAIMS))
def test_the_models_of_a_formula_are_the_counterexamples(name: str, without_hypothesis: bool) -> None:
    kinds = ".#-" if name in STRAIGHT else ".#/\\-"
    for shape in ((1, 1), (1, 3), (2, 2)) + (((1, 5), (2, 3)) if name in STRAIGHT else ((1, 4),)):
        counterexamples = CLAIMS[name].build(*shape, without_hypothesis)
        with session(counterexamples.formula) as opened:
            for rows in boards(*shape, kinds):
                assert opened.solve(as_board(counterexamples, rows)) == COUNTEREXAMPLE[name](rows, without_hypothesis), rows


@pytest.mark.parametrize("name", [name for name in CLAIMS if name not in STRAIGHT])
def test_the_models_of_a_formula_are_the_counterexamples_on_larger_boards_at_random(name: str) -> None:
    for without_hypothesis in (False, True):
        counterexamples = CLAIMS[name].build(3, 3, without_hypothesis)
        with session(counterexamples.formula) as opened:
            for rows in twisted(60):
                assert opened.solve(as_board(counterexamples, rows)) == COUNTEREXAMPLE[name](rows, without_hypothesis), (
                    rows,
                    without_hypothesis,
                )


def test_a_turret_is_legal_by_both_its_beams() -> None:
    """One beam crosses a cell twice and hits nothing, the turret's other one hits a turret."""
    rows = ("--.\\", "##\\/")
    for without_hypothesis in (False, True):
        counterexamples = CLAIMS["beams-crosses-once"].build(2, 4, without_hypothesis)
        with session(counterexamples.formula) as opened:
            assert opened.solve(as_board(counterexamples, rows)) == without_hypothesis
            assert opened.solve(as_board(counterexamples, ("#-.\\", "##\\/")))


def test_a_flow_and_a_trail_come_to_a_channel_where_a_beam_does() -> None:
    for statement in ("flow", "trail"):
        for shape in ((2, 2), (1, 3), (3, 3)):
            board = SymbolicBoard(*shape)
            ends = board.fresh()
            begins = board.flow(ends)[1] if statement == "flow" else board.fresh()
            if statement == "trail":
                board.trail(ends, begins)
            names = CounterexampleFormula(board.formula, lambda model: Counterexample(()), None, board.names())
            with session(board.formula) as opened:
                for rows in boards(*shape) if shape != (3, 3) else twisted(40):
                    for channel in range(board.channels):
                        crossing = (divmod(board.entered[channel], board.columns), HEADINGS[board.heading[channel]])
                        only = [end if k == channel else -end for k, end in enumerate(ends)]
                        beams = concrete.crossing(rows, crossing)
                        assert opened.solve([*as_board(names, rows), *only]) == bool(beams)
                        if beams:
                            (beam,) = beams
                            arm = board.channel(*_first(board, beam))
                            assert arm is not None
                            assert not opened.solve([*as_board(names, rows), *only, -begins[arm]])


def _first(board: SymbolicBoard, beam: concrete.Beam) -> tuple[int, int]:
    (row, column), heading = beam.crossings[0]
    return row * board.columns + column, HEADINGS.index(heading)


EXAMPLE = Beams(grid_of(["."]))


@pytest.mark.parametrize("name", list(CLAIMS))
@pytest.mark.parametrize("size", [0, 3, 4])
def test_a_vacuity_check_is_a_board_on_which_the_claim_fails(name: str, size: int) -> None:
    size = size or min(CLAIMS[name].size, 6)
    counterexample = found(CLAIMS[name].build(size, size, True))
    assert counterexample is not None
    assert CLAIMS[name].failure_on(counterexample)
    assert board_of(EXAMPLE, counterexample).lines() == list(counterexample.rows)
    if size < 5:
        assert COUNTEREXAMPLE[name](counterexample.rows, True)


def test_a_straight_board_has_no_mirrors() -> None:
    board = MirrorlessBoard(2, 2)
    assert board.kinds == ".#" + TURRET
    with session(board.formula) as opened:
        assert opened.solve()
        assert set("".join(board.read(opened.model()))) <= set(".#-")
        assert true_index(opened.model(), [board.kind(0, kind) for kind in board.kinds]) in range(3)
