"""scipy: its compressed sparse graph routines, in C++ and Cython (https://pypi.org/project/scipy/)."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compare.measure.benchmarks import EdgeList, TwoCnf, components, matching_boards, matching_random, satisfiability


def _csgraph() -> Any:
    return import_module("scipy.sparse.csgraph")


def _matrix(size: int, pairs: NDArray[np.integer]) -> Any:
    sparse = import_module("scipy.sparse")
    return sparse.csr_array((np.ones(len(pairs), np.int8), (pairs[:, 0], pairs[:, 1])), (size, size))


def _strong(formula: TwoCnf) -> Callable[[], bool]:
    """No literal shares a strong component with its negation."""
    find = _csgraph().connected_components
    graph = _matrix(2 * formula.variables, formula.implications())

    def satisfiable() -> bool:
        _, component = find(graph, directed=True, connection="strong")
        return bool((component[0::2] != component[1::2]).all())

    return satisfiable


def _matching(given: EdgeList) -> Callable[[], int]:
    find = _csgraph().maximum_bipartite_matching
    graph = _matrix(given.size, given.pairs)
    return lambda: int(np.count_nonzero(find(graph, perm_type="column") >= 0))


def _connected(given: EdgeList) -> Callable[[], int]:
    find = _csgraph().connected_components
    graph = _matrix(given.size, given.pairs)
    return lambda: int(find(graph, directed=False, return_labels=False))


RACES = (
    satisfiability("two_sat", "connected_components, strong", _strong),
    matching_random("matching", "maximum_bipartite_matching", _matching),
    matching_boards("matching", "maximum_bipartite_matching", _matching),
    components("union_find", "connected_components", _connected),
)
