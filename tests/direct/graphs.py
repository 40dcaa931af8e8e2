"""Random bipartite graphs, and what makes an answer to one right: a matching along edges, and a
vertex cover of its size.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from direct import matching, thresholds
from puzzles.text import InputError
from tests.direct import run_on

LARGE_EVERY = 100
"""One graph in this many has hundreds or thousands of vertices."""


@dataclass(frozen=True)
class Edges:
    """A bipartite graph: int32 array (edges, 2) of a left and a right vertex, counted from 0."""

    left: int
    right: int
    edges: NDArray[np.int32]
    number: int


def cases(seed: int, count: int) -> list[Edges]:
    """Graphs of up to 14 vertices a side, some of thousands: sparse and dense ones, paths, and
    greedy's bad cases.
    """
    rng = np.random.default_rng(seed)
    return [_draw(rng, k) for k in range(count)]


def _draw(rng: np.random.Generator, number: int) -> Edges:
    if number % LARGE_EVERY == LARGE_EVERY - 1:
        left = int(rng.integers(500, 2500))
        right = left + int(rng.integers(-50, 50))
        degree = float(rng.choice([1.5, 2.5, 3.0, 4.0]))
    else:
        left, right = (int(k) for k in rng.integers(0, 15, 2))
        degree = float(rng.choice([0.5, 1.0, 1.5, 2.0, 3.0, 6.0]))
    count = int(degree * min(left, right))
    edges = np.column_stack(
        [rng.integers(0, max(left, 1), count), rng.integers(0, max(right, 1), count)]
    )
    if left and right and rng.random() < 0.3:  # a long path, which greedy choices break
        k = np.arange(min(left, right))
        path = np.concatenate([np.column_stack([k, k]), np.column_stack([k[1:], k[:-1]])])
        edges = np.concatenate([edges[: count // 4], path])
    rng.shuffle(edges)
    return Edges(left, right, edges.astype(np.int32), number)


def largest(case: Edges) -> int:
    """The size of a maximum matching, one augmenting path at a time, each found from every vertex
    anew.
    """
    near: list[list[int]] = [[] for _ in range(case.left)]
    for u, v in case.edges.tolist():
        near[u].append(v)
    mate: dict[int, int] = {}

    def augment(u: int, seen: set[int]) -> bool:
        for v in near[u]:
            if v not in seen:
                seen.add(v)
                if v not in mate or augment(mate[v], seen):
                    mate[v] = u
                    return True
        return False

    return sum(augment(u, set()) for u in range(case.left))


def examine(case: Edges) -> None:
    """Raise `AssertionError` unless every form of the answer is right."""
    graph = matching.graph(case.left, case.right, case.edges)
    answer = matching.solve(graph)
    examine_matching(case, answer)
    if os.environ.get("TWOFOLD_KERNELS") == "python":  # a compiled kernel keeps its constants
        examine_push_relabel(case, graph, answer.size)
    if case.left <= 20:
        assert answer.size == largest(case)
        examine_searches(graph, answer.size)
    plain = matching.solve(graph, certify=False)
    assert np.array_equal(plain.mate, answer.mate)
    assert (plain.cover_left, plain.cover_right) == (None, None)
    examine_text(case, answer)
    if case.number % 8 == 0:
        examine_refusals(case)


def examine_push_relabel(case: Edges, graph: matching.BipartiteGraph, size: int) -> None:
    """Short searches that give up almost at once leave the work to push-relabel, which large graphs
    need.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(thresholds, "SHORT_SEARCH", case.number % 3)
        answer = matching.solve(graph)
    examine_matching(case, answer)
    assert answer.size == size


def examine_searches(graph: matching.BipartiteGraph, size: int) -> None:
    """Where the greedy step finds no pair, because it counts no neighbours, the searches find all
    of them.
    """
    vertices = graph.left + graph.right
    mate, degree = np.full(vertices, matching.EXPOSED, np.int32), np.zeros(vertices, np.int32)
    matching.maximum_matching(
        graph.start, graph.target, mate, degree, graph.left, np.empty((2, vertices), np.int32)
    )
    matched = np.flatnonzero(mate >= 0)
    assert matched.size == 2 * size
    assert np.array_equal(mate[mate[matched]], matched)


def examine_refusals(case: Edges) -> None:
    """An edge that leads out of the graph, or is none: the arrays and the text are refused."""
    for wrong in ([[case.left, 0]], [[0, case.right]], [[-1, 0]], [[0, -1]], [[0, 0, 0]], [0, 0]):
        with pytest.raises(ValueError, match=r"out of range|the shape"):
            matching.graph(case.left, case.right, np.array(wrong, np.int32))
    for wrong in (
        f"{case.left + 1} 1",
        f"1 {case.right + 1}",
        "0 1",
        "1 0",
        "1",
        "1 1 1",
        "1 1\n1 1",
    ):
        with pytest.raises(InputError):
            matching.read_graph(f"{case.left} {case.right} 1\n{wrong}\n")
    with pytest.raises(InputError, match="at most 100000000 vertices, found 60000000 \\+ 40000001"):
        matching.read_graph("60000000 40000001 0\n")
    with pytest.raises(InputError):
        matching.read_graph(f"{case.left} {case.right} 2\n1 1 1\n1\n")


def examine_matching(case: Edges, answer: matching.Matching) -> None:
    """It is a matching along edges, and the cover touches every edge and is no larger: so neither
    can be better.
    """
    u = np.flatnonzero(answer.mate >= 0)
    v = answer.mate[u]
    assert answer.mate.shape == (case.left,)
    assert np.unique(v).size == u.size == answer.size
    assert (answer.mate >= -1).all()
    assert set(zip(u.tolist(), v.tolist(), strict=True)) <= set(map(tuple, case.edges.tolist()))
    assert answer.cover_left is not None
    assert answer.cover_right is not None
    assert (answer.cover_left.shape, answer.cover_right.shape) == ((case.left,), (case.right,))
    assert (answer.cover_left[case.edges[:, 0]] | answer.cover_right[case.edges[:, 1]]).all()
    assert int(answer.cover_left.sum()) + int(answer.cover_right.sum()) == answer.size


def examine_text(case: Edges, answer: matching.Matching) -> None:
    """Written down it is read back, and what is printed names the pairs and the cover."""
    gap = "  " if case.number % 3 == 0 else " "
    lines = [f"{u}{gap}{v}" for u, v in (case.edges + 1).tolist()]
    text = "\n".join([f"{case.left} {case.right} {len(lines)}", *lines, ""])
    graph, same = matching.read_graph(text), matching.graph(case.left, case.right, case.edges)
    assert graph[:2] == (case.left, case.right)
    assert np.array_equal(graph.start, same.start)
    assert np.array_equal(graph.target, same.target)
    size, *printed = matching.print_matching(answer).splitlines()
    assert answer.cover_left is not None
    assert answer.cover_right is not None
    assert int(size) == answer.size
    u = np.flatnonzero(answer.mate >= 0)
    assert printed == [
        *(f"{a + 1} {b + 1}" for a, b in zip(u.tolist(), answer.mate[u].tolist(), strict=True)),
        " ".join(["left", *(str(a + 1) for a in np.flatnonzero(answer.cover_left).tolist())]),
        " ".join(["right", *(str(b + 1) for b in np.flatnonzero(answer.cover_right).tolist())]),
    ]
    if case.number % 16 == 0:
        assert run_on(matching.main, text) == (0, matching.print_matching(answer))
