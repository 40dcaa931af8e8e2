"""Minesweeper models, wrong on purpose:

`over` loses layouts but no certain cell, `under` has too many, `symmetric` one of two.
"""

from __future__ import annotations

from itertools import combinations, islice

from pysat.solvers import Solver

from puzzles.backend import Unsupported, backend
from puzzles.minesweeper import Deduction, Minesweeper

Formula = tuple[int, list[list[int]], dict[int, str]]


def right(board: Minesweeper, *, least: bool = True) -> Formula:
    """Variable k, from 1: cell k - 1 is a mine.

    `least`: state that a clue has enough mines, too.
    """
    if board.mines is not None:
        raise Unsupported("it cannot use the number of mines")
    kinds, clauses, used = "".join(board.lines()), list[list[int]](), set[int]()
    for near, wanted in clues(board):
        covered = [k for k in near if kinds[k - 1] == "#"]
        asked = wanted - sum(kinds[k - 1] == "X" for k in near)
        used.update(covered)
        if asked < 0 or (least and asked > len(covered)):
            clauses.append([])
            continue
        clauses += [[-k for k in some] for some in combinations(covered, asked + 1)]
        clauses += (
            [list(some) for some in combinations(covered, len(covered) - asked + 1)]
            if least and asked
            else []
        )
    return board.cells, clauses, {k: f"a mine at {board.place(k - 1)}" for k in sorted(used)}


def clues(board: Minesweeper) -> list[tuple[list[int], int]]:
    """The cells around each clue, as variables, and its number."""
    kinds, width = "".join(board.lines()), board.columns
    around: list[tuple[list[int], int]] = []
    for cell, kind in enumerate(kinds):
        if kind in ".012345678":
            row, column = divmod(cell, width)
            near = [
                k + 1
                for k in range(board.cells)
                if max(abs(k // width - row), abs(k % width - column)) == 1
            ]
            around.append((near, int(kind.replace(".", "0"))))
    return around


def over(board: Minesweeper) -> Formula:
    """Of at most 32 layouts one is lost, if the others still show both values of each cell that has
    two.
    """
    variables, clauses, names = right(board)
    with Solver("minisat22", bootstrap_with=clauses) as solver:
        models = islice((solver.enum_models() or ()) if [] not in clauses else (), 33)
        layouts = sorted(
            {tuple(literal for literal in model if abs(literal) in names) for model in models}
        )
    for layout in layouts if 2 < len(layouts) <= 32 else ():
        others = {literal for other in layouts if other != layout for literal in other}
        if others >= set(layout):
            return variables, [*clauses, [-literal for literal in layout]], names
    return variables, clauses, names


def under(board: Minesweeper) -> Formula:
    """A clue may have too few mines."""
    return right(board, least=False)


def symmetric(board: Minesweeper) -> Formula:
    """Of two cells beside the same clues, the second is a mine only if the first is."""
    variables, clauses, names = right(board)
    beside = {
        k: [number for number, (near, _) in enumerate(clues(board)) if k in near] for k in names
    }
    clauses += [[-b, a] for a, b in combinations(sorted(names), 2) if beside[a] == beside[b]]
    return variables, clauses, names


def unsolved(board: Minesweeper, *, certify: bool = False) -> Deduction:
    raise NotImplementedError("the models are compared, and nobody solves by them")


for stated in (over, under, symmetric):
    backend(
        "minesweeper", stated.__name__, side="models", source="wrong on purpose", encode=stated
    )(unsolved)
