"""The page in a real browser: draw, answer, refute, undo, link, and what each puzzle adds."""

from __future__ import annotations

import re

import pytest

from compare.commands.page.hints import LinkedAnswer, page_link
from tests.compare.commands.page.browsing import Visit, Visits, box_of

DARK = "1\n2 3\n...\n...\n"
"""Open cells and no turret: impossible."""

OWN_BEAM = "1\n2 2\n-\\\n\\/\n"
"""The turret hits itself, however it is turned."""

MINES = "1\n2 4\n####\n2#21\n"


def test_a_first_visit_shows_a_board_and_two_proved_answers(visit: Visits) -> None:
    tab = visit(new=True)
    tab.page.goto(tab.server.address)
    tab.settle()
    assert tab.chips == ["✓ PROVED", "✓ PROVED"]
    assert tab.verdict.endswith("POSSIBLE: both agree, both proved.")
    assert tab.page.locator("#board [role=gridcell]").count() == 64


def test_clicks_cycle_a_stroke_paints_and_keys_write(tab: Visit) -> None:
    tab.open("beams", DARK)
    after = tab.page.locator("#palette input").nth(2).input_value()
    tab.cell(1, 1).click()
    assert tab.rows == [after + "..", "..."]
    tab.cell(1, 1).click(button="right")
    assert tab.rows == ["...", "..."]
    tab.drag((2, 1), (2, 3))
    assert tab.rows == ["...", 3 * after]
    tab.cell(2, 2).click()
    tab.keys("|", "ArrowUp", "-", "ArrowRight", "/", "Home", "#")
    assert tab.rows == ["#-/", "#|#"]
    tab.keys("Delete")
    assert tab.rows == [".-/", "#|#"]


@pytest.mark.slow
def test_a_brush_of_the_palette_paints_its_symbol(visit: Visits) -> None:
    tab = visit(new=True)
    tab.open("beams", DARK)
    tab.page.get_by_role("radio", name=re.compile("turret.*[|]|vertical|up and down")).check(
        force=True
    )
    tab.cell(1, 2).click()
    tab.cell(2, 2).click()
    assert tab.rows == [".|.", ".|."]


def test_drawing_changes_the_answer_and_an_impossible_board_says_why(tab: Visit) -> None:
    tab.open("beams", "1\n1 3\n.-.\n")
    assert tab.headline("direct:two-sat") == "POSSIBLE: every open cell is lit, no turret is hit."
    tab.enter("Rows", "2")
    tab.settle()
    assert tab.text == "1\n2 3\n.-.\n...\n"
    for contender in ("direct:two-sat", "models:cnf"):
        assert "No beam can reach the open cell at 2," in tab.headline(contender)
    assert tab.chips == ["✓ PROVED", "✓ PROVED"]
    assert "core: must be lit" in tab.page.locator("#legend").inner_text()


def test_an_answer_shows_its_effort_and_the_word_of_the_check(tab: Visit) -> None:
    tab.open("beams", OWN_BEAM)
    card = tab.page.get_by_role("article", name="models:cnf", exact=True)
    assert re.search(
        r"\d (ms|µs|s) · \d+ variables, \d+ clauses", card.locator(".effort").inner_text()
    )
    assert card.locator(".why").inner_text() == "The check: a core of 1 cell cannot be satisfied."
    assert (
        tab.headline("models:cnf")
        == "IMPOSSIBLE: The turret at 1,1 is hit if it shoots left and right, and also if it "
        "shoots "
        "up and down."
    )


def test_a_stroke_is_one_step_of_undo(visit: Visits) -> None:
    tab = visit(new=True)
    tab.open("beams", DARK)
    tab.drag((1, 1), (1, 3))
    painted = tab.text
    tab.cell(2, 1).click()
    tab.press("Undo")
    assert tab.text == painted
    tab.keys("Control+z")
    assert tab.text == DARK
    assert tab.page.get_by_role("button", name="Undo").is_disabled()
    tab.keys("Control+Shift+z")
    assert tab.text == painted
    tab.press("Clear")
    assert tab.text == DARK


