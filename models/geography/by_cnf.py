"""Geography as a strategy of the second player: a matching to reply with, and the cells from which
it wins.

The rules are a game, which no small formula states. The formula states the second player's strategy
instead: a matching M and a set L of cells, such that every exposed cell is in L, and every
neighbour of a member of L is matched to a member of L.

Outside L the first mover wins, by moving to the mate. In L the first mover loses from a cell that
an alternating path reaches from an exposed cell. The other cells of L are *unsupported*: they
support each other only in circles. From them the first mover wins. L without them is a solution
too, and without unsupported cells all solutions have the same L.

So one more rule is needed: no cell of L is unsupported. `cnf` adds it lazily, one clause for each
unsupported cell of a model. A written formula gives each cell a rank instead, which grows along the
paths.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.cnf import Bools, Formula, Ints, paused_collector
from models.dimacs import Encoding
from models.geography import thresholds
from models.geography.graph import (
    MATCHED,
    BoardGraph,
    alternating_paths,
    answer_of_matching,
    graph_of,
    majority,
    mates,
    state_matched,
)
from models.geography.portfolio import portfolio
from models.solvers.sat_solver import SolverFailure
from models.solvers.solver_names import DEFAULT_SOLVER, solver_name
from models.stacked import Stack, stacks
from models.stopwatch import Stopwatch
from puzzles.backend import backend
from puzzles.geography.board import Geography, Losing
from puzzles.text import UserError


def solve_many(
    boards: Sequence[Geography], *, certify: bool = False, solver: str = DEFAULT_SOLVER
) -> list[Losing]:
    """Many boards by `cnf`: small boards are joined to one board, with walls between them."""
    if certify:
        return [solve(board, certify=True, solver=solver) for board in boards]
    answers: list[Losing] = []
    for stack in stacks(boards, ord("#"), thresholds.STACKED_CELLS):
        number = len(stack.boards)
        if number == 1:
            answers.append(solve(stack.boards[0], solver=solver))
            continue
        whole = solve(Geography.from_valid_grid(stack.grid), solver=solver)
        share = replace(
            whole.effort.share(number), variables=None, clauses=None
        )  # none of the boards has a formula of its own
        for board, cells in zip(stack.boards, cells_by_board(stack, whole.cells), strict=True):
            answers.append(Losing(board, cells.astype(np.int32), effort=share))
    return answers


def cells_by_board(stack: Stack[Geography], cells: NDArray[np.integer]) -> list[Ints]:
    """Deal out cells of the stack's grid, in ascending order, to their boards; as flat indices of
    each board.
    """
    parts = np.split(cells.astype(np.int64), np.searchsorted(cells, stack.ends[:-1]))
    return [cells_of_board(stack, index, part) for index, part in enumerate(parts)]


def cells_of_board(stack: Stack[Geography], index: int, cells: NDArray[np.integer]) -> Ints:
    """Cells of the grid that are one board's, as flat indices of that board."""
    rows, columns = np.divmod(cells, stack.grid.shape[1])
    return (rows - stack.tops[index]) * stack.boards[index].columns + columns


def encode(board: Geography, cell: int | None = None) -> Encoding:
    """The formula of `cnf`, with a rank for each cell. With `cell`: that some strategy leaves the
    cell exposed.

    Raises:
        UserError: the cell is a wall.
    """
    graph, formula = graph_of(board), Formula()
    variables = pairing(graph, formula, LOSES if cell is None else IN_STRATEGY)
    meaning = "satisfiable; the losing cells are the same in all models"
    if cell is None:
        _state_ranks(graph, formula, variables)
    else:
        place = board.place(cell)
        numbers = np.flatnonzero(graph.cells == cell)
        if not numbers.size:
            raise UserError(f"the cell {place} is a wall")
        formula.rule("the question about the cell")
        formula.add(int(variables.exposed[numbers[0]]))
        meaning = f"satisfiable if and only if the first mover loses from {place}"
    return Encoding.of(formula, meaning, board, lambda claims: cell is None or bool(claims[cell]))


def _state_ranks(graph: BoardGraph, formula: Formula, variables: StrategyVariables) -> None:
    """State that no cell is unsupported: a losing cell is exposed, or its mate is a neighbour of a
    losing cell of smaller rank.
    """
    cells, (paths, edges) = graph.cells.size, paths_of(graph)
    bits = max(1, (cells - 1).bit_length())
    rank = formula.array(cells, bits)
    way = formula.array(len(paths))
    first, middle, last = paths.T
    for bit in range(bits):
        formula.name(rank[:, bit], f"bit {bit} of the rank of {{}}", graph.cells, auxiliary=True)
    formula.name(
        way,
        "{} loses by its mate {} and {}",
        graph.cells[np.column_stack([first, middle, last])],
        auxiliary=True,
    )
    formula.rule(
        "a losing cell is exposed, or its mate is a neighbour of a losing cell of smaller rank"
    )
    formula.state(-way, variables.edge[edges[:, 0]])
    formula.state(-way, variables.losing[last])
    formula.less_than(way, rank[last], rank[first])
    ways: list[list[int]] = [[] for _ in range(cells)]
    for cell, variable in zip(first.tolist(), way.tolist(), strict=True):
        ways[cell].append(variable)
    for cell, own in enumerate(ways):
        formula.add(-int(variables.losing[cell]), int(variables.exposed[cell]), *own)


