"""Refuted claims replayed on the real backends and checks; their boards are bundled, and fuzzing begins with them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import puzzles
from compare.fuzz.boards import bundled_boards
from compare.prove.claims import replay
from models import lemmas
from models.lemmas.lemma import (
    Counterexample,
    Lemma,
)
from models.lemmas.prover import Prover
from models.lemmas.settle import settle
from puzzles.grid import grid_of
from puzzles.minesweeper.board import Minesweeper
from tests.models.lemmas.brute_force import (
    FALSE,
    ids,
)
from tests.places import PLANTED
from tests.processes import compare


@pytest.mark.parametrize("claim", FALSE, ids=ids)
def test_the_board_of_a_refuted_claim_is_bundled_and_replayed(claim: Lemma) -> None:
    """The same that `prove` finds, or another as small: `fuzz` begins with it."""
    puzzle = puzzles.get(claim.puzzle)
    path = puzzle.data / "refuted" / f"{claim.name.removeprefix(f'{claim.puzzle}-')}.in"
    (board,) = puzzle.parse(path.read_text(), str(path))
    counterexample = settle(claim, claim.size, Prover()).counterexample
    assert counterexample is not None
    assert board.cells == len("".join(counterexample.rows))
    for rows in {counterexample.rows, tuple(board.lines())}:
        assert replay(claim, replace(counterexample, rows=rows)).confirmed


def test_fuzzing_begins_with_the_bundled_boards(tmp_path: Path) -> None:
    """Three rounds of the closure are caught within twenty boards, by the one that needs four."""
    assert set(bundled_boards(puzzles.get("minesweeper"))) >= {Minesweeper(grid_of(("######", "#22#20")))}
    planted = PLANTED / "minesweeper.py"
    words = ["fuzz", "minesweeper", "-b", "two-sat", "-b", "three-rounds", "--plugin", str(planted), "--cases", "20"]
    ended = compare(*words, "--jobs", "1", "--save", str(tmp_path))
    assert ended.returncode == 1
    assert "CONFLICT: " in ended.stdout
    (saved,) = tmp_path.glob("*.in")
    assert saved.read_text().startswith(("1\n2 6\n", "1\n6 2\n"))


RIGHT = [("nogo-distinct", ("X.", "..")), ("minesweeper-rounds", ("#1",)), ("minesweeper-complete", ("#1",))]


@pytest.mark.parametrize(("name", "rows"), RIGHT)
def test_a_board_on_which_the_claim_is_right_refutes_nobody(name: str, rows: tuple[str, ...]) -> None:
    again = replay(lemmas.get(name), Counterexample(rows))
    assert (again.confirmed, again.summary) == (False, "what it would answer is not refuted")
