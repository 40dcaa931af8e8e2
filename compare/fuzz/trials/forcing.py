"""Forcing the thresholds between algorithms low, so that small boards reach what otherwise only large ones do."""

from __future__ import annotations

from random import Random

import direct.thresholds
import models.model_thresholds


def force_thresholds(rng: Random) -> None:
    """Force each threshold of both sides low with probability 1/2, in this process, which should be a fork of its own."""
    for module in (direct.thresholds, models.model_thresholds):
        for name, low in module.LOW.items():
            if rng.random() < 0.5:
                setattr(module, name, low)
