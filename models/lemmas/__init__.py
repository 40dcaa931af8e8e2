"""The claims of the write-ups as formulas over a symbolic board: proved for all boards up to a size at once, or refuted.

A puzzle takes part by a module of its name in this package that sets `LEMMAS`; it is imported when its lemmas are asked for.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

import puzzles
from models.lemmas.lemma import Claim
from puzzles.text import UnknownName


def of(puzzle: str) -> tuple[Claim, ...]:
    """The claims about a puzzle, in the order of its module; none where it has no such module."""
    if find_spec(f"{__name__}.{puzzle}") is None:
        return ()
    return import_module(f"{__name__}.{puzzle}").LEMMAS


def every() -> list[Claim]:
    """The claims about all puzzles."""
    return [claim for puzzle in puzzles.names() for claim in of(puzzle)]


def get(name: str) -> Claim:
    """The claim of that name; raises `UnknownName`."""
    known = {claim.name: claim for claim in every()}
    if name not in known:
        raise UnknownName("lemma", name, list(known))
    return known[name]
