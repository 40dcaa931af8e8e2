"""One server and one browser for the tests of a module that look at the page.

Other modules may test what kills all processes below it, and run in this process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.compare.page.browsing import ARGUMENTS, CHROMIUM, Server, Visit

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if not CHROMIUM.exists():
        pytest.skip("there is no Chromium here: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install -e '.[test]'")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    server = Server("--puzzle", "examples/cover.py")
    yield server
    server.stop()


@pytest.fixture
def visit(browser: Browser, server: Server) -> Iterator[Callable[..., Visit]]:
    """Makes tabs. None of them may have reported an error at the end."""
    visits: list[Visit] = []

    def make(**context: Any) -> Visit:
        visits.append(Visit(browser, server, **context))
        return visits[-1]

    yield make
    for each in visits:
        each.context.close()
        assert each.errors == []
