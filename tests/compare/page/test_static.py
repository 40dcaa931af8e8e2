"""The files of the page: light, complete, and nothing from elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import compare.page

STATIC = Path(compare.page.__file__).parent / "static"

FILES = [path for path in STATIC.rglob("*") if path.is_file()]


def test_the_page_weighs_less_than_150_kb() -> None:
    assert {path.suffix for path in FILES} == {".html", ".css", ".js"}
    assert sum(path.stat().st_size for path in FILES) < 150_000


def test_the_page_asks_for_each_of_its_files_at_once() -> None:
    named = re.findall(r'(?:href|src)="/static/([^"]+)"', (STATIC / "index.html").read_text())
    assert sorted(named) == sorted(
        path.relative_to(STATIC).as_posix() for path in FILES if path.name != "index.html"
    )


def test_nothing_comes_from_elsewhere() -> None:
    addresses = {
        address
        for path in FILES
        for address in re.findall(r"(?:https?:)?//[\w.]+\.\w+[^\s\"')]*", path.read_text())
    }
    assert addresses <= {"http://www.w3.org/2000/svg"}
