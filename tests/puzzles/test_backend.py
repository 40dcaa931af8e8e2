"""Backends are found where they are, and a further one is a single file."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import puzzles.backend
from puzzles.backend import Side

SOURCE = """
from puzzles.backend import backend
from puzzles.nogo.board import Game, NoGo


@backend("nogo", "mine", side="models", source="a file of the tests")
def solve(board: NoGo, *, certify: bool = False) -> Game:
    from models.nogo.monotone import solve as by_monotone

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
    before = list(importlib.import_module("models").SIDE.backends("nogo"))
    backends = Side("models").backends("nogo")
    assert list(backends) == [*(name for name in before if name != "mine"), "mine"]
    assert next(iter(backends)) == "cnf"
