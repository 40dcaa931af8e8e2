"""A server of the page and a browser that looks at it."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote, unquote

import pytest

from tests.forked import start_forked
from tests.forked_servers import ForkedProcess
from tests.places import ROOT
from tests.processes import LONGEST_S, command, environment

if TYPE_CHECKING:
    from playwright.sync_api import (
        Browser,
        BrowserContext,
        FloatRect,
        Locator,
        Page,
        ViewportSize,
    )

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-site-isolation-trials",
    "--renderer-process-limit=1",
]
"""The last two have all tabs share a process: a new one for each takes a quarter more time."""

WINDOW: ViewportSize = {"width": 1280, "height": 900}
"""A usual window."""

PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}
"""The options of a tab on a phone."""

WAIT_MS = 60_000
"""Milliseconds after which a test stops to wait for the page."""


class Server:
    """`python -m compare page` on a port of its own, until `stop`.

    Args:
        new: whether a new interpreter starts even where a fork would do: for tests of its end.
    """

    def __init__(self, *words: str, port: int = 0, cwd: Path = ROOT, new: bool = False) -> None:
        self.words = words
        self.port = port or free_port()
        self.complaints = TemporaryFile("w+")  # noqa: SIM115 - closed by `stop`
        all_words = ["compare", "page", "--port", str(self.port), "--no-browser", *words]
        reading, writing = os.pipe()
        self.printed = os.fdopen(reading)
        with os.fdopen(writing, "w") as out:
            forked = (
                None if new else start_forked(all_words, cwd, environment(), out, self.complaints)
            )
            self.process: ForkedProcess | subprocess.Popen[bytes] = forked or subprocess.Popen(
                command(*all_words),
                cwd=cwd,
                env=environment(),
                stdout=out,
                stderr=self.complaints,
                start_new_session=True,
            )
        self.line = self.printed.readline()
        assert str(self.port) in self.line, "the server has not started"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def stop(self) -> None:
        """As Ctrl-C does. A user never sees a traceback of ours."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)
        self.process.wait(LONGEST_S)
        self.printed.close()
        if not self.complaints.closed:
            with self.complaints:
                self.complaints.seek(0)
                assert "Traceback" not in self.complaints.read()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


_contexts: dict[tuple[Browser, str], BrowserContext] = {}


def context_of(browser: Browser, server: Server, **options: Any) -> BrowserContext:
    """What tabs share: their window, and what the page may do there.

    It is made once for the same options: its tabs share a process. The page keeps nothing in the
    browser.
    """
    key = browser, repr(options)
    if key not in _contexts:
        _contexts[key] = browser.new_context(**{"viewport": WINDOW, **options})
    context = _contexts[key]
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server.address)
    return context


