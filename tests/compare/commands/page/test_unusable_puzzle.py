"""A puzzle of one's own whose code fails before anything can be shown: the page says why, and the
other puzzles work.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import puzzles
from tests.compare.commands.page.browsing import Server, visiting
from tests.compare.commands.page.talking import Caller
from tests.places import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser

WRONG_EXAMPLE = "\nPUZZLE.example = '1\\n1 1\\nx\\n'\n"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("own") / "lights.py"
    path.write_text((ROOT / "examples" / "lights.py").read_text() + WRONG_EXAMPLE)
    return path


@pytest.fixture(scope="module")
def server(path: Path) -> Iterator[Server]:
    with Server("--puzzle", str(path)) as server:
        yield server


@pytest.fixture(scope="module")
def fault(path: Path) -> str:
    return (
        "The puzzle lights cannot be shown (CRASH: raised InputError: <example>:3:1: 'x' is not "
        "one of . # *). "
        f"`python -m compare conform {path}` tries all that a puzzle needs."
    )


def test_the_others_are_offered(server: Server, fault: str) -> None:
    catalogue = Caller(server.port).get("/api/puzzles").json
    assert [each["name"] for each in catalogue["puzzles"]] == list(puzzles.names())
    assert catalogue["unusable"] == [{"name": "lights", "fault": fault}]


@pytest.mark.slow
def test_the_page_says_why(browser: Browser, server: Server, fault: str) -> None:
    with visiting(browser, server) as tab:
        tab.page.goto(server.address)
        tab.notices(fault)
        tab.press("nogo")
        tab.page.get_by_role("alert").wait_for(state="hidden")
        tab.settle()
        assert tab.verdict.endswith("both agree, both proved.")
        tab.press("lights")
        tab.notices(fault)
        assert tab.verdict.endswith("both agree, both proved.")
        assert tab.errors == []
