"""The files of the page: light, complete, nothing from elsewhere; what it says of our backends."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import compare.commands.page
import puzzles
from compare.commands.page.catalogue import script_path
from compare.engine.work.contenders import backends
from puzzles.backend import Backend
from puzzles.text import first_paragraph

STATIC = Path(compare.commands.page.__file__).parent / "static"

SCRIPTS = [path for name in puzzles.names() if (path := script_path(puzzles.get(name)))]
"""What puzzles add to the page."""

FILES = [*(path for path in STATIC.rglob("*") if path.is_file()), *SCRIPTS]


def test_the_page_weighs_less_than_150_kb() -> None:
    assert {path.suffix for path in FILES} == {".html", ".css", ".js"}
    assert sum(path.stat().st_size for path in FILES) < 150_000


def test_the_page_asks_for_each_of_its_files_at_once() -> None:
    named = re.findall(r'(?:href|src)="/static/([^"]+)"', (STATIC / "index.html").read_text())
    assert sorted(named) == sorted(
        path.relative_to(STATIC).as_posix()
        for path in FILES
        if path.name != "index.html" and path not in SCRIPTS
    )


def test_nothing_comes_from_elsewhere() -> None:
    addresses = {
        address
        for path in FILES
        for address in re.findall(r"(?:https?:)?//[\w.]+\.\w+[^\s\"')]*", path.read_text())
    }
    assert addresses <= {"http://www.w3.org/2000/svg"}


def sentences(backend: Backend) -> int:
    """How many sentences a backend says of itself."""
    return len(re.findall(r"[.](?= |$)", first_paragraph(backend.function)))


@pytest.mark.parametrize("name", puzzles.names())
def test_the_backends_of_a_puzzle_say_as_much_of_themselves(name: str) -> None:
    """They stand beside each other."""
    assert len({sentences(each) for each in backends(name)}) == 1
