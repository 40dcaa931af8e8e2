"""What came of many boards as plain values: these leave a sandbox several times as fast as the objects themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from compare.campaign.relation import Stance
from compare.fuzz.trials.observed import Observed, Said

ObservedRows = tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]
"""Each stance as (shape, dtype and bytes of its claims, complete, exact); each board with its answers as (name, index of the
stance, seconds)."""


def rows_of(observed: Sequence[Observed]) -> ObservedRows:
    """What came of each board, to be pickled. A stance that several answers share is kept once."""
    stances: list[tuple[Any, ...]] = []
    index_of: dict[int, int | None] = {id(None): None}
    boards: list[tuple[Any, ...]] = []
    for each in observed:
        answers: list[tuple[str, int | None, float | None]] = []
        for name, stance, seconds in each.answers:
            if stance is not None and id(stance) not in index_of:
                index_of[id(stance)] = len(stances)
                claims = stance.claims
                stances.append((claims.shape, claims.dtype, claims.tobytes(), stance.complete, stance.exact or None))
            answers.append((name, index_of[id(stance)], seconds))
        boards.append((answers, each.faults or None, each.refused or None, each.untried, each.printed or None))
    return stances, boards


def observed_of(rows: ObservedRows) -> list[Observed]:
    """What came of each board. Its claims are read-only."""
    stance_rows, boards = rows
    stances = [
        Stance(np.ndarray(shape, dtype, claims), complete, exact or {}) for shape, dtype, claims, complete, exact in stance_rows
    ]
    return [
        Observed(
            [Said(name, None if k is None else stances[k], seconds) for name, k, seconds in answers],
            faults or [],
            refused or [],
            untried,
            printed or {},
        )
        for answers, faults, refused, untried, printed in boards
    ]
