"""Refuted claims replayed on the real backends and checks; their boards are bundled, and fuzzing
begins with them.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

import puzzles
from compare.commands.prove.claims import replay
from compare.commands.prove.lemma import Counterexample, Lemma, lemma_named
from tests.compare.commands.prove.brute_force import (
    FALSE,
    ids,
    settled,
)


@pytest.mark.parametrize("claim", FALSE, ids=ids)
def test_the_board_of_a_refuted_claim_is_bundled_and_replayed(claim: Lemma) -> None:
    """The board that `prove` finds, or another as small: `fuzz` begins with it."""
    puzzle = puzzles.get(claim.puzzle)
    path = puzzle.data / "refuted" / f"{claim.name.removeprefix(f'{claim.puzzle}-')}.in"
    (board,) = puzzle.parse(path.read_text(), str(path))
    counterexample = settled(claim.name, claim.size).counterexample
    assert counterexample is not None
    assert board.cells == len("".join(counterexample.rows))
    for rows in {counterexample.rows, tuple(board.lines())}:
        assert replay(claim, replace(counterexample, rows=rows)).confirmed


RIGHT = [
    ("nogo-distinct", ("X.", "..")),
    ("minesweeper-rounds", ("#1",)),
    ("minesweeper-complete", ("#1",)),
]


@pytest.mark.parametrize(("name", "rows"), RIGHT)
def test_a_board_on_which_the_claim_is_right_refutes_nobody(
    name: str, rows: tuple[str, ...]
) -> None:
    again = replay(lemma_named(name), Counterexample(rows))
    assert (again.confirmed, again.summary) == (False, "what it would answer is not refuted")
