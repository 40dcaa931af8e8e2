"""Boards of one's own, very wide boards, and what is hard to see on a large one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.compare.commands.page.browsing import Visit, Visits, box_of, violations

if TYPE_CHECKING:
    from playwright.sync_api import Locator

LIGHTS = "1\n2 4\n*.#.\n**..\n"

OPEN = "." * 3 + "-" + "." * 96
"""A row of a hundred cells that one turret lights."""


def walled(cell: int) -> list[str]:
    """Three rows in which one open cell has walls around it."""
    beside = OPEN[: cell - 1] + "#" + OPEN[: 100 - cell]
    return [beside, "#" * (cell - 1) + "." + "#" * (100 - cell), beside]


ONE_DARK_CELL = "1\n100 100\n" + "\n".join([*[OPEN] * 49, *walled(61), *[OPEN] * 48]) + "\n"
"""Impossible: no beam can reach the open cell at 51,61."""


def answer_of(tab: Visit, contender: str) -> Locator:
    return tab.page.get_by_role("article", name=contender, exact=True)


def test_a_symbol_of_ones_own_is_drawn_alike_on_the_board_and_in_answers(tab: Visit) -> None:
    drawn = """(cell) => [...cell.querySelectorAll("rect, text")].slice(1).map((each) => {
        const { fill, fontSize, opacity } = getComputedStyle(each);
        return [each.tagName, each.textContent, fill, fontSize, opacity];
    })"""
    shapes = """(svg) => [...svg.querySelectorAll(".cells > rect, .cells > text")].map((each) => {
        const { fill, fontSize, opacity } = getComputedStyle(each);
        return [each.tagName, each.textContent, fill, fontSize, opacity];
    })"""
    tab.open("lights", "1\n1 1\n#\n")
    for symbol in "#*":
        tab.cell(1, 1).focus()
        tab.keys(symbol)
        tab.settle()
        on_board = tab.cell(1, 1).evaluate(drawn)
        in_answer = answer_of(tab, "direct:elimination").locator("svg").evaluate(shapes)
        assert on_board
        assert on_board == in_answer[: len(on_board)]
    palette = tab.page.locator("#palette .sign").nth(1)
    assert palette.locator("rect").count() == 1
    assert palette.locator("text").count() == 0


def test_each_change_of_a_solution_is_marked(tab: Visit) -> None:
    tab.open("lights", LIGHTS)
    for contender in ("direct:elimination", "models:cnf"):
        answer = answer_of(tab, contender)
        words = answer.get_by_role("gridcell").all()
        labels = [each.get_attribute("aria-label") or "" for each in words]
        changed = [k for k, label in enumerate(labels) if "of the solution" in label]
        assert changed
        frames = answer.locator(".cells > rect[stroke='var(--good)']").all()
        places = [[float(each.get_attribute(side) or 0) for side in "yx"] for each in frames]
        assert [int(y) * 4 + int(x) for y, x in places] == changed


WHOLE = """(svg) => {
    const view = svg.viewBox.baseVal;
    return [...svg.querySelectorAll(".numbers text")].every((label) => {
        const box = label.getBBox();
        const inside = box.x >= view.x && box.x + box.width <= view.x + view.width;
        return inside && box.y >= view.y && box.y + box.height <= view.y + view.height;
    });
}"""
"""Whether the labels of rows and columns are within a picture."""


def test_a_very_wide_board_scrolls_in_its_box_and_its_labels_are_whole(tab: Visit) -> None:
    for width in (320, 1280):
        tab.page.set_viewport_size({"width": width, "height": 900})
        tab.open("beams", f"1\n2 100\n{OPEN}\n{OPEN}\n")
        for place in ("#board .grid", "#cards .figure"):
            box = tab.page.locator(place).first
            assert box.evaluate("(box) => box.scrollWidth > box.clientWidth"), place
            picture = box.locator("svg")
            assert picture.evaluate(WHOLE), place
            assert box_of(picture)["width"] >= 800
            assert picture.locator(".numbers text", has_text="100").count() == 1
            picture.get_by_role("gridcell").last.focus()
            picture.get_by_role("gridcell").last.scroll_into_view_if_needed()
            assert box.evaluate("(box) => box.scrollLeft > 0"), place
        assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
        assert violations(tab.page) == []


@pytest.mark.parametrize("size", [(3, 4), (12, 12)])
def test_labels_are_whole_at_each_size(tab: Visit, size: tuple[int, int]) -> None:
    rows, columns = size
    tab.open("beams", f"1\n{rows} {columns}\n" + f"{OPEN[:columns]}\n" * rows)
    assert_labels_are_whole(tab)


def assert_labels_are_whole(tab: Visit) -> None:
    for picture in tab.page.locator("#board .grid svg, #cards .figure svg").all():
        assert picture.evaluate(WHOLE)


def test_a_core_of_one_cell_is_found_on_the_largest_board_whose_labels_are_whole(
    visit: Visits,
) -> None:
    tab = visit(new=True)  # to close it takes less time than to draw another board there
    card = answer_of(tab, "direct:two-sat")
    tab.open("beams", "1\n1 2\n.#\n")
    assert card.locator(".halo").count() == 0
    assert not card.get_by_role("button", name="Show me the core").is_visible()
    tab.open("beams", ONE_DARK_CELL)
    # To look for a role among all cells of this board takes long.
    card = tab.page.locator("article[aria-label='direct:two-sat']")
    assert_labels_are_whole(tab)
    assert card.locator(".halo").count() == 1
    card.locator("button", has_text="Show me the core").click()
    label = tab.page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert label == "row 51 column 61: open cell, core: must be lit"
    cell, ring = box_of(tab.page.locator(":focus")), box_of(card.locator(".halo"))
    assert 0 <= ring["y"] < ring["y"] + ring["height"] <= 900
    for side, length in (("x", "width"), ("y", "height")):
        edges: Any = [ring[side], cell[side], cell[side] + cell[length], ring[side] + ring[length]]
        assert edges == sorted(edges)
    assert ring["width"] >= 12
