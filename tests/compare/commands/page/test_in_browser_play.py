"""Playing the puzzles on the page: with the mouse, by keys, by touch, and what is said."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.compare.commands.page.browsing import Visit, Visits, violations

if TYPE_CHECKING:
    from playwright.sync_api import Locator

SOLVABLE = "1\n3 4\n#.##\n#--#\n####\n"
IMPOSSIBLE = "1\n1 3\n-.-\n"
MINES = "1\n4 4\n.1##\n.1##\n1222\n###1\n"
"""Of its covered cells 1,3, 4,1 ... are certain, and one is not."""

PATH = "1 5\n.....\n"
"""Who moves first loses from 1,1, 1,3 and 1,5."""

BEGIN = {
    "beams": (SOLVABLE, "Begin"),
    "minesweeper": (MINES, "Begin"),
    "nogo": ("3\nXO.\n...\n...\n", "Begin"),
    "geography": (PATH, "I choose the start; the machine moves first"),
}


class Game:
    """The game on a page."""

    def __init__(self, tab: Visit, puzzle: str, board: str, begin: str = "") -> None:
        tab.open(puzzle, board)
        self.root: Locator = tab.page.get_by_role("region", name="Play")
        self.tab = tab
        self.press(begin or BEGIN[puzzle][1])

    def press(self, name: str) -> None:
        self.root.get_by_role("button", name=name, exact=True).click()

    def cell(self, row: int, column: int) -> Locator:
        return self.root.get_by_role("gridcell", name=re.compile(f"^row {row} column {column}:"))

    def says(self, sentence: str) -> None:
        """Wait until this is part of what is said."""
        self.root.get_by_role("status").get_by_text(sentence).wait_for()

    @property
    def is_wrong(self) -> bool:
        """Whether the last move is marked as wrong."""
        return self.root.locator(".wrong").count() == 1


def test_beams_says_which_beam_hits_and_when_it_is_done(tab: Visit) -> None:
    game = Game(tab, "beams", SOLVABLE)
    game.says("The beam of the turret at 2,2 enters the turret at 2,3.")
    game.cell(1, 2).click()
    game.says("There is no turret at 1,2.")
    game.cell(2, 2).click()
    game.says("The beam of the turret at 2,3 enters the turret at 2,2.")
    assert game.is_wrong
    game.press("Hint")
    game.says("turns the turret at 2,3 the other way.")
    game.cell(2, 3).click()
    game.says("You have done it: every open cell is lit, and no turret is hit.")
    assert game.root.get_by_role("button", name="Hint").is_disabled()
    assert game.cell(1, 2).get_attribute("aria-label") == "row 1 column 2: open cell, lit"
    game.press("Take back")
    assert not game.root.get_by_role("button", name="Hint").is_disabled()
    assert tab.rows == ["#.##", "#--#", "####"]


def test_beams_names_a_cell_without_a_beam(tab: Visit) -> None:
    game = Game(tab, "beams", "1\n2 2\n-.\n..\n")
    game.says("No turret is hit. 2 open cells without a beam, such as 2,1.")


def test_the_hint_on_an_impossible_board_is_its_derivation(tab: Visit) -> None:
    game = Game(tab, "beams", IMPOSSIBLE)
    game.press("Hint")
    game.says("No way to turn them does it: this board is impossible.")
    steps = game.root.get_by_role("listitem")
    assert "That is a contradiction." in steps.last.inner_text()
    steps.last.hover()
    assert game.root.locator(".pointed").count() > 0


def test_the_answers_are_hidden_while_one_plays(tab: Visit) -> None:
    game = Game(tab, "beams", SOLVABLE)
    assert not tab.page.get_by_role("article").first.is_visible()
    assert not tab.page.locator("#verdict").is_visible()
    game.press("End the game")
    assert tab.page.get_by_role("article").first.is_visible()
    game.press("Begin")
    tab.cell(1, 1).click()
    tab.settle()
    assert tab.page.get_by_role("article").first.is_visible()


def test_a_mine_is_refused_with_the_clues_that_force_it(tab: Visit) -> None:
    game = Game(tab, "minesweeper", MINES)
    game.says("Left: 2 safe cells and 4 mines that are certain.")
    game.cell(1, 3).click()
    game.says("The cell at 1,3 is a mine: the clues at")
    assert game.is_wrong
    assert game.root.locator(".clue").count() > 1
    assert "1,3 is a mine" in game.root.get_by_role("listitem").last.inner_text()
    game.cell(1, 3).click(button="right")
    game.says("1,3 is a mine. Left: 2 safe cells and 3 mines that are certain.")
    game.cell(2, 3).click(button="right")
    game.says("The cell at 2,3 is safe: the clues at")
    game.press("Hint")
    game.says("The cell at 2,3 is safe: the clues at")
    assert not game.is_wrong


def test_minesweeper_goes_on_with_what_the_opened_cells_show(tab: Visit) -> None:
    """Whoever follows the hints never meets a mine, and is done with the board in the end."""
    game = Game(tab, "minesweeper", MINES)
    status = game.root.get_by_role("status")
    while "you win" not in status.inner_text():
        game.press("Hint")
        status.get_by_text(re.compile("force")).wait_for()
        hint = re.match(r"The cell at (\d),(\d) is (a mine|safe)", status.inner_text())
        assert hint is not None, status.inner_text()
        button = "right" if hint[3] == "a mine" else "left"
        game.cell(int(hint[1]), int(hint[2])).click(button=button)
    game.says("You have found all that is certain: you win.")
    before = tab.text
    game.press("Go on")
    tab.settle()
    assert tab.rows[0] != before.splitlines()[2]
    assert set(tab.rows[3]) <= set("X.12345678O1")
    assert tab.chips == ["✓ PROVED", "✓ PROVED"]
    status.get_by_text(re.compile("Left: |you win")).wait_for()
    assert game.root.get_by_role("button", name="Hint").is_visible()


def test_an_undecided_cell_was_not_certain(tab: Visit) -> None:
    game = Game(tab, "minesweeper", "1\n1 5\n#1##1\n")
    game.says("Left: ")
    undecided = game.cell(1, 1)
    undecided.click()
    game.says("The cell at 1,1 was not certain: a mine with probability")


CNF_FIRST = """async () => {
    const { Board } = await import("/static/board.js");
    const { Game } = await import("/puzzles/minesweeper/game.js");
    const fields = { board: ["#1##1"], layout: ["X1.X1"] };
    const answers = new Map([
        ["models:cnf", { verdict: "PROVED", fields }],
        ["direct:frontier", {
            verdict: "PROVED", fields: { ...fields, probability: [["1/2", "0", "1/2", "1/2", "0"]] }
        }],
    ]);
    return new Game({ board: new Board(1, 5, "#1##1") }, answers).move(0, true).says;
}"""
"""A flag on an undecided cell, where the answer that came first has no chances."""


def test_the_chance_is_said_whichever_answer_came_first(tab: Visit) -> None:
    tab.open("minesweeper", "1\n1 5\n#1##1\n")
    sentence = tab.page.evaluate(CNF_FIRST)
    assert sentence == "The cell at 1,1 was not certain: a mine with probability 50%."


def test_nogo_refuses_a_stone_without_liberty_and_one_that_captures(tab: Visit) -> None:
    game = Game(tab, "nogo", "3\n.O.\nO.X\n.X.\n")
    game.cell(1, 1).click()
    game.says("The stone at 1,1 would have no liberty")
    assert game.is_wrong
    game.cell(1, 2).click()
    game.says("There is a stone at 1,2.")
    game = Game(tab, "nogo", "3\nOX.\n...\nX..\n")
    game.cell(2, 1).click()
    game.says("would take the last liberty of the chain at 1,1: nothing is captured here.")
    assert game.root.locator(".faulty").count() == 1
    game.press("Hint")
    game.says("takes ")


@pytest.mark.parametrize(
    ("board", "end"),
    [("1\n.\n", "You have no legal point: white wins."), ("2\n..\n..\n", "you win.")],
)
def test_the_end_of_nogo_is_said(tab: Visit, board: str, end: str) -> None:
    game = Game(tab, "nogo", board)
    for _ in range(2):
        if not game.root.get_by_role("button", name="Hint").is_disabled():
            game.press("Hint")
            place = re.search(r"(\d),(\d)", game.root.get_by_role("status").inner_text())
            assert place is not None
            game.cell(int(place[1]), int(place[2])).click()
    game.says(end)
    assert game.is_wrong == ("white wins" in end)


def test_a_move_that_loses_geography_comes_with_the_reply_that_wins(tab: Visit) -> None:
    game = Game(tab, "geography", PATH)
    game.cell(1, 2).click()
    game.says("1,2 loses: from there the machine follows the pair to ")
    assert game.is_wrong
    game.press("Take back")
    game.press("Hint")
    game.says("Go to 1,1: who moves next from there loses.")
    assert game.root.get_by_role("listitem").count() > 0
    game.cell(1, 1).click()
    game.says("The machine moves to 1,2. Your turn. If you go on well, you win.")
    game.cell(1, 3).click()
    game.says("The machine moves to 1,4.")
    game.cell(1, 5).click()
    game.says("The machine cannot move: you win.")


@pytest.mark.slow
def test_the_machine_wins_geography_whatever_one_does(tab: Visit) -> None:
    """From a start from which it can win; and who goes on by the hints wins from the others."""
    tab.open("geography", "4 5\n.....\n.#...\n...#.\n.....\n")
    losing = set(
        tab.page.evaluate(
            "[...document.querySelector('#cards .names').querySelectorAll('[role=gridcell]')]"
            ".map(each => each.getAttribute('aria-label'))"
            ".filter(label => label.includes('loses')).map(label => label.match(/\\d+/g).join())"
        )
    )
    for start in [(row, column) for row in range(1, 5) for column in range(1, 6)]:
        if start in ((2, 2), (3, 4)):
            continue
        game = Game(tab, "geography", "4 5\n.....\n.#...\n...#.\n.....\n")
        game.cell(*start).click()
        wins = f"{start[0]},{start[1]}" in losing
        status = game.root.get_by_role("status")
        while "Your turn" in status.inner_text():
            ways = game.root.get_by_role("gridcell", name=re.compile("you can move here"))
            if wins:
                game.press("Hint")
                place = re.search(r"Go to (\d),(\d)", status.inner_text())
                assert place is not None, (start, status.inner_text())
                game.cell(int(place[1]), int(place[2])).click()
            else:
                ways.last.click()
        assert ("you win" in status.inner_text()) == wins, start
        assert game.is_wrong == (not wins), start


def test_one_plays_by_keys(tab: Visit) -> None:
    game = Game(tab, "beams", SOLVABLE)
    tab.keys("Control+Home", "ArrowDown", "ArrowRight", "Enter", "ArrowRight", " ")
    game.says("You have done it")
    game = Game(tab, "geography", PATH)
    tab.keys("Control+Home", "Enter")
    game.says("The machine moves to 1,2. Your turn.")
    tab.keys("Enter")
    game.says("The machine moves to 1,4. Your turn.")
    game = Game(tab, "minesweeper", MINES)
    tab.keys("Control+Home", "ArrowRight", "ArrowRight", "Shift+Enter")
    game.says("1,3 is a mine. Left")


def test_one_plays_by_touch(visit: Visits) -> None:
    tab = visit(viewport={"width": 320, "height": 700}, has_touch=True, is_mobile=True)
    game = Game(tab, "minesweeper", MINES)
    game.root.get_by_role("button", name="Flag").tap()
    game.cell(1, 3).tap()
    game.says("1,3 is a mine. Left")
    assert game.root.get_by_role("button", name="Flag").get_attribute("aria-pressed") == "true"
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= 320


def test_a_puzzle_without_a_game_has_no_such_button(tab: Visit) -> None:
    tab.open("cover", "1\n2 2 3\n1 1\n1 2\n2 1\n")
    assert tab.page.get_by_role("region", name="Play").count() == 0
    tab.open("nogo", "2\nXO\nO.\n")
    tab.page.locator("#verdict").get_by_text("has no liberty").wait_for()
    assert tab.page.get_by_role("region", name="Play").count() == 0


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 390, 1280])
def test_axe_finds_nothing_in_a_game(visit: Visits, width: int, scheme: str) -> None:
    tab = visit(viewport={"width": width, "height": 800}, color_scheme=scheme)
    for puzzle, (board, begin) in BEGIN.items():
        game = Game(tab, puzzle, board, begin)
        assert violations(tab.page) == [], puzzle
        game.press("Hint")
        game.cell(1, 1).click()
        assert violations(tab.page) == [], puzzle
        assert tab.page.evaluate("document.documentElement.scrollWidth") <= width, puzzle
