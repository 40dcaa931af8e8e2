"""The server ends and comes back while somebody looks at the page: nothing that is shown may be of
another board or puzzle.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from tests.compare.page.browsing import Server, Visit, context_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser

COVER = "examples/cover.py"
TEXT = "1\n2 2\n-\\\n\\/\n"


class Restarted:
    """A server that ends and starts again on its port, and a tab that looks at it."""

    def __init__(self, browser: Browser) -> None:
        self.server = Server("--puzzle", COVER)
        self.tab = Visit(context_of(browser, self.server), self.server)
        self.crashes: list[str] = []
        self.tab.page.on("pageerror", lambda error: self.crashes.append(str(error)))

    def stop(self) -> None:
        self.server.stop()

    def start(self, *words: str) -> None:
        self.server = Server(*words, port=self.server.port)

    @property
    def notice(self) -> str:
        return self.tab.page.get_by_role("alert").inner_text()


@pytest.fixture
def both(browser: Browser) -> Iterator[Restarted]:
    restarted = Restarted(browser)
    yield restarted
    restarted.tab.context.close()
    restarted.server.stop()
    assert restarted.crashes == []


@pytest.mark.slow
def test_an_idle_page_notices_the_end_and_says_the_command(both: Restarted) -> None:
    both.tab.open("beams", TEXT)
    both.stop()
    notice = both.tab.page.get_by_role("alert")
    notice.get_by_text("The server is gone.").wait_for(timeout=6000)
    assert f"python -m compare page --port {both.server.port} --puzzle {COVER}" in both.notice
    both.start("--puzzle", COVER)
    notice.wait_for(state="hidden")
    assert both.tab.text == TEXT


@pytest.mark.slow
def test_a_puzzle_chosen_while_the_server_is_gone_comes_when_it_is_back(both: Restarted) -> None:
    both.tab.open("beams", TEXT)
    both.stop()
    both.tab.press("nogo")
    both.tab.notices("The server is gone.")
    assert both.tab.page.get_by_role("button", name="beams").get_attribute("aria-current") == "true"
    assert both.tab.page.locator("#board [role=gridcell]").count() == 4
    assert both.tab.chips == ["✓ PROVED", "✓ PROVED"]
    both.start("--puzzle", COVER)
    both.tab.page.locator("#puzzles [aria-current]", has_text="nogo").wait_for()
    both.tab.settle()
    assert both.tab.page.locator("#board [role=gridcell]").count() == 49


@pytest.mark.slow
def test_a_board_drawn_while_the_server_is_gone_has_no_verdict(both: Restarted) -> None:
    both.tab.open("beams", TEXT)
    both.stop()
    both.tab.cell(1, 1).click()
    both.tab.cell(2, 2).click()
    both.tab.page.locator("#verdict.warn").get_by_text("no answer to this board yet").wait_for()
    assert both.tab.page.locator("#cards").inner_text() == ""
    assert "The server is gone." in both.notice
    assert "PROVED" not in both.tab.page.locator("#see").inner_text()
    drawn = both.tab.text
    both.start("--puzzle", COVER)
    both.tab.page.locator("#cards .chip").nth(1).get_by_text("✓ PROVED").wait_for()
    assert both.tab.text == drawn
    for _ in range(2):
        both.tab.press("Undo")
    both.tab.settle()
    assert both.tab.text == TEXT
    assert both.tab.headline("models:cnf").startswith("IMPOSSIBLE")


@pytest.mark.slow
def test_a_puzzle_that_the_new_server_does_not_have_is_dropped(both: Restarted) -> None:
    both.tab.open("cover")
    both.stop()
    both.start()
    both.tab.notices("The server now runs without cover.")
    assert f"--port {both.server.port} --puzzle {COVER}" in both.notice
    assert both.tab.page.get_by_role("button", name="cover").count() == 0
    both.tab.settle()
    assert both.tab.page.locator("#puzzles [aria-current]").inner_text() == "beams"
    assert both.tab.verdict.endswith("both agree, both proved.")


def test_a_text_that_cannot_be_read_has_no_verdict(tab: Visit) -> None:
    tab.open("cover", "1\n2 2 3\n1 1\n1 2\n2 1\n")
    tab.page.get_by_label("The case").fill("1\n2 2 9\n")
    tab.page.locator("#verdict.bad").wait_for()
    assert tab.page.locator("#cards").inner_text() == ""
    tab.press("beams")
    tab.page.locator("#puzzles [aria-current]", has_text="beams").wait_for()
    tab.press("cover")
    tab.page.locator("#verdict.bad").wait_for()
    assert tab.page.get_by_label("The case").input_value() == "1\n2 2 9\n"


def test_while_an_answer_takes_long_the_one_before_is_marked(tab: Visit) -> None:
    tab.open("beams", TEXT)
    held: list[Callable[[], None]] = []
    tab.page.route("**/api/solve", lambda route: held.append(route.continue_))
    tab.cell(1, 1).click()
    tab.page.locator("#cards .chip").nth(1).get_by_text("of the board before").wait_for()
    assert tab.page.locator("#see[aria-busy=true]").count() == 1
    assert tab.verdict == "Solving ..."
    assert tab.page.locator("#see .good").count() == 0
    held.pop()()
    tab.settle()
    assert tab.chips == ["✓ PROVED", "✓ PROVED"]


@pytest.mark.slow
def test_back_returns_to_the_puzzle_before(tab: Visit) -> None:
    tab.open("beams", TEXT)
    tab.cell(1, 1).click()
    drawn = tab.text
    tab.press("nogo")
    tab.page.wait_for_url(re.compile("#puzzle=nogo&board="))
    tab.page.go_back()
    tab.page.locator("#puzzles [aria-current]", has_text="beams").wait_for()
    tab.settle()
    assert tab.text == drawn
    tab.page.go_forward()
    tab.page.locator("#puzzles [aria-current]", has_text="nogo").wait_for()
