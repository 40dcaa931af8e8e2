"""Pictures of boards: numbered, with a legend, large enough, and with the reason of an answer."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

import direct
import puzzles
from puzzles.answer import Answer
from puzzles.beams.board import Beams, Layout
from puzzles.grid import Board, grid_of
from puzzles.minesweeper.board import Deduction, Minesweeper
from puzzles.minesweeper.requests import NextMove
from tests.pictures import Shown, shown

MIRRORS = Beams(grid_of(["-\\", "\\/"]))
"""One turret, whose beam always comes back to it."""


def solved(board: Board) -> Answer:
    return direct.SIDE.solve(board, certify=True)


def drawn(board: Board, answer: Answer | None = None) -> Shown:
    return shown(puzzles.get(board.puzzle).picture(board, answer))


@pytest.mark.parametrize("name", puzzles.names())
def test_a_picture_is_numbered_has_a_legend_and_is_large_enough(name: str) -> None:
    puzzle = puzzles.get(name)
    for board in puzzle.parse(puzzle.example, "<example>"):
        for answer in (None, solved(board)):
            svg = puzzle.picture(board, answer)
            ET.fromstring(svg)
            assert f"{board.rows}x{board.columns}" in svg
            parts = shown(svg)
            assert parts.numbers == [*range(1, board.columns + 1), *range(1, board.rows + 1)]
            assert parts.legend
            assert len(parts.signs) == len(set(parts.signs)) <= len(parts.legend)
            assert parts.width >= 160
            assert parts.height >= 160 * min(board.rows / board.columns, 1)


@pytest.mark.parametrize(
    ("rows", "columns", "steps"),
    [(3, 3, (1, 1)), (30, 16, (1, 1)), (60, 200, (20, 10)), (200, 60, (5, 2))],
)
def test_numbers_of_large_boards_leave_room(
    rows: int, columns: int, steps: tuple[int, int]
) -> None:
    parts = drawn(Beams(grid_of(["." * columns] * rows)))
    start = parts.numbers.index(1, 1)
    across, down = parts.numbers[:start], parts.numbers[start:]
    for numbers, count, step in ((across, columns, steps[0]), (down, rows, steps[1])):
        assert (numbers[0], numbers[-1]) == (1, count)
        assert numbers[2] - numbers[1] == step
        assert numbers[-1] - numbers[-2] >= step
    assert parts.width <= 1040


def test_impossible_says_why() -> None:
    parts = drawn(MIRRORS, solved(MIRRORS))
    assert parts.headline == (
        "IMPOSSIBLE: The turret at 1,1 is hit if it shoots left and right, and also if it shoots "
        "up and down."
    )
    assert {"core: must not be hit", "beam that hits it"} <= set(parts.legend)
    assert parts.cells.count("stroke-dasharray") == 2
    dark, between = Beams(grid_of(["."])), Beams(grid_of(["-.-"]))
    assert drawn(dark, solved(dark)).headline == (
        "IMPOSSIBLE: No beam can reach the open cell at 1,1."
    )
    parts = drawn(between, solved(between))
    assert (
        "The open cell at 1,2 is lit only if the turret at 1,1 shoots left and right, or the one "
        "at 1,3 shoots left and right." in parts.headline
    )
    assert "The turret at 1,1 is hit if the one at 1,3 shoots left and right." in parts.headline
    assert {"core: must be lit", "core: must not be hit"} <= set(parts.legend)
    assert drawn(between, Layout(False)).headline == "IMPOSSIBLE; no core says why."


def test_a_wrong_layout_shows_what_is_wrong() -> None:
    parts = drawn(MIRRORS, Layout(True, MIRRORS))
    assert parts.headline == "WRONG: the turret at 1,1 is hit by its own beam."
    assert "turret that is hit" in parts.legend
    dark = Beams(grid_of([".#-"]))
    parts = drawn(dark, Layout(True, dark))
    assert parts.headline == "WRONG: the open cell at 1,1 stays dark."
    assert "open cell that stays dark" in parts.legend


@pytest.mark.parametrize(
    ("rows", "ends"),
    [
        (["-."], ["2,0.5"]),  # the edge of the board
        (["-.#"], ["2,0.5"]),  # a wall
        (["-\\", ".."], ["1.5,2"]),  # below a mirror
        (["-.-"], ["2.5,0.5", "0.5,0.5"]),  # turrets that are hit
    ],
)
def test_the_light_ends_where_its_beam_does(rows: list[str], ends: list[str]) -> None:
    board = Beams(grid_of(rows))
    svg = puzzles.get("beams").picture(board, Layout(True, board))
    light = r'<polyline points="[^"]* ([\d.,]+)" fill="none" stroke="[^"]*" stroke-width="0.07"'
    assert re.findall(light, svg.partition('<g class="legend"')[0]) == ends


def test_mines_and_safe_cells_differ_in_shape() -> None:
    board = Minesweeper(grid_of(["###O", "#2#O", "###2"]))
    parts = drawn(board, solved(board))
    assert parts.legend == ["certainly safe", "given as certain", "certainly a mine"]
    safe, _, mine = parts.signs
    assert "polyline" not in safe
    assert "polyline" in mine
    assert 'fill="none"' in safe
    assert '<circle cx="0.5" cy="0.5" r="0.25" fill="var(--bad)"' in mine


def test_an_inconsistent_board_shows_its_core() -> None:
    board = Minesweeper(grid_of(["###", "282"]))
    parts = drawn(board, solved(board))
    assert parts.headline == "INCONSISTENT, no layout fits: the marked clue cannot hold."
    assert "clue of the contradiction" in parts.legend
    answer = solved(board)
    assert isinstance(answer, Deduction)
    bare = replace(answer, certificate=None)
    assert drawn(board, bare).headline == "INCONSISTENT; no core says why."


def test_the_next_move_is_marked() -> None:
    board = Minesweeper(grid_of(["#1#"]))
    answer = direct.SIDE.solve(board, probabilities=True)
    assert isinstance(answer, Deduction)
    plain, parts = drawn(board, answer), shown(NextMove(board, answer).picture())
    assert parts.headline == (
        "No cell is certainly safe. The least risky to open: 1,1 1,3 Each of them is a mine with "
        "probability 50% (1/2)."
    )
    assert "the cells to open" in parts.legend
    mark = parts.signs[parts.legend.index("the cells to open") - 1]
    svgs = (parts.cells, plain.cells, mark)
    assert [svg.count("stroke-dasharray") for svg in svgs] == [2, 0, 1]
