"""How two answers to one instance stand to each other, from their claims alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum

import puzzles
from compare.engine.work.job import Stance
from puzzles.answer import UNCLAIMED


class Relation(StrEnum):
    """EQUAL: two complete answers. SUBSET: an incomplete and a complete one.

    COMPATIBLE: two incomplete ones.
    """

    EQUAL = "EQUAL"
    SUBSET = "SUBSET"
    COMPATIBLE = "COMPATIBLE"
    CONFLICT = "CONFLICT"


def relate(puzzle: str, a: Stance, b: Stance) -> Relation:
    """Relate two answers to the same instance of a puzzle; linear in the claims.

    See `Puzzle.first_claim_is_consistency`.
    """
    ours, theirs = a.claims, b.claims
    if puzzles.get(puzzle).first_claim_is_consistency and (ours[0] == 0 or theirs[0] == 0):
        ours, theirs = ours[:1], theirs[:1]
    elif any(differing(a.exact, b.exact)):
        return Relation.CONFLICT
    kind = (
        Relation.EQUAL
        if a.complete and b.complete
        else Relation.SUBSET
        if a.complete or b.complete
        else Relation.COMPATIBLE
    )
    if ours.shape != theirs.shape:
        return Relation.CONFLICT
    differ = ours != theirs
    if not a.complete:
        differ &= ours != UNCLAIMED
    if not b.complete:
        differ &= theirs != UNCLAIMED
    return Relation.CONFLICT if differ.any() else kind


def differing(ours: Mapping[str, object], theirs: Mapping[str, object]) -> Iterator[str]:
    """The exact claims that both answers have and that differ, for people."""
    for name, value in ours.items():
        if theirs.get(name, value) != value:
            yield f"{name}: {value} and {theirs[name]}"
