"""The report as people meet it: on small screens, in the dark, with the keyboard, without scripts,
on paper, and as axe-core judges it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pytest

import puzzles
from compare.engine.isolate.outcome import Status
from compare.engine.work.contenders import SIDES
from compare.engine.work.result import Result
from puzzles.answer import Check, Verdict
from tests.compare.commands.page.browsing import violations
from tests.compare.commands.report.pages import report_of, run_on
from tests.installed import needs, slow

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page

needs("jinja2", "matplotlib")

CONTENDERS = 8
"""Programs beside the reference; each has faults of its own. There are two of each kind."""

SIZES = (2, 3, 6, 12, 40)

LONG = "a line without a blank: " + "x" * 400


def results() -> list[Result]:
    """Many contenders on boards of several sizes: wrong, crashed, stopped, skipped, in long lines
    and with markup.
    """
    runs: list[Result] = []
    for case, size in enumerate(SIZES, 1):
        board = puzzles.get("beams").family("sparse").board(size, case)
        answer = SIDES["direct"].solve(board)
        runs.append(run_on(board, answer, "direct:two-sat", case, 1e-5 * size))
        for k in range(1, CONTENDERS + 1):
            name = f"<script>{k}"
            run = run_on(board, answer, name, case, 1e-4 * k * size)
            if k % 4 == 1 and case == 2:
                values = {"status": Status.CRASH, "reason": LONG}
                run = run_on(board, None, name, case, 1.0, **values)
            elif k % 4 == 2 and case > 3:
                run = run_on(board, None, name, case, 10.0)
            elif k % 4 == 3 and case == 1:
                check = Check(Verdict.REFUTED, "<b>no</b>")
                claims = 1 - np.asarray(answer.claims)
                run = run_on(board, answer, name, case, 1.0, check=check, claims=claims)
            elif k == 4 and case == 5:
                values = {"status": Status.SKIPPED, "reason": "too large", "declared": True}
                run = run_on(board, None, name, case, 0.0, **values)
            runs.append(run)
    return runs


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    path = folder / "report.html"
    path.write_text(report_of(folder, results()), encoding="utf-8")
    return path


Opened = Callable[..., "Page"]
"""Opens the report in a window of a width, with these options."""


@pytest.fixture(scope="module")
def pages(browser: Browser) -> Iterator[dict[str, Page]]:
    """The tabs in which reports are opened, by their options."""
    pages: dict[str, Page] = {}
    yield pages
    for page in pages.values():
        page.close()


@pytest.fixture
def opened(browser: Browser, report: Path, pages: dict[str, Page]) -> Iterator[Opened]:
    """No report may have reported an error at the end.

    Tests with the same options load it anew in the same tab: a new tab takes as long as the report.
    """
    errors: list[str] = []

    def note(error: object) -> None:
        errors.append(str(error))

    def note_message(message: ConsoleMessage) -> None:
        errors.append(message.text)

    used: list[Page] = []

    def open(width: int = 1280, path: Path = report, **options: Any) -> Page:
        name = repr(options)
        page = pages[name] = pages.get(name) or browser.new_page(**options)
        page.set_viewport_size({"width": width, "height": 844})
        page.emulate_media(media="screen")
        page.on("pageerror", note)
        page.on("console", note_message)
        used.append(page)
        page.goto(path.as_uri())
        return page

    yield open
    for page in used:
        page.remove_listener("pageerror", note)
        page.remove_listener("console", note_message)
    assert errors == []


@pytest.mark.parametrize(
    ("scheme", "width"),
    [
        ("light", 390),
        ("dark", 1280),
        slow("light", 320),
        slow("light", 1280),
        slow("dark", 320),
        slow("dark", 390),
    ],
)
def test_axe_finds_nothing(opened: Opened, scheme: str, width: int) -> None:
    page = opened(width, color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_number_leads_to_boards_that_can_be_seen(opened: Opened) -> None:
    page = opened(390)
    row = page.locator("table.contenders tbody tr").first
    for link in row.get_by_role("link").all():
        link.click()
        target = page.locator(str(link.get_attribute("href")))
        target.wait_for()
        box = target.bounding_box()
        assert box is not None
        assert box["height"] > 0
        assert box["y"] < 844
        page.go_back()


def test_a_board_that_is_named_leads_to_its_drawing_or_its_row(opened: Opened) -> None:
    page = opened(390)
    page.evaluate("document.querySelectorAll('#said ~ details').forEach(each => each.open = true)")
    links = {str(link.get_attribute("href")): link for link in page.locator(".said a").all()}
    assert len(links) == len(SIZES)
    for href, link in links.items():
        kind = href[1:].partition("-")[0]
        assert kind in ("drawn", "row")
        link.click()
        target = page.locator(href)
        target.wait_for()
        box = target.bounding_box()
        assert box is not None
        assert box["height"] > 0
        assert box["y"] < 844
        assert (target.locator("svg.board").count() > 0) == (kind == "drawn")
    faults = page.locator("#said ~ details > figure")
    assert faults.count() >= 2  # a crash, and a run that was stopped: no disagreement shows them
    assert faults.first.locator("figcaption").inner_text().startswith("dataset some <set>, case 2")
    assert page.locator("h3 + details").count() > 0


BROKEN = """longest => {
    const broken = [], texts = document.createTreeWalker(document.querySelector("main"), 4);
    while (texts.nextNode()) {
        const node = texts.currentNode;
        if (!node.parentElement.closest("td, th")) continue;
        for (const { 0: word, index } of node.data.matchAll(/[^\\s-]+-?/g)) {
            const range = document.createRange();
            range.setStart(node, index);
            range.setEnd(node, index + word.length);
            const lines = new Set([...range.getClientRects()].map(each => Math.round(each.top)));
            if (lines.size > 1 && word.length < longest) broken.push(word);
        }
    }
    return broken;
}"""
"""Words in tables that stand in more than one line; a line may end at a hyphen."""


def test_on_paper_no_word_of_a_table_is_broken(tmp_path: Path, opened: Opened) -> None:
    page = opened(700)
    page.emulate_media(media="print")
    assert page.evaluate(BROKEN, 60) == []
    board = puzzles.get("beams").family("sparse").board(3, 1)
    answer = SIDES["direct"].solve(board)
    wrong = {"check": Check(Verdict.REFUTED, "no"), "claims": 1 - np.asarray(answer.claims)}
    for count in (3, 4, 5, 12):
        runs = [run_on(board, answer, "direct:two-sat", 1, 1.0)]
        runs += [
            run_on(board, answer, f"models:cnf-traced@cadical{k}", 1, 1.0, **(wrong if k else {}))
            for k in range(count)
        ]
        path = tmp_path / f"{count}.html"
        path.write_text(report_of(tmp_path, runs), encoding="utf-8")
        paper = opened(700, path)
        paper.emulate_media(media="print")
        assert paper.evaluate(BROKEN, 60) == []
        assert paper.evaluate(BEYOND) == []
        assert paper.locator("table.matrix").count() == 1


@pytest.mark.parametrize("width", [390, 1200])
def test_a_long_name_is_broken_between_its_parts(
    tmp_path: Path, opened: Opened, width: int
) -> None:
    board = puzzles.get("beams").family("sparse").board(3, 1)
    answer = SIDES["direct"].solve(board)
    names = [f"models:cnf-traced:card=seqcounter,solver=cadical{k}" for k in (153, 195)]
    path = tmp_path / "long.html"
    runs = [run_on(board, answer, each, 1, 1.0) for each in ("direct:two-sat", *names)]
    path.write_text(report_of(tmp_path, runs), encoding="utf-8")
    page = opened(width, path)
    assert page.evaluate(BROKEN, 60) == []
    heads = page.locator("table.contenders tbody th")
    assert heads.all_text_contents() == ["direct:two-sat", *names]
    short, long, _ = (each.bounding_box() for each in heads.all())
    assert short is not None
    assert long is not None
    assert long["height"] > short["height"]  # in several lines


def test_names_stay_where_wide_tables_scroll(opened: Opened) -> None:
    page = opened(390)
    for table in page.locator("section .wide").all():
        if not table.is_visible():
            continue
        x = "each => each.querySelector('tbody tr > :first-child').getBoundingClientRect().x"
        before = table.evaluate(x)
        moved = table.evaluate("each => (each.scrollLeft = 120, each.scrollLeft)")
        assert table.evaluate(x) == before
        last = "each => each.querySelector('tbody tr > :last-child').getBoundingClientRect().x"
        assert moved == 0 or table.evaluate(last) != before
    assert page.locator("section .wide").first.evaluate("each => each.scrollLeft") == 120


def test_columns_are_sorted_by_a_click(opened: Opened) -> None:
    page = opened()
    table = page.locator("table.contenders")
    table.get_by_role("button", name="timed out").click()
    counts = [int(each) for each in table.locator("tbody td:nth-child(5)").all_inner_texts()]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]
    table.get_by_role("button", name="timed out").click()
    assert table.locator("th").nth(4).get_attribute("aria-sort") == "descending"


def test_all_is_there_without_scripts(opened: Opened) -> None:
    page = opened(java_script_enabled=False)
    assert page.locator("button, input:visible").count() == 0
    assert page.locator("table.contenders tbody tr").count() == CONTENDERS + 1
    page.locator("summary", has_text="What each contender did on every board").click()
    assert page.get_by_role("group", name="beams: Every board").is_visible()


BEYOND = """() => [...document.querySelectorAll("main *")].filter(each => {
    const box = each.getBoundingClientRect();
    return !each.closest("svg, figcaption") && box.width && box.right > innerWidth + 1;
}).map(each => each.outerHTML.slice(0, 80))"""
"""What stands beyond the right edge of the paper."""


def test_on_paper_nothing_is_cut_and_nothing_waits_for_a_click(opened: Opened) -> None:
    page = opened(700)  # what A4 has between its margins, in CSS pixels
    page.emulate_media(media="print")
    assert page.evaluate(BEYOND) == []
    scrolls = "[...document.querySelectorAll('.wide, figure, pre')].filter(each => "
    scrolls += "getComputedStyle(each).overflowX != 'visible').length"
    assert page.evaluate(scrolls) == 0
    assert page.locator("input:visible, a.see:visible").count() == 0
    arrows = "[...document.querySelectorAll('th button')].map(each => "
    arrows += "getComputedStyle(each, '::after').content)"
    assert set(page.evaluate(arrows)) == {"none"}
    pictures = page.locator("figure > svg")
    assert pictures.count() > len(SIZES)
    assert page.evaluate(
        "[...document.querySelectorAll('figure > svg')].every("
        "each => each.getBoundingClientRect().right <= innerWidth + 1)"
    )
    last = page.get_by_role("group", name="beams: Every board").locator("td").last
    assert last.is_visible()
    cell = last.bounding_box()
    assert cell is not None
    assert cell["height"] > 0


@pytest.mark.parametrize(("width", "media"), [(390, "screen"), (1280, "screen"), (700, "print")])
def test_all_boards_have_one_scale(
    opened: Opened, width: int, media: Literal["screen", "print"]
) -> None:
    page = opened(width)
    page.emulate_media(media=media)
    scales = page.evaluate(
        "[...document.querySelectorAll('figure > svg.board > g.cells')]"
        ".map(each => each.getScreenCTM().a)"
    )
    assert len(scales) > len(SIZES)
    assert max(scales) - min(scales) < 0.01 * max(scales)
