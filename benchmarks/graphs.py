"""Graphs and formulas: networkx, scipy and the AtCoder Library in Python beside our general
solvers.

https://pypi.org/project/networkx/ is pure Python, scipy's compressed sparse graph routines are C++
and Cython, and https://pypi.org/project/ac-library-python/ is pure Python. A function `ready` turns
an input into the peer's call to be timed. Graphs are built before the clock starts, on both sides.
In 2-SAT the peer's implication graph is built before too, while ours starts from the clauses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.races import Race, RaceInput
from direct import matching, two_sat, union_find
from puzzles import geography
from puzzles.geography.board import Geography

SIZE = 20_000
"""Variables, vertices on each side, or elements of a random input."""

BOARD = 100
INPUTS = 5


class TwoCnf(NamedTuple):
    """A formula with two literals in each clause:

    `clauses` is int32 of shape (n, 2); a literal is +v or -v, v >= 1.
    """

    variables: int
    clauses: NDArray[np.int32]

    def implications(self) -> NDArray[np.int64]:
        """The edges of the implication graph, int64 of shape (2n, 2); literal +v is node 2v - 2 and
        -v is node 2v - 1.
        """
        nodes = 2 * np.abs(self.clauses.astype(np.int64)) - 2 + (self.clauses < 0)
        return np.concatenate(
            [
                np.column_stack([nodes[:, 0] ^ 1, nodes[:, 1]]),
                np.column_stack([nodes[:, 1] ^ 1, nodes[:, 0]]),
            ]
        )


class EdgeList(NamedTuple):
    """A graph: its edges, int32 of shape (n, 2), and its number of vertices; of a bipartite graph,
    the number on each side.
    """

    size: int
    pairs: NDArray[np.int32]


class Job(NamedTuple):
    """What both sides do.

    Attributes:
        ours: our module's name.
        problem: (seed, number) -> the input of this number.
        ready: an input -> our call to be timed.
    """

    name: str
    ours: str
    problem: Callable[[int, int], Any]
    ready: Callable[[Any], Callable[[], int]]

    def race(self, theirs: str, ready: Callable[[Any], Callable[[], int]]) -> Race:
        """With a peer's function; `ready` turns an input into the peer's call to be timed."""

        def inputs(seed: int) -> Iterator[RaceInput]:
            for number in range(INPUTS):
                problem = self.problem(seed, number)
                yield RaceInput(f"input {number}", self.ready(problem), ready(problem), _differ)

        return Race(self.name, self.ours, theirs, inputs)


def _formula(seed: int, number: int) -> TwoCnf:
    """With .9 clauses a variable, almost always satisfiable, and with 1.1, almost never."""
    rng = np.random.default_rng((seed, number))
    count = SIZE * (11 if number % 2 else 9) // 10
    clauses = rng.integers(1, SIZE + 1, (count, 2)) * rng.choice((-1, 1), (count, 2))
    return TwoCnf(SIZE, clauses.astype(np.int32))


def _random_edges(edges: int, seed: int, number: int) -> EdgeList:
    return EdgeList(
        SIZE, np.random.default_rng((seed, number)).integers(0, SIZE, (edges, 2)).astype(np.int32)
    )


def _board_edges(seed: int, number: int) -> EdgeList:
    """A board with 10% walls, as geography needs it."""
    board = geography.PUZZLE.family("walls-10").board(BOARD, 1000 * seed + number)
    assert isinstance(board, Geography)
    return board_graph(board)


def _matched(edges: EdgeList) -> Callable[[], int]:
    graph = matching.graph(edges.size, edges.size, edges.pairs)
    return lambda: matching.solve(graph, certify=False).size


def _joined(edges: EdgeList) -> Callable[[], int]:
    def components() -> int:
        parents = union_find.singletons(edges.size)
        union_find.union(parents, edges.pairs[:, 0], edges.pairs[:, 1])
        return union_find.count(parents)

    return components


def _differ(ours: int, theirs: int) -> str:
    return "" if ours == theirs else f"ours says {ours}, theirs {theirs}"


TWO_SAT = Job(
    f"2-SAT, {SIZE:,} variables",
    "two_sat",
    _formula,
    lambda formula: lambda: two_sat.solve(*formula, certify=False).satisfiable,
)
MATCHINGS = (
    Job(
        f"matching, {SIZE:,} + {SIZE:,} vertices",
        "matching",
        partial(_random_edges, 2 * SIZE),
        _matched,
    ),
    Job(f"matching, {BOARD}x{BOARD} board", "matching", _board_edges, _matched),
)
"""The size of a maximum matching of random graphs with two edges a vertex of each side, and of
boards.
"""

COMPONENTS = Job(
    f"components, {SIZE:,} vertices", "union_find", partial(_random_edges, SIZE), _joined
)
"""The number of components of random graphs with as many edges as vertices."""


def board_graph(board: Geography) -> EdgeList:
    """The graph of a board's open cells and their open neighbours; cells with an even row plus
    column are on the left.
    """
    cells = np.arange(board.cells).reshape(board.grid.shape)
    pairs = np.concatenate(
        [
            np.column_stack([cells[:, :-1].ravel(), cells[:, 1:].ravel()]),
            np.column_stack([cells[:-1].ravel(), cells[1:].ravel()]),
        ]
    )
    free = board.grid.ravel() == ord(".")
    right = np.indices(board.grid.shape).sum(axis=0).ravel() % 2 == 1
    pairs = pairs[free[pairs].all(axis=1)]
    backward = right[pairs[:, 0]]
    pairs[backward] = pairs[backward, ::-1]
    number = np.where(right, np.cumsum(free & right), np.cumsum(free & ~right)) - 1
    return EdgeList(int(number.max()) + 1, number[pairs].astype(np.int32))


def _networkx_strong(formula: TwoCnf) -> Callable[[], bool]:
    """No literal shares a strong component with its negation."""
    nx: Any = import_module("networkx")
    graph = nx.DiGraph()
    graph.add_nodes_from(range(2 * formula.variables))
    graph.add_edges_from(formula.implications().tolist())

    def satisfiable() -> bool:
        component = [0] * (2 * formula.variables)
        for number, members in enumerate(nx.strongly_connected_components(graph)):
            for node in members:
                component[node] = number
        return all(
            component[node] != component[node + 1] for node in range(0, 2 * formula.variables, 2)
        )

    return satisfiable


def _hopcroft_karp(edges: EdgeList) -> Callable[[], int]:
    nx: Any = import_module("networkx")
    graph = nx.Graph()
    graph.add_nodes_from(range(2 * edges.size))
    graph.add_edges_from((left, edges.size + right) for left, right in edges.pairs.tolist())
    return lambda: len(nx.bipartite.hopcroft_karp_matching(graph, range(edges.size))) // 2


def _networkx_components(edges: EdgeList) -> Callable[[], int]:
    nx: Any = import_module("networkx")
    graph = nx.Graph()
    graph.add_nodes_from(range(edges.size))
    graph.add_edges_from(edges.pairs.tolist())
    return lambda: nx.number_connected_components(graph)


def _matrix(size: int, pairs: NDArray[np.integer]) -> Any:
    sparse = import_module("scipy.sparse")
    return sparse.csr_array(
        (np.ones(len(pairs), np.int8), (pairs[:, 0], pairs[:, 1])), (size, size)
    )


def _scipy_strong(formula: TwoCnf) -> Callable[[], bool]:
    """No literal shares a strong component with its negation."""
    find: Any = import_module("scipy.sparse.csgraph").connected_components
    graph = _matrix(2 * formula.variables, formula.implications())

    def satisfiable() -> bool:
        _, component = find(graph, directed=True, connection="strong")
        return bool((component[0::2] != component[1::2]).all())

    return satisfiable


def _scipy_matching(edges: EdgeList) -> Callable[[], int]:
    find: Any = import_module("scipy.sparse.csgraph").maximum_bipartite_matching
    graph = _matrix(edges.size, edges.pairs)
    return lambda: int(np.count_nonzero(find(graph, perm_type="column") >= 0))


def _scipy_components(edges: EdgeList) -> Callable[[], int]:
    find: Any = import_module("scipy.sparse.csgraph").connected_components
    graph = _matrix(edges.size, edges.pairs)
    return lambda: int(find(graph, directed=False, return_labels=False))


def _acl_two_sat(formula: TwoCnf) -> Callable[[], bool]:
    """`satisfiable` may be called again on clauses that were added once."""
    solver: Any = import_module("atcoder.twosat").TwoSAT(formula.variables)
    for a, b in formula.clauses.tolist():
        solver.add_clause(abs(a) - 1, a > 0, abs(b) - 1, b > 0)
    return lambda: solver.satisfiable()


def _acl_components(edges: EdgeList) -> Callable[[], int]:
    """Every call starts from single elements, as ours does."""
    make: Callable[[int], Any] = import_module("atcoder.dsu").DSU
    pairs = edges.pairs.tolist()

    def sets() -> int:
        union = make(edges.size)
        for a, b in pairs:
            union.merge(a, b)
        return sum(each < 0 for each in union.parent_or_size)

    return sets


RACES = {
    "networkx": (
        TWO_SAT.race("strongly_connected_components", _networkx_strong),
        *(job.race("hopcroft_karp_matching", _hopcroft_karp) for job in MATCHINGS),
        COMPONENTS.race("number_connected_components", _networkx_components),
    ),
    "scipy": (
        TWO_SAT.race("connected_components, strong", _scipy_strong),
        *(job.race("maximum_bipartite_matching", _scipy_matching) for job in MATCHINGS),
        COMPONENTS.race("connected_components", _scipy_components),
    ),
    "ac-library-python": (
        TWO_SAT.race("TwoSAT", _acl_two_sat),
        COMPONENTS.race("DSU", _acl_components),
    ),
}
