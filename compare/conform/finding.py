"""What a point of the conformance test finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from puzzles.instance import Instance
from puzzles.puzzle import Puzzle

_SHOWN = 60


class State(StrEnum):
    """What a finding asks for.

    FAILED: something is wrong. LOOK: something may be wrong, and a person has to look. MISSING: something is not there, which is
    allowed.
    """

    FAILED = "FAILED"
    LOOK = "LOOK"
    MISSING = "MISSING"


@dataclass(frozen=True)
class Finding:
    """One sentence for people, with the remedy after a colon."""

    state: State
    sentence: str


@dataclass(frozen=True)
class Point:
    """One thing that every puzzle must do.

    Attributes:
        name: one word.
        about: what must be true, as a clause.
        findings: what is not true of a puzzle. It runs in a process of its own, for it calls the puzzle's functions.
    """

    name: str
    about: str
    findings: Callable[[Puzzle], Iterator[Finding]]


def failed(sentence: str) -> Finding:
    """Something that is wrong."""
    return Finding(State.FAILED, sentence)


def look(sentence: str) -> Finding:
    """Something that a person has to look at."""
    return Finding(State.LOOK, sentence)


def missing(sentence: str) -> Finding:
    """Something that is not there."""
    return Finding(State.MISSING, sentence)


def shown(instance: Instance) -> str:
    """An instance in a sentence: its lines, with `/` between them, bounded."""
    text = "/".join(instance.text().split("\n")).strip("/")
    return f"`{text}`" if len(text) <= _SHOWN else f"`{text[:_SHOWN]}...`"