class Visit:
    """A tab with the page in it. `errors` are those of its scripts and its console."""

    def __init__(self, context: BrowserContext, server: Server) -> None:
        self.server = server
        self.context = context
        self.page: Page = context.new_page()
        self.page.set_default_timeout(WAIT_MS)
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on(
            "console", lambda message: self._note(message.text) if message.type == "error" else None
        )

    def _note(self, error: str) -> None:
        """Keep an error of the console; the browser also calls it one if the server refuses a
        request with a sentence.
        """
        if not re.search(r"the server responded with a status of 4(00|09)", error):
            self.errors.append(error)

    def open(self, puzzle: str = "beams", board: str | None = None) -> None:
        """Open the page with this board, and wait for the answers."""
        show(self.page, self.server.address, puzzle, board)

    def settle(self) -> None:
        """Wait until the answers are those of the board that is shown."""
        settle(self.page)

    def keys(self, *names: str) -> None:
        """Press keys, one after the other."""
        for name in names:
            self.page.keyboard.press(name)

    def press(self, name: str, **options: Any) -> None:
        """Press the button of this name."""
        self.page.get_by_role("button", name=name, **options).click()

    def choose(self, puzzle: str) -> None:
        """Choose another puzzle, and wait for its board and the answers. Until the board comes, the
        page stays as it is.
        """
        self.press(puzzle)
        self.page.locator("#puzzles [aria-current]", has_text=puzzle).wait_for()
        self.settle()

    def enter(self, label: str, value: str) -> None:
        """Write a value into the field whose label begins so, and leave it."""
        field = self.page.get_by_label(label)
        field.fill(value)
        field.press("Enter")

    def use(self, text: str) -> None:
        """Use a text in place of the board."""
        self.page.get_by_text("As text: paste, copy, open, save").click()
        self.page.locator("#text").fill(text)
        self.press("Use this text")

    def notices(self, sentence: str | re.Pattern[str]) -> None:
        """Wait until the page says this at the top of the window."""
        self.page.get_by_role("alert").get_by_text(sentence).wait_for()

    @property
    def chips(self) -> list[str]:
        """The check's word on each answer."""
        return self.page.locator("#cards .chip").all_inner_texts()

    @property
    def text(self) -> str:
        """The board that is shown, as the page writes it."""
        return self.page.locator("#text").input_value()

    def linked(self, text: str) -> None:
        """Wait until the address holds this board."""
        self.page.wait_for_url(lambda address: unquote(address.partition("&board=")[2]) == text)

    @property
    def rows(self) -> list[str]:
        """The rows of the board; its text must have one line for the number of boards and one for
        the size.
        """
        return self.text.splitlines()[2:]

    @property
    def verdict(self) -> str:
        return self.page.locator("#verdict").inner_text()

    def cell(self, row: int, column: int) -> Locator:
        """The cell of the board to draw on; both are counted from 1."""
        return self.page.locator("#board").get_by_role(
            "gridcell", name=re.compile(f"^row {row} column {column}:")
        )

    def headline(self, contender: str) -> str:
        return (
            self.page.get_by_role("article", name=contender, exact=True)
            .locator(".headline")
            .inner_text()
        )

    def drag(self, start: tuple[int, int], *stops: tuple[int, int]) -> None:
        """Hold the button from one cell to others."""
        for number, place in enumerate((start, *stops)):
            box = box_of(self.cell(*place))
            self.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            if number == 0:
                self.page.mouse.down()
        self.page.mouse.up()


Visits = Callable[..., Visit]
"""Makes tabs, in a window with these options."""


@contextmanager
def visiting(browser: Browser, server: Server, **options: Any) -> Iterator[Visit]:
    """A tab that no other test gets, in a window with these options."""
    tab = Visit(context_of(browser, server, **options), server)
    try:
        yield tab
    finally:
        tab.page.close()


SHOW = """(fragment) => {
    document.activeElement.blur();
    scrollTo(0, 0);
    for (const each of document.querySelectorAll("details")) each.open = false;
    document.querySelector("[role=tab]").click();
    document.querySelector("#see").setAttribute("aria-busy", "true");
    history.replaceState(null, "", fragment);
    dispatchEvent(new Event("hashchange"));
}"""
"""Has the page show another board, from the top, with nothing focused and nothing opened. It is
busy until the answers are there.
"""


def show(page: Page, address: str, puzzle: str, board: str | None) -> None:
    """Open the page at this address with a board, and wait for the answers. Where the page is open
    already, it goes on with the board: to load it anew takes five times as long.
    """
    if page.url.startswith(address):
        settle(page)
        # A text without its last line end is another one for the page, so it shows again what it
        # shows already.
        page.evaluate(SHOW, fragment(puzzle, board and board.removesuffix("\n")))
    else:
        page.goto(address + fragment(puzzle, board))
    settle(page)


def settle(page: Page) -> None:
    """Wait until the answers are those of the board that is shown."""
    page.locator("#see[aria-busy=false]").wait_for()


RUN_AXE = """
Promise.allSettled(document.getAnimations().map((each) => each.finished))
  .then(() => axe.run({ resultTypes: ['violations'] }))
  .then(({ violations }) => violations)
"""
"""Runs axe-core once nothing fades in any more: what is half transparent has too little contrast.
"""


def violations(page: Page) -> list[str]:
    """What axe-core complains about, a line each."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
    )
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe.Axe().axe_script)
    return [
        f"{each['id']}: {node['html']}" for each in page.evaluate(RUN_AXE) for node in each["nodes"]
    ]


def box_of(element: Locator) -> FloatRect:
    """Where an element is in the window."""
    box = element.bounding_box()
    assert box is not None
    return box


def fragment(puzzle: str, board: str | None) -> str:
    return f"#puzzle={puzzle}" + ("" if board is None else f"&board={quote(board, safe='')}")
