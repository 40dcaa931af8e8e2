"""NoGo for the tests: boards, and the rules once more, in strings."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np

import direct
import models
import puzzles
from direct import union_find
from puzzles.grid import grid_of
from puzzles.nogo.board import Game, NoGo, without_liberty

PUZZLE = puzzles.get("nogo")

SECOND = "3\nXOO\nXO.\nX..\n"
"""The second board of the official sample, as text."""

BACKENDS = [("direct", "union-find"), ("models", "cnf"), ("models", "cpsat")]


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


def beside(rows: int, columns: int, cell: int) -> Iterator[int]:
    row, column = divmod(cell, columns)
    for r, c in ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)):
        if 0 <= r < rows and 0 <= c < columns:
            yield r * columns + c


def breathes(position: str, rows: int, columns: int, cell: int) -> bool:
    chain = [cell]
    for stone in chain:
        for near in beside(rows, columns, stone):
            if position[near] == ".":
                return True
            if position[near] == position[cell] and near not in chain:
                chain.append(near)
    return False


def sound(position: str, rows: int, columns: int) -> bool:
    return all(
        kind == "." or breathes(position, rows, columns, cell) for cell, kind in enumerate(position)
    )


def legal_points(position: str, rows: int, columns: int, colour: str) -> list[int]:
    return [
        cell
        for cell, kind in enumerate(position)
        if kind == "." and sound(position[:cell] + colour + position[cell + 1 :], rows, columns)
    ]


def brute_game(board: NoGo) -> list[int]:
    return played(board, min)


def random_game(board: NoGo, rng: np.random.Generator) -> list[int]:
    """A legal and complete game whose moves are random."""
    return played(board, lambda legal: int(rng.choice(legal)))


def played(board: NoGo, choose: Callable[[list[int]], int]) -> list[int]:
    """A game in which each player chooses among the legal points."""
    position, moves = str(board).replace("\n", ""), list[int]()
    for colour in itertools.cycle("XO"):
        legal = legal_points(position, board.rows, board.columns, colour)
        if not legal:
            break
        moves.append(choose(legal))
        position = position[: moves[-1]] + colour + position[moves[-1] + 1 :]
    return moves


def all_boards(rows: int, columns: int) -> Iterator[NoGo]:
    for kinds in itertools.product("XO.", repeat=rows * columns):
        if sound("".join(kinds), rows, columns):
            yield NoGo(
                grid_of(["".join(kinds)[r * columns : (r + 1) * columns] for r in range(rows)])
            )


def random_board(rows: int, columns: int, rng: np.random.Generator) -> NoGo:
    share = rng.uniform(0, 0.8)
    grid = rng.choice(
        np.frombuffer(b"XO.", np.uint8), (rows, columns), p=[share / 2, share / 2, 1 - share]
    )
    grid.flat[without_liberty(grid)] = ord(".")
    return NoGo(grid)


def spiral(size: int) -> np.ndarray:
    """Two stones' chains wound into one another, black from the outside inwards."""
    grid = np.full((size, size), ord("O"), np.uint8)
    row, column, step, left = 0, 0, (0, 1), np.ones((size, size), bool)
    while True:
        grid[row, column], left[row, column] = ord("X"), False
        ahead = [(row + k * step[0], column + k * step[1]) for k in (1, 2)]
        inside = [0 <= r < size and 0 <= c < size for r, c in ahead]
        if not inside[0] or (inside[1] and not left[ahead[1]]):
            step = (step[1], -step[0])
            ahead = [(row + k * step[0], column + k * step[1]) for k in (1, 2)]
            if not left[ahead[0]] or not left[ahead[1]]:
                return grid
        row, column = ahead[0]


def chain_sets(board: NoGo) -> tuple[np.ndarray, int]:
    """The chains of a board as disjoint sets, in which each empty point is a set as well, and how
    many of those there are.
    """
    cells, grid = np.arange(board.cells).reshape(board.grid.shape), board.grid
    parents = union_find.singletons(board.cells)
    for one, other, same in (
        (cells[1:], cells[:-1], (grid[1:] == grid[:-1]) & (grid[1:] != ord("."))),
        (cells[:, 1:], cells[:, :-1], (grid[:, 1:] == grid[:, :-1]) & (grid[:, 1:] != ord("."))),
    ):
        union_find.union(parents, one[same], other[same])
    return parents, int((grid == ord(".")).sum())
