"""The lightest vertex cover of a graph: `python -m compare run examples/weighted_cover.py`

A case is a line `V M`, a line with the weights of the V vertices, then M lines `u v`: an edge. A
cover has an end of each edge. The answer is the least weight of a cover, and the vertices of such a
cover, counted from 1.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar, Self

from models.cnf import Formula
from models.dimacs import Encoding
from models.maxsat import maxsat_session
from models.stopwatch import Stopwatch
from puzzles.backend import Unsupported, backend, report
from puzzles.case import Case
from puzzles.case_solution import CaseSolution, CaseSolutionPuzzle
from puzzles.puzzle import Family
from puzzles.text import Reader

FEW_VERTICES = 14
"""Vertices of a graph of which the check tries all subsets."""


@dataclass(frozen=True, eq=False, repr=False)
class WeightedGraph(Case[CaseSolution]):
    """The weights of the vertices, and the edges."""

    puzzle: ClassVar[str] = "weighted-cover"
    weights: tuple[int, ...]
    edges: tuple[tuple[int, int], ...]

    def text(self) -> str:
        lines = [(len(self.weights), len(self.edges)), self.weights, *self.edges]
        return "".join(" ".join(map(str, line)) + "\n" for line in lines)

    @classmethod
    def read(cls, reader: Reader) -> Self:
        vertices, number = reader.numbers("the number of vertices", "of edges", least=(1, 0))
        weights = reader.numbers(*["a weight"] * vertices)
        edges: list[tuple[int, int]] = []
        for _ in range(number):
            start = reader.position
            u, v = reader.numbers("an end of an edge", "the other end")
            if not u < v <= vertices:
                reader.fail(f"an edge is u v with u less than v, up to {vertices}", start)
            edges.append((u, v))
        return cls(weights, tuple(edges))


class WeightedCoverPuzzle(CaseSolutionPuzzle[WeightedGraph, CaseSolution]):
    """The rules, and cases to try.

    Nothing here may be used by a backend: then agreement would prove nothing.
    """

    name = "weighted-cover"
    case_type = WeightedGraph
    better = "less"
    value_name = "the weight"

    def broken_rule(self, case: WeightedGraph, witness: Sequence[int], /) -> str:
        if len({*witness}) < len(witness) or not all(
            1 <= vertex <= len(case.weights) for vertex in witness
        ):
            return "the cover is no set of vertices of the graph"
        bare = [edge for edge in case.edges if not {*edge} & {*witness}]
        return f"the edge between {bare[0][0]} and {bare[0][1]} is not covered" if bare else ""

    def value(self, case: WeightedGraph, witness: Sequence[int], /) -> int:
        return sum(case.weights[vertex - 1] for vertex in witness)

    def bound_fault(self, case: WeightedGraph, value: int, bound: Any, /) -> str:
        """Each edge pays something to both of its ends, and no vertex gets more than it weighs.

        Then each cover weighs at least what all edges pay, since each edge has an end in it.
        """
        if not isinstance(bound, tuple) or len(bound) != len(case.edges):
            return "the bound is no tuple of what each edge pays"
        if not all(isinstance(pays, int) and pays >= 0 for pays in bound):
            return "an edge pays what is no whole number from 0 on"
        for vertex, weight in enumerate(case.weights, 1):
            gets = sum(pays for pays, edge in zip(bound, case.edges, strict=True) if vertex in edge)
            if gets > weight:
                return f"vertex {vertex} weighs {weight}, and gets {gets}"
        paid = sum(bound)
        return "" if paid >= value else f"the edges pay {paid}, and {value} is claimed"

    def candidates(self, case: WeightedGraph, /) -> Iterable[Sequence[int]] | None:
        """All subsets of the vertices, if these are few."""
        vertices = range(1, len(case.weights) + 1)
        if len(vertices) > FEW_VERTICES:
            return None
        return (some for count in (0, *vertices) for some in combinations(vertices, count))

    @property
    def families(self) -> Mapping[str, Family[WeightedGraph]]:
        return {
            "trees": Family(tree, "a tree of size vertices that weigh up to 9", most=500),
            "random": Family(random_graph, "size vertices, and about as many edges", most=60),
        }


def tree(size: int, seed: int) -> WeightedGraph:
    """A size and a seed always give the same graph."""
    rng = random.Random(f"tree {size} {seed}")
    edges = sorted((rng.randint(1, vertex - 1), vertex) for vertex in range(2, size + 1))
    return WeightedGraph(tuple(rng.randint(1, 9) for _ in range(size)), tuple(edges))


def random_graph(size: int, seed: int) -> WeightedGraph:
    """A size and a seed always give the same graph."""
    rng = random.Random(f"{size} {seed}")
    pairs = [*combinations(range(1, size + 1), 2)]
    edges = sorted(rng.sample(pairs, min(len(pairs), rng.randint(0, 3 * size // 2))))
    return WeightedGraph(tuple(rng.randint(1, 9) for _ in range(size)), tuple(edges))


NO_FOREST = "the graph has a cycle"


def in_leaf_order(case: WeightedGraph) -> list[tuple[int, int, int]] | None:
    """The edges as (vertex, its neighbour, the number of the edge), so that the vertex is a leaf
    once the edges before are gone; None if the graph has a cycle.
    """
    near: dict[int, dict[int, int]] = {k: {} for k in range(1, len(case.weights) + 1)}
    for number, (u, v) in enumerate(case.edges):
        if v in near[u]:
            return None  # two edges between the same vertices
        near[u][v] = near[v][u] = number
    leaves = [vertex for vertex, others in near.items() if len(others) == 1]
    order: list[tuple[int, int, int]] = []
    while leaves:
        leaf = leaves.pop()
        if not near[leaf]:
            continue
        ((neighbour, number),) = near[leaf].items()
        order.append((leaf, neighbour, number))
        del near[neighbour][leaf]
        near[leaf] = {}
        if len(near[neighbour]) == 1:
            leaves.append(neighbour)
    return order if len(order) == len(case.edges) else None


@backend(
    "weighted-cover",
    "trees",
    side="direct",
    source="dynamic programme from the leaves up",
    refuses=lambda case, **_: NO_FOREST * (in_leaf_order(case) is None),
)
def by_leaves(case: WeightedGraph, *, certify: bool = False) -> CaseSolution:
    """`with_it[v]`, `without[v]`: the least weight of a cover of what hangs below v, with v and
    without it.
    """
    order = in_leaf_order(case)
    if order is None:
        raise Unsupported(NO_FOREST)
    with_it, without = [0, *case.weights], [0] * (len(case.weights) + 1)
    for leaf, neighbour, _ in order:
        with_it[neighbour] += min(with_it[leaf], without[leaf])
        without[neighbour] += with_it[leaf]
    above = {leaf: neighbour for leaf, neighbour, _ in order}
    cover: set[int] = set()
    tops = [vertex for vertex in range(1, len(case.weights) + 1) if vertex not in above]
    for vertex in [*tops, *(leaf for leaf, _, _ in reversed(order))]:
        is_needed = vertex in above and above[vertex] not in cover
        if is_needed or with_it[vertex] < without[vertex]:
            cover.add(vertex)
    weight = sum(min(with_it[top], without[top]) for top in tops)
    bound = pay(case, order) if certify else None
    return CaseSolution.optimal(weight, sorted(cover), certificate=bound)


def pay(case: WeightedGraph, order: Sequence[tuple[int, int, int]]) -> tuple[int, ...]:
    """What each edge pays: from the leaves up, as much as both of its ends can still get."""
    room, pays = [0, *case.weights], [0] * len(case.edges)
    for leaf, neighbour, number in order:
        pays[number] = min(room[leaf], room[neighbour])
        room[leaf] -= pays[number]
        room[neighbour] -= pays[number]
    return tuple(pays)


def encode(case: WeightedGraph) -> Encoding:
    """Variable v: vertex v is in the cover. Each edge is a hard clause, and each vertex a soft one,
    which says that it is not in the cover and weighs as much.
    """
    formula = Formula.of(len(case.weights), case.edges)
    formula.name(range(1, len(case.weights) + 1), "vertex {} is in the cover")
    for vertex, weight in enumerate(case.weights, 1):
        formula.add_soft(weight, -vertex)
    return Encoding.of(formula, "the lightest vertex cover", case)


def report_bound(weight: int) -> None:
    """RC2 comes from below: a run that is stopped has no cover, but knows how much it weighs at
    least.
    """
    report(CaseSolution.only_bound(weight))


@backend("weighted-cover", "maxsat", side="models", source="MaxSAT, by RC2", encode=encode)
def by_maxsat(case: WeightedGraph, *, certify: bool = False) -> CaseSolution:
    watch, formula = Stopwatch(), encode(case).formula
    watch.start_solving()
    with maxsat_session(formula, watch=watch, bound_grew=report_bound) as opened:
        if not opened.solve():
            raise RuntimeError("all vertices together are a cover")
        model, weight = opened.model(), opened.bound
    cover = [vertex for vertex in range(1, len(case.weights) + 1) if model[vertex]]
    effort = watch.effort(formula.variables, len(formula.clauses) + len(formula.soft))
    return CaseSolution.optimal(weight, cover, effort=effort)


@backend(
    "weighted-cover",
    "greedy",
    side="direct",
    source="the vertex that weighs least for each edge that it covers",
    complete=False,
)
def greedy(case: WeightedGraph, *, certify: bool = False) -> CaseSolution:
    """One vertex after the other, until no edge is bare."""
    bare, cover = {*case.edges}, set[int]()
    while bare:
        degree = [0] * (len(case.weights) + 1)
        for edge in bare:
            for end in edge:
                degree[end] += 1
        best = min(
            (vertex for vertex in range(1, len(degree)) if degree[vertex]),
            key=lambda vertex: case.weights[vertex - 1] / degree[vertex],
        )
        cover.add(best)
        bare = {edge for edge in bare if best not in edge}
    return CaseSolution.feasible(sum(case.weights[vertex - 1] for vertex in cover), sorted(cover))


PUZZLE = WeightedCoverPuzzle()
