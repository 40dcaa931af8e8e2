"""Minesweeper for the tests: claims, and the two ways to know the truth of a small board."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from direct import SIDE as DIRECT
from models import SIDE as MODELS
from puzzles import minesweeper
from puzzles.backend import Side
from puzzles.minesweeper.board import Deduction, Minesweeper
from puzzles.verdict import Verdict
from tests.puzzles.minesweeper.boards import numbers, of, solved

PUZZLE = minesweeper.PUZZLE

BOARD = of("####/2#21")
BACKENDS = [(DIRECT, "frontier"), (DIRECT, "two-sat"), (MODELS, "cnf"), (MODELS, "cpsat")]


def claimed(board: Minesweeper, side: Side, backend: str) -> NDArray[np.int64]:
    return solved(board, side, backend, certify=False).claims


def enumerated(board: Minesweeper) -> NDArray[np.int64]:
    """The claims by enumeration of every layout of the mines."""
    grid = board.grid
    covered = np.flatnonzero(grid.ravel() == ord("#"))
    layouts = np.zeros((2**covered.size, board.cells), np.bool_)
    layouts[:, grid.ravel() == ord("X")] = True
    layouts[:, covered] = (np.arange(2**covered.size)[:, None] >> np.arange(covered.size)) & 1
    count = numbers(layouts.reshape(-1, *grid.shape)).reshape(-1, board.cells)
    clues = np.array([0 if c == ord(".") else c - 48 if 48 <= c <= 56 else -1 for c in grid.ravel().tolist()])
    fitting = layouts[(count == clues)[:, clues >= 0].all(axis=1)]
    claims = np.full(board.cells + 1, -1, np.int64)
    claims[0] = len(fitting) > 0
    if len(fitting):
        claims[1:] = np.where(fitting.all(axis=0), 1, np.where(fitting.any(axis=0), 2, 0))
    return claims


def by_prose(board: Minesweeper) -> tuple[NDArray[np.int64], int]:
    """The closure as the write-up's prose has it, all implications by transitive closure; the claims, and its rounds."""
    kind = board.grid.ravel()
    states = [{"#": None, "X": True}.get(chr(code), False) for code in kind.tolist()]
    clues: list[tuple[int, list[int]]] = []
    for cell, code in enumerate(kind.tolist()):
        if chr(code) in ".012345678":
            row, column = divmod(cell, board.columns)
            near = [
                r * board.columns + c
                for r in range(max(row - 1, 0), min(row + 2, board.rows))
                for c in range(max(column - 1, 0), min(column + 2, board.columns))
                if (r, c) != (row, column)
            ]
            clues.append((0 if chr(code) == "." else int(chr(code)), near))
    nothing = np.full(board.cells + 1, -1, np.int64)
    nothing[0] = 0
    rounds = 0
    while True:
        unknown = [cell for cell, state in enumerate(states) if state is None]
        true = {cell: 2 * k for k, cell in enumerate(unknown)}
        reach = np.eye(2 * len(unknown), dtype=np.bool_)
        for clue, near in clues:
            n = clue - sum(states[cell] is True for cell in near)
            mine = [true[cell] for cell in near if states[cell] is None]
            if not 0 <= n <= len(mine):
                return nothing, rounds
            for x in mine:
                reach[x, x + 1] |= n == 0
                reach[x + 1, x] |= n == len(mine)
                for y in mine:
                    if x != y:
                        reach[x + 1, y] |= n == len(mine) - 1
                        reach[x, y + 1] |= n == 1
        for k in range(len(reach)):
            reach |= np.outer(reach[:, k], reach[k])
        changed = False
        for cell in unknown:
            x = true[cell]
            if reach[x, x + 1] and reach[x + 1, x]:
                return nothing, rounds
            if reach[x, x + 1] or reach[x + 1, x]:
                states[cell] = bool(reach[x + 1, x])
                changed = True
        if not changed:
            return np.array([-1] + [-1 if state is None else int(state) for state in states]), rounds
        rounds += 1


def judge(board: Minesweeper, answer: Deduction, truth: NDArray[np.int64]) -> None:
    """The claims agree with the truth, and the certificate proves them."""
    claims = answer.claims
    if answer.complete or claims[0] == 0:
        assert claims.tolist() == truth.tolist(), f"\n{board}"
    else:
        assert claims[0] == -1
        assert truth[0] == 0 or all(c in (-1, t) and c != 2 for c, t in zip(claims[1:], truth[1:], strict=True)), f"\n{board}"
    check = PUZZLE.check(board, answer)
    assert check.verdict is Verdict.PROVED, f"{check.detail}\n{board}"
