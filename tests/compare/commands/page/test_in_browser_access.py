"""The page without a mouse, on a narrow touch screen, in the dark, on paper, and as axe-core judges
it.
"""

from __future__ import annotations

import re

import pytest

from tests.compare.commands.page.browsing import PHONE, Visit, Visits, box_of, violations

BOARDS = {
    "beams": "1\n2 2\n-\\\n\\/\n",
    "minesweeper": "1\n2 4\n####\n2#21\n",
    "nogo": "3\nXOO\nXO.\nX..\n",
    "geography": "3 3\n.##\n...\n#.#\n",
    "cover": "1\n2 2 3\n1 1\n1 2\n2 1\n",
}


def test_everything_works_with_the_keyboard_alone(visit: Visits) -> None:
    tab = visit(new=True)
    tab.open("beams", "1\n1 2\n.-\n")
    focused = (
        "(e => e.getAttribute('aria-label') || e.innerText || "
        "e.labels[0].innerText)(document.activeElement)"
    )
    stops: list[str] = []
    while not any(stop.startswith("row 1 column 1") for stop in stops):
        tab.keys("Tab")
        stops.append(tab.page.evaluate(focused))
        assert len(stops) < 15, stops
    tab.keys("ArrowRight")
    assert tab.page.evaluate(focused).startswith("row 1 column 2: turret")
    tab.keys("#")
    tab.settle()
    assert "No beam can reach the open cell at 1,1" in tab.headline("direct:two-sat")
    tab.keys("Enter", "Shift+Enter")
    assert tab.rows == [".#"]
    tab.keys("Shift+ArrowLeft")
    assert tab.rows == ["##"]
    assert "Rows" in stops
    assert "Columns" in stops
    assert tab.page.locator("#verdict").get_attribute("aria-live") == "polite"


@pytest.mark.slow
def test_a_narrow_touch_screen_has_no_sideways_scrolling(visit: Visits) -> None:
    tab = visit(**PHONE)
    for puzzle in ("minesweeper", "cover", "beams"):
        tab.open(puzzle, BOARDS[puzzle])
        assert tab.page.evaluate("document.documentElement.scrollWidth") <= 390, puzzle
    tab.cell(1, 1).tap()
    tab.settle()
    assert tab.rows[0][0] != "-"
    small = (
        "[...document.querySelectorAll('button, .brush')].filter(e => e.offsetParent && "
        "e.offsetHeight < 24).length"
    )
    assert tab.page.evaluate(small) == 0
    board, answers = box_of(tab.page.locator("#board")), box_of(tab.page.locator("#see"))
    assert answers["y"] > board["y"] + board["height"]
    tab.open("beams", "1\n3 30\n" + f"{'.' * 30}\n" * 3)
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert box_of(tab.page.locator("#board .grid"))["width"] <= 390
    assert box_of(tab.cell(1, 1).locator("rect"))["width"] >= 20
    assert not tab.page.get_by_text("With keys: arrows").is_visible()


def test_the_page_follows_the_dark_theme_and_prints_without_controls(
    visit: Visits,
) -> None:
    tab = visit(color_scheme="dark")
    tab.open("geography", BOARDS["geography"])
    background = "getComputedStyle(document.querySelector('#draw')).backgroundColor"
    assert tab.page.evaluate(background) == "rgb(13, 17, 23)"
    tab.page.emulate_media(color_scheme="light")
    assert tab.page.evaluate(background) == "rgb(255, 255, 255)"
    tab.page.emulate_media(media="print")
    assert not [
        hidden
        for hidden in ("#undo", "#palette", "#from", "#more")
        if tab.page.locator(hidden).is_visible()
    ]
    assert tab.page.locator("#cards svg").first.is_visible()


@pytest.mark.parametrize(("puzzle", "scheme"), [("beams", "light"), ("minesweeper", "dark")])
def test_axe_finds_nothing(visit: Visits, puzzle: str, scheme: str) -> None:
    tab = visit(color_scheme=scheme)
    tab.open(puzzle, BOARDS[puzzle])
    tab.page.locator("#extra svg, #legend svg").first.wait_for()
    assert violations(tab.page) == []


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("puzzle", BOARDS)
def test_axe_finds_nothing_in_any_part(visit: Visits, puzzle: str, scheme: str) -> None:
    tab = visit(color_scheme=scheme)
    tab.open(puzzle, BOARDS[puzzle])
    for summary in tab.page.locator("summary").all():
        if summary.is_visible():
            summary.click()
    if puzzle == "geography":
        tab.press("The machine chooses the start; I move first")
        tab.page.get_by_text("Your turn").wait_for()
    for name in ("Rules", "How they solve it", "Formula", "Python and shell", "Race and growth"):
        tab.page.get_by_role("tab", name=name).click()
        assert violations(tab.page) == [], name


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 390, 640])
def test_axe_finds_nothing_in_narrow_windows(visit: Visits, width: int, scheme: str) -> None:
    """A window of 640 is one of 1280 at 200 percent."""
    tab = visit(viewport={"width": width, "height": 800}, color_scheme=scheme)
    for puzzle, board in BOARDS.items():
        tab.open(puzzle, board)
        tab.settle()
        assert violations(tab.page) == [], puzzle


