"""One clue and its neighbourhood: every implication that the closure draws there is true."""

from __future__ import annotations

from itertools import product

from models.cnf import Formula
from models.lemmas.lemma import Assignment, Counterexample, CounterexampleFormula, FormulaLemma, Lemma
from models.lemmas.logic import all_of, any_of, cells_around, new_variables, one_hot, rows_of, true_index, unary_count
from models.lemmas.minesweeper.concrete import WRITE_UP, implications


def _sound(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """A clue in the middle, a layout of mines that agrees with it, and an implication that is drawn but false in the layout.

    Some of the cells around the clue are covered, some are known mines (`X`), and the others are known not to be mines (`O`). Cells
    beyond the edge and opened cells count as `O`. Let k be the number of covered cells, and n the clue minus the known mines. The
    closure draws these implications between covered cells:

    - k = n: "no mine here" implies "a mine here".
    - k = n + 1: "no mine here" implies "a mine there".
    - n = 0: "a mine here" implies "no mine here".
    - n = 1: "a mine here" implies "no mine there".
    """
    formula, cells = Formula(), rows * columns
    middle = rows // 2 * columns + columns // 2
    beside = cells_around(rows, columns)[middle]
    covered, known, mine = (new_variables(formula, len(beside)) for _ in range(3))
    clue = one_hot(formula, 9)
    for hidden, known_mine, there in zip(covered, known, mine, strict=True):
        formula.add(-hidden, -known_mine)
        formula.add(-known_mine, there)
        formula.add(hidden, known_mine, -there)

    def is_clue(numbers: list[int], more: int) -> int:
        """A literal: the number of true ones among these is the clue plus `more`."""
        least = unary_count(formula, numbers, 9)
        matching: list[int] = []
        for digit, says in enumerate(clue):
            k = digit + more
            if 0 <= k <= len(numbers):
                bounds = ([least[k - 1]] if k else []) + [-literal for literal in least[k : k + 1]]
                matching.append(all_of(formula, says, *bounds))
        return any_of(formula, *matching)

    if not without_hypothesis:
        formula.add(is_clue(mine, 0))
    at_hand = [any_of(formula, hidden, known_mine) for hidden, known_mine in zip(covered, known, strict=True)]
    drawn = [is_clue(at_hand, 0), is_clue(at_hand, 1), is_clue(known, 0), is_clue(known, -1)]
    here, there = one_hot(formula, len(beside)), one_hot(formula, len(beside))
    false: list[int] = []
    for one, other in product(range(len(beside)), repeat=2):
        pair = all_of(formula, here[one], there[other], covered[one], covered[other])
        to_mine, to_safe = (0, 2) if one == other else (1, 3)
        false.append(all_of(formula, pair, drawn[to_mine], -mine[one], -mine[other]))
        false.append(all_of(formula, pair, drawn[to_safe], mine[one], mine[other]))
    formula.add(*false)

    def decode(model: Assignment) -> Counterexample:
        characters = ["O"] * cells
        characters[middle] = str(true_index(model, clue))
        for cell, hidden, known_mine in zip(beside, covered, known, strict=True):
            characters[cell] = "#" if model[hidden] else "X" if model[known_mine] else "O"
        one, other = (beside[true_index(model, choice)] for choice in (here, there))
        details = {
            "mines": [divmod(cell, columns) for cell, is_mine in zip(beside, mine, strict=True) if model[is_mine]],
            "cells": (divmod(one, columns), divmod(other, columns)),
            "mine": bool(model[mine[beside.index(one)]]),
        }
        return Counterexample(rows_of("".join(characters), columns), details)

    names = [(says, f"the clue is {digit}") for digit, says in enumerate(clue)]
    for kind, variables in (("covered", covered), ("known to be a mine", known), ("a mine in the layout", mine)):
        places = (f"{cell // columns + 1},{cell % columns + 1}" for cell in beside)
        names += [(variable, f"{place} is {kind}") for place, variable in zip(places, variables, strict=True)]
    return CounterexampleFormula(formula, decode, names=names)


def _false_implication(example: Counterexample) -> str:
    (one, other), mines, value = example.details["cells"], example.details["mines"], example.details["mine"]
    drawn = ((one, value), (other, not value)) in implications(example.rows, {})
    if not drawn or (one in mines, other in mines) != (value, value):
        return ""
    here, there = (f"{row + 1},{column + 1}" for row, column in (one, other))
    first, second = ("a mine", "no mine") if value else ("no mine", "a mine")
    return f"{first} at {here} is to imply {second} at {there}, and does not"


LEMMAS: tuple[Lemma, ...] = (
    FormulaLemma(
        name="minesweeper-sound",
        puzzle="minesweeper",
        statement="what the closure draws at a clue is true in every layout that agrees with the clue and the marks",
        source=WRITE_UP,
        quote="枚举每个数字建边",
        translation="go through the numbers and add the edges of each",
        size=3,
        smallest_size=3,
        largest_size=3,
        why_largest="the claim is about one clue and the cells around it",
        build=_sound,
        hypothesis="the layout agrees with the clue",
        failure_on=_false_implication,
    ),
)
