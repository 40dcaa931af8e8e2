"""What an independent check says of one answer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """What a check says: every claim certified, some claim without a valid certificate, some claim false."""

    PROVED = "PROVED"
    UNPROVED = "UNPROVED"
    REFUTED = "REFUTED"


@dataclass(frozen=True)
class Check:
    """The outcome of checking one answer against the rules, and why."""

    verdict: Verdict
    detail: str = ""