@pytest.mark.slow
def test_an_edge_can_be_dragged(tab: Visit) -> None:
    tab.open("beams", DARK)
    edge, cell = box_of(tab.page.locator(".edge.right")), box_of(tab.cell(1, 1))
    x, y = edge["x"] + edge["width"] / 2, edge["y"] + edge["height"] / 2
    tab.page.mouse.move(x, y)
    tab.page.mouse.down()
    tab.page.mouse.move(x + 2 * cell["width"], y)
    tab.page.mouse.up()
    assert tab.rows == [".....", "....."]
    tab.keys("Control+z")
    assert tab.text == DARK


def test_a_link_is_a_board_for_reload_and_for_a_changed_address(tab: Visit) -> None:
    tab.open("beams", OWN_BEAM)
    tab.cell(1, 1).click(button="right")
    drawn = tab.text
    assert drawn != OWN_BEAM
    tab.linked(drawn)
    tab.page.reload()
    tab.settle()
    assert tab.text == drawn
    brush = tab.page.evaluate(
        "document.querySelector('#palette input[value=\"\\\\\\\\\"]').closest('label').title"
    )
    assert f"{tab.cell(2, 1).get_attribute('aria-label')} (key \\)" == f"row 2 column 1: {brush}"
    tab.page.evaluate(
        "location.hash = '#puzzle=nogo&board=' + encodeURIComponent('3\\nXOO\\nXO.\\nX..\\n')"
    )
    tab.page.get_by_text("Move 1 of 1: black at 2,3. White has no legal move and loses.").wait_for()


def test_text_is_pasted_copied_and_dropped(tab: Visit) -> None:
    tab.open("beams", DARK)
    tab.use("2\n1 1\n.\n1 2\n.-\n")
    tab.page.wait_for_url(re.compile("1%201%0A[.]"))
    tab.page.get_by_label("Open", exact=True).select_option(label="board 2")
    tab.page.wait_for_url(re.compile("1%202%0A[.]-"))
    tab.page.get_by_role("button", name="Copy", exact=True).first.click()
    assert tab.page.evaluate("navigator.clipboard.readText()") == "1\n1 2\n.-\n"
    tab.page.evaluate(
        """() => {
            const data = new DataTransfer();
            data.items.add(new File(["1\\n1 3\\n.|.\\n"], "mine.in"));
            const options = {dataTransfer: data, bubbles: true, cancelable: true};
            document.body.dispatchEvent(new DragEvent("drop", options));
        }"""
    )
    tab.page.wait_for_url(re.compile("1%203%0A[.]%7C[.]"))


@pytest.mark.slow
def test_boards_come_from_families_and_from_the_bundled_files(visit: Visits) -> None:
    tab = visit(new=True)
    tab.open("beams", DARK)
    tab.page.get_by_label("Random", exact=True).select_option("wall")
    tab.page.get_by_label("Size", exact=True).fill("5")
    tab.page.get_by_label("Seed", exact=True).fill("7")
    tab.press("Make")
    tab.page.wait_for_url(re.compile("5%205%0A"))
    seventh = tab.page.url
    tab.press("Next seed")
    tab.page.wait_for_url(lambda address: address != seventh)
    assert tab.page.get_by_label("Seed", exact=True).input_value() == "8"
    tab.page.get_by_label("Open", exact=True).select_option(index=1)
    tab.page.wait_for_url(re.compile("board=1%0A(?!5%205)"))


def test_probabilities_the_next_cell_and_why_a_cell_is_certain(tab: Visit) -> None:
    tab.open("minesweeper", MINES)
    mines = tab.page.get_by_role("region", name="Mines")
    mines.locator("svg .cells text", has_text=re.compile(r"^\d+$")).first.wait_for()
    assert "layouts fit the clues" in mines.get_by_role("status").inner_text()
    tab.page.get_by_label("What to open next").check()
    mines.get_by_text(re.compile("^(Safe|No cell is certainly safe)")).wait_for()
    tab.cell(1, 1).hover()
    said = tab.page.locator("#said")
    said.get_by_text(re.compile("1,1.*mine")).wait_for()
    assert tab.page.locator("#board .marks .clue").count() > 0
    tab.cell(1, 2).hover()
    said.get_by_text(re.compile("The cell at 1,2 is a mine with probability")).wait_for()
    assert tab.page.locator("#board .marks .clue").count() == 0
    tab.page.get_by_label("Probabilities").check()  # as the next test expects it


