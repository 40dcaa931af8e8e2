"""The largest matching of a bipartite graph, and the number of its connected parts.

A case is a line `L R M`, then M lines `u v`: an edge between vertex u of L on the left and vertex v
of R on the right. The answer is the size of a largest matching, the number of connected parts, and
the edges of the matching by their places, counted from 1.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from direct import matching, union_find
from models.cpsat import CpSatModel
from puzzles.answer import Claims
from puzzles.backend import backend
from puzzles.case import Case
from puzzles.case_solution import CaseSolution, CaseSolutionPuzzle
from puzzles.puzzle import Family
from puzzles.text import Reader
from puzzles.verdict import Check, Verdict


@dataclass(frozen=True, eq=False, repr=False)
class TwoSidedGraph(Case):
    """A bipartite graph; its vertices are counted from 1 on each side."""

    puzzle: ClassVar[str] = "graph"
    left: int
    right: int
    edges: tuple[tuple[int, int], ...]

    def text(self) -> str:
        return f"{self.left} {self.right} {len(self.edges)}\n" + "".join(
            f"{u} {v}\n" for u, v in self.edges
        )

    @classmethod
    def read(cls, reader: Reader) -> Self:
        left, right, number = reader.numbers(
            "the vertices on the left", "those on the right", "the number of edges", least=(1, 1, 0)
        )
        edges: list[tuple[int, int]] = []
        for _ in range(number):
            start = reader.position
            u, v = reader.numbers("the end on the left", "the end on the right")
            if u > left or v > right:
                reader.fail(f"there is no edge {u} {v} between {left} and {right} vertices", start)
            edges.append((u, v))
        return cls(left, right, tuple(edges))


@dataclass(frozen=True, eq=False, repr=False)
class Matched(CaseSolution):
    """A largest matching.

    Attributes:
        parts: the number of connected parts of the graph; a vertex without an edge is one.
    """

    parts: int = 0

    @property
    def claims(self) -> Claims:
        """`[size, parts]`."""
        return np.array([self.value or 0, self.parts], np.int64)

    def __str__(self) -> str:
        return " ".join(map(str, (self.value, self.parts, *(self.witness or ()))))


class GraphPuzzle(CaseSolutionPuzzle[TwoSidedGraph, Matched]):
    """The rules: the edges of a matching do not meet, a vertex cover of its size shows that none is
    larger.
    """

    name = "graph"
    case_type = TwoSidedGraph
    answer_type = Matched
    source = "bipartite matching, disjoint sets"
    value_name = "the size of the matching"

    def broken_rule(self, case: TwoSidedGraph, witness: Sequence[int], /) -> str:
        """The edges are there, and no two of them meet."""
        if not all(1 <= place <= len(case.edges) for place in witness):
            return "the matching names an edge that is not there"
        chosen = [case.edges[place - 1] for place in witness]
        meet = len({u for u, _ in chosen}) < len(chosen) or len({v for _, v in chosen}) < len(
            chosen
        )
        return "two edges of the matching meet" if meet else ""

    def bound_fault(self, case: TwoSidedGraph, value: int, bound: Any, /) -> str:
        """A cover is a pair: tuples of vertices on the left and on the right, with an end of every
        edge among them.
        """
        if not (
            isinstance(bound, tuple)
            and len(bound) == 2
            and all(isinstance(side, tuple) for side in bound)
        ):
            return "the cover is no pair of tuples"
        bare = [(u, v) for u, v in case.edges if u not in bound[0] and v not in bound[1]]
        if bare:
            return f"the edge {bare[0][0]} {bare[0][1]} is not covered"
        vertices = len(bound[0]) + len(bound[1])
        return (
            ""
            if vertices <= value
            else f"the cover has {vertices} vertices, the matching {value} edges"
        )

    def check(self, case: TwoSidedGraph, /, answer: Matched) -> Check:
        """The parts are counted by spreading from each vertex in turn."""
        near: dict[int, list[int]] = {
            vertex: [] for vertex in (*range(1, case.left + 1), *range(-case.right, 0))
        }
        for u, v in case.edges:
            near[u].append(-v)
            near[-v].append(u)
        seen, parts = set[int](), 0
        for first in near:
            parts += first not in seen
            spread = [first]
            while spread:
                vertex = spread.pop()
                if vertex not in seen:
                    seen.add(vertex)
                    spread += near[vertex]
        if answer.parts != parts:
            return Check(
                Verdict.REFUTED, f"the graph has {parts} connected parts, not {answer.parts}"
            )
        return super().check(case, answer)

    def read_answer(
        self, reader: Reader, graph: TwoSidedGraph, /, case: int, format: str
    ) -> Matched:
        """A line: the size, the parts, the edges."""
        size, parts, *edges = reader.list_of_numbers(
            self.value_name, "the number of parts", rest="an edge", least=0
        )
        return Matched(True, tuple(edges), size, parts=parts)

    def outcome(self, claims: Claims) -> str:
        """There are too many numbers to count."""
        return ""

    def fields(self, answer: Matched) -> dict[str, object]:
        """`size`, `parts`, and `matching`: the places of its edges."""
        return {"size": answer.value, "parts": answer.parts, "matching": list(answer.witness or ())}

    @property
    def families(self) -> Mapping[str, Family[TwoSidedGraph]]:
        return {
            "random": Family(
                random_graph,
                "up to size vertices on each side, up to three edges for each of them",
                most=2000,
            )
        }


def random_graph(size: int, seed: int) -> TwoSidedGraph:
    """The same size and seed give the same graph."""
    rng = random.Random(f"{size} {seed}")
    left, right = rng.randint(1, size), rng.randint(1, size)
    edges = {
        (rng.randint(1, left), rng.randint(1, right))
        for _ in range(rng.randint(0, 3 * max(left, right)))
    }
    return TwoSidedGraph(left, right, tuple(sorted(edges)))


@backend(
    "graph",
    "matching",
    side="direct",
    source="`direct.matching` and `direct.union_find`",
    certifies=True,
)
def by_matching(case: TwoSidedGraph, *, certify: bool = False) -> Matched:
    """Both general solvers; the cover is that of `direct.matching`."""
    edges: NDArray[np.int32] = np.array(case.edges, np.int32).reshape(-1, 2) - 1
    solution = matching.solve(matching.graph(case.left, case.right, edges), certify=certify)
    parents = union_find.singletons(case.left + case.right)
    union_find.union(parents, edges[:, 0], edges[:, 1] + case.left)
    places = {edge: place for place, edge in enumerate(case.edges, 1)}
    chosen = tuple(places[u + 1, v + 1] for u, v in enumerate(solution.mate.tolist()) if v >= 0)
    answer = Matched(True, chosen, len(chosen), parts=union_find.count(parents))
    if solution.cover_left is None or solution.cover_right is None:
        return answer
    sides = (np.flatnonzero(solution.cover_left) + 1, np.flatnonzero(solution.cover_right) + 1)
    return replace(answer, certificate=tuple(tuple(side.tolist()) for side in sides))


@backend(
    "graph",
    "cpsat",
    side="models",
    source="0-1 programmes: matching, cover, numbers of parts",
    certifies=True,
    limit=400,
)
def by_cpsat(case: TwoSidedGraph, *, certify: bool = False) -> Matched:
    """At most one chosen edge at a vertex.

    The vertices of a part share a label, which is no larger than the least of them.
    """
    model = CpSatModel()
    chosen = model.variables(len(case.edges), "edge")
    for side in (0, 1):
        for vertex in {edge[side] for edge in case.edges}:
            model.cp.add_at_most_one(
                each for each, edge in zip(chosen, case.edges, strict=True) if edge[side] == vertex
            )
    places = tuple(place for place, value in enumerate(_best(model, chosen), 1) if value)
    labels, vertices = CpSatModel(), case.left + case.right
    label = [labels.cp.new_int_var(0, vertex, "") for vertex in range(vertices)]
    for u, v in case.edges:
        labels.cp.add(label[u - 1] == label[case.left + v - 1])
    answer = Matched(True, places, len(places), parts=len({*_best(labels, label)}))
    if not certify:
        return answer
    cover = CpSatModel()
    bare = cover.variables(vertices, "bare")
    for u, v in case.edges:
        cover.cp.add_at_most_one(bare[u - 1], bare[case.left + v - 1])
    values = _best(cover, bare)
    sides = (values[: case.left], values[case.left :])
    ends = [tuple(k for k, value in enumerate(side, 1) if not value) for side in sides]
    return replace(answer, certificate=tuple(ends))


def _best(model: CpSatModel, variables: Sequence[Any]) -> list[int]:
    """The values of the variables if their sum is as large as can be."""
    model.cp.maximize(sum(variables))
    if not model.solve():
        raise RuntimeError("CP-SAT found no optimum")
    return [model.value(each) for each in variables]


PUZZLE = GraphPuzzle()
