"""Jobs that our solvers without a puzzle share with general packages: the inputs, our side of a race, and what must agree.

A job is given what makes an input ready for the peer: (input) -> the call to be timed. Graphs are built before, on both sides;
in 2-SAT the peer has its implication graph built before, whereas ours starts from the clauses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from compare.measure.peers import Heat, Race
from direct import matching, two_sat, union_find
from puzzles import geography
from puzzles.geography.board import Geography

SIZE = 20_000
"""Variables, vertices on each side, or elements of a random input."""

BOARD = 100
INPUTS = 5


class Formula(NamedTuple):
    """A 2-CNF formula: clauses are int32 (n, 2), literals +v and -v, v from 1."""

    variables: int
    clauses: NDArray[np.int32]

    def implications(self) -> NDArray[np.int64]:
        """The implications that the clauses give, int64 (2n, 2): from node to node, where +v is 2v - 2 and -v is 2v - 1."""
        nodes = 2 * np.abs(self.clauses.astype(np.int64)) - 2 + (self.clauses < 0)
        return np.concatenate([np.column_stack([nodes[:, 0] ^ 1, nodes[:, 1]]), np.column_stack([nodes[:, 1] ^ 1, nodes[:, 0]])])


class Pairs(NamedTuple):
    """Pairs of vertices, int32 (n, 2), of a graph with so many of them; in a bipartite one `size` is that of either side."""

    size: int
    pairs: NDArray[np.int32]


def satisfiability(ours: str, theirs: str, ready: Callable[[Formula], Callable[[], bool]]) -> Race:
    """Random formulas, of .9 clauses a variable, which are satisfiable almost always, and of 1.1, which are not."""

    def heats(seed: int) -> Iterator[Heat]:
        for number in range(INPUTS):
            rng = np.random.default_rng((seed, number))
            count = SIZE * (11 if number % 2 else 9) // 10
            clauses = rng.integers(1, SIZE + 1, (count, 2)) * rng.choice((-1, 1), (count, 2))
            formula = Formula(SIZE, clauses.astype(np.int32))
            yield Heat(f"{count} clauses", lambda f=formula: two_sat.solve(*f, certify=False).satisfiable, ready(formula), _differ)

    return Race(f"2-SAT, {SIZE:,} variables", ours, theirs, heats)


def matching_random(ours: str, theirs: str, ready: Callable[[Pairs], Callable[[], int]]) -> Race:
    """The size of a maximum matching of random graphs with two edges a vertex of each side."""

    def inputs(seed: int) -> Iterator[Pairs]:
        for number in range(INPUTS):
            yield Pairs(SIZE, np.random.default_rng((seed, number)).integers(0, SIZE, (2 * SIZE, 2)).astype(np.int32))

    return Race(f"matching, {SIZE:,} + {SIZE:,} vertices", ours, theirs, _matched(inputs, ready))


def matching_boards(ours: str, theirs: str, ready: Callable[[Pairs], Callable[[], int]]) -> Race:
    """The same of boards with 10% walls, as geography asks for it."""

    def inputs(seed: int) -> Iterator[Pairs]:
        for number in range(INPUTS):
            board = geography.PUZZLE.family("walls-10").board(BOARD, 1000 * seed + number)
            assert isinstance(board, Geography)
            yield board_graph(board)

    return Race(f"matching, {BOARD}x{BOARD} board", ours, theirs, _matched(inputs, ready))


def components(ours: str, theirs: str, ready: Callable[[Pairs], Callable[[], int]]) -> Race:
    """How many components graphs have whose edges are as many as their vertices, at random."""

    def heats(seed: int) -> Iterator[Heat]:
        for number in range(INPUTS):
            given = Pairs(SIZE, np.random.default_rng((seed, number)).integers(0, SIZE, (SIZE, 2)).astype(np.int32))
            yield Heat(f"graph {number}", lambda given=given: _components(given), ready(given), _differ)

    return Race(f"components, {SIZE:,} vertices", ours, theirs, heats)


def board_graph(board: Geography) -> Pairs:
    """The open cells of a board, each joined to its open neighbours; those of even row plus column are on the left."""
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
    return Pairs(int(number.max()) + 1, number[pairs].astype(np.int32))


def _matched(
    inputs: Callable[[int], Iterator[Pairs]], ready: Callable[[Pairs], Callable[[], int]]
) -> Callable[[int], Iterator[Heat]]:
    def heats(seed: int) -> Iterator[Heat]:
        for number, given in enumerate(inputs(seed)):
            graph = matching.graph(given.size, given.size, given.pairs)
            yield Heat(f"graph {number}", lambda graph=graph: matching.solve(graph, certify=False).size, ready(given), _differ)

    return heats


def _components(given: Pairs) -> int:
    parents = union_find.singletons(given.size)
    union_find.union(parents, given.pairs[:, 0], given.pairs[:, 1])
    return union_find.count(parents)


def _differ(ours: int, theirs: int) -> str:
    return "" if ours == theirs else f"ours says {ours}, theirs {theirs}"
