"""Layouts counted on decision diagrams: PySDD compiles the clues of each component, and the diagram
is walked in integers.

PySDD's own weighted counting uses floating point, so the walks are here. The diagrams are compiled
on a right-linear vtree: then they are ordered by their variables, and each node decides one
variable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from math import prod
from typing import Any, NamedTuple

import numpy as np

from models.minesweeper.backbone import solve_by_backbone
from models.minesweeper.clues import Clues, clues_of_board, formula_of_clues
from models.solvers.solver_names import DEFAULT_SOLVER
from models.stopwatch import Stopwatch
from puzzles.backend import backend
from puzzles.minesweeper.board import COVERED, MINE, SAFE, Chances, Deduction, Minesweeper


@backend(
    "minesweeper",
    "count",
    side="models",
    quick=300,
    source="each component compiled to a decision diagram (PySDD), its solutions counted in "
    "integers",
    options=("probabilities",),
    limit=1000,
    requires=("pysdd", "flint"),
)
def solve(board: Minesweeper, *, certify: bool = False, probabilities: bool = True) -> Deduction:
    """It compiles the clues of each component into a decision diagram. The diagram counts all
    layouts in exact numbers. A cell is certain if it is a mine in all of them or in none.

    The answer has its `chances`, unless `probabilities` is False. The certificate is that of `cnf`.
    """
    watch = Stopwatch()
    clues = clues_of_board(Minesweeper(board.grid))
    watch.start_solving(clues.variables.size, clues.cells.size)
    chances = _chances_of(board, clues)
    effort = watch.effort(clues.variables.size, clues.cells.size)
    if chances is None:
        answer = Deduction(False, board, effort=effort)
    else:
        marks = np.full(len(chances.values), COVERED, np.uint8)
        marks[:2] = SAFE, MINE
        grid = np.where(chances.value_of >= 0, marks[chances.value_of], board.grid.ravel()).reshape(
            board.grid.shape
        )
        answer = Deduction(True, Minesweeper(grid, board.mines), effort=effort)

    def certify_answer(probabilities: bool = probabilities) -> Deduction:
        proof = solve_by_backbone(board, formula_of_clues, DEFAULT_SOLVER).certified_answer(
            DEFAULT_SOLVER
        )
        return replace(
            answer,
            chances=chances if probabilities else None,
            certificate=proof.certificate,
        )

    if certify:
        return certify_answer()
    return replace(answer, chances=chances if probabilities else None).later(certify_answer)


class ComponentCount(NamedTuple):
    """The layouts of one component, counted by their number of mines: in each polynomial
    (fmpz_poly), x^k counts those with k mines.

    Attributes:
        cells: the cells of its variables.
        weights: all layouts.
        with_mine: for each of `cells`, the layouts in which it is a mine.
    """

    cells: list[int]
    weights: Any
    with_mine: list[Any]


_Sum = tuple[list[int], int]
"""A clue: the variables beside it, and how many of them are mines."""


def _chances_of(board: Minesweeper, clues: Clues) -> Chances | None:
    """The chances on a board; None if no layout agrees with the clues and the number of mines.

    Args:
        clues: the board's clues, without the number of mines.
    """
    from flint import fmpz_poly

    if ((clues.need < 0) | (clues.need > clues.covered)).any():
        return None
    parts: list[ComponentCount] = []
    for variables, sums in _components_of(clues):
        component = _component(board, clues, variables, sums)
        if component is None:
            return None
        parts.append(component)
    known_mines = int((board.grid == MINE).sum())
    mine = fmpz_poly([0, 1])
    whole = prod((part.weights for part in parts), start=(1 + mine) ** clues.free.size)
    values: dict[tuple[int, int], int] = {(0, 1): 0, (1, 1): 1}
    value_of = np.full(board.cells, -1, np.int32)
    value_of[(board.grid == SAFE).ravel()] = 0
    value_of[(board.grid == MINE).ravel()] = 1

    def layouts(polynomial: Any) -> int:
        if board.mines is None:
            return int(polynomial(1))
        return int(polynomial[board.mines - known_mines]) if board.mines >= known_mines else 0

    def place(cell: Any, favourable: Any) -> None:
        numerator = layouts(favourable)
        key = (0, 1) if numerator == 0 else (1, 1) if numerator == total else (numerator, total)
        value_of[cell] = values.setdefault(key, len(values))

    total = layouts(whole)
    if total == 0:
        return None
    for part in parts:
        others = whole // part.weights
        for cell, with_mine in zip(part.cells, part.with_mine, strict=True):
            place(cell, others * with_mine)
    if clues.free.size:
        place(clues.free, whole // (1 + mine) * mine)
    if board.mines is not None:
        return Chances(total, (board.mines, board.mines), value_of, tuple(values), (((total,), 1),))
    counts = [int(count) for count in whole.coeffs()]
    least = next(k for k, count in enumerate(counts) if count)
    return Chances(
        total,
        (known_mines + least, known_mines + len(counts) - 1),
        value_of,
        tuple(values),
        ((tuple(counts[least:]), 1),),
    )


def _component(
    board: Minesweeper, clues: Clues, unordered: set[int], sums: Sequence[_Sum]
) -> ComponentCount | None:
    """Count one component, these variables and clues; None if it has no layout.

    The diagram orders the variables by a sweep along the longer side of the component.
    """
    from flint import fmpz_poly
    from pysdd.sdd import SddManager, Vtree

    place = {
        variable: divmod(int(clues.variables[variable - 1]), board.columns)
        for variable in unordered
    }
    rows, columns = ({at[axis] for at in place.values()} for axis in (0, 1))
    along = 0 if max(rows) - min(rows) > max(columns) - min(columns) else 1
    variables = sorted(
        unordered, key=lambda variable: (place[variable][along], place[variable][1 - along])
    )
    level = {variable: k + 1 for k, variable in enumerate(variables)}
    manager = SddManager.from_vtree(Vtree(var_count=len(variables), vtree_type="right"))
    whole = manager.true()
    for beside, need in sorted(sums, key=lambda clue: min(level[variable] for variable in clue[0])):
        whole &= _exactly(manager, sorted(level[variable] for variable in beside), need)
        if whole.is_false():
            return None
    cells = [int(clues.variables[variable - 1]) for variable in variables]
    weights, with_mine = _walk(whole, len(variables), fmpz_poly)
    return ComponentCount(cells, weights, with_mine)


def _exactly(manager: Any, levels: list[int], need: int) -> Any:
    """The diagram of "exactly `need` of the variables at these levels are true"."""
    some = [manager.true()] + [manager.false()] * need
    for level in reversed(levels):
        literal = manager.literal(level)
        some = [
            (some[k] & ~literal) | ((some[k - 1] & literal) if k else manager.false())
            for k in range(need + 1)
        ]
    return some[need]


def _walk(root: Any, last: int, polynomial: Any) -> tuple[Any, list[Any]]:
    """The diagram's solutions by number of true variables, and for each variable the solutions in
    which it is true.

    One pass downwards counts the ways to reach each node, one pass upwards the solutions below it.
    No edge skips a variable: each belongs to a clue, which no solution satisfies with the other
    value of that variable. So the nodes that decide a variable are one level.
    """
    none, one, mine = polynomial([]), polynomial([1]), polynomial([0, 1])
    level, ways = {root.id: root}, {root.id: one}
    edges: list[list[tuple[int, Any, int, Any]]] = []  # parent, ways to it, value, child
    for _ in range(last):
        edges.append(
            [
                (name, ways[name], value, child)
                for name, node in level.items()
                for value, child in _branches(node)
            ]
        )
        level, ways = {}, {}
        for _, before, value, child in edges[-1]:
            level[child.id] = child
            ways[child.id] = ways.get(child.id, none) + before * (mine if value else one)
    below, with_mine = dict.fromkeys(level, one), list[Any]()
    for branches in reversed(edges):
        above: dict[int, Any] = {}
        on_mine = none
        for name, before, value, child in branches:
            solutions = below[child.id] * (mine if value else one)
            above[name] = above.get(name, none) + solutions
            if value:
                on_mine += before * solutions
        below = above
        with_mine.append(on_mine)
    return below[root.id], with_mine[::-1]


def _branches(node: Any) -> list[tuple[int, Any]]:
    """For each possible value of the variable that a node decides, the value and the node below."""
    if node.is_literal():
        return [(int(node.literal > 0), node.manager.true())]
    return [(int(prime.literal > 0), sub) for prime, sub in node.elements() if not sub.is_false()]


def _components_of(clues: Clues) -> list[tuple[set[int], list[_Sum]]]:
    """The variables that clues connect, directly or through others, and these clues."""
    parts: list[tuple[set[int], list[_Sum]]] = []
    for row, need in zip(clues.beside.tolist(), clues.need.tolist(), strict=True):
        beside = [variable for variable in row if variable]
        near = [part for part in parts if not part[0].isdisjoint(beside)]
        parts = [part for part in parts if part[0].isdisjoint(beside)]
        variables = set(beside).union(*(reached for reached, _ in near))
        parts.append((variables, [*chain(*(sums for _, sums in near)), (beside, need)]))
    return parts
