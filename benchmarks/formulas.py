"""2-SAT: networkx, scipy and the AtCoder Library in Python beside our solver.

https://pypi.org/project/networkx/ is pure Python, scipy's compressed sparse graph routines are C++
and Cython, and https://pypi.org/project/ac-library-python/ is pure Python. The peer's implication
graph is built before the clock starts, while ours starts from the clauses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.races import Race, RaceInput
from direct import two_sat

VARIABLES = 20_000
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


def _formula(seed: int, number: int) -> TwoCnf:
    """With .9 clauses a variable, almost always satisfiable, and with 1.1, almost never."""
    rng = np.random.default_rng((seed, number))
    count = VARIABLES * (11 if number % 2 else 9) // 10
    clauses = rng.integers(1, VARIABLES + 1, (count, 2)) * rng.choice((-1, 1), (count, 2))
    return TwoCnf(VARIABLES, clauses.astype(np.int32))


def _satisfiable(formula: TwoCnf) -> bool:
    return two_sat.solve(*formula, certify=False).satisfiable


def _race(theirs: str, ready: Callable[[TwoCnf], Callable[[], bool]]) -> Race:
    """With a peer's function; `ready` turns a formula into the peer's call to be timed."""

    def inputs(seed: int) -> Iterator[RaceInput]:
        for number in range(INPUTS):
            formula = _formula(seed, number)
            ours = partial(_satisfiable, formula)
            yield RaceInput(f"input {number}", ours, ready(formula), _differ)

    return Race(f"2-SAT, {VARIABLES:,} variables", "two_sat", theirs, inputs)


def _differ(ours: bool, theirs: bool) -> str:
    return "" if ours == theirs else f"ours says {ours}, theirs {theirs}"


def _networkx(formula: TwoCnf) -> Callable[[], bool]:
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


def _scipy(formula: TwoCnf) -> Callable[[], bool]:
    """No literal shares a strong component with its negation."""
    find: Any = import_module("scipy.sparse.csgraph").connected_components
    size, edges = 2 * formula.variables, formula.implications()
    graph = import_module("scipy.sparse").csr_array(
        (np.ones(len(edges), np.int8), (edges[:, 0], edges[:, 1])), (size, size)
    )

    def satisfiable() -> bool:
        _, component = find(graph, directed=True, connection="strong")
        return bool((component[0::2] != component[1::2]).all())

    return satisfiable


def _atcoder(formula: TwoCnf) -> Callable[[], bool]:
    """`satisfiable` may be called again on clauses that were added once."""
    solver: Any = import_module("atcoder.twosat").TwoSAT(formula.variables)
    for a, b in formula.clauses.tolist():
        solver.add_clause(abs(a) - 1, a > 0, abs(b) - 1, b > 0)
    return lambda: solver.satisfiable()


RACES = {
    "networkx": (_race("strongly_connected_components", _networkx),),
    "scipy": (_race("connected_components, strong", _scipy),),
    "ac-library-python": (_race("TwoSAT", _atcoder),),
}
