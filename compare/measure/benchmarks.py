"""Jobs that both our general solvers and other packages can do: their inputs, our side of a race, and what must agree.

A function `ready` turns an input into the peer's call to be timed. Graphs are built before the clock starts, on both sides. In
2-SAT the peer's implication graph is built before too, while ours starts from the clauses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from compare.measure.peers import Race, RaceInput
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
