"""One server and one browser for all tests that look at the page; to start them takes longer than
most of these tests.

Other folders may test what kills all processes below this one, so both end with the tests of this
folder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.compare.page.browsing import ARGUMENTS, Server, Visit, context_of
from tests.installed import BROWSER, NO_BROWSER

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    if BROWSER is None:
        pytest.skip(NO_BROWSER)
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: pip install -e '.[test]'"
    )
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=BROWSER, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="package")
def server() -> Iterator[Server]:
    with Server("--puzzle", "examples/cover.py") as server:
        yield server


@pytest.fixture(scope="package")
def contexts(browser: Browser, server: Server) -> Callable[..., BrowserContext]:
    """Makes what tabs share, once for the same options: it costs more than a tab."""
    known: dict[str, BrowserContext] = {}

    def of(**options: Any) -> BrowserContext:
        name = repr(options)
        if name not in known:
            known[name] = context_of(browser, server, **options)
        return known[name]

    return of


@pytest.fixture
def visit(
    contexts: Callable[..., BrowserContext], server: Server
) -> Iterator[Callable[..., Visit]]:
    """Makes tabs. None of them may have reported an error at the end."""
    visits: list[Visit] = []

    def make(**options: Any) -> Visit:
        visits.append(Visit(contexts(**options), server))
        return visits[-1]

    yield make
    for each in visits:
        each.page.close()
        assert each.errors == []


@pytest.fixture
def tab(visit: Callable[..., Visit]) -> Visit:
    """A tab in a usual window."""
    return visit()
