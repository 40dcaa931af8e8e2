"""CPMpy and straight python-sat: the rules of our puzzles, written down by hand, beside our models
of the same rules.

https://pypi.org/project/cpmpy/ states constraint models in Python, and solves them with python-sat
or CP-SAT. Both sides state their model within the time. The channels of beams and the graph of
geography, which both need, are made before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np
from pysat.card import CardEnc
from pysat.solvers import Solver

import models
import puzzles
from benchmarks.races import Race, RaceInput
from models.beams.geometry import channels_of
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


Clue = tuple[int, list[tuple[int, int]]]


def _clues(board: Minesweeper) -> tuple[dict[tuple[int, int], int], list[Clue]]:
    """A number from 0 on for each covered cell beside a clue, and each clue with the covered cells
    beside it.
    """
    near: dict[tuple[int, int], int] = {}
    clues: list[Clue] = []
    for row, column in np.argwhere((board.grid >= ord("0")) & (board.grid <= ord("8"))).tolist():
        rows, columns = (slice(max(k - 1, 0), k + 2) for k in (row, column))
        covered = [
            (row + r - min(row, 1), column + c - min(column, 1))
            for r, c in np.argwhere(board.grid[rows, columns] == COVERED)
        ]
        clues.append((int(board.grid[row, column]) - ord("0"), covered))
        for cell in covered:
            near.setdefault(cell, len(near))
    return near, clues


def _backbone(board: Minesweeper, solver: str) -> Callable[[], tuple[int, int] | None]:
    """How many covered cells are certainly mines, and certainly safe; None if the clues contradict
    each other.
    """
    cp, (near, clues) = _cpmpy(), _clues(board)

    def certain() -> tuple[int, int] | None:
        mine = cp.boolvar(shape=max(len(near), 1))
        asked = cp.SolverLookup.get(
            solver,
            cp.Model(
                [cp.sum([mine[near[cell]] for cell in cells]) == n for n, cells in clues if cells]
            ),
        )
        if not asked.solve():
            return None
        value = {k: bool(mine[k].value()) for k in near.values()}
        open_questions, sure = dict(value), dict[int, bool]()
        while open_questions:
            k, first = open_questions.popitem()
            if asked.solve(assumptions=[~mine[k] if first else mine[k]]):
                open_questions = {
                    j: v for j, v in open_questions.items() if bool(mine[j].value()) == v
                }
            else:
                sure[k] = first
        return sum(sure.values()), len(sure) - sum(sure.values())

    return certain


def _game(board: NoGo, solver: str) -> Callable[[], list[int]]:
    """The moves of the game.

    Each stone after a move has a rank, and stones of lower rank lead to a liberty.
    """
    cp = _cpmpy()
    rows, columns = board.grid.shape
    near = [
        [
            r * columns + c
            for r, c in ((y - 1, x), (y, x - 1), (y, x + 1), (y + 1, x))
            if 0 <= r < rows and 0 <= c < columns
        ]
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
                model += cp.any(
                    [
                        rank[other] < rank[cell]
                        for other in near[cell]
                        if position[other] == position[cell]
                    ]
                    or [False]
                )
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
    """The losing cells, by a maximum matching: an objective for CP-SAT; for python-sat, which has
    none, our cover's clauses.
    """
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
        mate = mates(
            graph, np.array([bool(edge[k].value()) for k in range(len(graph.edges))], np.bool_)
        )
        return graph.cells[alternating_paths(graph, mate)[0] >= 0].tolist()

    return cells


def _straight_beams(board: Beams, solver: str) -> Callable[[], bool]:
    """As `_beams`, as clauses: variable 1 + k for channel k, then one for each turret that stands
    horizontally.

    The channels are found within the time, as in our `cnf`.
    """

    def possible() -> bool:
        channels = channels_of(board.grid)
        first = channels.total + 1
        clauses = [
            [-1 - channel] for channel in [*channels.dark.tolist(), *channels.circular.tolist()]
        ]
        clauses += [[-1 - channel] for channel in channels.into_turret.ravel().tolist()]
        for later, earlier in channels.passed.tolist():
            clauses += [[-1 - later, 1 + earlier], [1 + later, -1 - earlier]]
        for channel, turret, level in channels.shot.tolist():
            arm = first + turret if level else -first - turret
            clauses += [[-1 - channel, arm], [1 + channel, -arm]]
        clauses += [[1 + channel for channel in four] for four in channels.into_open.tolist()]
        with Solver(solver, bootstrap_with=clauses) as asked:
            return bool(asked.solve())

    return possible


def _straight_backbone(board: Minesweeper, solver: str) -> Callable[[], tuple[int, int] | None]:
    """As `_backbone`, with python-sat's own cardinality constraints."""
    near, clues = _clues(board)

    def certain() -> tuple[int, int] | None:
        top, clauses = len(near), []
        for n, cells in clues:
            if n > len(cells):
                return None
            if cells:
                exactly = CardEnc.equals([1 + near[cell] for cell in cells], n, top_id=top)
                clauses += exactly.clauses
                top = max(top, exactly.nv)
        with Solver(solver, bootstrap_with=clauses) as asked:
            if not asked.solve():
                return None
            waiting = _model(asked, len(near))
            sure: list[int] = []
            while waiting:
                literal = waiting.pop()
                if asked.solve(assumptions=[-literal]):
                    waiting &= _model(asked, len(near))
                else:
                    sure.append(literal)
        mines = sum(literal > 0 for literal in sure)
        return mines, len(sure) - mines

    return certain


def _model(asked: Any, variables: int) -> set[int]:
    """The literals of the first variables that are true; one that no clause has may be either."""
    return {literal for literal in asked.get_model() or [] if abs(literal) <= variables}


def _result_of(board: Any, answer: Answer) -> Any:
    """Our answer to a board as the functions above return it."""
    if isinstance(answer, Game):
        return answer.moves.tolist()
    assert answer.claims is not None
    if isinstance(answer, Deduction):
        covered = answer.claims[1:][board.grid.ravel() == COVERED]
        return (int((covered == 1).sum()), int((covered == 0).sum())) if answer.consistent else None
    return (
        bool(answer.claims[0])
        if answer.claims.size == 1
        else np.flatnonzero(answer.claims).tolist()
    )


def _race(
    puzzle: str,
    family: str,
    size: int,
    backend: str,
    solver: str,
    theirs: Callable[[Any, str], Callable[[], Any]],
) -> Race:
    """Boards of a family by one backend of ours, and by the peer with this solver."""

    def inputs(seed: int) -> Iterator[RaceInput]:
        for number in range(1000 * seed, 1000 * seed + _BOARDS):
            board: Any = puzzles.get(puzzle).family(family).board(size, number)
            yield RaceInput(
                f"{family} {size}, seed {number}",
                lambda board=board: models.solve(board, backend),
                theirs(board, solver),
                lambda ours, theirs, board=board: (
                    ""
                    if _result_of(board, ours) == theirs
                    else f"ours says {_result_of(board, ours)}, theirs {theirs}"
                ),
            )

    return Race(f"{puzzle}, {family} {size}x{size}, by {solver}", backend, solver, inputs)


RACES = {
    "cpmpy": tuple(
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
    ),
    "python-sat": (
        _race("beams", "mirror", 20, "cnf", "cadical153", _straight_beams),
        _race("minesweeper", "d16", 16, "cnf", "cadical153", _straight_backbone),
    ),
}
