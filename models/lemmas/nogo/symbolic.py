"""A position whose stones are unknown, a move, and whole chains, as clauses."""

from __future__ import annotations

from typing import NamedTuple

from models.cnf import Formula
from models.lemmas.lemma import Model
from models.lemmas.logic import Near, named, rows_of, some

WRITE_UP = "write-up 003 (Luogu P4997)"


class Position(NamedTuple):
    """Variables of a position, one a point."""

    black: list[int]
    white: list[int]
    stone: list[int]

    def names(self, columns: int, when: str) -> list[tuple[int, str]]:
        return named(self.black, columns, f"black at {{}} {when}") + named(self.white, columns, f"white at {{}} {when}")

    def read(self, model: Model, columns: int) -> tuple[str, ...]:
        return rows_of(
            "".join("X" if model[b] else "O" if model[w] else "." for b, w in zip(self.black, self.white, strict=True)), columns
        )


def position_of(formula: Formula, cells: int) -> Position:
    made = Position(some(formula, cells), some(formula, cells), some(formula, cells))
    for black, white, stone in zip(*made, strict=True):
        formula.add(-black, -white)
        formula.add(-black, stone)
        formula.add(-white, stone)
        formula.add(-stone, black, white)
    return made


def after_move(formula: Formula, before: Position, move: list[int], colour: int) -> Position:
    """The position once a stone was put; `colour` says that it is black."""
    made = position_of(formula, len(move))
    for own, (earlier, later) in ((colour, (before.black, made.black)), (-colour, (before.white, made.white))):
        for there, now, put in zip(earlier, later, move, strict=True):
            formula.add(-there, now)
            formula.add(-put, -own, now)
            formula.add(-now, there, put)
            formula.add(-now, there, own)
    for put, there in zip(move, before.stone, strict=True):
        formula.add(-put, -there)
    return made


def chain_of(formula: Formula, near: Near, position: Position, colour: int) -> list[int]:
    """A set of stones of one colour that has whatever stone of that colour is beside it; `colour` says that it is black."""
    members = some(formula, len(near))
    for cell, member in enumerate(members):
        formula.add(-member, -colour, position.black[cell])
        formula.add(-member, colour, position.white[cell])
        for beside in near[cell]:
            formula.add(-member, -colour, -position.black[beside], members[beside])
            formula.add(-member, colour, -position.white[beside], members[beside])
    return members
