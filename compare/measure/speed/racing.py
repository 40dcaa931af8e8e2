"""Races against other packages as figures of speed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from compare.measure import races
from compare.measure.peers import Peer, Race
from compare.measure.speed.figure import JobTimes, Part, SpeedFigure
from compare.measure.speed.plan import SpeedJob, SpeedPlan


def racing(peers: Sequence[Peer]) -> list[SpeedJob]:
    """Every race of these peers, which are installed."""
    return [SpeedJob(Part.RACES, f"{peer.name}, {race.name}", partial(_raced, peer, race)) for peer in peers for race in peer.races]


def _raced(peer: Peer, race: Race, plan: SpeedPlan) -> list[SpeedFigure]:
    result = races.run(race, plan.seed, plan.repeats, min(plan.timeout, max(plan.left, 1.0)))
    inputs = tuple(
        JobTimes(
            each.name,
            tuple(each.ours.tolist()),
            () if each.stopped is not None else tuple(each.theirs.tolist()),
            each.stopped,
        )
        for each in result.timed
    )
    wrong = tuple(f"{each.name}: {each.wrong}" for each in result.inputs if each.wrong)
    name, unit, by = f"{peer.name}, {race.name}", f"{peer.name} {peer.version}", f"{race.ours} / {race.theirs}"
    return [SpeedFigure(Part.RACES, name, unit, inputs, wrong, by=by, target=race.target)]
