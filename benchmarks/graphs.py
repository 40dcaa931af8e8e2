"""Graphs and formulas: networkx, scipy and the AtCoder Library in Python beside our general solvers.

https://pypi.org/project/networkx/ is pure Python, scipy's compressed sparse graph routines are C++ and Cython, and
https://pypi.org/project/ac-library-python/ is pure Python. A function `ready` turns an input into the peer's call to be timed.
Graphs are built before the clock starts, on both sides. In 2-SAT the peer's implication graph is built before too, while ours
starts from the clauses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
    """A formula with two literals in each clause: `clauses` is int32 of shape (n, 2); a literal is +v or -v, v >= 1."""

    variables: int
    clauses: NDArray[np.int32]

    def implications(self) -> NDArray[np.int64]:
        """The edges of the implication graph, int64 of shape (2n, 2); literal +v is node 2v - 2 and -v is node 2v - 1."""
        nodes = 2 * np.abs(self.clauses.astype(np.int64)) - 2 + (self.clauses < 0)
        return np.concatenate([np.column_stack([nodes[:, 0] ^ 1, nodes[:, 1]]), np.column_stack([nodes[:, 1] ^ 1, nodes[:, 0]])])


class EdgeList(NamedTuple):
    """A graph: its edges, int32 of shape (n, 2), and its number of vertices; of a bipartite graph, the number on each side."""

    size: int
    pairs: NDArray[np.int32]


def satisfiability(ours: str, theirs: str, ready: Callable[[TwoCnf], Callable[[], bool]]) -> Race:
    """Random formulas: with .9 clauses a variable, almost always satisfiable, and with 1.1, almost never."""

    def inputs(seed: int) -> Iterator[RaceInput]:
        for number in range(INPUTS):
            rng = np.random.default_rng((seed, number))
            count = SIZE * (11 if number % 2 else 9) // 10
            clauses = rng.integers(1, SIZE + 1, (count, 2)) * rng.choice((-1, 1), (count, 2))
            formula = TwoCnf(SIZE, clauses.astype(np.int32))
            yield RaceInput(
                f"{count} clauses", lambda f=formula: two_sat.solve(*f, certify=False).satisfiable, ready(formula), _differ
            )

    return Race(f"2-SAT, {SIZE:,} variables", ours, theirs, inputs)


def matching_random(ours: str, theirs: str, ready: Callable[[EdgeList], Callable[[], int]]) -> Race:
    """The size of a maximum matching of random graphs with two edges a vertex of each side."""

    def graphs(seed: int) -> Iterator[EdgeList]:
        for number in range(INPUTS):
            yield EdgeList(SIZE, np.random.default_rng((seed, number)).integers(0, SIZE, (2 * SIZE, 2)).astype(np.int32))

    return Race(f"matching, {SIZE:,} + {SIZE:,} vertices", ours, theirs, _matched(graphs, ready))


def matching_boards(ours: str, theirs: str, ready: Callable[[EdgeList], Callable[[], int]]) -> Race:
    """The size of a maximum matching of boards with 10% walls, as geography needs it."""

    def graphs(seed: int) -> Iterator[EdgeList]:
        for number in range(INPUTS):
            board = geography.PUZZLE.family("walls-10").board(BOARD, 1000 * seed + number)
            assert isinstance(board, Geography)
            yield board_graph(board)

    return Race(f"matching, {BOARD}x{BOARD} board", ours, theirs, _matched(graphs, ready))


def components(ours: str, theirs: str, ready: Callable[[EdgeList], Callable[[], int]]) -> Race:
    """The number of components of random graphs with as many edges as vertices."""

    def inputs(seed: int) -> Iterator[RaceInput]:
        for number in range(INPUTS):
            edges = EdgeList(SIZE, np.random.default_rng((seed, number)).integers(0, SIZE, (SIZE, 2)).astype(np.int32))
            yield RaceInput(f"graph {number}", lambda edges=edges: _components(edges), ready(edges), _differ)

    return Race(f"components, {SIZE:,} vertices", ours, theirs, inputs)


def board_graph(board: Geography) -> EdgeList:
    """The graph of a board's open cells and their open neighbours; cells with an even row plus column are on the left."""
    cells = np.arange(board.cells).reshape(board.grid.shape)
    pairs = np.concatenate(
        [np.column_stack([cells[:, :-1].ravel(), cells[:, 1:].ravel()]), np.column_stack([cells[:-1].ravel(), cells[1:].ravel()])]
    )
    free = board.grid.ravel() == ord(".")
    right = np.indices(board.grid.shape).sum(axis=0).ravel() % 2 == 1
    pairs = pairs[free[pairs].all(axis=1)]
    backward = right[pairs[:, 0]]
    pairs[backward] = pairs[backward, ::-1]
    number = np.where(right, np.cumsum(free & right), np.cumsum(free & ~right)) - 1
    return EdgeList(int(number.max()) + 1, number[pairs].astype(np.int32))


