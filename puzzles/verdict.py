"""The verdict of an independent check on one answer. (That on a whole run is
`compare.show.messages.verdict`.)
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """PROVED: every claim is certified. UNPROVED: some claim has no valid certificate.

    REFUTED: some claim is false.
    """

    PROVED = "PROVED"
    UNPROVED = "UNPROVED"
    REFUTED = "REFUTED"


class BeyondCheck(Exception):
    """Raised where a check cannot decide: the instance is too large, or a search has stopped at its
    limit. The message says why, as a clause.
    """


@dataclass(frozen=True)
class Check:
    """The verdict on one answer, and its reason.

    Attributes:
        limited: UNPROVED only because the check stopped at a limit of its own. The certificate may
            be valid.
        part: which part of the answer is wrong, in a word, if fuzzing is to tell such faults apart;
            else empty.
    """

    verdict: Verdict
    detail: str = ""
    limited: bool = False
    part: str = ""
