"""Geography by SAT, LP and CP solvers: a matching, and the proof that it decides the game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from models.cnf import Formula, paused_collector
from models.cpsat import CpSatModel
from models.geography import cover, relaxation, thresholds
from models.geography.graph import (
    BoardGraph,
    Bools,
    Ints,
    alternating_paths,
    certificate,
    graph_of,
    mates,
)
from models.geography.strategy import encode as encode
from models.geography.strategy import pairing, phases, unsupported
from models.session import portfolio
from models.solvers.sat_solver import SolverFailure
from models.solvers.solver_names import DEFAULT_SOLVER, solver_name
from models.stacked import stacks
from models.stopwatch import Stopwatch
from puzzles.answer import Effort
from puzzles.backend import backend
from puzzles.geography.board import Geography, Losing


def solve_cnf_many(
    boards: Sequence[Geography], *, certify: bool = False, solver: str = DEFAULT_SOLVER
) -> list[Losing]:
    """Many boards by `cnf`: small boards are joined to one board, with walls between them."""
    if certify:
        return [solve_cnf(board, certify=True, solver=solver) for board in boards]
    answers: list[Losing] = []
    for stack in stacks(boards, ord("#"), thresholds.STACKED_CELLS):
        number = len(stack.boards)
        if number == 1:
            answers.append(solve_cnf(stack.boards[0], solver=solver))
            continue
        whole = solve_cnf(Geography.from_valid_grid(stack.grid), solver=solver)
        share = replace(
            whole.effort.share(number), variables=None, clauses=None
        )  # none of the boards has a formula of its own
        for board, cells in zip(stack.boards, stack.cells_by_board(whole.cells), strict=True):
            answers.append(Losing(board, cells.astype(np.int32), effort=share))
    return answers


@backend(
    "geography",
    "cnf",
    side="models",
    quick=600,
    source="the loser's pairing strategy (the argument of TheLostWeak's write-up), circular "
    "support cut "
    "lazily",
    assumes="the pairing strategy decides the game",
    options=("solver",),
    many=solve_cnf_many,
    limit=1600,
    encode=encode,
)
def solve_cnf(board: Geography, *, certify: bool = False, solver: str = DEFAULT_SOLVER) -> Losing:
    """The formula states how the second player wins: pair the cells, and always answer with the
    partner. It has a solution for every board, and that tells the losing cells. Two SAT solvers
    take turns: one begins with likely values, one with its own.
    """
    watch = Stopwatch()
    with paused_collector():
        graph = graph_of(board)
        formula = Formula()
        literals = pairing(graph, formula)
        watch.built()

        def cuts(values: Bools) -> list[list[int]]:
            cells = unsupported(graph, values[literals.losing], values[literals.edge])
            return (-literals.losing[cells])[:, None].tolist()

        name = solver_name(solver)
        values = portfolio(
            formula, [phases(graph, literals, formula.variables), []], name, cuts, watch
        )
        if values is None:
            raise SolverFailure(name, "found no strategy, and every board has one")
        effort = watch.effort(formula.variables, len(formula.clauses))
    mate = mates(graph, values[literals.edge])
    return _answer(board, graph, mate, effort, certify, losing=values[literals.losing])


@backend(
    "geography",
    "cnf-cover",
    side="models",
    quick=1300,
    source="Kőnig's theorem: an independent set outside which every cell is matched into it; "
    "read off "
    "by alternating paths",
    assumes="the cells that some maximum matching leaves exposed are those from which one loses",
    options=("solver",),
    limit=10_000,
    encode=cover.encode,
)
def solve_cover(board: Geography, *, certify: bool = False, solver: str = DEFAULT_SOLVER) -> Losing:
    """It pairs dead ends beforehand, and states a formula for each component of the rest. The
    formula asks for a matching and for cells that prove it to be a largest one. Alternating paths
    then tell the losing cells.
    """
    name = solver_name(solver)
    with paused_collector():
        graph = graph_of(board)
        mate, effort = cover.maximum_matching(graph, name)
    return _answer(board, graph, mate, effort, certify)


@backend(
    "geography",
    "lp",
    side="models",
    source="the maximum matching as a linear program, whose vertices are integral on bipartite "
    "graphs; "
    "GLOP of ortools",
    assumes="the cells that some maximum matching leaves exposed are those from which one loses",
    limit=10_000,
    requires=("ortools",),
    slow=True,
)
def solve_lp(board: Geography, *, certify: bool = False) -> Losing:
    """A linear programme asks for as many pairs of neighbours as possible, at most one at each
    cell. GLOP finds the optimum in floating point, and that is checked in integers. Alternating
    paths then tell the losing cells.

    Raises:
        Unsupported: the solver finds no optimum, or its optimum is no vertex.
    """
    graph = graph_of(board)
    mate, effort = relaxation.maximum_matching(graph)
    return _answer(board, graph, mate, effort, certify)


@backend(
    "geography",
    "cpsat",
    side="models",
    source="the maximum matching: as many edges as possible, at most one a cell, all of it in "
    "CP-SAT's "
    "linear relaxation",
    assumes="the cells that some maximum matching leaves exposed are those from which one loses",
    options=("workers",),
    limit=10_000,
    requires=("ortools",),
    slow=True,
    encode=relaxation.encode,
)
def solve_cpsat(board: Geography, *, certify: bool = False, workers: int = 1) -> Losing:
    """A variable for each pair of neighbours says whether they are partners, at most one at each
    cell. CP-SAT looks for the largest number of pairs. Its linear relaxation has integral vertices,
    so its bound ends the search at the root.
    """
    model, watch = CpSatModel(workers=workers), Stopwatch()
    graph = graph_of(board)
    matched = relaxation.most_edges(graph, model)
    model.solver.parameters.linearization_level = 2
    watch.built()
    if not model.solve():
        raise RuntimeError("every board has a matching, but the solver found none")
    mate = mates(graph, np.array([model.value(edge) for edge in matched], np.bool_))
    watch.searched(*model.steps)
    return _answer(board, graph, mate, watch.effort(*model.size), certify)


def _answer(
    board: Geography,
    graph: BoardGraph,
    mate: Ints,
    effort: Effort,
    certify: bool,
    losing: Bools | None = None,
) -> Losing:
    """`losing`: by default the cells that alternating paths reach."""
    if losing is None:
        losing = alternating_paths(graph, mate)[0] >= 0
    answer = Losing(board, graph.cells[losing].astype(np.int32), effort=effort)

    def certified() -> Losing:
        return replace(answer, certificate=certificate(board, graph, mate))

    return certified() if certify else answer.later(certified)
