"""Kuhn's augmenting paths on a board: one search a cell, then for each cell whether its mate finds another mate."""

from __future__ import annotations

from typing import NamedTuple

from direct.kernel import Array, inner_kernel, kernel

EXPOSED, BLOCKED = -1, -2
"""Entries of `mate` that name no cell: of an exposed (unmatched) cell, and of a wall."""


class DepthFirst(NamedTuple):
    """Scratch of `augment`, int32 arrays with an entry per cell.

    Attributes:
        seen: the number of the search that last saw a cell.
        path: the cells on the path that start a search step, by depth.
        taken: the neighbours that they take, by depth.
        edge: the next neighbour to try, by depth.
    """

    seen: Array
    path: Array
    taken: Array
    edge: Array


@kernel
def rematched(steps: Array, mate: Array, losing: Array, scratch: DepthFirst) -> None:
    """Match one cell at a time, then remove each in turn; `losing` (uint8, all 0 before) is 1 where its mate finds another mate.

    `mate` (int32, all EXPOSED or BLOCKED) becomes a maximum matching. `scratch` is all 0 before.
    """
    seen, size = scratch.seen, mate.size
    search = 0
    for v in range(size):
        if mate[v] == EXPOSED:
            search += 1
            augment(steps, mate, v, search, scratch)
    for v in range(size):
        if mate[v] == EXPOSED:
            losing[v] = 1
        elif mate[v] >= 0:
            partner = mate[v]
            mate[v] = mate[partner] = EXPOSED
            search += 1
            seen[v] = search  # so that the path avoids v
            if augment(steps, mate, partner, search, scratch):
                losing[v] = 1
            else:
                mate[v], mate[partner] = partner, v


@inner_kernel
def augment(steps: Array, mate: Array, root: int, search: int, scratch: DepthFirst) -> bool:
    """Search an augmenting path from `root` depth-first, past no cell that search number `search` has seen; apply it if found."""
    seen, path, taken, edge = scratch
    path[0] = root
    edge[0] = 0
    depth = 0
    while depth >= 0:
        v = path[depth]
        if edge[depth] == steps.size:
            depth -= 1
            continue
        u = v + steps[edge[depth]]
        edge[depth] += 1
        if mate[u] == BLOCKED or seen[u] == search:
            continue
        seen[u] = search
        taken[depth] = u
        if mate[u] == EXPOSED:
            while depth >= 0:
                mate[path[depth]], mate[taken[depth]] = taken[depth], path[depth]
                depth -= 1
            return True
        depth += 1
        path[depth] = mate[u]
        edge[depth] = 0
    return False
