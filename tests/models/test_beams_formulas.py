"""Beams: what is left of the formula by rules if equal variables become one is the formula over
traced beams.
"""

from __future__ import annotations

import pytest

import puzzles
from models.beams.by_cnf_traced import build
from models.beams.geometry import Channels, channels_of
from models.cnf import Formula

BEAMS = puzzles.get("beams")


def light_of(channels: Channels) -> dict[int, int]:
    """The literal of a turret to which each channel is equal; none for a channel that is always
    dark.
    """
    light = {
        channel: (turret + 1) * (1 if horizontal else -1)
        for channel, turret, horizontal in channels.shot.tolist()
    }
    dark = {*channels.dark.tolist(), *channels.circular.tolist()}
    passed = [link for link in channels.passed.tolist() if link[0] not in dark]
    while passed:
        light |= {later: light[earlier] for later, earlier in passed if earlier in light}
        dark |= {later for later, earlier in passed if earlier in dark}
        passed = [link for link in passed if link[0] not in light and link[0] not in dark]
    return light


@pytest.mark.parametrize("family", BEAMS.families)
def test_substituted_the_formula_by_rules_is_that_over_traced_beams(family: str) -> None:
    least = max(4, BEAMS.families[family].least)
    for seed in range(1, 31):
        grid = BEAMS.families[family].board(least + seed % 9, seed).grid
        channels = channels_of(grid)
        light = light_of(channels)
        hit = {
            (-light[channel],)
            for channel in channels.into_turret.ravel().tolist()
            if channel in light
        }
        lit = {
            tuple(sorted({light[channel] for channel in four if channel in light}))
            for four in channels.into_open.tolist()
        }
        turrets = channels.turrets.size
        lit = {
            clause for clause in lit if not any(-literal in clause for literal in clause)
        }  # those are always true
        traced = {
            tuple(sorted({literal for literal in clause if abs(literal) <= turrets}))
            for clause in build(grid, Formula()).clauses
        }
        assert hit | lit == traced, (family, seed)
