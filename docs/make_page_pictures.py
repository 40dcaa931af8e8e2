"""Makes the pictures of the page: `python docs/make_page_pictures.py`, in the root of a checkout.

It starts `python -m compare page`, looks at it with Chromium, and writes `docs/pictures/page*.png`.
It needs the extra `test`.
"""

from __future__ import annotations

import argparse
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from compare.commands.doctor.command import BROWSERS

ROOT = Path(__file__).resolve().parent.parent

COLOURS = 64
"""Colours of a picture. They keep its file small."""

FIRST_START_MS = 300_000
"""Milliseconds for an answer: the first start on a machine compiles the algorithms."""

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


class View(NamedTuple):
    """A picture of the page: its name, the board, the window, and what to do before it is taken."""

    name: str
    puzzle: str
    board: str
    width: int = 1280
    height: int = 790
    dark: bool = False
    before: Callable[[Page], object] = lambda page: None


def point_at_a_mine(page: Page) -> None:
    page.locator("#board").get_by_role("gridcell", name="row 2 column 2:").hover()
    page.locator("#board .marks .clue").first.wait_for()


def open_the_steps(page: Page) -> None:
    for summary in page.get_by_text("Step by step").all():
        summary.click()
    page.get_by_role("article").first.get_by_role("listitem").last.hover()


def machine_places(page: Page) -> None:
    page.get_by_role("button", name="The machine chooses the start; I move first").click()
    page.get_by_text("Your turn").wait_for()
    page.get_by_role("region", name="Play").scroll_into_view_if_needed()


VIEWS = [
    View("page", "beams", "1\n6 6\n|.....\n-\\/...\n|..//.\n.....|\n/.--\\|\n#...//\n"),
    View(
        "page-no",
        "beams",
        "1\n5 5\n|\\..-\n....\\\n..-..\n.|./.\n.\\..-\n",
        height=1110,
        before=open_the_steps,
    ),
    View(
        "page-mines",
        "minesweeper",
        "1\n8 8\n#11.....\n##1.....\n111...11\n...1112#\n...1#1##\n...111##\n....11##\n....1###\n",
        height=1240,
        before=point_at_a_mine,
    ),
    View("page-nogo", "nogo", "5\n.X..O\n..O..\nX...X\n.O.O.\n...X.\n", height=1000, dark=True),
    View(
        "page-geography",
        "geography",
        "5 6\n..#...\n.#....\n....#.\n#.....\n...#..\n",
        height=1100,
        before=machine_places,
    ),
    View(
        "page-narrow",
        "beams",
        "1\n6 6\n|.....\n-\\/...\n|..//.\n.....|\n/.--\\|\n#...//\n",
        width=390,
        height=1500,
    ),
]


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the pictures of the page.")
    parser.add_argument(
        "folder", nargs="?", type=Path, default=ROOT / "docs" / "pictures", help="where they go"
    )
    folder: Path = parser.parse_args().folder
    chromium = next(filter(None, map(shutil.which, BROWSERS)), None)
    if chromium is None:
        raise SystemExit("there is no Chromium here")
    with served() as address, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        for view in VIEWS:
            take(browser, address, view, folder / f"{view.name}.png")
        browser.close()


@contextmanager
def served() -> Iterator[str]:
    """The address of a server that runs meanwhile."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = [sys.executable, "-m", "compare", "page", "--port", str(port), "--no-browser"]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        server.stdout.readline()
        try:
            yield f"http://127.0.0.1:{port}/"
        finally:
            server.terminate()


def take(browser: Browser, address: str, view: View, path: Path) -> None:
    """One picture, with few colours."""
    size = {"width": view.width, "height": view.height}
    page = browser.new_page(viewport=size, color_scheme="dark" if view.dark else "light")  # pyright: ignore[reportArgumentType]
    page.goto(f"{address}#puzzle={view.puzzle}&board={quote(view.board, safe='')}")
    page.locator("#see[aria-busy=false]").wait_for(timeout=FIRST_START_MS)
    page.wait_for_timeout(1000)
    view.before(page)
    page.wait_for_timeout(500)
    page.screenshot(path=path)
    page.close()
    with Image.open(path) as picture:
        few = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(path, optimize=True)


if __name__ == "__main__":
    main()
