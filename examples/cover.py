"""The least vertex cover of a bipartite graph: `python -m compare run examples/cover.py`

A case is a line `L R M`, then M lines `u v`: an edge between vertex u of L on the left and vertex v
of R on the right. An answer is the number of vertices of a least cover, and the cover: each edge
has an end in it. Vertices are counted from 1, in the answer those on the right after those on the
left.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar, Self

from ortools.sat.python import cp_model
from pysat.card import CardEnc
from pysat.solvers import Cadical153

from puzzles.backend import backend
from puzzles.case import Case
from puzzles.case_solution import CaseSolution, CaseSolutionPuzzle
from puzzles.graph_pictures import GraphPicture
from puzzles.puzzle import Family
from puzzles.text import Reader


@dataclass(frozen=True, eq=False, repr=False)
class Graph(Case):
    """A bipartite graph.

    Its edges name vertices as the answer does: the first one on the right is `left` + 1.
    """

    puzzle: ClassVar[str] = "cover"
    left: int
    right: int
    edges: tuple[tuple[int, int], ...]

    def text(self) -> str:
        return f"{self.left} {self.right} {len(self.edges)}\n" + "".join(
            f"{u} {v - self.left}\n" for u, v in self.edges
        )

    @classmethod
    def read(cls, reader: Reader) -> Self:
        left, right, number = reader.numbers(
            "the vertices on the left", "those on the right", "the number of edges", least=0
        )
        edges: list[tuple[int, int]] = []
        for _ in range(number):
            start = reader.position
            u, v = reader.numbers("the end on the left", "the end on the right")
            if u > left or v > right:
                reader.fail(f"there is no edge {u} {v} between {left} and {right} vertices", start)
            edges.append((u, left + v))
        return cls(left, right, tuple(edges))


class CoverPuzzle(CaseSolutionPuzzle[Graph, CaseSolution]):
    """The rules, and graphs to try.

    Nothing here may be used by a backend: then agreement would prove nothing.
    """

    name = "cover"
    case_type = Graph
    value_name = "the number of vertices"

    def broken_rule(self, case: Graph, witness: Sequence[int], /) -> str:
        """A cover names vertices of the graph, each once, and an end of every edge.

        Its value is how many it names.
        """
        if len({*witness}) < len(witness) or not all(
            1 <= vertex <= case.left + case.right for vertex in witness
        ):
            return "the cover is no set of vertices of the graph"
        bare = [edge for edge in case.edges if not {*edge} & {*witness}]
        return f"the edge between {bare[0][0]} and {bare[0][1]} is not covered" if bare else ""

    def bound_fault(self, case: Graph, value: int, bound: Any, /) -> str:
        """No cover is smaller than a matching: edges that do not meet need a vertex each."""
        if (
            not isinstance(bound, tuple)
            or not all(edge in case.edges for edge in bound)
            or len({end for edge in bound for end in edge}) < 2 * len(bound)
        ):
            return "the matching is no tuple of edges of which no two meet"
        return (
            ""
            if len(bound) >= value
            else f"the matching has {len(bound)} edges, the cover {value} vertices"
        )

    def picture(self, case: Graph, /, answer: CaseSolution | None = None) -> str:
        drawing = GraphPicture(range(1, case.left + case.right + 1), case.edges)
        if answer is not None:
            drawing.mark(answer.witness, "in the cover")
            drawing.mark_edges(answer.certificate, "in the matching")
        return drawing.svg(f"cover, {case.shown_size}")

    @property
    def families(self) -> Mapping[str, Family[Graph]]:
        return {
            "random": Family(
                random_graph,
                "up to size vertices on each side, up to three edges for each of them",
                most=900,
            )
        }


def random_graph(size: int, seed: int) -> Graph:
    """A size and a seed always give the same graph."""
    rng = random.Random(f"{size} {seed}")
    left, right = rng.randint(1, size), rng.randint(1, size)
    edges = {
        (rng.randint(1, left), left + rng.randint(1, right))
        for _ in range(rng.randint(0, 3 * max(left, right)))
    }
    return Graph(left, right, tuple(sorted(edges)))


@backend("cover", "matching", side="direct", source="augmenting paths; Koenig 1931", certifies=True)
def by_matching(case: Graph, *, certify: bool = False) -> CaseSolution:
    """A largest matching.

    What paths from its exposed vertices on the left reach on the right covers, and the other left
    mates.
    """
    near = {u: [v for end, v in case.edges if end == u] for u in range(1, case.left + 1)}
    mate: dict[int, int] = {}

    def augment(u: int, reached: set[int]) -> bool:
        for v in near[u]:
            if v not in reached:
                reached.add(v)
                if v not in mate or augment(mate[v], reached):
                    mate[v] = u
                    return True
        return False

    reached: set[int] = set()
    for u in [u for u in near if not augment(u, set())]:
        augment(u, reached)
    cover = (*sorted({*mate.values()} - {mate[v] for v in reached}), *sorted(reached))
    return CaseSolution(True, cover, len(cover), certificate=tuple((u, v) for v, u in mate.items()))


@backend(
    "cover",
    "cnf",
    side="models",
    source="a clause for each edge, at most k vertices",
    certifies=True,
    limit=200,
)
def by_clauses(case: Graph, *, certify: bool = False) -> CaseSolution:
    """Variable v: vertex v covers. A formula of its own gives the matching.

    There variable k + 1 is the edge with index k.
    """
    vertices, size = [*range(1, case.left + case.right + 1)], 0
    if not case.edges:
        return CaseSolution(True, (), 0, certificate=())
    while not (cover := satisfied([*case.edges, *CardEnc.atmost(vertices, size).clauses])):
        size += 1
    named = [*enumerate(case.edges, 1)]
    apart = [(-i, -j) for (i, one), (j, other) in combinations(named, 2) if {*one} & {*other}]
    many = CardEnc.atleast([k for k, _ in named], size).clauses if certify else ()
    matching = satisfied([*apart, *many])
    return CaseSolution(
        True,
        tuple(v for v in vertices if v in cover),
        size,
        certificate=tuple(edge for k, edge in named if k in matching),
    )


def satisfied(clauses: Sequence[Sequence[int]]) -> set[int]:
    """The variables that are true in a model; none if there is no model."""
    with Cadical153(bootstrap_with=clauses) as solver:
        return {*(solver.get_model() or ())} if solver.solve() else set()


@backend(
    "cover",
    "cpsat",
    side="models",
    source="a 0-1 programme, and its dual for the proof",
    certifies=True,
    limit=2000,
)
def by_cpsat(case: Graph, *, certify: bool = False) -> CaseSolution:
    """A least set of vertices that covers, and on request a largest set of edges that do not
    meet.
    """
    model, vertices = cp_model.CpModel(), range(1, case.left + case.right + 1)
    covers = {v: model.new_bool_var("") for v in vertices}
    for u, v in case.edges:
        model.add_bool_or(covers[u], covers[v])
    model.minimize(sum(covers.values()))
    cover = optimum(model, covers)
    dual = cp_model.CpModel()
    matches = {edge: dual.new_bool_var("") for edge in case.edges if certify}
    for v in vertices:
        dual.add_at_most_one(variable for edge, variable in matches.items() if v in edge)
    dual.maximize(sum(matches.values()))
    return CaseSolution(True, cover, len(cover), certificate=optimum(dual, matches))


def optimum(model: cp_model.CpModel, variables: Mapping[Any, cp_model.IntVar]) -> tuple[Any, ...]:
    """What is chosen in the best solution."""
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    if solver.solve(model) != cp_model.OPTIMAL:
        raise RuntimeError("CP-SAT found no optimum")
    return tuple(name for name, variable in variables.items() if solver.boolean_value(variable))


PUZZLE = CoverPuzzle()
