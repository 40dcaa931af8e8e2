"""The page and its server: a newer board cancels, a first start compiles, a race runs, wrong
answers are marked, a picture of one's own is reached.
"""

from __future__ import annotations

import os
import re
import shutil
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from compare.commands.page.hints import page_link
from compare.commands.page.workers import MAX_WORKERS
from tests.compare.commands.page.browsing import Server, Visit, Visits, violations, visiting
from tests.compare.commands.page.talking import Caller
from tests.compare.commands.page.test_ending import runs
from tests.places import ROOT
from tests.processes import LONGEST_S, wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.mark.slow
def test_a_newer_board_cancels_a_long_search(visit: Visits) -> None:
    tab = visit(new=True)
    tab.open("geography", "2 2\n..\n..\n")
    requests: list[str] = []
    tab.page.on("requestfailed", lambda request: requests.append(request.url))
    tab.page.get_by_text("More solvers").click()
    tab.page.get_by_label("models:cpsat", exact=True).check()
    tab.settle()
    for size in ("Rows", "Columns"):
        tab.page.get_by_label(size).fill("90")
    tab.page.get_by_label("Rows").press("Enter")
    tab.page.get_by_label("Columns").press("Enter")
    tab.page.wait_for_timeout(300)
    assert tab.page.locator("#see").get_attribute("aria-busy") == "true"
    tab.press("Undo")
    tab.press("Undo")
    tab.settle()
    assert tab.text == "2 2\n..\n..\n"
    assert tab.page.get_by_role("article", name="models:cpsat").get_by_text("✓ PROVED").is_visible()
    assert [url for url in requests if url.endswith("/api/solve")]


@pytest.mark.slow
def test_stop_ends_the_solve_on_the_server_and_it_can_be_asked_again(visit: Visits) -> None:
    tab = visit(new=True)
    tab.open("geography", "2 2\n..\n..\n")
    tab.page.get_by_text("More solvers").click()
    tab.page.get_by_label("models:cpsat", exact=True).check()
    tab.settle()
    tab.page.goto(page_link("geography", "90 90\n" + ("." * 90 + "\n") * 90, tab.server.port))
    stop = tab.page.get_by_role("button", name="Stop", exact=True).and_(tab.page.locator("#stop"))
    for _ in range(2):
        tab.page.locator("#clock").get_by_text("models:cpsat").wait_for()
        wait_until(lambda: runs(tab.server))
        stop.click()
        assert re.fullmatch(
            r"Stopped after [\d.]+ m?s: no answer from .*models:cpsat.*[.]", tab.verdict
        )
        assert (
            tab.page.get_by_role("article", name="models:cpsat", exact=True)
            .locator(".chip")
            .inner_text()
            == "stopped"
        )
        wait_until(lambda: not runs(tab.server))
        tab.press("Solve again")
    stop.click()


@pytest.mark.slow
def test_the_first_start_says_what_is_compiled(browser: Browser, tmp_path: Path) -> None:
    for package in ("compare", "direct", "models", "puzzles"):
        shutil.copytree(
            ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__")
        )
    with Server(cwd=tmp_path) as server, visiting(browser, server) as tab:
        tab.page.goto(server.address)
        sentence = "First start: compiling the algorithms of beams, geography, minesweeper, nogo."
        tab.page.locator("#verdict").get_by_text(sentence).wait_for()
        tab.page.locator("#see[aria-busy=false]").wait_for(timeout=1000 * LONGEST_S)
        assert tab.verdict.endswith("both agree, both proved.")
        wait_until(lambda: Caller(server.port).get("/api/puzzles").json["preparing"] == "")


@pytest.mark.slow
def test_a_race_draws_a_curve_and_its_numbers_and_can_be_stopped(visit: Visits) -> None:
    tab = visit(new=True)
    tab.open("beams", "1\n1 1\n.\n")
    tab.page.get_by_role("tab", name="Race and growth").click()
    race = tab.page.get_by_role("tabpanel", name="Race and growth")
    race.get_by_label("Up to size").fill("12")
    race.get_by_label("Seconds a run").fill("1")
    race.get_by_role("button", name="Start the race").click()
    race.locator("tbody tr").nth(1).wait_for()
    curve = race.locator("svg.curve")
    assert curve.locator("polyline").count() >= 2
    dashes = [line.get_attribute("stroke-dasharray") for line in curve.locator("polyline").all()]
    assert len(set(dashes)) == len(dashes)
    assert "direct:two-sat" in race.locator("thead").inner_text()
    # A click by hand would wait for a button of a race that ends at this moment.
    race.get_by_role("button", name="Stop").evaluate("button => button.click()")
    race.get_by_role("button", name="Start the race").and_(race.locator(":enabled")).wait_for()


