"""The answers cell by cell and step by step, for readers, fingers, assistive technology and
printers.
"""

from __future__ import annotations

import re

import pytest

from tests.compare.commands.page.browsing import PHONE, Visit, Visits, box_of

HIT = "1\n5 5\n|\\..-\n....\\\n..-..\n.|./.\n.\\..-\n"
"""Impossible, by a core of three cells that takes three steps."""

MINES = "1\n3 3\n#11\n##1\n111\n"

LARGE = "1\n40 40\n" + f"{'-' + '.' * 39}\n" * 40

STYLED = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" class="own"><style>
body, .own rect, button { fill: rgb(1, 2, 3); color: rgb(1, 2, 3); } } body { color: rgb(4, 5, 6) }
</style><rect width="9" height="9"/></svg>"""


def test_an_answer_is_a_grid_that_is_read_cell_by_cell(tab: Visit) -> None:
    tab.open("beams", "1\n1 3\n.-.\n")
    answer = tab.page.get_by_role("article", name="models:cnf", exact=True).get_by_role("grid")
    assert [cell.get_attribute("aria-label") for cell in answer.get_by_role("gridcell").all()] == [
        "row 1 column 1: open cell, lit",
        "row 1 column 2: turret, shooting left and right",
        "row 1 column 3: open cell, lit",
    ]
    answer.get_by_role("gridcell").first.focus()
    tab.keys("End")
    assert (
        tab.page.evaluate("document.activeElement.getAttribute('aria-label')")
        == "row 1 column 3: open cell, lit"
    )


def test_the_map_of_mines_says_chances_and_keeps_the_focus(tab: Visit) -> None:
    tab.open("minesweeper", "1\n2 4\n####\n2#21\n")
    mines = tab.page.get_by_role("region", name="Mines")
    mines.get_by_role("gridcell", name="row 1 column 2: undecided, a mine in 50%").wait_for()
    mines.get_by_role("gridcell").nth(1).focus()
    tab.keys("ArrowLeft")
    mines.get_by_text("Suppose that 1,1 is safe.").wait_for()
    assert (
        tab.page.evaluate("document.activeElement.getAttribute('aria-label')")
        == "row 1 column 1: certainly a mine"
    )


def test_the_steps_to_a_no_show_their_cells(tab: Visit) -> None:
    tab.open("beams", HIT)
    card = tab.page.get_by_role("article", name="direct:two-sat", exact=True)
    card.get_by_text("Step by step (3)").click()
    first = card.get_by_role("listitem").first
    assert re.fullmatch(r"The turret at 1,1 is hit if the one at 4,2 shoots .*", first.inner_text())
    first.hover()
    assert tab.page.locator("#board .pointed").count() == 2
    assert card.locator("svg .pointed").count() == 2
    tab.page.locator("header h1").hover()
    assert tab.page.locator(".pointed").count() == 0
    card.get_by_role("listitem").last.focus()
    assert tab.page.locator("#board .pointed").count() == 3


def test_a_pressed_cell_of_the_map_keeps_its_steps(tab: Visit) -> None:
    tab.open("minesweeper", MINES)
    mines = tab.page.get_by_role("region", name="Mines")
    mines.get_by_role("grid").scroll_into_view_if_needed()
    box = box_of(mines.get_by_role("gridcell").first)
    tab.page.mouse.move(box["x"] + 9, box["y"] + 9)
    tab.page.mouse.down()
    tab.page.mouse.up()
    step = mines.get_by_role("listitem").filter(has_text="Hence 1,1 is safe.")
    step.hover()
    assert tab.page.locator("#board .pointed").count() == 5
    mines.get_by_label("Probabilities").click()
    step.wait_for(state="detached")


def test_the_editor_heeds_focus_and_clicks_without_a_pointer(tab: Visit) -> None:
    tab.open("beams", "1\n2 2\n..\n..\n")
    tab.cell(2, 2).focus()
    tab.keys("|")
    assert tab.rows == ["..", ".|"]
    tab.keys("ArrowUp", "-")
    assert tab.rows == [".-", ".|"]
    tab.cell(1, 1).dispatch_event("click")
    assert tab.rows == ["#-", ".|"]
    tab.cell(1, 1).click()
    assert tab.rows == ["--", ".|"]


def test_a_faulty_cell_is_named_and_marked(tab: Visit) -> None:
    tab.open("nogo", "2\n.O\n..\n")
    tab.cell(1, 1).focus()
    tab.keys("x", "ArrowDown", "o")
    tab.page.locator("#verdict").get_by_text(
        "row 1, column 1: this chain has no liberty"
    ).wait_for()
    assert tab.page.locator("#board .faulty").count() == 1
    assert tab.cell(1, 1).get_attribute("aria-invalid") == "true"
    tab.cell(2, 1).press("Delete")
    tab.settle()
    assert tab.page.locator("#board .faulty, #board [aria-invalid]").count() == 0
    tab.use("2\n.O\n.x\n")
    tab.page.locator("#notice").get_by_text("row 2, column 2: 'x' is not one of").wait_for()
    assert (
        tab.page.evaluate(
            "(t => t.value.slice(t.selectionStart, t.selectionEnd))(document.activeElement)"
        )
        == "x"
    )


@pytest.mark.slow
def test_a_finger_scrolls_and_zooms_a_tap_draws_and_a_finger_that_rests_paints(
    visit: Visits,
) -> None:
    tab = visit(new=True, **PHONE)
    tab.open("beams", "1\n6 6\n" + "......\n" * 6)
    before = tab.text
    client = tab.page.context.new_cdp_session(tab.page)

    def at(row: int, column: int) -> dict[str, float]:
        box = box_of(tab.cell(row, column))
        return {"x": box["x"] + 9, "y": box["y"] + 9}

    start, beside, above = at(4, 2), at(4, 5), at(1, 2)

    def touch(kind: str, *fingers: dict[str, float]) -> None:
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(fingers)})

    for fingers, moved in (([start], [above]), ([start, beside], [above, beside])):
        touch("touchStart", *fingers)
        for share in (0.3, 0.6, 1.0):
            places = [
                {axis: begin[axis] + share * (end[axis] - begin[axis]) for axis in ("x", "y")}
                for begin, end in zip(fingers, moved, strict=True)
            ]
            touch("touchMove", *places)
        touch("touchEnd")
        assert tab.text == before
        assert tab.page.evaluate("scrollY > 0 || visualViewport.scale !== 1"), (
            "the gesture is the browser's"
        )
        tab.page.reload()
        tab.settle()
    tab.cell(1, 1).tap()
    assert tab.rows[0] == "#....."
    other = at(2, 4)
    touch("touchStart", at(2, 1))
    tab.page.locator("#board").get_by_role("gridcell", name="row 2 column 1: wall").wait_for()
    touch("touchMove", other)
    touch("touchEnd")
    assert tab.rows[:3] == ["#.....", "####..", "......"]


@pytest.mark.parametrize("puzzle", ["beams", "minesweeper"])
def test_a_phone_shows_the_verdict_without_scrolling_and_nothing_is_too_wide(
    visit: Visits, puzzle: str
) -> None:
    tab = visit(**PHONE)
    tab.page.set_viewport_size(PHONE["viewport"])
    tab.open(puzzle, None)
    box = box_of(tab.page.locator("#verdict"))
    assert 0 <= box["y"] < box["y"] + box["height"] <= 844
    tab.page.set_viewport_size({"width": 320, "height": 640})
    assert tab.page.evaluate("document.documentElement.scrollWidth") == 320


@pytest.mark.slow
def test_large_boards_are_zoomed_and_pictures_are_saved(visit: Visits) -> None:
    tab = visit(new=True)
    tab.open("beams", "1\n1 1\n-\n")
    zoom = tab.page.get_by_role("button", name="Zoom in")
    assert not zoom.is_visible()
    tab.open("beams", LARGE)
    tab.page.locator("#cards svg[role=grid]").first.wait_for()
    width = "(s => document.querySelector(s).getBoundingClientRect().width)"
    narrow = [
        tab.page.evaluate(f"{width}('{place} svg[role=grid]')") for place in ("#board", "#cards")
    ]
    zoom.click()
    zoom.click()
    wide = [
        tab.page.evaluate(f"{width}('{place} svg[role=grid]')") for place in ("#board", "#cards")
    ]
    assert all(after > 1.8 * before for before, after in zip(narrow, wide, strict=True))
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= 1280
    with tab.page.expect_download() as saved:
        tab.page.get_by_role("article").first.get_by_role("button", name="Save as SVG").click()
    assert saved.value.suggested_filename == "beams-direct-two-sat.svg"
    assert saved.value.path().read_text().startswith("<svg")


def test_styles_of_a_picture_stay_within_it(tab: Visit) -> None:
    tab.open("beams", "1\n1 1\n-\n")
    colours = """async (markup) => {
        const { picture } = await import("/static/picture.js");
        document.querySelector("#cards .figure").replaceChildren(picture(markup).svg);
        const of = (place, name) => getComputedStyle(document.querySelector(place))[name];
        return [of("body", "color"), of("#undo", "color"), of("#cards .own rect", "fill")];
    }"""
    body, button, own = tab.page.evaluate(colours, STYLED)
    assert own == "rgb(1, 2, 3)"
    assert {body, button}.isdisjoint({"rgb(1, 2, 3)", "rgb(4, 5, 6)"})


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_lines_and_marks_stand_out_three_to_one(visit: Visits, scheme: str) -> None:
    tab = visit(color_scheme=scheme)
    tab.open("geography", "3 3\n.##\n...\n#.#\n")
    values = tab.page.evaluate(
        """() => {
            const style = place => getComputedStyle(document.querySelector(place));
            const of = (place, name) => style(place).getPropertyValue(name);
            const names = ["--line", "--wall", "--good", "--bad", "--light", "--cool", "--ink"];
            const drawn = names.map((name) => [name, of("#cards svg", name)]);
            const edge = ["--edge", of("body", "--edge")];
            return {paper: of("#cards svg", "--paper"), drawn: [...drawn, edge]};
        }"""
    )
    assert "var(--edge)" not in values
    for name, colour in values["drawn"]:
        assert contrast(colour, values["paper"]) >= 3, name
    stroke = tab.page.evaluate("getComputedStyle(document.querySelector('#board .lines')).stroke")
    assert (
        contrast(
            "#" + "".join(f"{int(part):02x}" for part in re.findall(r"\d+", stroke)),
            values["paper"],
        )
        >= 3
    )
    losing = tab.page.locator("#cards svg path[stroke='var(--ink)']")
    assert losing.count() > 0, "losing cells have a sign beside their colour"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_stones_of_both_colours_stand_out_from_the_paper(visit: Visits, scheme: str) -> None:
    tab = visit(color_scheme=scheme)
    tab.open("nogo", "2\nX.\n.O\n")
    paper = tab.page.evaluate(
        "getComputedStyle(document.querySelector('#cards svg')).getPropertyValue('--paper')"
    )
    for place in ("#board", "#cards .card"):
        stones = tab.page.locator(f"{place} circle").all()
        assert len(stones) >= 2
        for stone in stones:
            ring = stone.evaluate("stone => getComputedStyle(stone).stroke")
            colour = "#" + "".join(f"{int(part):02x}" for part in re.findall(r"\d+", ring))
            assert contrast(colour, paper) >= 7


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours such as `#fff` or `#1f2328`, as WCAG defines it."""
    lights: list[float] = []
    for colour in (one, other):
        digits = colour.strip().removeprefix("#")
        digits = "".join(2 * digit for digit in digits) if len(digits) == 3 else digits
        parts = [int(digits[k : k + 2], 16) / 255 for k in (0, 2, 4)]
        red, green, blue = (
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        )
        lights.append(0.2126 * red + 0.7152 * green + 0.0722 * blue)
    return (max(lights) + 0.05) / (min(lights) + 0.05)


@pytest.mark.parametrize(
    ("puzzle", "board"), [("beams", HIT), ("minesweeper", MINES), ("beams", LARGE)]
)
def test_paper_has_one_page_with_the_link(tab: Visit, puzzle: str, board: str) -> None:
    tab.open(puzzle, board)
    tab.linked(board)
    tab.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    link = tab.page.locator("#printed-link").text_content() or ""
    assert link == tab.page.url if len(tab.page.url) < 1500 else "too long to print" in link
    tab.page.emulate_media(media="print")
    assert tab.page.locator("#printed-link").is_visible()
    assert tab.page.locator("#board svg").is_visible()
    assert len(re.findall(rb"/Type\s*/Page\b", tab.page.pdf(format="A4"))) == 1
    tab.page.emulate_media(media="null")
