"""NoGo: chains are walked stone by stone."""

from __future__ import annotations

from tests.oracles.boards import Cell, Characters, near


def chain_of(points: Characters, start: Cell) -> list[Cell]:
    """The chain of a stone."""
    chain = [start]
    for stone in chain:
        chain += [
            point
            for point in near(stone)
            if points.get(point) == points[start] and point not in chain
        ]
    return chain


def has_liberty(points: Characters, chain: list[Cell]) -> bool:
    """Whether some point beside the chain is empty."""
    return any(points.get(point) == "." for stone in chain for point in near(stone))


def chains_without_liberty(points: Characters) -> list[Cell]:
    """The stones of all chains that have no liberty, in row-major order."""
    walked: set[Cell] = set()
    dead: set[Cell] = set()
    for stone, kind in points.items():
        if kind == "." or stone in walked:
            continue
        chain = chain_of(points, stone)
        walked.update(chain)
        if not has_liberty(points, chain):
            dead.update(chain)
    return [stone for stone in points if stone in dead]
