"""What came of boards crosses from a sandbox as rows, and nothing of it is lost."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from compare.campaign.relation import Stance
from compare.fuzz.trials.observed import CONFLICT, Fault, Observed, Said, observed_of, rows_of


def test_rows_hold_all_that_came_of_the_boards() -> None:
    shared = Stance(np.array([1, 0, 2], np.int64))
    narrow: Any = np.array([], np.int32)
    other = Stance(narrow, False, {"layouts": 3})
    observed = [
        Observed([Said("one", shared, 0.5), Said("two", shared, None)]),
        Observed([Said("one", other, 0.25), Said("two", None, 1.0)], printed={"one": "text"}),
        Observed(faults=[Fault(CONFLICT, ("one", "two"), "why")], refused=["two"], untried=True),
        Observed(),
    ]
    back = observed_of(pickle.loads(pickle.dumps(rows_of(observed))))
    for then, now in zip(observed, back, strict=True):
        assert (now.faults, now.refused, now.untried, now.printed) == (then.faults, then.refused, then.untried, then.printed)
        assert [(said.name, said.seconds) for said in now.answers] == [(said.name, said.seconds) for said in then.answers]
        for before, after in zip(then.answers, now.answers, strict=True):
            if before.stance is None or after.stance is None:
                assert before.stance is after.stance
            else:
                assert after.stance.same(before.stance)
                assert after.stance.claims.dtype == before.stance.claims.dtype
    assert back[0].answers[0].stance is back[0].answers[1].stance


def test_stances_are_the_same_only_if_all_that_they_claim_is() -> None:
    claims = np.array([1, 2], np.int64)
    narrow: Any = claims.astype(np.int32)
    one = Stance(claims)
    assert one.same(Stance(narrow))
    assert not one.same(Stance(claims, False))
    assert not one.same(Stance(claims, exact={"layouts": 1}))
    assert not one.same(Stance(claims[:1]))
    assert not one.same(Stance(claims[::-1].copy()))
