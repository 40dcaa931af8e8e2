"""Maximum matching in bipartite graphs, with a minimum vertex cover as its certificate (D. Koenig).

`python -m direct.matching [FILE]` reads a graph and prints both. Three steps, each linear but for
the last, which takes few rounds: pair off vertices of degree one, and if there is none the next
vertex with its rarest neighbour (R. M. Karp, M. Sipser, "Maximum matchings in sparse random
graphs", 1981); search short augmenting paths from one vertex at a time; match the rest in rounds of
push-relabel, each after a breadth-first search that gives exact distances (A. V. Goldberg, R.
Kennedy, "Global price updates help", 1997; K. Kaya, J. Langguth, F. Manne, B. Ucar, "Push-relabel
based algorithms for the maximum transversal problem", 2013).

A kernel takes a graph as `start` and `target` (int32): the neighbours of v are target[start[v]],
..., target[start[v + 1] - 1]. Boards have kernels of their own, in `direct.geography`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from direct import thresholds
from direct.general import regular_pairs, run
from direct.kernel import Array, inner_kernel, kernel
from puzzles.text import Reader

EXPOSED = -1
"""The entry of `mate` of an exposed (unmatched) vertex."""

FAR = 2**30
"""The label of a vertex from which no augmenting path starts."""


@kernel
def maximum_matching(
    start: Array, target: Array, mate: Array, degree: Array, left: int, scratch: Array
) -> None:
    """Turn `mate`, all EXPOSED, into a maximum matching.

    Args:
        start, target: the graph.
        mate: int32 per vertex, changed in place.
        degree: per vertex the number of its neighbours; overwritten.
        left: the number of left vertices, which come first.
        scratch: int32 (2, vertices).
    """
    label, queue = scratch[0], scratch[1]
    greedy(start, target, mate, degree, queue)
    few, many = exposed(mate, left)
    if few.size == 0:
        return
    for v in range(label.size):
        label[v] = -1
    if not augment_shortly(start, target, mate, few, label, queue):
        return
    while True:
        near = distances(start, target, mate, many, label, queue)
        if near.size == 0 or push_relabel(start, target, mate, near, label) == 0:
            return


@inner_kernel
def exposed(mate: Array, left: int) -> tuple[Array, Array]:
    """The exposed vertices (int32, ascending) of the side that has fewer of them, and those of the
    other side.
    """
    sides = np.empty((2, mate.size), np.int32)
    counts = np.zeros(2, np.int64)
    for v in range(mate.size):
        if mate[v] == EXPOSED:
            side = int(v >= left)
            sides[side, counts[side]] = v
            counts[side] += 1
    few = int(counts[1] < counts[0])
    return sides[few, : counts[few]].copy(), sides[1 - few, : counts[1 - few]].copy()


@inner_kernel
def greedy(start: Array, target: Array, mate: Array, degree: Array, stack: Array) -> None:
    """Karp and Sipser's matching: vertices of degree one first, which is optimal, then each vertex
    in turn.

    After each pair, vertices that now have degree one come first again. `degree` counts neighbours
    that are still exposed, and is 0 once a vertex is matched; `stack` (int32 per vertex) is
    scratch.
    """
    for others in range(2):
        for first in range(degree.size):
            if degree[first] == 0 or (others == 0 and degree[first] != 1):
                continue
            stack[0] = first
            height = 1
            while height > 0:
                height -= 1
                v = stack[height]
                if degree[v] == 0:
                    continue
                best, fewest = -1, FAR
                for k in range(start[v], start[v + 1]):
                    u = target[k]
                    if 0 < degree[u] < fewest:
                        best, fewest = u, degree[u]
                mate[v], mate[best] = best, v
                degree[v] = degree[best] = 0
                for end in range(2):
                    matched = v if end == 0 else best
                    for k in range(start[matched], start[matched + 1]):
                        u = target[k]
                        if degree[u] > 0:
                            degree[u] -= 1
                            if degree[u] == 1:
                                stack[height] = u
                                height += 1


@inner_kernel
def augment_shortly(
    start: Array, target: Array, mate: Array, roots: Array, parent: Array, queue: Array
) -> bool:
    """Augment by breadth-first search from one root at a time; give up a search that grows large,
    and all if many do.

    A search that ends without a path leaves its tree in `parent` (int32 per vertex, all -1 before):
    no later path leads through that tree. Returns whether a search was given up; if none was, the
    matching is maximum.
    """
    wasted = 0
    for root in roots:
        if wasted > mate.size // 16:
            break
        v, end, head, tail = root, EXPOSED, 0, 0
        while True:
            for k in range(start[v], start[v + 1]):
                u = target[k]
                if parent[u] >= 0:
                    continue
                parent[u] = v
                queue[tail] = u
                tail += 1
                if mate[u] == EXPOSED:
                    end = u
                    break
            if end >= 0 or head == tail or tail > thresholds.SHORT_SEARCH:
                break
            v = mate[queue[head]]
            head += 1
        if end < 0 and head == tail:
            continue
        if end < 0:
            wasted += tail
        while end >= 0:
            v = parent[end]
            after = mate[v]
            mate[v], mate[end] = end, v
            end = after
        for k in range(tail):
            parent[queue[k]] = -1
    return wasted > 0


@inner_kernel
def distances(
    start: Array, target: Array, mate: Array, goals: Array, label: Array, queue: Array
) -> Array:
    """Label each vertex on the goals' side with its distance to an exposed goal, in matched pairs;
    FAR if no path leads to one.

    Returns (int32) the exposed vertices of the other side from which a path leads to a goal, the
    nearest first.
    """
    for v in range(label.size):
        label[v] = FAR
    tail = 0
    for goal in goals:
        if mate[goal] == EXPOSED:
            label[goal] = 0
            queue[tail] = goal
            tail += 1
    near = np.empty(mate.size, np.int32)
    count_near = 0
    head = 0
    while head < tail:
        u = queue[head]
        head += 1
        for k in range(start[u], start[u + 1]):
            v = target[k]
            w = mate[v]
            if w >= 0:
                if label[w] == FAR:
                    label[w] = label[u] + 1
                    queue[tail] = w
                    tail += 1
            elif label[v] == FAR:
                label[v] = label[u]
                near[count_near] = v
                count_near += 1
    return near[:count_near].copy()


@inner_kernel
def push_relabel(start: Array, target: Array, mate: Array, active: Array, label: Array) -> int:
    """A round of push-relabel: each active vertex takes the neighbour with the lowest label, and
    its former mate becomes active.

    That goes on until the neighbour is exposed. A neighbour that was taken is relabelled from the
    second lowest label. A vertex gives up after a number of pushes that grows with its distance and
    its share of the graph: earlier pushes have made labels stale, and a new search costs less. The
    first vertex never gives up. Returns the number of those that did.
    """
    share = mate.size // (4 * active.size) + 16
    failed = 0
    for first in active:
        v = first
        pushes = -1
        while True:
            nearest, second, best = FAR, FAR, -1
            for k in range(start[v], start[v + 1]):
                u = target[k]
                if label[u] < nearest:
                    nearest, second, best = label[u], nearest, u
                elif label[u] < second:
                    second = label[u]
            if pushes < 0:
                pushes = 8 * nearest + share
            if nearest == FAR or pushes == 0:
                failed += 1
                break
            pushes -= 1
            after = mate[best]
            mate[v], mate[best] = best, v
            label[best] = second + 1 if second < FAR else FAR
            if after == EXPOSED:
                break
            mate[after] = EXPOSED
            v = after
    return failed


@kernel
def alternating(start: Array, target: Array, mate: Array, last: int, queue: Array) -> Array:
    """The vertices at even distance on an alternating path from an exposed vertex below `last`.

    `mate` is a maximum matching, `queue` (int32 per vertex) is scratch. Returns uint8 per vertex: 1
    if another maximum matching leaves that vertex exposed.
    """
    even = np.zeros(mate.size, np.uint8)
    for source in range(last):
        if mate[source] != EXPOSED:
            continue
        even[source] = 1
        queue[0] = source
        head, tail = 0, 1
        while head < tail:
            v = queue[head]
            head += 1
            for k in range(start[v], start[v + 1]):
                after = mate[target[k]]
                if after >= 0 and even[after] == 0:
                    even[after] = 1
                    queue[tail] = after
                    tail += 1
    return even


MAX_VERTICES = 10**8
"""A text that announces more is refused: each takes twelve bytes, whether an edge names it or
not.
"""


class BipartiteGraph(NamedTuple):
    """A bipartite graph: its numbers of left and right vertices, and `start` and `target` as
    `direct.matching` has them.

    Left vertices come first, then right ones.
    """

    left: int
    right: int
    start: NDArray[np.int32]
    target: NDArray[np.int32]


@dataclass(frozen=True)
class Matching:
    """A maximum matching and, on request, a minimum vertex cover.

    Attributes:
        mate: int32 array of shape (left,): the right vertex, counted from 0, that each left one is
            matched to, or -1.
        cover_left, cover_right: bool arrays: a vertex cover with one vertex for each matched pair.
    """

    mate: NDArray[np.int32]
    cover_left: NDArray[np.bool_] | None = None
    cover_right: NDArray[np.bool_] | None = None

    @property
    def size(self) -> int:
        return int(np.count_nonzero(self.mate >= 0))


def graph(left: int, right: int, edges: NDArray[np.int32]) -> BipartiteGraph:
    """The graph with these edges in compressed rows.

    Args:
        left, right: numbers of vertices.
        edges: int32 array of shape (edges, 2): a left and a right vertex, each counted from 0. A
            repeated edge does no harm.

    Raises:
        ValueError: `edges` has another shape, or a vertex is out of range.
    """
    edges = np.asarray(edges, np.int32)
    edges = edges.reshape(-1, 2) if edges.size == 0 else edges
    if edges.ndim != 2 or edges.shape[1] != 2:
        raise ValueError(f"edges have the shape (n, 2), not {edges.shape}")
    if edges.size and (
        int(edges.min()) < 0 or int(edges[:, 0].max()) >= left or int(edges[:, 1].max()) >= right
    ):
        raise ValueError(f"a vertex is out of range for {left} left and {right} right vertices")
    ends = np.concatenate([edges[:, 0], edges[:, 1] + np.int32(left)])
    others = np.concatenate([edges[:, 1] + np.int32(left), edges[:, 0]])
    start = np.zeros(left + right + 1, np.int32)
    np.cumsum(np.bincount(ends, minlength=left + right), out=start[1:])
    return BipartiteGraph(left, right, start, others[np.argsort(ends, kind="stable")])


def solve(g: BipartiteGraph, *, certify: bool = True) -> Matching:
    """A maximum matching; with `certify` also a minimum vertex cover.

    Time is O(edges) a round. Random graphs and grids take about ten rounds; no graph takes more
    than it has matched pairs.
    """
    arrays = np.empty(
        (3, g.left + g.right), np.int32
    )  # NumPy gives large arrays huge pages, which Numba does not
    mate, scratch = arrays[0], arrays[1:]
    mate[:] = EXPOSED
    maximum_matching.at(mate.size)(g.start, g.target, mate, np.diff(g.start), g.left, scratch)
    pairs = np.where(mate[: g.left] >= 0, mate[: g.left] - g.left, -1).astype(np.int32)
    if not certify:
        return Matching(pairs)
    even = alternating.at(mate.size)(g.start, g.target, mate, g.left, scratch[0])[: g.left] != 0
    right = np.zeros(g.right, np.bool_)
    right[pairs[even & (pairs >= 0)]] = True
    return Matching(pairs, ~even, right)


def read_graph(text: str | bytes, name: str = "<text>") -> BipartiteGraph:
    """The graph of a text: a line `left right edges`, then a line `u v` for each edge, left and
    right vertices counted from 1.

    Raises:
        InputError: the text breaks the format.
    """
    reader = Reader(text, name)
    left, right, edges = reader.numbers(
        "the number of left vertices", "of right vertices", "the number of edges", least=0
    )
    if left + right > MAX_VERTICES:
        reader.fail(f"a graph has at most {MAX_VERTICES} vertices, found {left} + {right}", 0)
    regular = regular_pairs(reader, edges, (left, right))
    if regular is not None:
        return graph(left, right, (regular - 1).astype(np.int32))
    listed: list[tuple[int, int]] = []
    for _ in range(edges):
        at = reader.position
        u, v = reader.numbers("a left vertex", "a right vertex")
        if u > left or v > right:
            reader.fail(
                f"edge {u} {v} is out of range for {left} left and {right} right vertices", at
            )
        listed.append((u - 1, v - 1))
    reader.end("the last edge")
    return graph(left, right, np.array(listed, np.int32))


def print_matching(matching: Matching) -> str:
    """The size, a line `u v` for each matched pair, then the cover: lines `left` and `right` with
    its vertices, counted from 1.
    """
    u = np.flatnonzero(matching.mate >= 0)
    pairs = "".join(
        f"{a} {b}\n" for a, b in zip((u + 1).tolist(), (matching.mate[u] + 1).tolist(), strict=True)
    )
    cover = ""
    for side, members in (("left", matching.cover_left), ("right", matching.cover_right)):
        if members is not None:
            cover += " ".join([side, *map(str, (np.flatnonzero(members) + 1).tolist())]) + "\n"
    return f"{matching.size}\n{pairs}{cover}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 0, 2 for a bad text; see `puzzles.text.ending`."""
    description = "Maximum matching and minimum vertex cover of a bipartite graph."
    file = "`left right edges`, then `u v` a line"
    return run("matching", description, file, _answer, arguments)


def _answer(text: bytes, name: str) -> int:
    sys.stdout.write(print_matching(solve(read_graph(text, name))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
