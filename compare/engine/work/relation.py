"""How two answers to one instance stand to each other, from their claims alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

import puzzles
from puzzles.answer import UNCLAIMED, Claims


@dataclass(frozen=True)
class Stance:
    """What an answer claims, whether it claims everything that can be claimed, and its further
    exact claims.
    """

    claims: Claims
    complete: bool = True
    exact: Mapping[str, object] = field(default_factory=dict)

    def __reduce__(self) -> tuple[Callable[..., Stance], tuple[object, ...]]:
        """Fuzzing pickles thousands of stances a second; as bytes small arrays take half the time.

        What comes back is read-only.
        """
        return _unpickled, (
            self.claims.shape,
            self.claims.dtype,
            self.claims.tobytes(),
            self.complete,
            self.exact,
        )

    def same(self, other: Stance) -> bool:
        """Whether both claim the same."""
        return (
            self.complete is other.complete
            and self.exact == other.exact
            and same_claims(self.claims, other.claims)
        )


def _unpickled(
    shape: tuple[int, ...],
    dtype: np.dtype[np.integer],
    claims: bytes,
    complete: bool,
    exact: Mapping[str, object],
) -> Stance:
    return Stance(np.ndarray(shape, dtype, claims), complete, exact)


def same_claims(one: Claims | None, other: Claims | None) -> bool:
    """Whether two answers claim the same, further exact claims aside."""
    if one is other or one is None or other is None:
        return one is other
    if one.dtype == other.dtype:  # for small arrays several times as fast
        return one.shape == other.shape and one.tobytes() == other.tobytes()
    return np.array_equal(one, other)


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