STOP = """() => {
    const each = document.activeElement;
    const box = each.getBoundingClientRect();
    const bar = document.querySelector("#verdict");
    const end = Math.min(box.bottom, box.top + 60); // of one that is taller, the beginning
    const behind = each !== bar && end > bar.getBoundingClientRect().top + 1;
    return [each.tagName, each.closest("svg") !== null, behind];
}"""
"""What has the focus, whether it is in a grid, and whether the bar of the verdict hides it."""


def test_a_grid_is_one_stop_of_the_tab_key_and_the_verdict_hides_none(visit: Visits) -> None:
    tab = visit(new=True, viewport={"width": 640, "height": 450})  # 1280 x 900 at 200 percent
    tab.open("minesweeper", BOARDS["minesweeper"])
    assert tab.page.locator("#verdict").evaluate("bar => getComputedStyle(bar).position") == "fixed"
    tab.page.get_by_role("region", name="Mines").get_by_role("gridcell").first.wait_for()
    stops: list[tuple[str, bool]] = []
    while not stops or stops[-1][0] != "BODY":
        tab.keys("Tab")
        name, in_grid, behind = tab.page.evaluate(STOP)
        assert name == "BODY" or not behind, stops
        stops.append((name, in_grid))
        assert len(stops) < 80
    assert [name for name, in_grid in stops if in_grid] == ["g"] * 4  # board, answers, map


@pytest.mark.parametrize("phone", [True, False])
def test_zoom_in_never_shrinks(visit: Visits, phone: bool) -> None:
    tab = visit(**PHONE) if phone else visit()
    tab.open("beams", "1\n40 40\n" + ("." * 40 + "\n") * 40)
    widths = [box_of(tab.page.locator("#board .grid svg"))["width"]]
    for _ in range(3):
        tab.press("Zoom in")
        widths.append(box_of(tab.page.locator("#board .grid svg"))["width"])
    assert widths == sorted(set(widths))


def test_hovering_moves_nothing(tab: Visit) -> None:
    tab.open("minesweeper", BOARDS["minesweeper"])
    mines = tab.page.get_by_role("region", name="Mines").locator("svg").first
    places = (tab.page.locator("#from"), mines)
    before = [box_of(each) for each in places]
    tab.cell(1, 1).hover()
    tab.page.locator("#said").get_by_text("1,1").wait_for()
    assert [box_of(each) for each in places] == before
    box = before[1]
    tab.page.mouse.move(box["x"] + 0.9 * box["width"], box["y"] + 0.4 * box["height"])
    tab.page.locator("#said").get_by_text("1,4").wait_for()
    assert box_of(mines)["y"] == box["y"]


def test_forced_colours_keep_the_grips(visit: Visits) -> None:
    tab = visit(forced_colors="active")
    tab.open("beams", BOARDS["beams"])
    colours = tab.page.evaluate(
        "[getComputedStyle(document.querySelector('.edge.right'), '::after').backgroundColor,"
        " getComputedStyle(document.querySelector('#draw')).backgroundColor]"
    )
    assert colours[0] != colours[1]


@pytest.mark.slow
def test_a_large_board_has_a_heat_map_that_needs_no_colour(tab: Visit) -> None:
    tab.open("minesweeper", f"1\n60 60\n{'#' * 59}1\n" + f"{'#' * 60}\n" * 59)
    dots = tab.page.get_by_role("region", name="Mines").locator("circle.dot")
    dots.first.wait_for()
    radii = {float(dots.nth(k).get_attribute("r") or 0) for k in (0, 58, 118)}
    assert len(radii) == 2
    tab.cell(1, 59).hover()
    tab.page.locator("#said").get_by_text(
        re.compile("1,59 is a mine with probability 33%")
    ).wait_for()
