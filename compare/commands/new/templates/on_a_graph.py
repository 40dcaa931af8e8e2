"""Two colours: give each vertex of a graph colour 0 or 1, so that the ends of each edge have
different ones.

A case is a line `N M`, then M lines `u v`: an edge between two vertices of 1 to N. A solution is
the colour of each vertex.

REPLACE this text by the rules of your puzzle. `python -m compare rules` prints it.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from pysat.solvers import Cadical153

from puzzles.backend import backend
from puzzles.case import Case
from puzzles.case_solution import CaseSolution, CaseSolutionPuzzle
from puzzles.graph_pictures import GraphPicture
from puzzles.puzzle import Family
from puzzles.text import Reader


@dataclass(frozen=True, eq=False, repr=False)
class Template(Case[CaseSolution]):
    """REPLACE the fields, the text, and the reader. What `text` prints, `read` takes."""

    puzzle: ClassVar[str] = "template"
    vertices: int
    edges: tuple[tuple[int, int], ...]

    def text(self) -> str:
        return f"{self.vertices} {len(self.edges)}\n" + "".join(f"{u} {v}\n" for u, v in self.edges)

    @classmethod
    def read(cls, reader: Reader) -> Self:
        vertices, number = reader.numbers(
            "the number of vertices", "the number of edges", least=(1, 0)
        )
        edges: list[tuple[int, int]] = []
        for _ in range(number):
            start = reader.position
            u, v = reader.numbers("one end", "the other end")
            if max(u, v) > vertices or u == v:
                reader.fail(
                    f"there is no edge {u} {v} between different vertices of 1 to {vertices}", start
                )
            edges.append((u, v))
        return cls(vertices, tuple(edges))


class TemplatePuzzle(CaseSolutionPuzzle[Template, CaseSolution]):
    """The rules, and graphs to try.

    No solver may use what is here: its answers are judged by it.
    """

    name = "template"
    case_type = Template

    def broken_rule(self, case: Template, witness: Sequence[int], /) -> str:
        """REPLACE: the first rule that a solution breaks, in words for people; an empty text if it
        breaks none.
        """
        if len(witness) != case.vertices or not {*witness} <= {0, 1}:
            return f"the solution is no list of {case.vertices} colours"
        alike = [(u, v) for u, v in case.edges if witness[u - 1] == witness[v - 1]]
        return (
            f"the ends of the edge {alike[0][0]} {alike[0][1]} have the same colour"
            if alike
            else ""
        )

    def core_fault(self, case: Template, core: Any, /) -> str:
        """REPLACE: why a core does not prove that there is no solution; an empty text if it does. A
        core may be any value.

        Here it is a circle of an odd number of vertices: each has an edge to the next, and the last
        one to the first.
        """
        if not isinstance(core, tuple) or len(core) % 2 == 0:
            return f"the core {core!r:.60} is no tuple of an odd number of vertices"
        gaps = [
            (u, v)
            for u, v in zip(core, (*core[1:], core[0]), strict=True)
            if not {(u, v), (v, u)} & {*case.edges}
        ]
        return f"there is no edge between {gaps[0][0]} and {gaps[0][1]}" if gaps else ""

    def picture(self, case: Template, /, answer: CaseSolution | None = None) -> str:
        """REPLACE: the graph, and what an answer marks in it."""
        drawing = GraphPicture(range(1, case.vertices + 1), case.edges)
        if answer is not None and answer.possible:
            for colour in (0, 1):
                some = [v for v, own in enumerate(answer.witness or (), 1) if own == colour]
                drawing.mark(some, f"colour {colour}")
        elif answer is not None and isinstance(answer.certificate, tuple):
            core = answer.certificate
            circle = zip(core, (*core[1:], *core[:1]), strict=True)
            drawing.mark_edges(circle, "a circle of an odd number of vertices")
        return drawing.svg(f"template, {case.shown_size}", "" if answer is None else str(answer))

    @property
    def families(self) -> Mapping[str, Family[Template]]:
        """REPLACE or add: graphs to try."""
        return {
            "random": Family(
                random_graph, "up to size vertices, up to two edges for each of them", most=2000
            )
        }


def random_graph(size: int, seed: int) -> Template:
    """REPLACE: a graph of this size. A size and a seed always give the same graph."""
    rng = random.Random(f"{size} {seed}")
    vertices = rng.randint(1, size)
    pairs = [
        (rng.randint(1, vertices), rng.randint(1, vertices))
        for _ in range(rng.randint(0, 2 * vertices))
    ]
    return Template(
        vertices, tuple(sorted({(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]}))
    )


@backend("template", "search", side="direct", source="depth-first search", certifies=True)
def search(case: Template, *, certify: bool = False) -> CaseSolution:
    """REPLACE by your algorithm.

    A search gives each new vertex the other colour; an edge within a colour closes an odd circle.
    """
    near: dict[int, list[int]] = {vertex: [] for vertex in range(1, case.vertices + 1)}
    for u, v in case.edges:
        near[u].append(v)
        near[v].append(u)
    colour: dict[int, int] = {}
    for first in near:
        if first in colour:
            continue
        colour[first] = 0
        path, waiting = [first], [iter(near[first])]
        while path:
            after = next(waiting[-1], None)
            if after is None:
                path.pop()
                waiting.pop()
            elif after not in colour:
                colour[after] = 1 - colour[path[-1]]
                path.append(after)
                waiting.append(iter(near[after]))
            elif colour[after] == colour[path[-1]]:  # in a depth-first search it lies on the path
                return CaseSolution(False, certificate=tuple(path[path.index(after) :]))
    return CaseSolution(True, tuple(colour[vertex] for vertex in near))


@backend(
    "template", "cnf", side="models", source="two clauses for each edge", certifies=True, limit=2000
)
def by_clauses(case: Template, *, certify: bool = False) -> CaseSolution:
    """REPLACE by your model. Variable v: vertex v has colour 1. A selector for each edge turns its
    two clauses on.

    Edges that cannot be left out of a contradiction are an odd circle; they are put in order one
    after the other.
    """
    with Cadical153() as solver:
        selectors = [*range(case.vertices + 1, case.vertices + len(case.edges) + 1)]
        for selector, (u, v) in zip(selectors, case.edges, strict=True):
            solver.add_clause([-selector, u, v])
            solver.add_clause([-selector, -u, -v])
        if solver.solve(selectors):
            ones = {*(solver.get_model() or ())}
            return CaseSolution(
                True, tuple(int(vertex in ones) for vertex in range(1, case.vertices + 1))
            )
        core = list(solver.get_core() or ())
        for selector in [*core] if certify else ():
            fewer = [other for other in core if other != selector]
            if not solver.solve(fewer):
                core = fewer
    edges = [case.edges[selector - case.vertices - 1] for selector in core]
    circle = [edges[0][0]] if certify else []
    while certify and len(circle) < len(core):
        edge = next(edge for edge in edges if circle[-1] in edge)
        edges.remove(edge)
        circle.append(edge[0] + edge[1] - circle[-1])
    return CaseSolution(False, certificate=tuple(circle) if certify else None)


PUZZLE = TemplatePuzzle()
