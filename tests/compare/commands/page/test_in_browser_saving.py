"""What the user saves again, the page loads again: a program, a puzzle, a plugin."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.compare.commands.page.browsing import Server, visiting
from tests.places import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser

BOARD = "1\n1 2\n-.\n"
ANSWER = "print('Case #1: {}')\n"
MINES = "1\n1 2\n1#\n"


def test_what_is_saved_again_answers_the_board_anew(browser: Browser, tmp_path: Path) -> None:
    program, plugin, puzzle = (tmp_path / f"{name}.py" for name in ("mine", "plugin", "bricks"))
    example = (ROOT / "examples" / "my_encoding.py").read_text()
    two_minds = (Path(__file__).parent / "two_minds.py").read_text()
    program.write_text(ANSWER.format("IMPOSSIBLE"))
    plugin.write_text(example)
    puzzle.write_text(two_minds)
    words = ["--program", f"mine={program}", "--plugin", str(plugin), "--puzzle", str(puzzle)]
    with Server(*words) as server, visiting(browser, server) as tab:
        tab.open("beams", BOARD)
        mine = tab.page.get_by_role("article", name="mine", exact=True)
        mine.get_by_text("✗ REFUTED").wait_for()

        program.write_text(ANSWER.format("POSSIBLE\\n-."))
        mine.get_by_text("✓ PROVED").wait_for()
        assert tab.text == BOARD

        tab.open("minesweeper", MINES)
        named = tab.page.get_by_role("article", name="models:mine", exact=True)
        named.get_by_text("✓ PROVED").wait_for()
        plugin.write_text(example.replace('"mine",', '"yours",'))
        tab.page.get_by_role("article", name="models:yours", exact=True).get_by_text(
            "✓ PROVED"
        ).wait_for()
        assert named.count() == 0

        tab.open("bricks", "1\n1 2\n.#\n")
        assert tab.chips[1:] == ["✓ PROVED", "✗ REFUTED"]
        puzzle.write_text(two_minds.replace("(*walls(board)[:-1], 0)", "walls(board)"))
        tab.page.locator("#cards .chip").get_by_text("✗ REFUTED").wait_for(state="detached")
        tab.settle()
        assert tab.chips[1:] == ["✓ PROVED", "✓ PROVED"]
        puzzle.write_text("PUZZLE = 1 / 0\n")
        tab.notices("What was saved cannot be loaded. ")
        tab.settle()
        assert "ZeroDivisionError" in tab.page.get_by_role("alert").inner_text()
        assert tab.chips[1:] == ["✓ PROVED", "✓ PROVED"]
