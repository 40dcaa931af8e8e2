"""What is missing is named with the line that installs it, and that line names an extra that there
is.
"""

from __future__ import annotations

import re
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

import puzzles.backend
from models.command import main
from puzzles.extras import EXTRAS, install, not_installed
from tests.places import ROOT

DECLARED: dict[str, list[str]] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
    "optional-dependencies"
]


def test_the_extras_are_those_of_the_project() -> None:
    assert set(EXTRAS) == set(DECLARED) - {"docs", "lint", "test"}
    assert all(len(EXTRAS[name]) >= len(DECLARED[name]) for name in EXTRAS)


def test_the_pages_install_extras_that_there_are() -> None:
    pages = "".join(
        page.read_text()
        for page in [
            ROOT / "README.md",
            ROOT / "benchmarks" / "README.md",
            *(ROOT / "docs").glob("*.md"),
        ]
    )
    named = {extra for names in re.findall(r"'\.\[(.*?)\]'", pages) for extra in names.split(",")}
    assert {"test", "report", "cluster", "benchmarks"} <= named <= set(DECLARED)


def test_the_table_of_extras_has_all() -> None:
    table = (ROOT / "docs" / "extras.md").read_text()
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == set(DECLARED)


def test_what_is_missing_is_named_with_its_extra() -> None:
    assert install("count") == "pip install -e '.[count]'"
    assert not_installed(["ortools"]) == "ortools not installed"
    assert (
        not_installed(["jinja2", "pysdd"])
        == "jinja2, pysdd not installed: pip install -e '.[report]' && pip install -e '.[count]'"
    )


def test_a_backend_without_its_package_says_how_to_get_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        puzzles.backend, "find_spec", lambda name: None if name == "pysdd" else find_spec(name)
    )
    board = tmp_path / "board.in"
    board.write_text(puzzles.get("minesweeper").example)
    assert main(["minesweeper", str(board), "--backend", "count"]) == 3
    assert (
        capsys.readouterr().err == "models:count: pysdd not installed: pip install -e '.[count]'\n"
    )
