"""One clue and its neighbourhood: whatever the closure draws there is true."""

from __future__ import annotations

from itertools import product

from models.cnf import Formula
from models.lemmas.lemma import Claim, Counterexample, Lemma, Model, Symbolic
from models.lemmas.logic import around, both, chosen, count, either, one_of, rows_of, some
from models.lemmas.minesweeper.plain import WRITE_UP, implications


def _sound(rows: int, columns: int, dropped: bool) -> Symbolic:
    """A clue in the middle, a layout of the mines that agrees with it, and an implication drawn that is false in the layout.

    Of the cells around it some are covered, some known to be mines (`X`), the others known to be none (`O`): one beyond the
    edge of a board, or opened, is as good as those. The number of covered ones is k, the clue less the known mines n:
    if k = n, no mine implies a mine; if k = n + 1, no mine here implies a mine there; if n = 0, a mine implies no mine; if
    n = 1, a mine here implies no mine there.
    """
    formula, cells = Formula(), rows * columns
    middle = rows // 2 * columns + columns // 2
    beside = around(rows, columns)[middle]
    covered, known, mine = (some(formula, len(beside)) for _ in range(3))
    clue = one_of(formula, 9)
    for hidden, given, there in zip(covered, known, mine, strict=True):
        formula.add(-hidden, -given)
        formula.add(-given, there)
        formula.add(hidden, given, -there)

    def is_clue(numbers: list[int], more: int) -> int:
        """Whether so many of these are true as the clue says, and `more`."""
        least = count(formula, numbers, 9)
        matching: list[int] = []
        for digit, says in enumerate(clue):
            k = digit + more
            if 0 <= k <= len(numbers):
                bounds = ([least[k - 1]] if k else []) + [-literal for literal in least[k : k + 1]]
                matching.append(both(formula, says, *bounds))
        return either(formula, *matching)

    if not dropped:
        formula.add(is_clue(mine, 0))
    at_hand = [either(formula, hidden, given) for hidden, given in zip(covered, known, strict=True)]
    drawn = [is_clue(at_hand, 0), is_clue(at_hand, 1), is_clue(known, 0), is_clue(known, -1)]
    here, there = one_of(formula, len(beside)), one_of(formula, len(beside))
    false: list[int] = []
    for one, other in product(range(len(beside)), repeat=2):
        pair = both(formula, here[one], there[other], covered[one], covered[other])
        alone, apart = (0, 2) if one == other else (1, 3)
        false.append(both(formula, pair, drawn[alone], -mine[one], -mine[other]))
        false.append(both(formula, pair, drawn[apart], mine[one], mine[other]))
    formula.add(*false)

    def decode(model: Model) -> Counterexample:
        characters = ["O"] * cells
        characters[middle] = str(chosen(model, clue))
        for cell, hidden, given in zip(beside, covered, known, strict=True):
            characters[cell] = "#" if model[hidden] else "X" if model[given] else "O"
        one, other = (beside[chosen(model, choice)] for choice in (here, there))
        told = {
            "mines": [divmod(cell, columns) for cell, is_mine in zip(beside, mine, strict=True) if model[is_mine]],
            "cells": (divmod(one, columns), divmod(other, columns)),
            "mine": bool(model[mine[beside.index(one)]]),
        }
        return Counterexample(rows_of("".join(characters), columns), told)

    names = [(says, f"the clue is {digit}") for digit, says in enumerate(clue)]
    for kind, variables in (("covered", covered), ("known to be a mine", known), ("a mine in the layout", mine)):
        places = (f"{cell // columns + 1},{cell % columns + 1}" for cell in beside)
        names += [(variable, f"{place} is {kind}") for place, variable in zip(places, variables, strict=True)]
    return Symbolic(formula, decode, names=names)


def _false_implication(found: Counterexample) -> str:
    (one, other), mines, value = found.told["cells"], found.told["mines"], found.told["mine"]
    drawn = ((one, value), (other, not value)) in implications(found.rows, {})
    if not drawn or (one in mines, other in mines) != (value, value):
        return ""
    here, there = (f"{row + 1},{column + 1}" for row, column in (one, other))
    first, second = ("a mine", "no mine") if value else ("no mine", "a mine")
    return f"{first} at {here} is to imply {second} at {there}, and does not"


LEMMAS: tuple[Claim, ...] = (
    Lemma(
        name="minesweeper-sound",
        puzzle="minesweeper",
        statement="what the closure draws at a clue is true in every layout that agrees with the clue and the marks",
        source=WRITE_UP,
        quote="枚举每个数字建边",
        size=3,
        bar=3,
        least=3,
        most=3,
        ends="the claim is about one clue and the cells around it",
        state=_sound,
        drops="the layout agrees with the clue",
        fails=_false_implication,
    ),
)
