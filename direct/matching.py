"""Maximum matching in bipartite graphs, with a minimum vertex cover as its certificate.

`python -m direct.matching [FILE]` reads a graph and prints both. Three steps, each linear but for the last, which takes
few rounds: pair off vertices of degree one, and where there is none the next vertex with its rarest neighbour (R. M. Karp,
M. Sipser, "Maximum matchings in sparse random graphs", 1981); search short augmenting paths from one vertex at a time; match
the rest in rounds of push-relabel, each begun by a breadth-first search that gives exact distances (A. V. Goldberg,
R. Kennedy, "Global price updates help", 1997; K. Kaya, J. Langguth, F. Manne, B. Ucar, "Push-relabel based algorithms for the
maximum transversal problem", 2013). The cover is D. Koenig's, 1931.

A kernel takes a graph as `start` and `target`: the neighbours of v are target[start[v]], ..., target[start[v + 1] - 1]. A
graph that looks alike everywhere, as a grid does, has `start` None: the neighbours of v are then v + target[0], v + target[1],
..., as far as they are not BLOCKED.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from direct.kernel import Array, kernel
from puzzles.text import Reader, ending, read_source

EXPOSED, BLOCKED = -1, -2
"""Entries of `mate` that name no vertex: one that is not matched, and one that is not there."""

EVEN = -1
"""In place of the number of left vertices: those of even number are on the left."""

FAR = 2**30
"""The distance of a vertex from which no augmenting path starts."""

_SHORT = 4096
"""Vertices that one short search may look at. On boards with 15 to 20% walls half as many take up to twice the time, and a
quarter up to four times; twice as many gain nothing, and cost a tenth on boards with fewer walls."""


class BipartiteGraph(NamedTuple):
    """A bipartite graph in the form that the kernels take; left vertices come first, then right ones."""

    left: int
    right: int
    start: NDArray[np.int32]
    target: NDArray[np.int32]


@dataclass(frozen=True)
class Matching:
    """A maximum matching and, where asked for, a minimum vertex cover.

    Attributes:
        mate: int32 array of shape (left,): the right vertex, counted from 0, that each left one is matched to, or -1.
        cover_left, cover_right: bool arrays: a vertex cover of as many vertices as there are matched pairs.
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
        edges: int32 array of shape (edges, 2): a left and a right vertex, each counted from 0. A repeated edge does no harm.

    Raises:
        ValueError: the shape is another, or a vertex is out of range.
    """
    edges = np.asarray(edges, np.int32)
    edges = edges.reshape(-1, 2) if edges.size == 0 else edges
    if edges.ndim != 2 or edges.shape[1] != 2:
        raise ValueError(f"edges have the shape (n, 2), not {edges.shape}")
    if edges.size and (int(edges.min()) < 0 or int(edges[:, 0].max()) >= left or int(edges[:, 1].max()) >= right):
        raise ValueError(f"a vertex is out of range for {left} left and {right} right vertices")
    ends = np.concatenate([edges[:, 0], edges[:, 1] + np.int32(left)])
    others = np.concatenate([edges[:, 1] + np.int32(left), edges[:, 0]])
    start = np.zeros(left + right + 1, np.int32)
    np.cumsum(np.bincount(ends, minlength=left + right), out=start[1:])
    return BipartiteGraph(left, right, start, others[np.argsort(ends, kind="stable")])


def solve(g: BipartiteGraph, *, certify: bool = True) -> Matching:
    """A maximum matching; with `certify` also a minimum vertex cover.

    Time O(edges) for each round, of which random graphs and grids take about ten; at most one for each matched pair.
    """
    mate, label, queue = room(g.left + g.right)
    mate[:] = EXPOSED
    match.at(mate.size)(g.start, g.target, mate, np.diff(g.start), g.left, label, queue)
    pairs = np.where(mate[: g.left] >= 0, mate[: g.left] - g.left, -1).astype(np.int32)
    if not certify:
        return Matching(pairs)
    even = alternating.at(mate.size)(g.start, g.target, mate, g.left, queue)[: g.left] != 0
    right = np.zeros(g.right, np.bool_)
    right[pairs[even & (pairs >= 0)]] = True
    return Matching(pairs, ~even, right)


def room(vertices: int) -> NDArray[np.int32]:
    """Three arrays of a number a vertex, for kernels to fill: NumPy gives huge pages to large ones, which Numba does not."""
    return np.empty((3, vertices), np.int32)


@kernel
def match(start: Array, target: Array, mate: Array, degree: Array, left: int, label: Array, queue: Array) -> None:
    """Turn `mate`, all EXPOSED or BLOCKED, into a maximum matching.

    Args:
        start, target: the graph.
        mate: int32, changed in place.
        degree: how many neighbours each vertex has that are not BLOCKED, 0 for a blocked one; used up.
        left: how many vertices are on the left, which come first; or EVEN.
        label, queue: room for an int32 a vertex.
    """
    greedy(start, target, mate, degree, queue)
    few, many = exposed(mate, left)
    if few.size == 0:
        return
    label[:] = -1
    if not search(start, target, mate, few, label, queue):
        return
    while True:
        near = distances(start, target, mate, many, label, queue)
        if near.size == 0 or push(start, target, mate, near, label) == 0:
            return


@kernel
def exposed(mate: Array, left: int) -> tuple[Array, Array]:
    """The exposed vertices (int32, ascending) of the side that has fewer of them, and those of the other side."""
    sides = np.empty((2, mate.size), np.int32)
    counts = np.zeros(2, np.int64)
    for v in range(mate.size):
        if mate[v] == EXPOSED:
            side = v & 1 if left == EVEN else int(v >= left)
            sides[side, counts[side]] = v
            counts[side] += 1
    few = int(counts[1] < counts[0])
    return sides[few, : counts[few]].copy(), sides[1 - few, : counts[1 - few]].copy()


@kernel
def count(start: Array, target: Array, v: int) -> int:
    """How many neighbours a vertex has, blocked ones included."""
    if start is None:
        return target.size
    return start[v + 1] - start[v]


@kernel
def neighbour(start: Array, target: Array, v: int, k: int) -> int:
    """The neighbour number k of a vertex."""
    if start is None:
        return v + target[k]
    return target[start[v] + k]


@kernel
def greedy(start: Array, target: Array, mate: Array, degree: Array, stack: Array) -> None:
    """Karp and Sipser's matching: leaves first, which is optimal, then each vertex in turn, and the leaves that this makes.

    `degree` counts neighbours that are still exposed, and is 0 once a vertex is matched; `stack` is room for as many int32
    as there are vertices.
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
                for k in range(count(start, target, v)):
                    u = neighbour(start, target, v, k)
                    if 0 < degree[u] < fewest:
                        best, fewest = u, degree[u]
                mate[v], mate[best] = best, v
                degree[v] = degree[best] = 0
                for end in range(2):
                    matched = v if end == 0 else best
                    for k in range(count(start, target, matched)):
                        u = neighbour(start, target, matched, k)
                        if degree[u] > 0:
                            degree[u] -= 1
                            if degree[u] == 1:
                                stack[height] = u
                                height += 1