@pytest.mark.slow
def test_the_number_of_mines_is_a_field(tab: Visit) -> None:
    tab.open("minesweeper", "1\n1 3\n###\n")
    tab.enter("Number of mines", "3")
    tab.settle()
    assert tab.text == "1\n1 3 3\n###\n"
    assert "certainly a mine" in tab.page.locator("#legend").inner_text()


@pytest.mark.slow
def test_nogo_is_played_back_move_by_move(tab: Visit) -> None:
    tab.open("nogo", "3\n...\n...\n...\n")
    game = tab.page.get_by_role("region", name="The game, move by move")
    moves = int(re.findall(r"of (\d+)", game.get_by_role("status").inner_text())[0])
    stones = game.locator("circle")
    assert stones.count() == moves
    game.get_by_role("button", name="Previous").click()
    assert stones.count() == moves - 1
    game.get_by_role("slider").focus()
    tab.keys("Home")
    assert stones.count() == 0
    game.get_by_role("button", name="Play").click()
    game.get_by_text("Move 2 of").wait_for()
    game.get_by_role("button", name="Pause").click()


@pytest.mark.slow
def test_a_position_that_nogo_refuses_is_a_sentence(tab: Visit) -> None:
    tab.open("nogo", "2\n..\n..\n")
    for row, column, key in ((1, 1, "x"), (1, 2, "o"), (2, 1, "o")):
        tab.cell(row, column).focus()
        tab.keys("Control+Home", *["ArrowDown"] * (row - 1), *["ArrowRight"] * (column - 1), key)
    tab.page.locator("#verdict").get_by_text("this chain has no liberty").wait_for()


@pytest.mark.slow
def test_the_machine_wins_geography_from_where_it_should(tab: Visit) -> None:
    tab.open("geography", "3 3\n...\n...\n...\n")
    game = tab.page.get_by_role("region", name="Play")
    game.get_by_role("button", name="The machine chooses the start; I move first").click()
    says = game.get_by_role("status")
    for _ in range(9):
        says.get_by_text(re.compile("Your turn|You cannot move")).wait_for()
        ways = game.get_by_role("gridcell", name=re.compile("you can move here"))
        if not ways.count():
            break
        ways.last.click()
    assert re.fullmatch(
        r"The machine moves to \d,\d[.] You cannot move: the machine wins[.]", says.inner_text()
    )


def test_the_explanations_show_formula_python_and_command(tab: Visit) -> None:
    tab.open("beams", OWN_BEAM)
    tab.page.get_by_role("tab", name="Formula").click()
    tab.press("Show the formula")
    tab.page.get_by_label("The formula in DIMACS").get_by_text("p cnf").wait_for()
    with tab.page.expect_download() as saved:
        tab.press("Save as DIMACS")
    assert "\np cnf " in "\n" + saved.value.path().read_text()
    tab.page.get_by_role("tab", name="Formula").press("ArrowRight")
    panel = tab.page.get_by_role("tabpanel", name="Python and shell")
    assert "from puzzles import" in panel.inner_text()
    assert "python -m compare run beams" in panel.inner_text()
    tab.linked(OWN_BEAM)
    assert tab.page.url in panel.inner_text()


@pytest.mark.slow
def test_another_sat_solver_is_a_click_away(visit: Visits) -> None:
    tab = visit(new=True)
    tab.open("beams", OWN_BEAM)
    tab.page.get_by_text("More solvers").click()
    tab.page.get_by_text("models:cnf with another SAT solver").click()
    tab.page.get_by_role("group", name="Models").get_by_label(
        "cadical195", exact=True
    ).first.check()
    tab.page.get_by_role("article", name="models:cnf cadical195").get_by_text("✓ PROVED").wait_for()
    assert tab.page.get_by_role("article").count() >= 3


