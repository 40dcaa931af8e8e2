"""The claims of the write-ups as formulas over an unknown board: proved for all boards up to a size
at once, or refuted.

No backend uses this package. Its checker of proofs is also reached by
`python -m models.proofs.rup`.

A puzzle takes part if its folder in `models` has a module `lemmas` that sets `LEMMAS`. The module
is imported when its lemmas are first used.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

import puzzles
from models.lemmas.lemma import Lemma
from puzzles.text import UnknownName


def of(puzzle: str) -> tuple[Lemma, ...]:
    """The lemmas of a puzzle, in the order of its module; empty if it has no such module."""
    module = f"models.{puzzle}.lemmas"
    if find_spec(f"models.{puzzle}") is None or find_spec(module) is None:
        return ()
    return import_module(module).LEMMAS


def every() -> list[Lemma]:
    """The lemmas of all puzzles."""
    return [lemma for puzzle in puzzles.names() for lemma in of(puzzle)]


def get(name: str) -> Lemma:
    """The lemma of that name; raises `UnknownName`."""
    known = {lemma.name: lemma for lemma in every()}
    if name not in known:
        raise UnknownName("lemma", name, list(known))
    return known[name]
