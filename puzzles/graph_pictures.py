"""A graph as a picture: its nodes and edges with their labels, what is marked, and a legend.

Nodes stand where few edges cross, and the same graph always looks the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from html import escape
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzles.pictures import picture_of_parts
from puzzles.text import count_noun

MAX_NODES, MAX_EDGES = 30, 120
"""A larger graph is not drawn: a sentence says how large it is."""

NodePlaces = NDArray[np.float64]
"""(x, y) of each node."""

_RADIUS, _APART, _FEW = 14.0, 64.0, 7
"""Pixels of a node, and from a node to the next; nodes that stand in a circle, if that has no
crossing.
"""

_FILLS = ("var(--cool)", "var(--light)", "var(--good)", "var(--bad)")
_DASHES = ("", "5 3", "2 3", "9 3 2 3")
"""Colours of the marks in turn, and how their lines are broken, which needs no colour."""

_STARTS, _STEPS = 12, 120
"""Random starts of a layout, and steps from each."""


class _Mark(NamedTuple):
    meaning: str
    members: frozenset[Hashable]


class GraphPicture:
    """A graph, and what its picture marks; a node is named by any value.

    Attributes:
        nodes: in the order in which a circle has them.
        edges: pairs of nodes.
        labels: what stands beside an edge.
        directed: whether an edge is drawn as an arrow from its first node to its second.
    """

    def __init__(
        self,
        nodes: Iterable[Hashable],
        edges: Iterable[Sequence[Hashable]],
        *,
        directed: bool = False,
    ) -> None:
        """An edge is `(u, v)`, or `(u, v, label)`.

        Raises:
            ValueError: an edge names no node.
        """
        self.nodes, self.directed = list(dict.fromkeys(nodes)), directed
        self.edges: list[tuple[Hashable, Hashable]] = []
        self.labels: list[str] = []
        self._node_marks: list[_Mark] = []
        self._edge_marks: list[_Mark] = []
        known = {*self.nodes}
        for edge in edges:
            if not {*edge[:2]} <= known:
                raise ValueError(f"the edge {edge!r:.60} is not between two nodes of the graph")
            self.edges.append((edge[0], edge[1]))
            self.labels.append(str(edge[2]) if len(edge) > 2 else "")

    def mark(self, nodes: Iterable[Hashable] | None, meaning: str) -> None:
        """Fill these nodes; `meaning` is what the legend says, in a few words. None marks
        nothing.
        """
        if nodes is not None:
            self._node_marks.append(_Mark(meaning, frozenset(nodes)))

    def mark_edges(self, edges: object, meaning: str) -> None:
        """Draw these edges `(u, v)` thick; what else is among them is not drawn. They may be any
        iterable, and the certificate of an answer: a number, a text or an array marks nothing.
        """
        if not isinstance(edges, Iterable) or isinstance(edges, str | bytes | np.ndarray):
            return
        marked = {edge for edge in edges if isinstance(edge, tuple) and len(edge) == 2}
        both = marked if self.directed else marked | {(v, u) for u, v in marked}
        self._edge_marks.append(_Mark(meaning, frozenset(both)))

    def svg(self, title: str, headline: str = "") -> str:
        """The picture, with the headline above the graph and the legend below it.

        A large graph is a sentence, with how much of it is marked.
        """
        if len(self.nodes) > MAX_NODES or len(self.edges) > MAX_EDGES:
            return picture_of_parts(title, f"{headline}\n{self.numbers()}".strip())
        places = place_nodes(len(self.nodes), self._indices())
        places *= _APART * (1.2 if any(self.labels) else 1.0)
        if len(places):
            loops = any(u == v for u, v in self.edges)
            places -= places.min(axis=0) - (2 * _RADIUS, (4 if loops else 2) * _RADIUS)
        width, height = places.max(axis=0) + 2 * _RADIUS if len(places) else (0.0, 0.0)
        lines = [self._edge(places[u], places[v], k) for k, (u, v) in enumerate(self._indices())]
        texts = [self._label(places[u], places[v], k) for k, (u, v) in enumerate(self._indices())]
        circles = [self._node(place, node) for place, node in zip(places, self.nodes, strict=True)]
        legend = {
            mark.meaning: _disc(np.array([8.5, 8.5]), 7.5, k)
            for k, mark in enumerate(self._node_marks)
        }
        legend |= {
            mark.meaning: _line(np.array([0, 8.5]), np.array([17, 8.5]), k, thick=True)
            for k, mark in enumerate(self._edge_marks)
        }
        small = {
            meaning: f'<g transform="scale({1 / 17:.4f})">{sign}</g>'
            for meaning, sign in legend.items()
        }
        body = f'<g class="graph">{"".join([*lines, *circles, *texts])}</g>'
        return picture_of_parts(title, headline, body, (float(width), float(height)), small)

    def numbers(self) -> str:
        """How large the graph is, and how much of it is marked, as a sentence."""
        nodes = count_noun(len(self.nodes), "node")
        parts = [f"a graph of {nodes} and {count_noun(len(self.edges), 'edge')}, too large to draw"]
        for mark in self._node_marks:
            some = sum(node in mark.members for node in self.nodes)
            parts.append(f"{mark.meaning}: {count_noun(some, 'node')}")
        for mark in self._edge_marks:
            some = sum(edge in mark.members for edge in self.edges)
            parts.append(f"{mark.meaning}: {count_noun(some, 'edge')}")
        return "; ".join(parts)

    def _indices(self) -> list[tuple[int, int]]:
        number = {node: k for k, node in enumerate(self.nodes)}
        return [(number[u], number[v]) for u, v in self.edges]

    def _edge(self, start: NodePlaces, end: NodePlaces, number: int) -> str:
        rank = _rank(self._edge_marks, self.edges[number])
        thick = rank is not None
        if np.array_equal(start, end):  # a loop, above its node
            x, y = start - (0, _RADIUS)
            width = 3 if thick else 1.3
            return (
                f'<path d="M{x - 6:.1f} {y + 2:.1f}c-8 -22 20 -22 12 0" fill="none" '
                f'stroke="{_colour(rank)}" stroke-width="{width}"/>'
            )
        if not self.directed:
            return _line(start, end, rank, thick=thick)
        along = (end - start) / np.linalg.norm(end - start)
        tip = end - along * (_RADIUS + 1)
        side = np.array([-along[1], along[0]]) * 4
        corners = (tip, tip - along * 9 + side, tip - along * 9 - side)
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
        head = f'<polygon points="{points}" fill="{_colour(rank)}"/>'
        return _line(start, tip - along * 6, rank, thick=thick) + head

    def _label(self, start: NodePlaces, end: NodePlaces, number: int) -> str:
        """What stands at an edge, on a ground of its own; nearer to the start, so that labels of
        edges that cross stand apart.
        """
        text = self.labels[number]
        if not text:
            return ""
        loop = np.array_equal(start, end)
        x, y = start - (0, _RADIUS + 22) if loop else start + 0.42 * (end - start)
        return (
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="11" text-anchor="middle" '
            'dominant-baseline="central" stroke="var(--paper)" stroke-width="4" '
            f'paint-order="stroke">{escape(text)}</text>'
        )

    def _node(self, place: NodePlaces, node: Hashable) -> str:
        rank, text = _rank(self._node_marks, node), str(node)
        size = min(13.0, 2 * (_RADIUS - 1) / (0.61 * len(text))) if text else 13.0
        fill = "" if rank is None else ' style="fill:var(--paper)"'
        return _disc(place, _RADIUS, rank) + (
            f'<text x="{place[0]:.1f}" y="{place[1]:.1f}" font-size="{size:.3g}"{fill} '
            f'text-anchor="middle" dominant-baseline="central">{escape(text)}</text>'
        )


def _rank(marks: Sequence[_Mark], member: Hashable) -> int | None:
    """Which mark a node or an edge has: the last one that was set."""
    return next((k for k in reversed(range(len(marks))) if member in marks[k].members), None)


def _colour(rank: int | None) -> str:
    return "var(--soft)" if rank is None else _FILLS[rank % len(_FILLS)]


def _line(start: NodePlaces, end: NodePlaces, rank: int | None, *, thick: bool) -> str:
    dashes = _DASHES[rank % len(_DASHES)] if rank is not None else ""
    broken = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (
        f'<line x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}" '
        f'stroke="{_colour(rank)}" stroke-width="{4 if thick else 1.3}"{broken}/>'
    )


def _disc(place: NodePlaces, radius: float, rank: int | None) -> str:
    """A node: empty, or filled, from the second mark on with a broken line around it."""
    x, y = place
    fill = "var(--paper)" if rank is None else _colour(rank)
    dashes = "" if rank is None else _DASHES[rank % len(_DASHES)]
    plain = 'stroke-width="1.3"'
    line = f'stroke-width="{radius / 5:g}" stroke-dasharray="{dashes}"' if dashes else ""
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" fill="{fill}" stroke="var(--ink)" '
        f"{line or plain}/>"
    )


def place_nodes(count: int, edges: Sequence[tuple[int, int]]) -> NodePlaces:
    """Where nodes stand, an edge about 1 long: of a circle and of some layouts by stress that with
    the fewest faults, always the same.

    A fault is a crossing of two edges, or a node that stands on an edge or on another node.
    """
    pairs = np.array([(u, v) for u, v in edges if u != v], dtype=int).reshape(-1, 2)
    angle = 2 * np.pi * np.arange(count) / max(count, 1)
    step = max(1.0, 0.5 / np.sin(np.pi / count)) if count > 1 else 1.0
    circle = step * np.column_stack([np.sin(angle), -np.cos(angle)])
    if count <= _FEW and _faults(circle, pairs) == 0:
        return circle
    target = _distances(count, pairs)
    rng = np.random.default_rng(count)
    starts = [circle, *(step * rng.normal(size=(count, 2)) for _ in range(_STARTS))]
    layouts = [circle, *(_upright(_settle(start, target)) for start in starts)]
    return _spread(min(layouts, key=lambda places: _faults(places, pairs)))


def _spread(places: NodePlaces) -> NodePlaces:
    """So large that the nearest two nodes do not touch, but not much larger."""
    one, other = np.triu_indices(len(places), 1)
    least = np.linalg.norm(places[one] - places[other], axis=1).min(initial=1.0)
    return places * np.clip(0.85 / max(least, 1e-9), 1.0, 1.7)


def _distances(count: int, pairs: NDArray[np.int64]) -> NodePlaces:
    """How far apart nodes should stand: as many units as the shortest path has edges.

    Nodes without a path stand a little farther apart than the farthest others.
    """
    away = np.full((count, count), np.inf)
    away[pairs[:, 0], pairs[:, 1]] = away[pairs[:, 1], pairs[:, 0]] = 1
    np.fill_diagonal(away, 0)
    for middle in range(count):  # Floyd and Warshall
        away = np.minimum(away, away[:, [middle]] + away[[middle], :])
    finite = away[np.isfinite(away)]
    away[np.isinf(away)] = min(finite.max(initial=1.0) + 0.5, 3.0)
    return away


def _settle(places: NodePlaces, target: NodePlaces) -> NodePlaces:
    """Move nodes until their distances are near the targets: stress majorization with weights
    1 / distance^2 (Gansner, Koren and North 2004).
    """
    weights = np.divide(1, target**2, out=np.zeros_like(target), where=target > 0)
    total = weights.sum(axis=1, keepdims=True)
    for _ in range(_STEPS):
        apart = places[:, None] - places[None]
        length = np.maximum(np.linalg.norm(apart, axis=2), 1e-9)
        wanted = places[None] + apart * (target / length)[:, :, None]
        places = (weights[:, :, None] * wanted).sum(axis=1) / np.maximum(total, 1e-9)
    return places


def _upright(places: NodePlaces) -> NodePlaces:
    """Turned so that the picture is wider than high."""
    centred = places - places.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    return centred @ axes.T if axes.shape == (2, 2) else centred


def _faults(places: NodePlaces, pairs: NDArray[np.int64]) -> float:
    """How hard a layout is to read."""
    starts, ends = places[pairs[:, 0]], places[pairs[:, 1]]
    one, other = np.triu_indices(len(pairs), 1)
    meet = (pairs[one][:, :, None] == pairs[other][:, None, :]).any(axis=(1, 2))

    def side(a: NodePlaces, b: NodePlaces, c: NodePlaces) -> NodePlaces:
        (x, y), (u, v) = (b - a).T, (c - a).T
        return x * v - y * u

    a, b, c, d = starts[one], ends[one], starts[other], ends[other]
    crossing = (side(a, b, c) * side(a, b, d) < 0) & (side(c, d, a) * side(c, d, b) < 0)
    along = ends - starts
    to_node = places[:, None] - starts[None]
    share = (to_node * along).sum(axis=2) / np.maximum((along**2).sum(axis=1), 1e-9)
    nearest = starts + np.clip(share, 0, 1)[:, :, None] * along
    gap = np.linalg.norm(places[:, None] - nearest, axis=2)
    own = (np.arange(len(places))[:, None, None] == pairs[None]).any(axis=2)
    covered = ((gap < 0.35) & ~own).sum()
    first, second = np.triu_indices(len(places), 1)
    close = (np.linalg.norm(places[first] - places[second], axis=1) < 0.55).sum()
    spread = np.ptp(places, axis=0).sum() if len(places) else 0.0
    return float((crossing & ~meet).sum() + 3 * covered + 10 * close + 0.01 * spread)
