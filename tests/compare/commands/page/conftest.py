"""Two servers and one browser for all tests that look at the page; to start them takes longer than
most of these tests.

Other folders may test what kills all processes below this one, so they end with the tests of this
folder.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.compare.commands.page.browsing import (
    ARGUMENTS,
    WINDOW,
    Server,
    Visit,
    Visits,
    context_of,
    visiting,
)
from tests.compare.commands.page.own_lights import own_lights
from tests.installed import BROWSER, NO_BROWSER
from tests.places import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ViewportSize


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


MEDIA = {"color_scheme": "light", "forced_colors": "none", "reduced_motion": "no-preference"}
"""What any tab can be told anew, and what is usual."""


@pytest.fixture(scope="package")
def used_tabs() -> dict[str, Visit]:
    """The tabs in which the next tests go on, by the options that a tab keeps."""
    return {}


@pytest.fixture
def visit(
    request: pytest.FixtureRequest,
    browser: Browser,
    server: Server,
    used_tabs: dict[str, Visit],
) -> Iterator[Visits]:
    """Makes tabs. None of them may have reported an error at the end.

    Tests go on in the same tab, each with a board, a window and colours of its own: to load the
    page takes longer than most of them. Only a touch screen is another tab. A test takes a `new`
    one, which no other test gets, if it needs a page that nobody has used, or leaves behind what
    another board does not take back: chosen solvers and fields.
    """
    visits: list[tuple[Visit, str]] = []
    failures = request.session.testsfailed

    def make(*, new: bool = False, viewport: ViewportSize = WINDOW, **options: Any) -> Visit:
        media: Any = {name: options.pop(name, usual) for name, usual in MEDIA.items()}
        name = "" if new else repr(options)
        tab = used_tabs.pop(name, None) or Visit(context_of(browser, server, **options), server)
        tab.page.set_viewport_size(viewport)
        tab.page.emulate_media(media="screen", **media)
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


@pytest.fixture(scope="package")
def shared_own_tab(browser: Browser, own_server: Server) -> Iterator[Visit]:
    """One tab at the server of `own_server`: each test goes on with its own board and solvers."""
    with visiting(browser, own_server) as tab:
        yield tab


@pytest.fixture
def own_tab(shared_own_tab: Visit) -> Iterator[Visit]:
    """The tab at the server of `own_server`. At the end of a test it must have reported nothing."""
    yield shared_own_tab
    assert shared_own_tab.errors == []