def test_an_illegal_move_says_why(tab: Visit) -> None:
    tab.open("geography", "1 6\n#.....\n")
    game = tab.page.get_by_role("region", name="Play")
    says = game.get_by_role("status")
    cells = game.get_by_role("gridcell")
    game.get_by_role("button", name="I choose the start; the machine moves first").click()
    cells.nth(0).click()
    assert says.inner_text() == "You cannot go to 1,1: a wall is there."
    cells.nth(1).click()
    says.get_by_text("The machine moves to 1,3. Your turn.").wait_for()
    cells.nth(1).click()
    assert says.inner_text() == "You cannot go to 1,2: the piece has been there."
    cells.nth(5).click()
    assert says.inner_text() == "You cannot go to 1,6: it is not beside the piece."
    cells.nth(3).click()
    says.get_by_text("The machine moves to 1,5.").wait_for()


@pytest.mark.slow
def test_many_cells_to_open_are_a_number(visit: Visits) -> None:
    tab = visit(new=True)
    tab.open("minesweeper", "1\n3 5\n0#0#0\n#####\n0#0#0\n")
    tab.page.get_by_label("What to open next").check()
    mines = tab.page.get_by_role("region", name="Mines")
    mines.get_by_text("9 safe cells, marked below.").wait_for()
    tab.page.locator("#note").get_by_text("The percentages are those of direct:frontier").wait_for()


def test_a_bare_grid_and_a_link_of_the_page_can_be_pasted(tab: Visit) -> None:
    tab.open("minesweeper", "1\n1 2\n##\n")
    paste = (
        "text => document.dispatchEvent(Object.assign(new Event('paste'), {clipboardData: "
        "{getData: "
        "() => text}}))"
    )
    tab.page.evaluate(paste, "2#\r\n# #\n")
    tab.linked("1\n2 2\n2#\n##\n")
    tab.page.evaluate(paste, "1 3\n#1#\n")
    tab.linked("1\n1 3\n#1#\n")
    tab.page.evaluate(paste, page_link("beams", OWN_BEAM, 1234))
    tab.page.locator("#verdict").get_by_text("IMPOSSIBLE: both agree, both proved.").wait_for()
    assert tab.text == OWN_BEAM


def test_the_answer_of_a_link_stands_beside_ours_until_the_board_changes(visit: Visits) -> None:
    tab = visit(new=True)
    answer = LinkedAnswer("mine", "Case #1: POSSIBLE\n...\n...\n")
    tab.page.goto(page_link("beams", DARK, tab.server.port, answer))
    tab.settle()
    names = ["mine (in the link)", "direct:two-sat", "models:cnf"]
    assert tab.chips == ["✗ REFUTED", "✓ PROVED", "✓ PROVED"]
    assert [
        tab.page.locator("#cards article").nth(k).get_attribute("aria-label") for k in range(3)
    ] == names
    assert "direct:two-sat and models:cnf say IMPOSSIBLE: both proved." in tab.verdict
    tab.page.reload()
    tab.settle()
    assert tab.page.locator("#cards article").count() == 3
    tab.page.locator("#as-text summary").click()
    tab.press("Copy the link")
    tab.page.get_by_role("button", name="Copied").wait_for()
    assert tab.page.evaluate("navigator.clipboard.readText()") == page_link(
        "beams", DARK, tab.server.port, answer
    )
    tab.cell(1, 1).click()
    tab.settle()
    tab.page.wait_for_function("!location.hash.includes('answer')")
    assert tab.page.locator("#cards article").count() == 2


def test_the_card_of_an_answer_says_what_the_verdict_says(visit: Visits) -> None:
    tab = visit(new=True)
    wrong = LinkedAnswer("mine", "Case #1: IMPOSSIBLE\n")
    tab.page.goto(page_link("beams", "1\n1 3\n-.#\n", tab.server.port, wrong))
    tab.settle()
    assert "mine (in the link) says IMPOSSIBLE: refuted." in tab.verdict
    card = tab.page.get_by_role("article", name="mine (in the link)")
    assert card.locator(".chip").inner_text() == "✗ REFUTED"
    assert card.locator(".why").inner_text() == (
        "The check: no certificate, and none is promised: IMPOSSIBLE without a core. It "
        "contradicts the answer of direct:two-sat, which is proved."
    )
    tab.page.goto(page_link("beams", DARK, tab.server.port, wrong))
    tab.page.locator("#verdict").get_by_text("IMPOSSIBLE: all 3 agree, all 3 proved.").wait_for()
    assert card.locator(".chip").inner_text() == "✓ PROVED"
