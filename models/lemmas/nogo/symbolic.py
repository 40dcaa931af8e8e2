"""A position whose stones are unknown, a move, and chains, as clauses."""

from __future__ import annotations

from typing import NamedTuple

from models.cnf import Formula
from models.lemmas.lemma import Assignment
from models.lemmas.logic import Near, cell_names, new_variables, rows_of

WRITE_UP = 'a write-up of Luogu P4997, "题解 P4997 【不围棋】" (Solution of P4997, NoGo)'


class SymbolicPosition(NamedTuple):
    """The variables of a position, in each list one for each point."""

    black: list[int]
    white: list[int]
    stone: list[int]

    def names(self, columns: int, when: str) -> list[tuple[int, str]]:
        return cell_names(self.black, columns, f"black at {{}} {when}") + cell_names(self.white, columns, f"white at {{}} {when}")

    def read(self, model: Assignment, columns: int) -> tuple[str, ...]:
        return rows_of(
            "".join("X" if model[b] else "O" if model[w] else "." for b, w in zip(self.black, self.white, strict=True)), columns
        )


def position_of(formula: Formula, cells: int) -> SymbolicPosition:
    """State a position: each point is empty, black or white."""
    position = SymbolicPosition(new_variables(formula, cells), new_variables(formula, cells), new_variables(formula, cells))
    for black, white, stone in zip(*position, strict=True):
        formula.add(-black, -white)
        formula.add(-black, stone)
        formula.add(-white, stone)
        formula.add(-stone, black, white)
    return position


def after_move(formula: Formula, before: SymbolicPosition, move: list[int], colour: int) -> SymbolicPosition:
    """State the position after a move; the literal `colour` says that the move is black."""
    after = position_of(formula, len(move))
    for own, (earlier, later) in ((colour, (before.black, after.black)), (-colour, (before.white, after.white))):
        for there, now, put in zip(earlier, later, move, strict=True):
            formula.add(-there, now)
            formula.add(-put, -own, now)
            formula.add(-now, there, put)
            formula.add(-now, there, own)
    for put, there in zip(move, before.stone, strict=True):
        formula.add(-put, -there)
    return after


def chain_of(formula: Formula, near: Near, position: SymbolicPosition, colour: int) -> list[int]:
    """State a set of whole chains of one colour; the literal `colour` says that it is black. For each point "it is in the set"."""
    members = new_variables(formula, len(near))
    for cell, member in enumerate(members):
        formula.add(-member, -colour, position.black[cell])
        formula.add(-member, colour, position.white[cell])
        for beside in near[cell]:
            formula.add(-member, -colour, -position.black[beside], members[beside])
            formula.add(-member, colour, -position.white[beside], members[beside])
    return members
