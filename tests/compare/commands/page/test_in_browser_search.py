"""The page finds a board where the chosen solvers differ, makes it smaller, and solves it."""

from __future__ import annotations

import os
import re
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compare.commands.page.hints import page_link
from compare.commands.page.workers import MAX_WORKERS
from tests.compare.commands.page.browsing import Server, Visit, violations, visiting
from tests.compare.commands.page.conftest import ALL_POSSIBLE, PROGRAMS
from tests.compare.commands.page.talking import Caller
from tests.compare.commands.page.test_ending import runs
from tests.compare.commands.page.test_in_browser_server import endless
from tests.processes import wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Browser

BOARD = "1\n3 4\n.-..\n..|.\n....\n"

OTHER = "1\n1 2\n-.\n"

FIND, STOP = "Find a board where they differ", "Stop the search"

NOTE_SIZES = """() => {
    window.sizes = [];
    const cells = () => document.querySelectorAll("#board [role=gridcell]").length;
    const note = () => window.sizes.push(cells());
    new MutationObserver(note).observe(document.querySelector("#board .grid"), { childList: true });
}"""
"""Notes how many cells the board has, whenever its size changes."""


def open_with(tab: Visit, *programs: str) -> None:
    """Open a board with the built-in solvers and these programs alone, and wait for the answers,
    but not for those of a program that does not end.
    """
    if tab.page.url == "about:blank":
        tab.page.goto(page_link("beams", BOARD, tab.server.port))
    tab.page.locator("#more-solvers").evaluate("each => each.open = true")
    for name in PROGRAMS:
        box = tab.page.get_by_role("checkbox", name=name, exact=True)
        box.set_checked(name in programs)
    if "endless" not in programs:
        tab.open("beams", BOARD)


def says(tab: Visit, sentence: str | re.Pattern[str]) -> str:
    """Wait until the search says this; returns all that it says."""
    status = tab.page.locator("#search").get_by_role("status")
    status.get_by_text(sentence).wait_for()
    return status.inner_text()


def test_a_board_where_they_differ_is_found_made_smaller_and_solved(own_tab: Visit) -> None:
    tab = own_tab
    open_with(tab, "mine")
    tab.enter("Seconds at most", "60")
    tab.page.evaluate(NOTE_SIZES)
    tab.press(FIND)
    sentence = says(tab, "found after ")
    assert "mine" in sentence
    tab.settle()
    sizes = tab.page.evaluate("sizes")
    assert len(sizes) > 1
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == tab.page.locator("#board [role=gridcell]").count() <= 2
    mine = tab.page.get_by_role("article", name="mine", exact=True)
    assert mine.locator(".chip").inner_text() == "✗ REFUTED"
    assert tab.chips.count("✓ PROVED") == 2
    assert "mine says" in tab.verdict
    smallest = tab.text
    tab.linked(smallest)
    tab.press("Undo")
    assert tab.text == BOARD
    tab.press("Redo")
    assert tab.text == smallest


def test_where_all_agree_the_page_says_so_and_keeps_the_board(own_tab: Visit) -> None:
    tab = own_tab
    open_with(tab)
    verdict = tab.verdict
    tab.enter("Seconds at most", "2")
    tab.page.get_by_role("button", name=FIND).focus()
    tab.keys("Enter")
    tab.page.locator("#search").get_by_text(
        re.compile(r"^[\d,]+ boards tried, [\d,]+ a second")
    ).wait_for()
    assert tab.page.evaluate("document.activeElement.innerText") == "Stop"
    assert violations(tab.page) == []
    assert re.fullmatch(r"[\d,]+ boards tried: all agree\.", says(tab, "all agree"))
    assert tab.page.evaluate("document.activeElement.innerText") == FIND
    assert (tab.text, tab.verdict) == (BOARD, verdict)


def test_a_search_can_be_ended_at_any_time_and_leaves_no_process(
    browser: Browser, own_server: Server
) -> None:
    def search() -> None:
        wait_until(lambda: not endless(own_server))
        wait_until(lambda: not runs(own_server))
        tab.press(FIND)
        wait_until(lambda: endless(own_server))

    with visiting(browser, own_server) as tab:
        open_with(tab, "endless")
        tab.page.locator("#stop").click()
        search()
        tab.press(STOP)
        assert re.search(r"^Stopped after \d+ boards?: no fault was found\.$", says(tab, "Stopped"))
        assert tab.text == BOARD
        search()
        tab.cell(1, 1).click()
        says(tab, "The search has ended, since the board was changed.")
        tab.page.locator("#stop").click()
        search()
        tab.page.goto("about:blank")
        wait_until(lambda: not endless(own_server))
        wait_until(lambda: not runs(own_server))
        assert tab.errors == []


@pytest.mark.slow
def test_stop_leaves_the_smallest_board_so_far_and_solves_it(
    browser: Browser, tmp_path: Path
) -> None:
    slow = tmp_path / "slow.py"
    slow.write_text(f"import time\ntime.sleep(0.4)\n{ALL_POSSIBLE}")
    with Server("--program", f"slow={slow}") as server, visiting(browser, server) as tab:
        tab.open("beams", BOARD)
        tab.press(FIND)
        tab.page.locator("#verdict").get_by_text("Now it is made smaller").wait_for()
        tab.press(STOP)
        says(tab, "Stopped. What was found is as small as it was made so far.")
        tab.settle()
        assert tab.text != BOARD
        slow_card = tab.page.get_by_role("article", name="slow", exact=True)
        assert slow_card.locator(".chip").inner_text() == "✗ REFUTED"
        wait_until(lambda: not runs(server))
        assert tab.errors == []


def test_a_second_tab_says_that_it_waits_for_the_first_one(
    browser: Browser, own_tab: Visit, own_server: Server
) -> None:
    caller = Caller(own_server.port)
    asked = {"puzzle": "beams", "contenders": ["endless"], "seconds": 600, "seed": 1}
    open_with(own_tab)
    own_tab.enter("Seconds at most", "1")
    with caller.following("search", **asked, session="first", edition=1):
        wait_until(lambda: endless(own_server))
        own_tab.press(FIND)
        says(own_tab, "Another tab searches. This search begins when that one has ended.")
    says(own_tab, "boards tried: all agree.")


def test_a_tab_that_waits_for_the_solvers_says_what_it_waits_for(
    browser: Browser, own_tab: Visit, own_server: Server
) -> None:
    caller = Caller(own_server.port)
    asked = {"puzzle": "beams", "text": BOARD, "contenders": ["endless"], "edition": 0}
    number = min(MAX_WORKERS, os.cpu_count() or 1)
    with ExitStack() as stack:
        for k in range(number):
            stack.enter_context(caller.following("solve", **asked, session=f"busy {k}"))
        wait_until(lambda: len(endless(own_server)) == number)
        own_tab.page.goto(page_link("beams", OTHER, own_server.port))
        turn = own_tab.page.locator("#turn")
        turn.get_by_text("This tab waits for its turn: it shares the solvers with ").wait_for()
    turn.get_by_text("This tab waits").wait_for(state="detached")


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 390, 1280])
def test_axe_finds_nothing_in_a_search(
    browser: Browser, own_server: Server, width: int, scheme: str
) -> None:
    window = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
    with visiting(browser, own_server, **window, reduced_motion="reduce") as tab:
        open_with(tab, "mine")
        assert violations(tab.page) == []
        tab.press(FIND)
        says(tab, "found after ")
        tab.settle()
        assert violations(tab.page) == []
        assert tab.page.evaluate("document.documentElement.scrollWidth") == width
