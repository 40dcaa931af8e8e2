"""A page without a server, opened as files from disk and from a plain web server."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from tests.compare.commands.page.browsing import WAIT_MS, fragment, free_port, show, violations
from tests.compare.commands.page.own_lights import own_lights
from tests.processes import run_module

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page

HOSTILE = "<img src=x onerror=alert(1)>"
OWN = "1\n1 3\n..-\n"
LINKED = "1\n1 2\n.-\n"
MINES = "1\n4 4\n.1##\n.1##\n1222\n###1\n"


@pytest.fixture(scope="module")
def lesson(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An export with all bundled boards, four more, a program that prints markup, and a puzzle of
    one's own whose picture and title hold scripts.
    """
    folder = tmp_path_factory.mktemp("export")
    (folder / f"{HOSTILE}.in").write_text(OWN)
    (folder / "mines.in").write_text(MINES)
    (folder / "evil.py").write_text(f"print('Case #1: {HOSTILE}')\n")
    link = f"http://127.0.0.1:4997/{fragment('beams', LINKED)}"
    words = ["--export", "lesson", "--puzzle", str(own_lights(folder)), "--board", link]
    words += ["--board", f"beams={HOSTILE}.in", "--board", "minesweeper=mines.in"]
    words += ["--program", f"evil={folder / 'evil.py'}"]
    ended = run_module("compare", "page", *words, cwd=folder)
    assert (ended.returncode, ended.stderr.count("\n")) == (0, 1), ended.stderr
    assert "--program evil answers the example of no puzzle here" in ended.stderr
    assert ended.stdout.startswith("lesson: ")
    return folder / "lesson"


