"""Makes the pictures of the README: `python docs/make_pictures.py`, in the root of a checkout.

`fuzz.svg` shows a real run of `compare fuzz` on `examples/mine.cpp`, so a C++ compiler must be
there. With `--measured` it also makes the pictures that hold times, which differ from run to run:
`growth.svg`, and `report.png`, for which Chromium must be there.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import wrap

import direct
import puzzles
from puzzles.beams import Layout

ROOT = Path(__file__).resolve().parent.parent

BOARDS = {
    "beams": "1\n6 6\n|.....\n-\\/...\n|..//.\n.....|\n/.--\\|\n#...//\n",
    "minesweeper": "1\n4 6\n####1.\n2#211.\n####21\n##2###\n",
    "nogo": "5\n.X..O\n..O..\nX...X\n.O.O.\n...X.\n",
    "geography": "5 6\n..#...\n.#....\n....#.\n#.....\n...#..\n",
}
"""The board of each puzzle's small picture."""

FUZZ = ["fuzz", "beams", "-b", "direct", "--program", "mine=mine.cpp", "--seed", "3"]

WIDTH, LINE, COLUMNS = 840, 19, 66
"""Pixels of the picture of a session, pixels a line of text, characters a line."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the pictures of the README.")
    parser.add_argument(
        "folder", nargs="?", type=Path, default=ROOT / "docs" / "pictures", help="where they go"
    )
    parser.add_argument("--measured", action="store_true", help="also those that hold times")
    options = parser.parse_args()
    folder: Path = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in BOARDS.items():
        board = puzzles.get(name).parse(text)[0]
        answer = direct.solve(board, certify=name != "nogo")
        (folder / f"{name}.svg").write_text(puzzles.get(name).picture(board, answer))
    expert = puzzles.get("minesweeper").family("expert").board(16, 5)
    heat = puzzles.get("minesweeper").picture(
        expert, direct.solve(expert, certify=True, probabilities=True)
    )
    (folder / "heat.svg").write_text(heat)
    with TemporaryDirectory() as work:
        (folder / "fuzz.svg").write_text(session(Path(work)))
        if options.measured:
            measured(Path(work), folder)


def compare(work: Path, *words: str) -> str:
    """What `python -m compare` with these words prints, in this folder."""
    return subprocess.run(
        [sys.executable, "-m", "compare", *words],
        cwd=work,
        check=False,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout


def session(work: Path) -> str:
    """A fuzz session, and beside it the smallest board with the answer of the wrong program drawn
    into it.
    """
    if shutil.which("g++") is None:
        raise SystemExit("no C++ compiler here: fuzz.svg is not made")
    shutil.copy(ROOT / "examples" / "mine.cpp", work)
    printed = compare(work, *FUZZ).splitlines()
    printed = printed[
        : 1 + next(k for k, line in enumerate(printed) if line.startswith("replay: "))
    ]
    (saved,) = work.glob("*.in")
    puzzle = puzzles.get("beams")
    board, answered = (puzzle.parse(saved.read_text())[0] for _ in range(2))
    drawn = puzzle.picture(board, Layout(True, answered))
    return terminal(
        [f"$ python -m compare {' '.join(FUZZ)}", *printed], drawn, "the answer of mine, drawn:"
    )


def terminal(lines: list[str], drawn: str, caption: str) -> str:
    """Lines of text as a terminal shows them, a picture on their right, and a caption above the
    picture.
    """
    shown = [
        (part, line)
        for line in lines
        for part in (wrap(line, COLUMNS, subsequent_indent="  ") or [""])
    ]
    height = LINE * len(shown) + 40
    text = "".join(
        f'<text x="18" y="{LINE * k + 32}" class="{mark(line)}" '
        f'xml:space="preserve">{escape(part)}</text>'
        for k, (part, line) in enumerate(shown)
    )
    left, side = WIDTH - 270, 250
    _, _, *extent = map(float, re.findall(r'viewBox="([^"]*)"', drawn)[0].split())
    high = side * extent[1] / extent[0]
    light = re.sub(r"@media.*?\}\}", "", drawn, flags=re.S)  # on a white card, whatever the page
    picture = re.sub(r' (width|height)="[\d.]+"', "", light, count=2).replace(
        "<svg ", f'<svg x="{left}" y="{20 + LINE}" width="{side}" height="{high:g}" ', 1
    )
    above = f'<text x="{left}" y="26" class="quiet">{escape(caption)}</text>'
    height = max(height, 40 + LINE + round(high))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" role="img">'
        f"<title>{escape(lines[0])}</title><style>.shell text{{font:13px "
        "ui-monospace,Menlo,Consolas,monospace}"
        ".shell .plain{fill:#e6edf3}.shell .head{fill:#fff;font-weight:bold}.shell "
        ".bad{fill:#ff7b72}"
        ".shell .quiet{fill:#9198a1}</style>"
        f'<rect width="{WIDTH}" height="{height}" rx="10" fill="#0d1117"/>'
        f'<rect x="{left - 6}" y="{16 + LINE}" width="{side + 12}" height="{high + 8:g}" rx="6" '
        'fill="#fff"/>'
        f'<g class="shell">{text}{above}</g>{picture.strip()}</svg>\n'
    )


def mark(line: str) -> str:
    """The CSS class of a line of a session."""
    if line.startswith("$ "):
        return "head"
    return (
        "bad"
        if line.startswith("REFUTED")
        else "quiet"
        if line.startswith(("fuzzing", "replay"))
        else "plain"
    )


def measured(work: Path, folder: Path) -> None:
    """The pictures that hold times."""
    compare(
        work,
        "scale",
        "geography",
        "--family",
        "walls-20",
        "--largest",
        "90",
        "--plot",
        str(folder / "growth.svg"),
    )
    compare(
        work,
        "run",
        "beams",
        "-b",
        "direct",
        "-b",
        "cnf",
        "--program",
        "mine=./mine",
        "--out",
        "runs.jsonl",
    )
    compare(work, "report", "runs.jsonl")
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        raise SystemExit("no Chromium here: report.png is not made")
    picture = folder / "report.png"
    window = ["--hide-scrollbars", "--window-size=900,760", f"--screenshot={picture}"]
    words = [browser, "--headless", "--no-sandbox", "--disable-gpu", *window]
    subprocess.run([*words, str(work / "report.html")], check=True, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