@backend(
    "geography",
    "cnf",
    side="models",
    default=True,
    quick=600,
    source="the loser's pairing strategy (the argument of TheLostWeak's write-up), circular "
    "support cut lazily",
    assumes="the pairing strategy decides the game",
    options=("solver",),
    many=solve_many,
    limit=1600,
    encode=encode,
)
def solve(board: Geography, *, certify: bool = False, solver: str = DEFAULT_SOLVER) -> Losing:
    """The formula states how the second player wins: pair the cells, and always answer with the
    partner. It has a solution for every board, and that tells the losing cells. Two SAT solvers
    take turns: one begins with likely values, one with its own.
    """
    watch = Stopwatch()
    with paused_collector():
        graph = graph_of(board)
        formula = Formula()
        literals = pairing(graph, formula)
        watch.start_solving()

        def cuts(values: Bools) -> list[list[int]]:
            cells = unsupported_cells(graph, values[literals.losing], values[literals.edge])
            return (-literals.losing[cells])[:, None].tolist()

        name = solver_name(solver)
        values = portfolio(
            formula, [phases(graph, literals, formula.variables), []], name, cuts, watch
        )
        if values is None:
            raise SolverFailure(name, "found no strategy, and every board has one")
        effort = watch.effort(formula.variables, len(formula.clauses))
    mate = mates(graph, values[literals.edge])
    return answer_of_matching(board, graph, mate, effort, certify, losing=values[literals.losing])


class StrategyVariables(NamedTuple):
    """The variables: the cell is in L; the cell is exposed; the edge is matched."""

    losing: Ints
    exposed: Ints
    edge: Ints


_COME, _GO = (np.array(sides) for sides in zip(*permutations(range(4), 2), strict=True))
"""Every ordered pair of two of the four sides of a cell: the side where a path comes in, the side
where it goes on.
"""


def paths_of(graph: BoardGraph) -> tuple[Ints, Ints]:
    """All paths of two edges, in linear time: shape (n, 3), the cells of each path, which are a
    cell, a neighbour, and another neighbour of that one; and shape (n, 2), the two edges of each.
    """
    come, go = graph.near.T[_COME], graph.near.T[_GO]
    way, middle = np.nonzero((come >= 0) & (go >= 0))
    cells = np.column_stack([come[way, middle], middle, go[way, middle]])
    edges = np.column_stack([graph.around[middle, _COME[way]], graph.around[middle, _GO[way]]])
    return cells, edges


IN_STRATEGY, LOSES = "{} is in the losing strategy's set", "the first mover loses from {}"
"""What the variable of a cell in L says: with unsupported cells, and without."""


def pairing(
    graph: BoardGraph, formula: Formula, losing_name: str = IN_STRATEGY
) -> StrategyVariables:
    """State the strategy, except that no cell is unsupported."""
    paths, edges_of_paths = paths_of(graph)
    cells, edges = graph.cells.size, len(graph.edges)
    losing, exposed = formula.array(cells), formula.array(cells)
    edge = formula.array(edges)
    formula.name(losing, losing_name, graph.cells)
    formula.name(exposed, "{} is exposed", graph.cells)
    formula.name(edge, MATCHED, graph.cells[graph.edges])
    first, _, last = paths.T
    come, go = edge[edges_of_paths].T
    formula.rule("a cell has at most one matched edge")
    once = come < go
    formula.state(-come[once], -go[once])
    formula.rule(
        "an exposed cell has no matched edge; a neighbour of a cell of the losing set is not "
        "exposed"
    )
    for one, other in (graph.edges.T, graph.edges.T[::-1]):
        formula.state(-exposed[one], -edge)
        formula.state(-losing[one], -exposed[other])
    formula.rule("a cell is exposed or has a matched edge")
    state_matched(formula, exposed, np.append(edge, 0)[graph.around])
    formula.rule(
        "every exposed cell is in the losing set, and so is the mate of a neighbour of a cell of it"
    )
    formula.state(-exposed, losing)
    formula.state(-losing[first], -go, losing[last])
    return StrategyVariables(losing, exposed, edge)


def phases(graph: BoardGraph, names: StrategyVariables, variables: int) -> list[int]:
    """The literals to try first: edges are matched, and the cells of the majority colour of each
    component lose. Mostly they do.

    Neither these phases nor a solver's own are best on all boards. With 10% walls or more these are
    mostly faster. With 2 to 5% walls each of the two solves boards in a second on which the other
    takes ten and more. So `cnf` tries both in turn.
    """
    preferred = -np.arange(1, variables + 1)
    preferred[names.edge - 1] *= -1
    preferred[names.losing[majority(graph, graph.edges)] - 1] *= -1
    return preferred.tolist()


def unsupported_cells(graph: BoardGraph, losing: Bools, matched: Bools) -> Bools:
    """The cells of L that no alternating path reaches from an exposed cell."""
    return losing & (alternating_paths(graph, mates(graph, matched))[0] < 0)
