"""networkx: graphs in pure Python (https://pypi.org/project/networkx/)."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from compare.measure.benchmarks import EdgeList, TwoCnf, components, matching_boards, matching_random, satisfiability


def _networkx() -> Any:
    return import_module("networkx")


def _strong(formula: TwoCnf) -> Callable[[], bool]:
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


def _hopcroft_karp(given: EdgeList) -> Callable[[], int]:
    nx = _networkx()
    graph = nx.Graph()
    graph.add_nodes_from(range(2 * given.size))
    graph.add_edges_from((left, given.size + right) for left, right in given.pairs.tolist())
    return lambda: len(nx.bipartite.hopcroft_karp_matching(graph, range(given.size))) // 2


def _connected(given: EdgeList) -> Callable[[], int]:
    nx = _networkx()
    graph = nx.Graph()
    graph.add_nodes_from(range(given.size))
    graph.add_edges_from(given.pairs.tolist())
    return lambda: nx.number_connected_components(graph)


RACES = (
    satisfiability("two_sat", "strongly_connected_components", _strong),
    matching_random("matching", "hopcroft_karp_matching", _hopcroft_karp),
    matching_boards("matching", "hopcroft_karp_matching", _hopcroft_karp),
    components("union_find", "number_connected_components", _connected),
)
