"""What the page says of links, numbers, keys and texts that cannot be."""

from __future__ import annotations

import re

import pytest

from tests.compare.commands.page.browsing import Visit

OWN_BEAM = "1\n2 2\n-\\\n\\/\n"


@pytest.mark.parametrize(
    ("fragment", "sentence"),
    [
        ("#puzzle=beams&board=1%0A2%202%0A.x%0A..%0A", "The board of this link cannot be read: "),
        ("#puzzle=beams&board=%E0%A4%A", "This link is broken: part of it was lost on the way."),
        ("#puzzle=chess&board=1", "This link is of the puzzle chess, which is not here."),
    ],
)
def test_a_broken_link_is_a_sentence(tab: Visit, fragment: str, sentence: str) -> None:
    tab.page.goto(tab.server.address + fragment)
    tab.notices(re.compile(f"^{re.escape(sentence)}"))
    tab.settle()


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("101", "101 is too large."),
        ("0", "0 is too small."),
        ("", "This is no number."),
        ("2.5", "2.5 is no whole number."),
    ],
)
def test_an_impossible_size_keeps_the_board_and_names_the_limits(
    tab: Visit, value: str, why: str
) -> None:
    tab.open("beams", OWN_BEAM)
    rows = tab.page.get_by_label("Rows")
    rows.fill(value)
    rows.press("Enter")
    tab.notices(f"{why} Rows: at least 1 and at most 100. Nothing has changed.")
    assert rows.input_value() == "2"
    assert tab.text == OWN_BEAM
    tab.page.get_by_label("Size", exact=True).fill(value)
    tab.press("Make")
    tab.notices(f"{why} Sizes of ")
    assert tab.text == OWN_BEAM


@pytest.mark.slow
def test_a_text_may_have_longer_sides_than_the_fields_take(tab: Visit) -> None:
    tab.open("beams", "1\n200 2\n" + "..\n" * 200)
    assert tab.page.get_by_label("Rows").input_value() == "200"
    tab.enter("Columns", "3")
    assert tab.rows == ["..."] * 200


def test_a_key_that_is_no_symbol_is_a_sentence(tab: Visit) -> None:
    tab.open("beams", OWN_BEAM)
    tab.cell(1, 1).focus()
    tab.keys("x")
    notice = tab.page.get_by_role("alert")
    notice.get_by_text("x is no symbol here. The symbols are: ").wait_for()
    assert set(notice.inner_text().split("are: ")[1].split()) == set(".#-|/\\")
    assert tab.text == OWN_BEAM
    assert tab.page.get_by_role("radio", name="wall (key #)").count() == 1


@pytest.mark.slow
def test_an_error_is_seen_wherever_one_has_scrolled(tab: Visit) -> None:
    tab.open("beams", OWN_BEAM)
    tab.page.get_by_text("As text: paste, copy, open, save").click()
    tab.page.locator("#text").fill("no board")
    button = tab.page.get_by_role("button", name="Use this text")
    tab.page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    button.click()
    notice = tab.page.get_by_role("alert")
    notice.wait_for()
    assert tab.page.evaluate("window.scrollY") > 0
    assert tab.page.evaluate("document.querySelector('#notice').getBoundingClientRect().top") >= 0


def test_a_board_with_an_error_is_opened_again_with_its_error_marked(tab: Visit) -> None:
    tab.open("nogo", "2\nXO\n..\n")
    tab.cell(2, 1).focus()
    tab.keys("o")
    faulty = tab.page.locator("#board [aria-invalid=true]")
    faulty.wait_for()
    error = "row 1, column 1: "
    assert tab.verdict.startswith(error)
    refused = tab.text
    assert refused == "2\nXO\nO.\n"
    tab.linked(refused)
    beams, nogo = (
        tab.page.get_by_role("button", name=name, exact=True) for name in ("beams", "nogo")
    )
    for back in (nogo.click, tab.page.go_back):
        beams.click()
        tab.page.wait_for_url(re.compile("#puzzle=beams&board="))
        tab.settle()
        assert tab.verdict.endswith("both proved.")
        back()
        faulty.wait_for()
        assert tab.text == refused
    tab.page.reload()
    faulty.wait_for()
    assert tab.verdict.startswith(error)


@pytest.mark.parametrize(
    ("puzzle", "text", "sentence"),
    [
        ("beams", ".-.\n..\n", "Row 2 has 2 cells, row 1 has 3."),
        ("nogo", ".9\n..\n", "9 is no symbol of nogo. The symbols are: . X O"),
        (
            "beams",
            "2 3\n.-\\\n#\\/\n",
            "The number of boards is missing: write 1 as a line of its own above the size.",
        ),
        ("nogo", "...\n...\n", "A board of nogo is a square, and this grid is 2x3."),
        ("minesweeper", "12\n1\n", "Row 2 has 1 cell, row 1 has 2."),
        ("geography", "...\n" * 4000, "This grid is too large: 4000x3, and the page takes at most"),
    ],
)
def test_a_pasted_grid_that_cannot_be_a_board_says_what_is_wrong(
    tab: Visit, puzzle: str, text: str, sentence: str
) -> None:
    tab.open(puzzle)
    before = tab.text
    tab.page.evaluate("text => navigator.clipboard.writeText(text)", text)
    tab.page.locator("#board [role=gridcell]").first.focus()
    tab.keys("Control+v")
    tab.notices(sentence)
    assert tab.text == before


def test_the_last_solver_stays_and_says_why(tab: Visit) -> None:
    tab.open("beams", OWN_BEAM)
    tab.page.get_by_text("More solvers").click()
    solvers = [
        tab.page.get_by_role("checkbox", name=each, exact=True)
        for each in ("direct:two-sat", "models:cnf")
    ]
    for each in solvers:
        each.click()
    assert [each.is_checked() for each in solvers] == [False, True]
    tab.notices("models:cnf stays: somebody has to answer. Choose another solver first.")
    solvers[0].click()  # as the next test expects it
