"""Geography by SAT, LP and CP solvers: a matching, and what proves that it decides the game."""

from __future__ import annotations

import numpy as np

from models.cnf import DEFAULT_SOLVER, Formula, paused_collector, session, solver_name
from models.geography.cover import maximum_matching
from models.geography.encoding import encode as encode
from models.geography.graph import Bools, Graph, Ints, certificate, graph_of, hang, mates
from models.geography.strategy import loose, pairing, paths_of, phases
from models.stopwatch import Stopwatch
from puzzles.backend import backend
from puzzles.geography.board import Geography, Losing
from puzzles.puzzle import Effort


@backend(
    "geography",
    "cnf",
    side="models",
    source="the loser's pairing strategy (write-up 004's argument), circular support cut lazily",
    takes_for_granted="the pairing strategy decides the game",
    options=("solver",),
    limit=1600,
)
def solve_cnf(board: Geography, *, certify: bool = False, solver: str = DEFAULT_SOLVER) -> Losing:
    """One satisfiable formula for the whole board."""
    watch = Stopwatch()
    with paused_collector():
        graph = graph_of(board)
        formula = Formula()
        literals = pairing(graph, formula)
        watch.built()
        with session(formula, solver) as opened:
            opened.phases(phases(graph, literals, formula.variables))

            def cuts(values: Bools) -> list[list[int]]:
                cells = loose(graph, values[literals.losing], values[literals.edge])
                return (-literals.losing[cells])[:, None].tolist()

            if not opened.solve_lazily(cuts):
                raise RuntimeError("every board has a strategy, but the solver found none")
            values = opened.model()
        effort = watch.effort(formula.variables, len(formula.clauses))
    losing, mate = values[literals.losing], mates(graph, values[literals.edge])
    return _answer(board, graph, losing, mate, effort, certify=certify)


@backend(
    "geography",
    "cnf-cover",
    side="models",
    source="Kőnig's theorem: an independent set outside which every cell is matched into it; read off by alternating paths",
    takes_for_granted="the cells that some maximum matching leaves exposed are those from which one loses",
    options=("solver",),
    limit=10_000,
)
def solve_cover(board: Geography, *, certify: bool = False, solver: str = DEFAULT_SOLVER) -> Losing:
    """A satisfiable formula for each component, dead ends paired before."""
    name = solver_name(solver)
    with paused_collector():
        graph = graph_of(board)
        mate, effort = maximum_matching(graph, name)
    return _answer(board, graph, hang(graph, mate)[0] >= 0, mate, effort, certify=certify)


@backend(
    "geography",
    "lp",
    side="models",
    source="the maximum matching as a linear program, whose vertices are integral on bipartite graphs; GLOP of ortools",
    takes_for_granted="the cells that some maximum matching leaves exposed are those from which one loses",
    limit=10_000,
    requires=("ortools",),
)
def solve_lp(board: Geography, *, certify: bool = False) -> Losing:
    """As many edges as possible, at most one a cell; floating point proposes, the integers of the certificate decide.

    Raises:
        Unsupported: the solver's optimum is no vertex, or no optimum.
    """
    from models.geography.relaxation import maximum_matching

    graph = graph_of(board)
    mate, effort = maximum_matching(graph)
    return _answer(board, graph, hang(graph, mate)[0] >= 0, mate, effort, certify=certify)


@backend(
    "geography",
    "cpsat",
    side="models",
    source="the loser's pairing strategy (write-up 004's argument) as CP-SAT constraints, circular support cut lazily",
    takes_for_granted="the pairing strategy decides the game",
    limit=300,
    requires=("ortools",),
)
def solve_cpsat(board: Geography, *, certify: bool = False) -> Losing:
    """The variables and rules of `cnf` as constraints."""
    from models.cpsat import Model

    model, watch = Model(), Stopwatch()
    graph = graph_of(board)
    cells, edges = graph.cells.size, len(graph.edges)
    loses, lone, matched = model.variables(cells, "l"), model.variables(cells, "u"), model.variables(edges, "e")
    for cell, around in enumerate(graph.around.tolist()):
        model.cp.add_exactly_one([lone[cell], *(matched[edge] for edge in around if edge >= 0)])
        model.cp.add_implication(lone[cell], loses[cell])
    for one, other in graph.edges.tolist():
        model.cp.add_bool_or(~loses[one], ~lone[other])
        model.cp.add_bool_or(~loses[other], ~lone[one])
    paths = paths_of(graph)
    for (first, _, last), (_, go) in zip(paths.cells.tolist(), paths.edges.tolist(), strict=True):
        model.cp.add_bool_or(~loses[first], ~matched[go], loses[last])
    watch.built()
    while True:
        if not model.solve():
            raise RuntimeError("every board has a strategy, but the solver found none")
        losing = np.array([model.value(each) for each in loses], np.bool_)
        edge = np.array([model.value(each) for each in matched], np.bool_)
        hanging_loose = np.flatnonzero(loose(graph, losing, edge)).tolist()
        if not hanging_loose:
            break
        for cell in hanging_loose:
            model.cp.add_bool_and(~loses[cell])
    return _answer(board, graph, losing, mates(graph, edge), watch.effort(*model.size), certify=certify)


def _answer(board: Geography, graph: Graph, losing: Bools, mate: Ints, effort: Effort, *, certify: bool) -> Losing:
    proof = certificate(board, graph, mate) if certify else None
    return Losing(board, graph.cells[losing].astype(np.int32), certificate=proof, effort=effort)