@kernel
def search(start: Array, target: Array, mate: Array, roots: Array, parent: Array, queue: Array) -> bool:
    """Breadth-first augmenting from one root at a time, given up where a search grows large, and altogether if many do.

    A search that ends without a path leaves its tree marked in `parent` (int32, all -1): no path will ever lead through it.
    Returns whether a search was given up; if none was the matching is maximum.
    """
    wasted = 0
    for root in roots:
        if wasted > mate.size // 16:
            break
        v, found, head, tail = root, EXPOSED, 0, 0
        while True:
            for k in range(count(start, target, v)):
                u = neighbour(start, target, v, k)
                if mate[u] == BLOCKED or parent[u] >= 0:
                    continue
                parent[u] = v
                queue[tail] = u
                tail += 1
                if mate[u] == EXPOSED:
                    found = u
                    break
            if found >= 0 or head == tail or tail > _SHORT:
                break
            v = mate[queue[head]]
            head += 1
        if found < 0 and head == tail:
            continue
        if found < 0:
            wasted += tail
        while found >= 0:
            v = parent[found]
            after = mate[v]
            mate[v], mate[found] = found, v
            found = after
        for k in range(tail):
            parent[queue[k]] = -1
    return wasted > 0


@kernel
def distances(start: Array, target: Array, mate: Array, goals: Array, label: Array, queue: Array) -> Array:
    """How far each vertex on the goals' side is from an exposed goal, in matched pairs; FAR where no path leads to one.

    Returns (int32) the exposed vertices of the other side that can reach a goal, the nearest first.
    """
    label[:] = FAR
    tail = 0
    for goal in goals:
        if mate[goal] == EXPOSED:
            label[goal] = 0
            queue[tail] = goal
            tail += 1
    found = np.empty(mate.size, np.int32)
    reached = 0
    head = 0
    while head < tail:
        u = queue[head]
        head += 1
        for k in range(count(start, target, u)):
            v = neighbour(start, target, u, k)
            w = mate[v]
            if w >= 0:
                if label[w] == FAR:
                    label[w] = label[u] + 1
                    queue[tail] = w
                    tail += 1
            elif w == EXPOSED and label[v] == FAR:
                label[v] = label[u]
                found[reached] = v
                reached += 1
    return found[:reached].copy()