def _matched(
    graphs: Callable[[int], Iterator[EdgeList]], ready: Callable[[EdgeList], Callable[[], int]]
) -> Callable[[int], Iterator[RaceInput]]:
    def inputs(seed: int) -> Iterator[RaceInput]:
        for number, edges in enumerate(graphs(seed)):
            graph = matching.graph(edges.size, edges.size, edges.pairs)
            yield RaceInput(f"graph {number}", lambda graph=graph: matching.solve(graph, certify=False).size, ready(edges), _differ)

    return inputs


def _components(edges: EdgeList) -> int:
    parents = union_find.singletons(edges.size)
    union_find.union(parents, edges.pairs[:, 0], edges.pairs[:, 1])
    return union_find.count(parents)


def _differ(ours: int, theirs: int) -> str:
    return "" if ours == theirs else f"ours says {ours}, theirs {theirs}"


def _networkx() -> Any:
    return import_module("networkx")


def _networkx_strong(formula: TwoCnf) -> Callable[[], bool]:
    """No literal shares a strong component with its negation."""
    nx = _networkx()
    graph = nx.DiGraph()
    graph.add_nodes_from(range(2 * formula.variables))
    graph.add_edges_from(formula.implications().tolist())

    def satisfiable() -> bool:
        component = [0] * (2 * formula.variables)
        for number, members in enumerate(nx.strongly_connected_components(graph)):
            for node in members:
                component[node] = number
        return all(component[node] != component[node + 1] for node in range(0, 2 * formula.variables, 2))

    return satisfiable


def _hopcroft_karp(edges: EdgeList) -> Callable[[], int]:
    nx = _networkx()
    graph = nx.Graph()
    graph.add_nodes_from(range(2 * edges.size))
    graph.add_edges_from((left, edges.size + right) for left, right in edges.pairs.tolist())
    return lambda: len(nx.bipartite.hopcroft_karp_matching(graph, range(edges.size))) // 2


def _networkx_components(edges: EdgeList) -> Callable[[], int]:
    nx = _networkx()
    graph = nx.Graph()
    graph.add_nodes_from(range(edges.size))
    graph.add_edges_from(edges.pairs.tolist())
    return lambda: nx.number_connected_components(graph)


def _csgraph() -> Any:
    return import_module("scipy.sparse.csgraph")


def _matrix(size: int, pairs: NDArray[np.integer]) -> Any:
    sparse = import_module("scipy.sparse")
    return sparse.csr_array((np.ones(len(pairs), np.int8), (pairs[:, 0], pairs[:, 1])), (size, size))


def _scipy_strong(formula: TwoCnf) -> Callable[[], bool]:
    """No literal shares a strong component with its negation."""
    find = _csgraph().connected_components
    graph = _matrix(2 * formula.variables, formula.implications())

    def satisfiable() -> bool:
        _, component = find(graph, directed=True, connection="strong")
        return bool((component[0::2] != component[1::2]).all())

    return satisfiable


def _scipy_matching(edges: EdgeList) -> Callable[[], int]:
    find = _csgraph().maximum_bipartite_matching
    graph = _matrix(edges.size, edges.pairs)
    return lambda: int(np.count_nonzero(find(graph, perm_type="column") >= 0))


def _scipy_components(edges: EdgeList) -> Callable[[], int]:
    find = _csgraph().connected_components
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
        satisfiability("two_sat", "strongly_connected_components", _networkx_strong),
        matching_random("matching", "hopcroft_karp_matching", _hopcroft_karp),
        matching_boards("matching", "hopcroft_karp_matching", _hopcroft_karp),
        components("union_find", "number_connected_components", _networkx_components),
    ),
    "scipy": (
        satisfiability("two_sat", "connected_components, strong", _scipy_strong),
        matching_random("matching", "maximum_bipartite_matching", _scipy_matching),
        matching_boards("matching", "maximum_bipartite_matching", _scipy_matching),
        components("union_find", "connected_components", _scipy_components),
    ),
    "ac-library-python": (
        satisfiability("two_sat", "TwoSAT", _acl_two_sat),
        components("union_find", "DSU", _acl_components),
    ),
}
