"""Tests of somebody's own function; Twofold shows the smallest board on which it is wrong.

python -m pytest examples/test_nogo.py
"""

from __future__ import annotations

import pytest

from compare import assert_agrees, examples
from puzzles.nogo import NoGo

Point = tuple[int, int]


def points(board: NoGo) -> dict[Point, str]:
    return {
        (row, column): chr(code)
        for row, line in enumerate(board.grid)
        for column, code in enumerate(line)
    }


def neighbours(point: Point) -> list[Point]:
    row, column = point
    return [(row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)]


def has_liberty(stones: dict[Point, str], start: Point) -> bool:
    """Whether the chain of a stone has an empty point beside it."""
    chain, waiting = {start}, [start]
    while waiting:
        for point in neighbours(waiting.pop()):
            if stones.get(point) == ".":
                return True
            if stones.get(point) == stones[start] and point not in chain:
                chain.add(point)
                waiting.append(point)
    return False


def legal(stones: dict[Point, str], point: Point, colour: str) -> bool:
    """Whether no chain is without a liberty after this move."""
    after = {**stones, point: colour}
    return all(
        has_liberty(after, each)
        for each in (point, *neighbours(point))
        if after.get(each, ".") != "."
    )


def play(board: NoGo) -> list[Point]:
    """The moves of both players, who take the first legal point in turn."""
    stones = points(board)
    moves: list[Point] = []
    while True:
        colour = "XO"[len(moves) % 2]
        move = next(
            (each for each in stones if stones[each] == "." and legal(stones, each, colour)), None
        )
        if move is None:
            return moves
        stones[move] = colour
        moves.append(move)


def test_play_is_right() -> None:
    assert_agrees("nogo", play, count=200, size=5)


@pytest.mark.parametrize("board", examples("nogo", count=20, size=6))
def test_in_the_end_every_chain_has_a_liberty(board: NoGo) -> None:
    stones = points(board)
    stones |= {point: "XO"[k % 2] for k, point in enumerate(play(board))}
    assert all(has_liberty(stones, point) for point in stones if stones[point] != ".")
