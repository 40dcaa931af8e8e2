"""The server ends and comes back while somebody looks at the page: nothing that is shown may be of
another board or puzzle.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from tests.compare.commands.page.browsing import Server, Visit, Visits, context_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser

COVER = "examples/cover.py"
TEXT = "1\n2 2\n-\\\n\\/\n"


@pytest.fixture
def lone(browser: Browser) -> Iterator[Visit]:
    """A tab that looks at a server of its own, which a test ends and starts again on its port."""
    server = Server("--puzzle", COVER)
    tab = Visit(context_of(browser, server), server)
    crashes: list[str] = []
    tab.page.on("pageerror", lambda error: crashes.append(str(error)))
    yield tab
    tab.page.close()
    tab.server.stop()
    assert crashes == []


def start_again(tab: Visit, *words: str) -> None:
    tab.server = Server(*words, port=tab.server.port)


@pytest.mark.slow
def test_an_idle_page_notices_the_end_and_says_the_command(lone: Visit) -> None:
    lone.open("beams", TEXT)
    lone.server.stop()
    notice = lone.page.get_by_role("alert")
    notice.get_by_text("The server is gone.").wait_for(timeout=6000)
    command = f"python -m compare page --port {lone.server.port} --puzzle {COVER}"
    assert command in notice.inner_text()
    start_again(lone, "--puzzle", COVER)
    notice.wait_for(state="hidden")
    assert lone.text == TEXT


@pytest.mark.slow
def test_a_puzzle_chosen_while_the_server_is_gone_comes_when_it_is_back(lone: Visit) -> None:
    lone.open("beams", TEXT)
    lone.server.stop()
    lone.press("nogo")
    lone.notices("The server is gone.")
    assert lone.page.get_by_role("button", name="beams").get_attribute("aria-current") == "true"
    assert lone.page.locator("#board [role=gridcell]").count() == 4
    assert lone.chips == ["✓ PROVED", "✓ PROVED"]
    start_again(lone, "--puzzle", COVER)
    lone.page.locator("#puzzles [aria-current]", has_text="nogo").wait_for()
    lone.settle()
    assert lone.page.locator("#board [role=gridcell]").count() == 49


@pytest.mark.slow
def test_a_board_drawn_while_the_server_is_gone_has_no_verdict(lone: Visit) -> None:
    lone.open("beams", TEXT)
    lone.server.stop()
    lone.cell(1, 1).click()
    lone.cell(2, 2).click()
    lone.page.locator("#verdict.warn").get_by_text("no answer to this board yet").wait_for()
    assert lone.page.locator("#cards").inner_text() == ""
    assert "The server is gone." in lone.page.get_by_role("alert").inner_text()
    assert "PROVED" not in lone.page.locator("#see").inner_text()
    drawn = lone.text
    start_again(lone, "--puzzle", COVER)
    lone.page.locator("#cards .chip").nth(1).get_by_text("✓ PROVED").wait_for()
    assert lone.text == drawn
    for _ in range(2):
        lone.press("Undo")
    lone.settle()
    assert lone.text == TEXT
    assert lone.headline("models:cnf").startswith("IMPOSSIBLE")


@pytest.mark.slow
def test_a_puzzle_that_the_new_server_does_not_have_is_dropped(lone: Visit) -> None:
    lone.open("cover")
    lone.server.stop()
    start_again(lone)
    lone.notices("The server now runs without cover.")
    notice = lone.page.get_by_role("alert").inner_text()
    assert f"--port {lone.server.port} --puzzle {COVER}" in notice
    assert lone.page.get_by_role("button", name="cover").count() == 0
    lone.settle()
    assert lone.page.locator("#puzzles [aria-current]").inner_text() == "beams"
    assert lone.verdict.endswith("both agree, both proved.")


def test_a_case_that_is_no_grid_has_a_text_box_and_without_a_readable_text_no_verdict(
    tab: Visit,
) -> None:
    tab.open("cover", "1\n2 2 3\n1 1\n1 2\n2 1\n")
    assert tab.chips == ["✓ PROVED", "✓ PROVED"]
    tab.page.get_by_label("The case").fill("1\n2 2 9\n")
    tab.page.locator("#verdict.bad").wait_for()
    assert tab.page.locator("#cards").inner_text() == ""
    tab.press("beams")
    tab.page.locator("#puzzles [aria-current]", has_text="beams").wait_for()
    tab.press("cover")
    tab.page.locator("#verdict.bad").wait_for()
    assert tab.page.get_by_label("The case").input_value() == "1\n2 2 9\n"


def test_while_an_answer_takes_long_the_one_before_is_marked(visit: Visits) -> None:
    tab = visit(new=True)
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
