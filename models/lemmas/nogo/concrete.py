"""Chains and liberties of a concrete position, in the plainest way. Nothing here is shared with the formulas."""

from __future__ import annotations


def points_of(rows: tuple[str, ...]) -> dict[tuple[int, int], str]:
    """The points of a board: (row, column) -> its character."""
    return {(row, column): point for row, line in enumerate(rows) for column, point in enumerate(line)}


def put(rows: tuple[str, ...], row: int, column: int, colour: str) -> dict[tuple[int, int], str]:
    """The points of the board with one more stone; empty if the point is occupied."""
    points = points_of(rows)
    return points | {(row, column): colour} if points[row, column] == "." else {}


def beside_of(points: dict[tuple[int, int], str], point: tuple[int, int]) -> list[tuple[int, int]]:
    """The points beside a point."""
    row, column = point
    return [near for near in ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)) if near in points]


def flood(points: dict[tuple[int, int], str], start: tuple[int, int]) -> list[tuple[int, int]]:
    """The chain of a stone."""
    chain = [start]
    for point in chain:
        chain += [near for near in beside_of(points, point) if points[near] == points[start] and near not in chain]
    return chain


def some_dead(points: dict[tuple[int, int], str]) -> bool:
    """Whether some chain has no liberty."""
    stones = [point for point, kind in points.items() if kind != "."]
    chains = (flood(points, stone) for stone in stones)
    return any(all(points[near] != "." for member in chain for near in beside_of(points, member)) for chain in chains)
