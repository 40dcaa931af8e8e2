"""How two answers to one board stand to each other, from their claims alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from puzzles.answer import UNCLAIMED, Claims


class Relation(StrEnum):
    """EQUAL of two complete answers, SUBSET of an incomplete and a complete one, COMPATIBLE of two incomplete ones."""

    EQUAL = "EQUAL"
    SUBSET = "SUBSET"
    COMPATIBLE = "COMPATIBLE"
    CONFLICT = "CONFLICT"


@dataclass(frozen=True)
class Stance:
    """One side of a relation: its claims, whether it claims everything there is to claim, and its further exact claims."""

    claims: Claims
    complete: bool = True
    exact: Mapping[str, object] = field(default_factory=dict)


def relate(a: Stance, b: Stance, *, first_claim_is_consistency: bool = False) -> Relation:
    """Relate two answers to the same board; see `Puzzle.first_claim_is_consistency`. Linear in the claims."""
    ours, theirs = a.claims, b.claims
    if first_claim_is_consistency and (ours[0] == 0 or theirs[0] == 0):
        ours, theirs = ours[:1], theirs[:1]
    elif any(differing(a.exact, b.exact)):
        return Relation.CONFLICT
    kind = Relation.EQUAL if a.complete and b.complete else Relation.SUBSET if a.complete or b.complete else Relation.COMPATIBLE
    if ours.shape != theirs.shape:
        return Relation.CONFLICT
    differ = ours != theirs
    if not a.complete:
        differ &= ours != UNCLAIMED
    if not b.complete:
        differ &= theirs != UNCLAIMED
    return Relation.CONFLICT if differ.any() else kind


def differing(ours: Mapping[str, object], theirs: Mapping[str, object]) -> Iterator[str]:
    """The exact claims that both sides have and that differ, for people."""
    for name, value in ours.items():
        if theirs.get(name, value) != value:
            yield f"{name}: {value} and {theirs[name]}"
