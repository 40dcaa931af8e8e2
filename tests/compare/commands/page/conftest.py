"""Two servers and one browser for all tests that look at the page; to start them takes longer than
most of these tests.

Other folders may test what kills all processes below this one, so they end with the tests of this
folder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.compare.commands.page.browsing import ARGUMENTS, Server, Visit, Visits, context_of
from tests.compare.commands.page.own_lights import own_lights
from tests.installed import BROWSER, NO_BROWSER
from tests.places import ROOT

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
    with Server("--puzzle", "examples/cover.py", "--puzzle", "examples/lights.py") as server:
        yield server


ALL_POSSIBLE = """
import sys
lines = sys.stdin.read().split("\\n")
rows = int(lines[1].split()[0])
print("Case #1: POSSIBLE", *lines[2 : 2 + rows], sep="\\n")
"""
"""A program for one board of beams that turns nothing and says that it is possible."""

SOURCES = {"mine": ALL_POSSIBLE, "endless": "import time\nwhile True: time.sleep(60)"}
"""Programs in Python."""

COMMANDS = {"garbled": "echo 'Case #1: PERHAPS'", "broken": "sh -c 'exit 3'"}
"""Programs that start in a tenth of the time."""

PROGRAMS = ["mine", "garbled", "broken", "endless"]


@pytest.fixture(scope="package")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """With two puzzles and four programs of one's own."""
    folder = tmp_path_factory.mktemp("own")
    words = f"--puzzle {own_lights(folder)} --puzzle {ROOT}/examples/knapsack.py".split()
    for name, source in SOURCES.items():
        (folder / f"{name}.py").write_text(source)
    for name in PROGRAMS:
        words += ["--program", f"{name}={COMMANDS.get(name) or folder / f'{name}.py'}"]
    with Server(*words) as server:
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


@pytest.fixture(scope="package")
def used_tabs() -> dict[str, Visit]:
    """The tabs in which the next tests go on, by their options."""
    return {}


@pytest.fixture
def visit(
    request: pytest.FixtureRequest,
    contexts: Callable[..., BrowserContext],
    server: Server,
    used_tabs: dict[str, Visit],
) -> Iterator[Visits]:
    """Makes tabs. None of them may have reported an error at the end.

    Tests with the same options go on in the same tab, each with a board of its own: to load the
    page takes longer than most of them. A test takes a `new` one, which no other test gets, if it
    needs a page that nobody has used, or leaves behind what another board does not take back:
    chosen solvers, fields, the medium.
    """
    visits: list[tuple[Visit, str]] = []
    failures = request.session.testsfailed

    def make(*, new: bool = False, **options: Any) -> Visit:
        name = "" if new else repr(options)
        tab = used_tabs.pop(name, None) or Visit(contexts(**options), server)
        tab.page.mouse.move(0, 0)
        visits.append((tab, name))
        return tab

    yield make
    for tab, name in visits:
        if name and not tab.errors and failures == request.session.testsfailed:
            used_tabs[name] = tab
        else:
            tab.page.close()
        assert tab.errors == []


@pytest.fixture
def tab(visit: Visits) -> Visit:
    """A tab in a usual window."""
    return visit()
