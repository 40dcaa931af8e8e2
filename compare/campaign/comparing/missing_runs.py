"""How many planned runs each instance still waits for, in ten bytes an instance."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from compare.campaign.record import InstanceKey


class MissingRuns:
    """The counts, by the hash of each instance's key. Two keys of one hash share a count: neither is complete before both are."""

    def __init__(self, planned: Iterable[InstanceKey] = ()) -> None:
        """`planned`: the instance of each run."""
        hashes = np.fromiter(map(hash, planned), np.int64)
        self._hashes, counts = np.unique(hashes, return_counts=True)
        self._counts = counts.astype(np.int32)
        self.total = hashes.size

    def take(self, key: InstanceKey) -> bool:
        """Count a run of this instance as done; True if it was the last that was planned."""
        place = int(np.searchsorted(self._hashes, hash(key)))
        if place == self._hashes.size or self._hashes[place] != hash(key) or not self._counts[place]:
            return False
        self._counts[place] -= 1
        self.total -= 1
        return not self._counts[place]
