"""CPMpy: constraint models in Python, solved by python-sat or CP-SAT (https://pypi.org/project/cpmpy/).

The rules of our four puzzles, written down in CPMpy by hand, against our models of the same rules. Both sides state their model
within the time. The channels of beams and the graph of geography, which both need, are made before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np

import models
import puzzles
from compare.measure.peers import Race, RaceInput
from models.beams.channels import channels_of
from models.geography.graph import alternating_paths, graph_of, mates
from puzzles.answer import Answer
from puzzles.beams.board import Beams
from puzzles.geography.board import Geography
from puzzles.minesweeper.board import COVERED, Deduction, Minesweeper
from puzzles.nogo.board import BLACK, EMPTY, WHITE, Game, NoGo

SAT, CP = "pysat:cadical153", "ortools"

_BOARDS = 3


def _cpmpy() -> Any:
    return import_module("cpmpy")


def _beams(board: Beams, solver: str) -> Callable[[], bool]:
    """Whether the turrets can be turned: turrets and channels as variables, as in our `cnf`."""
    channels, cp = channels_of(board.grid), _cpmpy()

    def possible() -> bool:
        beam, model = cp.boolvar(shape=max(channels.total, 1)), cp.Model()
        horizontal = cp.boolvar(shape=max(channels.turrets.size, 1))
        for channel in [*channels.dark.tolist(), *channels.circular.tolist()]:
            model += ~beam[channel]
        for later, earlier in channels.passed.tolist():
            model += beam[later] == beam[earlier]
        for channel, turret, level in channels.shot.tolist():
            model += beam[channel] == (horizontal[turret] if level else ~horizontal[turret])
        for channel in channels.into_turret.ravel().tolist():
            model += ~beam[channel]
        for four in channels.into_open.tolist():
            model += cp.any([beam[channel] for channel in four])
        return bool(model.solve(solver=solver))

    return possible


def _backbone(board: Minesweeper, solver: str) -> Callable[[], tuple[int, int] | None]:
    """How many covered cells are certainly mines, and certainly safe; None if the clues contradict each other."""
    cp, near, clues = _cpmpy(), {}, []
    for row, column in np.argwhere((board.grid >= ord("0")) & (board.grid <= ord("8"))).tolist():
        rows, columns = (slice(max(k - 1, 0), k + 2) for k in (row, column))
        covered = [
            (row + r - min(row, 1), column + c - min(column, 1)) for r, c in np.argwhere(board.grid[rows, columns] == COVERED)
        ]
        clues.append((int(board.grid[row, column]) - ord("0"), covered))
        for cell in covered:
            near.setdefault(cell, len(near))

    def certain() -> tuple[int, int] | None:
        mine = cp.boolvar(shape=max(len(near), 1))
        asked = cp.SolverLookup.get(
            solver, cp.Model([cp.sum([mine[near[cell]] for cell in cells]) == n for n, cells in clues if cells])
        )
        if not asked.solve():
            return None
        value = {k: bool(mine[k].value()) for k in near.values()}
        open_questions, sure = dict(value), dict[int, bool]()
        while open_questions:
            k, first = open_questions.popitem()
            if asked.solve(assumptions=[~mine[k] if first else mine[k]]):
                open_questions = {j: v for j, v in open_questions.items() if bool(mine[j].value()) == v}
            else:
                sure[k] = first
        return sum(sure.values()), len(sure) - sum(sure.values())

    return certain


def _game(board: NoGo, solver: str) -> Callable[[], list[int]]:
    """The moves of the game. Each stone after a move has a rank, and stones of lower rank lead to a liberty."""
    cp = _cpmpy()
    rows, columns = board.grid.shape
    near = [
        [r * columns + c for r, c in ((y - 1, x), (y, x - 1), (y, x + 1), (y + 1, x)) if 0 <= r < rows and 0 <= c < columns]
        for y in range(rows)
        for x in range(columns)
    ]

    def legal(position: list[int]) -> bool:
        """Whether every stone of a position has a way to a liberty."""
        stones = [cell for cell, kind in enumerate(position) if kind != EMPTY]
        rank = cp.intvar(0, len(stones), shape=len(position))
        model = cp.Model()
        for cell in stones:
            if all(position[other] != EMPTY for other in near[cell]):
                model += cp.any([rank[other] < rank[cell] for other in near[cell] if position[other] == position[cell]] or [False])
        return bool(model.solve(solver=solver))

    def play() -> list[int]:
        position, moves, own, other = board.grid.ravel().tolist(), [], BLACK, WHITE
        while True:
            for cell in (k for k, kind in enumerate(position) if kind == EMPTY):
                position[cell] = own
                if legal(position):
                    moves.append(cell)
                    break
                position[cell] = EMPTY
            else:
                return moves
            own, other = other, own

    return play


def _losing(board: Geography, solver: str) -> Callable[[], list[int]]:
    """The losing cells, by a maximum matching: an objective for CP-SAT; for python-sat, which has none, our cover's clauses."""
    cp, graph = _cpmpy(), graph_of(board)

    def cells() -> list[int]:
        edge = cp.boolvar(shape=max(len(graph.edges), 1))
        model = cp.Model()
        around = [[edge[k] for k in row if k >= 0] for row in graph.around.tolist()]
        for edges in around:
            if len(edges) > 1:
                model += cp.sum(edges) <= 1
        if solver == CP:
            model.maximize(cp.sum(edge))
        else:
            cover = cp.boolvar(shape=max(graph.cells.size, 1))
            for number, (one, other) in enumerate(graph.edges.tolist()):
                model += cover[one] | cover[other]
                model += ~edge[number] | ~cover[one] | ~cover[other]
            for cell, edges in enumerate(around):
                model += cp.any([~cover[cell], *edges])
        if not model.solve(solver=solver):
            return [-1]
        mate = mates(graph, np.array([bool(edge[k].value()) for k in range(len(graph.edges))], np.bool_))
        return graph.cells[alternating_paths(graph, mate)[0] >= 0].tolist()

    return cells


