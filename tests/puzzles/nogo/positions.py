"""NoGo for the tests: boards, and games by the plain rules."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import cache

import numpy as np

import direct
import models
import puzzles
from puzzles.grid import grid_of
from puzzles.nogo.board import Game, NoGo, without_liberty
from tests.oracles.boards import characters_of
from tests.oracles.nogo import chains_without_liberty

PUZZLE = puzzles.get("nogo")

SECOND = "3\nXOO\nXO.\nX..\n"
"""The second board of the official sample, as text."""


def solve(side: str, name: str, board: NoGo, **options: object) -> Game:
    game = {"direct": direct, "models": models}[side].solve(board, name, **options)
    assert isinstance(game, Game)
    return game


def play(board: NoGo) -> Game:
    return solve("direct", "union-find", board)


def family_board(family: str, size: int, seed: int) -> NoGo:
    board = PUZZLE.family(family).board(size, seed)
    assert isinstance(board, NoGo)
    return board


def board_of(text: str) -> NoGo:
    return NoGo(grid_of(text.split("/")))


def empty_board(rows: int, columns: int) -> NoGo:
    return board_of("/".join(["." * columns] * rows))


def legal_points(rows: Sequence[str], colour: str) -> Iterator[int]:
    """The points where this colour may play, in row-major order."""
    points = characters_of(rows)
    return (
        cell
        for cell, (point, kind) in enumerate(points.items())
        if kind == "." and not chains_without_liberty(points | {point: colour})
    )


@cache
def brute_game(board: NoGo) -> list[int]:
    return played(board, lambda legal: next(legal, None))


def random_game(board: NoGo, rng: np.random.Generator) -> list[int]:
    """A legal and complete game whose moves are random."""

    def any_of(legal: Iterator[int]) -> int | None:
        points = list(legal)
        return int(rng.choice(points)) if points else None

    return played(board, any_of)


def played(board: NoGo, choose: Callable[[Iterator[int]], int | None]) -> list[int]:
    """A game in which each player chooses among the legal points."""
    rows, moves = board.lines(), list[int]()
    for colour in itertools.cycle("XO"):
        move = choose(legal_points(rows, colour))
        if move is None:
            break
        moves.append(move)
        row, column = divmod(move, board.columns)
        rows[row] = rows[row][:column] + colour + rows[row][column + 1 :]
    return moves


def all_boards(rows: int, columns: int) -> Iterator[NoGo]:
    for kinds in itertools.product(b"XO.", repeat=rows * columns):
        grid = np.array(kinds, np.uint8).reshape(rows, columns)
        if not without_liberty(grid).size:
            yield NoGo(grid)


def random_board(rows: int, columns: int, rng: np.random.Generator) -> NoGo:
    share = rng.uniform(0, 0.8)
    grid = rng.choice(
        np.frombuffer(b"XO.", np.uint8), (rows, columns), p=[share / 2, share / 2, 1 - share]
    )
    grid.flat[without_liberty(grid)] = ord(".")
    return NoGo(grid)
