"""Backends are found where they are, and a further one is a single file."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import puzzles
import puzzles.backend
from puzzles.backend import SIDE_NAMES, Side
from puzzles.beams.board import Beams, Layout
from puzzles.text import UserError

SOURCE = """
from puzzles.backend import backend
from puzzles.nogo.board import Game, NoGo


@backend("nogo", "mine", side="models", source="a file of the tests")
def solve(board: NoGo, *, certify: bool = False) -> Game:
    from models.nogo.by_cnf_monotone import solve as by_monotone

    return by_monotone(board)
"""


@pytest.fixture
def further_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """`models/nogo/by_mine.py`, as if it stood in the package."""
    (tmp_path / "by_mine.py").write_text(SOURCE)
    package = importlib.import_module("models.nogo")
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    yield
    sys.modules.pop("models.nogo.by_mine", None)
    puzzles.backend._registry["models", "nogo"].pop("mine", None)


def test_an_encoding_is_one_file(further_file: None) -> None:
    before = set(importlib.import_module("models").SIDE.backends("nogo"))
    first, *others = Side("models").backends("nogo")
    assert {first, *others} == before | {"mine"}
    assert first == "cnf"
    assert others == sorted(others)


@pytest.mark.parametrize("side", SIDE_NAMES)
@pytest.mark.parametrize("puzzle", puzzles.names())
def test_one_backend_is_the_default_and_the_others_follow_by_their_names(
    side: str, puzzle: str
) -> None:
    first, *others = importlib.import_module(side).SIDE.backends(puzzle).values()
    names = [each.name for each in others if each.function.__module__.startswith(f"{side}.")]
    assert first.default
    assert names == sorted(names)
    place = f"{side}.{puzzle}.by_{first.name.replace('-', '_')}"
    assert first.function.__module__ == place


def test_without_a_default_the_first_by_name_is_it(monkeypatch: pytest.MonkeyPatch) -> None:
    side = importlib.import_module("models").SIDE
    cnf = side.get("geography", "cnf")
    others = {name: each for name, each in side.backends("geography").items() if name != "cnf"}
    shy = {"cnf": replace(cnf, default=False, name="zzz"), **others}
    monkeypatch.setitem(puzzles.backend._registry, ("models", "geography"), shy)
    assert side.get("geography").name == "cnf-cover"


def test_others_come_after_ours_in_the_order_of_their_registration_but_for_their_default(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    side = importlib.import_module("models").SIDE
    ours = side.backends("beams")
    known = {
        name: replace(ours["cnf"], name=name, function=solve_nothing, default=name == "best")
        for name in ("zed", "best", "also")
    }
    monkeypatch.setitem(puzzles.backend._registry, ("models", "beams"), {**known, **ours})
    assert list(side.backends("beams")) == [*ours, "best", "zed", "also"]
    monkeypatch.setitem(puzzles.backend._registry, ("models", "beams"), known)
    assert side.get("beams").name == "best"


def solve_nothing(board: Beams, *, certify: bool = False) -> Layout:
    return Layout(False)


def test_two_defaults_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    side = importlib.import_module("models").SIDE
    second = replace(side.get("beams", "cpsat"), default=True)
    backends = {**side.backends("beams"), "cpsat": second}
    monkeypatch.setitem(puzzles.backend._registry, ("models", "beams"), backends)
    with pytest.raises(UserError) as error:
        side.get("beams")
    assert str(error.value) == (
        "models:cnf and models:cpsat are both the default for beams: leave `default=True` at one "
        "of them"
    )