def _said(board: Any, answer: Answer) -> Any:
    """What our answer to a board says, as the functions above say it."""
    if isinstance(answer, Game):
        return answer.moves.tolist()
    assert answer.claims is not None
    if isinstance(answer, Deduction):
        covered = answer.claims[1:][board.grid.ravel() == COVERED]
        return (int((covered == 1).sum()), int((covered == 0).sum())) if answer.consistent else None
    return bool(answer.claims[0]) if answer.claims.size == 1 else np.flatnonzero(answer.claims).tolist()


def _race(puzzle: str, family: str, size: int, backend: str, solver: str, theirs: Callable[[Any, str], Callable[[], Any]]) -> Race:
    """Boards of a family by one backend of ours, and by CPMpy with this solver."""

    def inputs(seed: int) -> Iterator[RaceInput]:
        for number in range(1000 * seed, 1000 * seed + _BOARDS):
            board: Any = puzzles.get(puzzle).family(family).board(size, number)
            yield RaceInput(
                f"{family} {size}, seed {number}",
                lambda board=board: models.solve(board, backend),
                theirs(board, solver),
                lambda ours, told, board=board: (
                    "" if _said(board, ours) == told else f"ours says {_said(board, ours)}, theirs {told}"
                ),
            )

    return Race(f"{puzzle}, {family} {size}x{size}, by {solver}", backend, solver, inputs, 1.0)


RACES = tuple(
    _race(*job)
    for job in (
        ("beams", "mirror", 20, "cnf", SAT, _beams),
        ("beams", "mirror", 20, "cpsat", CP, _beams),
        ("minesweeper", "d16", 16, "cnf", SAT, _backbone),
        ("minesweeper", "d16", 10, "cpsat", CP, _backbone),
        ("nogo", "random", 4, "cnf", SAT, _game),
        ("nogo", "random", 4, "cpsat", CP, _game),
        ("geography", "walls-20", 20, "cnf-cover", SAT, _losing),
        ("geography", "walls-20", 20, "cpsat", CP, _losing),
    )
)
