"""The lemmas to test, and every counterexample on tiny boards, without formulas."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import product

from compare.commands.prove.lemma import (
    Counterexample,
    CounterexampleFormula,
    FormulaLemma,
    Lemma,
    LemmaResult,
    Prover,
    all_lemmas,
    lemma_named,
)
from compare.commands.prove.symbolic import rows_of
from models.proofs.drat import ProofStep, additions
from models.proofs.refutation import refutation

SMALL = 3
"""A size at which every lemma of a board is settled at once."""


EVERY = all_lemmas()


OURS = [claim for claim in EVERY if claim.puzzle != "beams"]


TRUE = [claim for claim in OURS if isinstance(claim, FormulaLemma) and claim.expected_to_hold]


SCRIPTED = [claim for claim in TRUE if claim.build(2, 2, False).script is not None]


FALSE = [claim for claim in EVERY if not claim.expected_to_hold]


def lemma(name: str) -> FormulaLemma:
    claim = lemma_named(name)
    assert isinstance(claim, FormulaLemma)
    return claim


@cache
def settled(name: str, size: int) -> LemmaResult:
    """What becomes of the claim of this name up to a size; several tests ask the same."""
    return lemma_named(name).settle(size, Prover())


def ids(claim: Lemma) -> str:
    return claim.name


def boards(rows: int, columns: int, alphabet: str) -> Iterator[tuple[str, ...]]:
    return (
        rows_of("".join(characters), columns)
        for characters in product(alphabet, repeat=rows * columns)
    )


def cells(rows: int, columns: int) -> list[tuple[int, int]]:
    return list(product(range(rows), range(columns)))


Brute = Callable[[int, int], Iterator[Counterexample]]
"""(rows, columns) -> every board of that shape, with whatever else a counterexample tells."""


def permanences(rows: int, columns: int) -> Iterator[Counterexample]:
    """Every pair of positions, the later one with all the stones of the earlier, and every move; or
    any later one, see `fails`.
    """
    for first, later in product(boards(rows, columns, "XO."), repeat=2):
        for move, colour in product(cells(rows, columns), "XO"):
            yield Counterexample(first, {"later": later, "move": move, "colour": colour})


def chains(rows: int, columns: int) -> Iterator[Counterexample]:
    """Every position, stone and empty point."""
    for position in boards(rows, columns, "XO."):
        for stone, point in product(cells(rows, columns), repeat=2):
            if position[point[0]][point[1]] == ".":
                yield Counterexample(position, {"stone": stone, "point": point})


def clues(rows: int, columns: int) -> Iterator[Counterexample]:
    """Every clue in the middle, with every layout around it, whether it agrees with the clue or
    not.
    """
    middle = rows // 2, columns // 2
    for position in boards(rows, columns, "#XO"):
        for digit in "012345678" if position[middle[0]][middle[1]] == "O" else "":
            shown = [list(line) for line in position]
            shown[middle[0]][middle[1]] = digit
            around = [
                cell
                for cell in cells(rows, columns)
                if cell != middle and position[cell[0]][cell[1]] == "#"
            ]
            black = [cell for cell in cells(rows, columns) if position[cell[0]][cell[1]] == "X"]
            for mines in product((False, True), repeat=len(around)):
                details = {
                    "mines": black
                    + [cell for cell, mine in zip(around, mines, strict=True) if mine]
                }
                for one, other, mine in product(around, around, (False, True)):
                    yield Counterexample(
                        tuple(map("".join, shown)), details | {"cells": (one, other), "mine": mine}
                    )


def agrees(example: Counterexample) -> bool:
    """Whether the layout agrees with the clue, all cells being around it."""
    (digit,) = (kind for line in example.rows for kind in line if kind.isdigit())
    return int(digit) == len(example.details["mines"])


def kept(example: Counterexample) -> bool:
    pairs = zip("".join(example.rows), "".join(example.details["later"]), strict=True)
    return all(then in (".", now) for then, now in pairs)


def steps_of(counterexamples: CounterexampleFormula) -> list[ProofStep]:
    """The steps of the script, or of a proof that a solver finds."""
    if counterexamples.script is None:
        return refutation(counterexamples.formula) or []
    return list(additions(counterexamples.script()))


def without_its_hypothesis(claim: FormulaLemma) -> FormulaLemma:
    """The claim without its hypothesis, taken for true."""
    return replace(
        claim,
        name=f"{claim.puzzle}-wrong",
        build=lambda rows, columns, without_hypothesis: claim.build(rows, columns, True),
    )
