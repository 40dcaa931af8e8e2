"""Stances: what makes two of them the same, and that nothing of them is lost between processes."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from compare.campaign.relation import Stance


def test_stances_cross_between_processes_whole_and_shared_ones_once() -> None:
    shared = Stance(np.array([1, 0, 2], np.int64))
    narrow: Any = np.array([], np.int32)
    then = [shared, shared, Stance(narrow, False, {"layouts": 3})]
    now: list[Stance] = pickle.loads(pickle.dumps(then))
    assert all(
        before.same(after) and before.claims.dtype == after.claims.dtype
        for before, after in zip(then, now, strict=True)
    )
    assert now[0] is now[1]


def test_stances_are_the_same_only_if_all_that_they_claim_is() -> None:
    claims = np.array([1, 2], np.int64)
    narrow: Any = claims.astype(np.int32)
    one = Stance(claims)
    assert one.same(Stance(narrow))
    assert not one.same(Stance(claims, False))
    assert not one.same(Stance(claims, exact={"layouts": 1}))
    assert not one.same(Stance(claims[:1]))
    assert not one.same(Stance(claims[::-1].copy()))
