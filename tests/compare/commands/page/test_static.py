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


OURS = [backend for name in puzzles.names() for backend in backends(name)]


@pytest.mark.parametrize("backend", OURS, ids=lambda each: f"{each.puzzle} {each.label}")
def test_each_backend_says_in_three_sentences_what_it_does(backend: Backend) -> None:
    said = first_paragraph(backend.function)
    assert re.fullmatch(
        r"[A-Z]([^.]|[.](?=[^ ]))+[.] [A-Z]([^.]|[.](?=[^ ]))+[.] [A-Z]([^.]|[.](?=[^ ]))+[.]", said
    )
    assert len(said) < 400
    assert len(backend.source) > 10


def test_no_two_backends_of_a_puzzle_say_the_same() -> None:
    said = [(each.puzzle, first_paragraph(each.function)) for each in OURS]
    assert len(said) > 15
    assert len(set(said)) == len(said)
