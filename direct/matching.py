"""Maximum matching in bipartite graphs, with a minimum vertex cover as its certificate (D. Koenig, 1931).

`python -m direct.matching [FILE]` reads a graph and prints both. The algorithm is in `direct.bipartite`.
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

from direct.bipartite import EXPOSED, alternating, maximum_matching, vertex_arrays
from puzzles.text import Reader, ending, read_source

MOST_VERTICES = 10**8
"""A text that announces more is refused: each takes twelve bytes, whether an edge names it or not."""


class BipartiteGraph(NamedTuple):
    """A bipartite graph: its numbers of left and right vertices, and `start` and `target` as `direct.bipartite` has them.

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
        mate: int32 array of shape (left,): the right vertex, counted from 0, that each left one is matched to, or -1.
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
        edges: int32 array of shape (edges, 2): a left and a right vertex, each counted from 0. A repeated edge does no harm.

    Raises:
        ValueError: `edges` has another shape, or a vertex is out of range.
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

    Time is O(edges) a round. Random graphs and grids take about ten rounds; no graph takes more than it has matched pairs.
    """
    arrays = vertex_arrays(g.left + g.right)
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
    """The graph of a text: a line `left right edges`, then a line `u v` for each edge, left and right vertices counted from 1.

    Raises:
        InputError: the text breaks the format.
    """
    reader = Reader(text, name)
    left, right, edges = reader.numbers("the number of left vertices", "of right vertices", "the number of edges", least=0)
    if left + right > MOST_VERTICES:
        reader.fail(f"a graph has at most {MOST_VERTICES} vertices, found {left} + {right}", 0)
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
    """The size, a line `u v` for each matched pair, then the cover: lines `left` and `right` with its vertices, counted from 1."""
    u = np.flatnonzero(matching.mate >= 0)
    pairs = "".join(f"{a} {b}\n" for a, b in zip((u + 1).tolist(), (matching.mate[u] + 1).tolist(), strict=True))
    cover = ""
    for side, members in (("left", matching.cover_left), ("right", matching.cover_right)):
        if members is not None:
            cover += " ".join([side, *map(str, (np.flatnonzero(members) + 1).tolist())]) + "\n"
    return f"{matching.size}\n{pairs}{cover}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 0, 2 for a bad text; see `puzzles.text.ending`."""
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
