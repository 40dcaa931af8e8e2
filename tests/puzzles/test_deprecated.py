"""Old names keep working for one release, with a warning that names the new one."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

import pytest

import puzzles
import puzzles.backend
from direct import SIDE as DIRECT
from puzzles.answer import Answer
from puzzles.backend import backend
from puzzles.beams.board import Beams, Layout

MINESWEEPER = puzzles.get("minesweeper")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (lambda: MINESWEEPER.verdict_first, "first_claim_is_consistency"),
        (lambda: MINESWEEPER.many_boards, "many_instances"),
        (lambda: MINESWEEPER.exactly, "exact_options"),
    ],
)
def test_a_puzzles_old_names(old: Callable[[], object], new: str) -> None:
    with pytest.warns(DeprecationWarning, match=f"is now called {new};"):
        assert old() == getattr(MINESWEEPER, new)


def test_an_answers_old_name() -> None:
    answer = DIRECT.solve(MINESWEEPER.parse(MINESWEEPER.example)[0])
    assert isinstance(answer, Answer)
    with pytest.warns(DeprecationWarning, match="Deduction.in_part is now called as_incomplete;") as caught:
        assert answer.in_part() == answer.as_incomplete() != answer
    assert caught[0].filename == __file__


def test_a_plugin_may_still_register_with_the_old_keyword(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(puzzles.backend, "_registry", {})

    with pytest.warns(DeprecationWarning, match="takes_for_granted= is now called assumes=;") as caught:

        @backend("beams", "old", side="direct", source="a test", takes_for_granted="luck")
        def solve(board: Beams, *, certify: bool = False) -> Layout:
            return Layout(False)

    assert caught[0].filename == __file__
    registered = puzzles.backend._registry["direct", "beams"]["old"]
    assert registered.assumes == "luck"
    with pytest.warns(DeprecationWarning, match="Backend.takes_for_granted is now called assumes;"):
        assert registered.takes_for_granted == "luck"


@pytest.mark.parametrize("name", ["Effort", "Board", "grid_lines", "grid_of", "Verdict"])
def test_what_plugins_import_from_its_old_module(name: str) -> None:
    module = import_module("puzzles.puzzle")
    with pytest.warns(DeprecationWarning, match=rf"puzzles\.puzzle\.{name} is now called puzzles\.\w+\.{name};"):
        moved = getattr(module, name)
    assert moved.__module__.startswith("puzzles.")
    assert moved.__module__ != "puzzles.puzzle"
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = module.nothing


def test_the_old_name_of_an_input_file() -> None:
    boards = MINESWEEPER.parse(MINESWEEPER.example)
    with pytest.warns(DeprecationWarning, match="print_boards is now called print_instances;"):
        assert MINESWEEPER.print_boards(boards) == MINESWEEPER.print_instances(boards)