@pytest.mark.slow
def test_where_answers_differ_the_cells_are_marked_and_the_wrong_one_is_refuted(
    browser: Browser,
) -> None:
    with (
        Server("--puzzle", str(Path(__file__).parent / "two_minds.py")) as server,
        visiting(browser, server) as tab,
    ):
        tab.open("bricks", "1\n2 3\n#..\n..#\n")
        assert tab.chips == ["✓ PROVED", "✗ REFUTED"]
        assert "models:hasty" in tab.verdict
        for contender in ("direct:look", "models:hasty"):
            card = tab.page.get_by_role("article", name=contender, exact=True)
            assert card.locator("svg .differs").count() == 1
            assert card.locator(".differs-at").inner_text() == "Differs at the cell at 2,3."
            assert (card.get_by_role("gridcell").last.get_attribute("aria-label") or "").endswith(
                ", the answers differ here"
            )
        assert "the answers differ here" in tab.page.locator("#legend").inner_text()
        tab.page.locator("#board [role=gridcell]").last.click()
        tab.settle()
        assert tab.rows == ["#..", "..."]
        assert tab.page.locator("#cards svg .differs").count() == 0


def test_a_program_that_fails_has_a_card_and_a_part_in_the_verdict(
    browser: Browser, own_server: Server
) -> None:
    with visiting(browser, own_server) as tab:
        tab.page.goto(own_server.address + "#puzzle=beams")
        tab.page.get_by_text("More solvers").click()
        tab.page.get_by_role("checkbox", name="endless").uncheck()
        tab.settle()
        chips = {
            card.get_attribute("aria-label"): card.locator(".chip").inner_text()
            for card in tab.page.locator("#cards .card").all()
        }
        assert "endless" not in chips, "it was left out, and has no card that says otherwise"
        assert chips["broken"] == "crashed"
        assert chips["garbled"] == "failed"
        assert tab.page.locator("#verdict.bad").count() == 1
        assert "broken crashed: exit status 3." in tab.verdict
        assert "The answer of garbled cannot be read: " in tab.verdict
        tab.press("geography")
        mine = tab.page.get_by_role("article", name="mine", exact=True)
        mine.get_by_text("not asked").wait_for()
        assert "It answers another puzzle" in mine.inner_text()


def test_a_picture_without_cells_is_reached_by_the_keyboard(own_tab: Visit) -> None:
    """Zoomed, it scrolls, and nothing in it can be focused."""
    tab = own_tab
    tab.open("lights", f"1\n1 40\n{'.' * 40}\n")
    for _ in range(3):
        tab.press("Zoom in")
    figure = tab.page.get_by_role("region", name="The picture of direct:elimination")
    figure.focus()
    assert figure.evaluate("(figure) => document.activeElement === figure")
    for scheme in ("dark", "light"):
        tab.page.emulate_media(color_scheme=scheme)
        assert violations(tab.page) == []
    tab.choose("nogo")
    assert tab.page.locator(".figure[tabindex], .figure[role]").count() == 0


def test_a_program_that_a_new_server_does_not_have_is_dropped_and_named(
    browser: Browser, tmp_path: Path
) -> None:
    program = tmp_path / "late.py"
    program.write_text("print('Case #1: IMPOSSIBLE')\n")
    with Server("--program", f"late={program}") as server, visiting(browser, server) as tab:
        tab.open("beams", "1\n2 2\n-.\n..\n")
        assert tab.page.get_by_role("article", name="late", exact=True).count() == 1
        server.stop()
        with Server(port=server.port):
            tab.notices("The server now runs without late.")
            tab.settle()
            assert tab.chips == ["✓ PROVED", "✓ PROVED"]
            assert tab.verdict == "✓IMPOSSIBLE: both agree, both proved."


def test_while_others_solve_a_tab_shows_its_board_its_clock_and_what_is_proved(
    browser: Browser, own_server: Server
) -> None:
    caller = Caller(own_server.port)
    board = "1\n2 2\n-.\n..\n"
    asked = {"puzzle": "beams", "text": board, "contenders": ["endless"], "edition": 0}
    with ExitStack() as stack, visiting(browser, own_server) as tab:
        for k in range(MAX_WORKERS + 1):
            stack.enter_context(caller.following("solve", **asked, session=f"busy {k}"))
        wait_until(lambda: len(endless(own_server)) == min(MAX_WORKERS, os.cpu_count() or 1))
        busy = endless(own_server)
        tab.page.goto(page_link("beams", board, own_server.port))
        tab.page.locator("#clock").get_by_text("direct:two-sat").wait_for()
        assert tab.page.locator("#stop").is_visible()
        assert endless(own_server) == busy
        stack.close()
        tab.page.locator("#verdict").get_by_text(
            re.compile("IMPOSSIBLE: .* has it proved. Not there yet: .*endless")
        ).wait_for()


def endless(server: Server) -> set[int]:
    """The processes of the program of this name."""
    found: set[int] = set()
    for each in psutil.Process(server.process.pid).children(recursive=True):
        with suppress(psutil.Error):
            words = each.cmdline()  # once: it is empty when the process has ended
            if words and words[-1].endswith("endless.py"):
                found.add(each.pid)
    return found