@kernel
def push(start: Array, target: Array, mate: Array, tokens: Array, label: Array) -> int:
    """Let each exposed vertex take its nearest neighbour, whose former mate goes on in its place, until one is exposed.

    A neighbour that was taken is labelled with what lies behind it now. A vertex gives up after some times the way that it
    had before it, or a share of the graph: others have been there, and a new search costs less than climbing. The first
    never does. Returns how many gave up.
    """
    share = mate.size // (4 * tokens.size) + 16
    failed = 0
    for token in tokens:
        v = token
        left = -1
        while True:
            nearest, second, best = FAR, FAR, -1
            for k in range(count(start, target, v)):
                u = neighbour(start, target, v, k)
                if mate[u] == BLOCKED:
                    continue
                if label[u] < nearest:
                    nearest, second, best = label[u], nearest, u
                elif label[u] < second:
                    second = label[u]
            if left < 0:
                left = 8 * nearest + share
            if nearest == FAR or left == 0:
                failed += 1
                break
            left -= 1
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
    """The vertices at even distance on an alternating path from an exposed one below `last`.

    `mate` is a maximum matching, `queue` room for an int32 a vertex. Returns uint8 per vertex, 1 where another maximum
    matching misses that vertex in place of an exposed one.
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
            for k in range(count(start, target, v)):
                after = mate[neighbour(start, target, v, k)]
                if after >= 0 and even[after] == 0:
                    even[after] = 1
                    queue[tail] = after
                    tail += 1
    return even


def read_graph(text: str | bytes, name: str = "<text>") -> BipartiteGraph:
    """The graph of a text: `left right edges`, then for each edge `u v`, a left and a right vertex, each counted from 1.

    Raises:
        InputError: the text breaks the format.
    """
    reader = Reader(text, name)
    left, right, edges = reader.numbers("the number of left vertices", "of right vertices", "the number of edges", least=0)
    rest = reader.data[reader.position :]
    regular = re.fullmatch(rb"(?:[0-9]{1,9} [0-9]{1,9}\r?\n)*\s*", rest)
    if regular is not None:
        pairs = np.array(rest.split(), np.bytes_).astype(np.int64).reshape(-1, 2) if rest.strip() else np.empty((0, 2), np.int64)
        if len(pairs) == edges and (edges == 0 or (pairs.min() >= 1 and (pairs <= (left, right)).all())):
            return graph(left, right, (pairs - 1).astype(np.int32))
    listed: list[tuple[int, int]] = []
    for _ in range(edges):
        at = reader.position
        u, v = reader.numbers("a left vertex", "a right vertex")
        if u > left or v > right:
            reader.fail(f"edge {u} {v} is out of range for {left} left and {right} right vertices", at)
        listed.append((u - 1, v - 1))
    reader.end("the last edge")
    return graph(left, right, np.array(listed, np.int32))


def print_matching(matching: Matching) -> str:
    """The size, then `u v` for each matched pair, then the cover: `left` and `right` with its vertices, counted from 1."""
    u = np.flatnonzero(matching.mate >= 0)
    pairs = "".join(f"{a} {b}\n" for a, b in zip((u + 1).tolist(), (matching.mate[u] + 1).tolist(), strict=True))
    cover = ""
    for side, members in (("left", matching.cover_left), ("right", matching.cover_right)):
        if members is not None:
            cover += " ".join([side, *map(str, (np.flatnonzero(members) + 1).tolist())]) + "\n"
    return f"{matching.size}\n{pairs}{cover}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 0; otherwise as `ending` has it, 2 for a bad text."""
    parser = argparse.ArgumentParser(
        prog="python -m direct.matching", description="Maximum matching and minimum vertex cover of a bipartite graph."
    )
    parser.add_argument("file", metavar="FILE", nargs="?", help="`left right edges`, then `u v` a line (default: standard input)")
    options = parser.parse_args(arguments)
    return ending(lambda: _answer(options.file))


def _answer(file: str | None) -> int:
    sys.stdout.write(print_matching(solve(read_graph(*read_source(file)))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
