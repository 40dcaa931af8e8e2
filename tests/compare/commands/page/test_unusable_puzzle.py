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
from tests.puzzles.user.lights_folder import write_folder

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
def test_a_script_that_cannot_be_read_is_named(browser: Browser, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "lights")
    (folder / "page.js").write_text("export const first = ;\n")
    with Server("--puzzle", str(folder)) as server, visiting(browser, server) as tab:
        tab.page.goto(server.address)
        tab.notices("The script page.js of lights cannot be loaded: Unexpected token ';'")
        tab.choose("nogo")
        assert tab.verdict.endswith("both agree, both proved.")
        (folder / "page.js").write_text('export const signs = { "*": "<path class=\'mine\'/>" };\n')
        tab.page.reload()
        tab.press("lights")
        tab.page.locator("#board .mine").first.wait_for(state="attached")
        assert tab.errors == []


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