@pytest.fixture(scope="module")
def plain_server(lesson: Path) -> Iterator[str]:
    """The address of the folder on a server that knows nothing of it."""
    port = free_port()
    words = ["-m", "http.server", str(port), "--bind", "127.0.0.1", "--directory", lesson.parent]
    with subprocess.Popen(
        [sys.executable, "-u", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield f"http://127.0.0.1:{port}/lesson/"
        process.terminate()


@pytest.fixture(scope="module", params=["file", "http"])
def address(request: pytest.FixtureRequest, lesson: Path) -> str:
    if request.param == "file":
        return f"{lesson.as_uri()}/index.html"
    return request.getfixturevalue("plain_server")


@pytest.fixture(scope="module")
def errors() -> list[str]:
    """What the tab has reported: an error, or a question in a window of its own."""
    return []


@pytest.fixture(scope="module")
def tab(browser: Browser, errors: list[str]) -> Iterator[Page]:
    """One tab for all tests: each goes on with a board of its own."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    tab = context.new_page()

    def refuse(dialog: Dialog) -> None:
        errors.append(dialog.message)
        dialog.dismiss()

    tab.set_default_timeout(WAIT_MS)
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    tab.on("dialog", refuse)
    yield tab
    context.close()


@pytest.fixture
def page(tab: Page, errors: list[str]) -> Iterator[Page]:
    """The tab. At the end of a test it must have reported nothing."""
    errors.clear()
    yield tab
    assert errors == []


def opened(page: Page, address: str, puzzle: str, board: str | None = None) -> None:
    show(page, address, puzzle, board)
    settle(page, puzzle)


def settle(page: Page, puzzle: str) -> None:
    page.locator("#puzzles [aria-current]").get_by_text(puzzle).wait_for()
    page.locator("#see[aria-busy=false]").wait_for()


def text(page: Page) -> str:
    return page.locator("#text").input_value()


def test_boards_answers_cores_and_steps_are_there(page: Page, address: str) -> None:
    opened(page, address, "beams")
    page.get_by_label("Open", exact=True).select_option("from a link")
    page.locator("#verdict").get_by_text("models:cnf say POSSIBLE: both proved.").wait_for()
    assert text(page) == LINKED
    assert page.locator("#cards svg").count() == 2
    opened(page, address, "beams", "1\n1 3\n-.-\n")
    assert "IMPOSSIBLE" in page.locator("#verdict").inner_text()
    card = page.get_by_role("article", name="direct:two-sat", exact=True)
    card.get_by_text("Step by step").click()
    assert "That is a contradiction." in card.get_by_role("listitem").all_inner_texts()[-1]


def test_reasons_of_cells_are_there(page: Page, address: str) -> None:
    opened(page, address, "minesweeper", MINES)
    page.locator("#board").get_by_role("gridcell", name="row 2 column 3:").hover()
    page.locator("#said").get_by_text("The cell at 2,3 is safe: the clues at").wait_for()
    page.locator("#extra .steps").get_by_text("Hence 2,3 is safe.").wait_for()
    page.get_by_label("What to open next").check()
    page.get_by_role("region", name="Mines").get_by_text("Safe: ").wait_for()


def test_a_link_and_back_work(page: Page, address: str) -> None:
    opened(page, address, "beams", OWN)
    page.get_by_role("button", name="nogo", exact=True).click()
    settle(page, "nogo")
    page.get_by_role("button", name="geography", exact=True).click()
    settle(page, "geography")
    page.go_back()
    settle(page, "nogo")
    page.go_back()
    settle(page, "beams")
    assert text(page) == OWN
    assert page.url == address + fragment("beams", OWN)
    page.get_by_role("tab", name="Python and shell").click()
    assert page.url in page.get_by_role("tabpanel", name="Python and shell").inner_text()


def test_a_board_that_is_not_there_is_drawn_and_a_sentence(page: Page, address: str) -> None:
    opened(page, address, "beams", "1\n1 4\n....\n")
    verdict = page.locator("#verdict").get_by_text("This board is not among those of this page")
    verdict.wait_for()
    assert page.locator("#board").get_by_role("gridcell").count() == 4
    page.goto(address + fragment("chess", "8"))
    page.get_by_role("alert").get_by_text("of the puzzle chess, which is not here").wait_for()


def test_an_answer_in_a_link_is_not_checked_and_says_so(page: Page, address: str) -> None:
    opened(page, address, "beams", LINKED)
    page.goto(f"{address}{fragment('beams', LINKED)}&by=mine&answer={quote('Case #1: IMPOSSIBLE')}")
    card = page.get_by_role("article", name="mine (in the link)")
    card.get_by_text("This page has no server that could check it.").wait_for()


def test_drawing_is_off_and_says_so(page: Page, address: str) -> None:
    page.goto("about:blank")  # in a new page there is no board before this one
    opened(page, address, "beams", OWN)
    assert page.get_by_text("Drawing is off: no server is there").is_visible()
    board = page.locator("#board").get_by_role("gridcell").first
    board.click()
    for key in ("#", "Enter", "Delete", "Shift+ArrowRight", "Control+z"):
        page.keyboard.press(key)
    assert text(page) == OWN
    assert page.locator("#text").get_attribute("readonly") is not None
    assert page.locator(".edge").count() == 0
    page.get_by_text("As text: copy, save").click()
    shown = {each for each in page.get_by_role("button").all_inner_texts() if each}
    assert shown == {
        *("beams", "geography", "lights", "minesweeper", "nogo"),
        *("Begin", "Copy", "Copy the link", "Save as .in", "Save as SVG"),
    }
    tabs = ["Rules", "How they solve it", "Python and shell"]
    assert page.get_by_role("tab").all_inner_texts() == tabs
    for gone in ("Random", "Rows", "Seed"):
        assert not page.get_by_label(gone, exact=True).is_visible()
    assert not page.get_by_text("More solvers").is_visible()


def test_hostile_text_is_text(page: Page, address: str) -> None:
    opened(page, address, "beams", OWN)
    page.get_by_label("Open", exact=True).select_option(f"{HOSTILE}.in")
    evil = page.get_by_role("article", name="evil", exact=True)
    assert HOSTILE in evil.inner_text()
    assert page.locator("img").count() == 0
    opened(page, address, "lights")
    assert "<script>alert(2)</script>" in page.get_by_role("tabpanel", name="Rules").inner_text()
    assert page.locator("svg script").count() == 0
    assert page.locator("#cards article").count() == 3


def test_one_can_play(page: Page, address: str) -> None:
    opened(page, address, "geography")
    game = page.get_by_role("region", name="Play")
    game.get_by_role("button", name="The machine chooses the start").click()
    game.get_by_role("status").get_by_text("The machine starts at").wait_for()
    opened(page, address, "minesweeper", MINES)
    game.get_by_role("button", name="Begin").click()
    game.get_by_role("gridcell", name="row 1 column 3:").click()
    game.get_by_role("status").get_by_text("The cell at 1,3 is a mine: the clues at").wait_for()
    assert not game.get_by_role("button", name="Go on").is_visible()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 390, 1280])
def test_axe_finds_nothing_without_a_server(
    browser: Browser, plain_server: str, width: int, scheme: str
) -> None:
    with browser.new_context(
        viewport={"width": width, "height": 800},
        color_scheme=scheme,  # pyright: ignore[reportArgumentType]
    ) as context:
        page = context.new_page()
        for puzzle in ("beams", "minesweeper", "nogo", "geography"):
            opened(page, plain_server, puzzle)
            page.get_by_text("As text: copy, save").click()
            assert page.evaluate("document.documentElement.scrollWidth") <= width, puzzle
            assert violations(page) == [], puzzle
