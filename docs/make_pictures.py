"""Makes the pictures of the README and of docs/puzzles: `python docs/make_pictures.py`, in the
root of a checkout.

With `--measured` it also makes the pictures that hold times, which differ from run to run:
`plot-cactus.svg` and its like, and `report.png`, for which Chromium must be there. `python -m
benchmarks.all` draws `beams-growth.svg` and its like.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from itertools import pairwise
from math import atan2, cos, hypot, sin
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import wrap
from typing import NamedTuple

import direct
import puzzles
from compare.commands.doctor.command import BROWSERS
from models.cnf import Formula
from models.dimacs import encode_board
from models.geography.by_cnf import pairing
from models.geography.graph import graph_of
from models.nogo.legality import neighbours_on, one_move
from puzzles.pictures import BoardPicture, disc, square, stroke, wall

ROOT = Path(__file__).resolve().parent.parent

BOARDS = {
    "beams": "1\n6 6\n|.....\n-\\/...\n|..//.\n.....|\n/.--\\|\n#...//\n",
    "minesweeper": "1\n4 6\n####1.\n2#211.\n####21\n##2###\n",
    "nogo": "5\n.X..O\n..O..\nX...X\n.O.O.\n...X.\n",
    "geography": "5 6\n..#...\n.#....\n....#.\n#.....\n...#..\n",
}
"""The board of each puzzle's small picture."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the pictures of the pages.")
    parser.add_argument(
        "folder", nargs="?", type=Path, default=ROOT / "docs" / "pictures", help="where they go"
    )
    parser.add_argument("--measured", action="store_true", help="also those that hold times")
    options = parser.parse_args()
    folder: Path = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for name, svg in pictures():
        (folder / f"{name}.svg").write_text(svg)
    if options.measured:
        with TemporaryDirectory() as work:
            plots(Path(work), folder)
            report(Path(work), folder)


Pictures = Iterator[tuple[str, str]]
"""SVG, each with the name of its file."""


def pictures() -> Pictures:
    """Those that hold no times."""
    for name, text in BOARDS.items():
        board = puzzles.get(name).parse(text)[0]
        yield name, puzzles.get(name).picture(board, direct.solve(board, certify=name != "nogo"))
    expert = puzzles.get("minesweeper").family("expert").board(16, 5)
    answer = direct.solve(expert, certify=True, probabilities=True)
    yield "heat", puzzles.get("minesweeper").picture(expert, answer)
    yield "method", method()
    yield "cover", cover()
    yield from beams_page()
    yield from geography_page()
    yield from nogo_page()
    yield from minesweeper_page()


def cover() -> str:
    """The picture of docs/own-puzzles.md: a graph with its least cover."""
    puzzle = puzzles.find(str(ROOT / "examples" / "cover.py"))
    case = puzzle.parse("1\n5 6 10\n1 1\n1 2\n2 2\n2 3\n3 3\n3 4\n3 6\n4 4\n4 5\n5 5\n")[0]
    return puzzle.picture(case, direct.solve(case, certify=True))


def compare(work: Path, *words: str) -> str:
    """What `python -m compare` with these words prints, in this folder."""
    return subprocess.run(
        [sys.executable, "-m", "compare", *words],
        cwd=work,
        check=False,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout


def plots(work: Path, folder: Path) -> None:
    """The plots of docs/measure.md, by the commands that stand there."""
    families = "--family sparse --family loops --family mirror --size 10 20 40 --cases 4"
    backends = "-b direct -b cnf -b cnf-traced -b cpsat --timeout 0.2"
    compare(work, "run", "beams", *families.split(), *backends.split(), "--out", "plotted.jsonl")
    compare(work, "report", "plotted.jsonl", "--plots", "plots")
    for path in (work / "plots").glob("*.svg"):
        shutil.copy(path, folder / path.name.replace("beams", "plot"))
    shutil.copy(ROOT / "examples" / "tardiness.py", work)
    words = "./tardiness.py --family early --size 8 --cases 1 -b subsets -b due-first -b cpsat"
    compare(work, "run", *words.split(), "--out", "tardy.jsonl")
    compare(work, "report", "tardy.jsonl", "--puzzle", "./tardiness.py", "--plots", "tardy")
    shutil.copy(work / "tardy" / "tardiness-values-early-1.svg", folder / "plot-values.svg")


def report(work: Path, folder: Path) -> None:
    """The first screen of a report."""
    shutil.copy(ROOT / "examples" / "mine.cpp", work)  # its command stands there: without our paths
    words = ["run", "beams", "-b", "direct", "-b", "cnf", "--program", "mine=mine.cpp"]
    compare(work, *words, "--out", "runs.jsonl")
    compare(work, "report", "runs.jsonl")
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise SystemExit("no Chromium here: report.png is not made")
    picture = folder / "report.png"
    window = ["--hide-scrollbars", "--window-size=900,760", f"--screenshot={picture}"]
    words = [browser, "--headless", "--no-sandbox", "--disable-gpu", *window]
    subprocess.run([*words, str(work / "report.html")], check=True, stderr=subprocess.DEVNULL)


class Part(NamedTuple):
    """A piece of a larger picture: pixels, and SVG with its corner at 0,0."""

    width: float
    height: float
    body: str


Lines = Sequence[str]
"""Lines of text; one that begins with `# ` is a heading."""

WIDE, FONT, ROW = 560, 12, 17
"""Pixels of a picture of a puzzle's page, of its letters, and from line to line. A phone shows such
a picture at two thirds of its size.
"""

SMALL = 184
"""How much of the width of the picture of a 3x3 board the board takes."""

STYLE = re.findall(r"<style>.*?</style>", BoardPicture(1, 1).svg(""), re.S)[0]


def sheet(title: str, *rows: Sequence[Part]) -> str:
    """Rows of parts, one row below the other."""
    body, top = "", 8.0
    for row in rows:
        left = 8.0
        for part in row:
            body += f'<g transform="translate({left:g} {top:g})">{part.body}</g>'
            left += part.width + 12
        top += max(part.height for part in row) + 12
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="board" role="img" viewBox="0 0 {WIDE} '
        f'{top:g}" width="{WIDE}" height="{top:g}"><title>{escape(title)}</title>{STYLE}'
        f'<rect width="100%" height="100%" fill="var(--paper)"/>{body}</svg>\n'
    )


def card(drawing: str, width: float, caption: str = "", shown: float = 0) -> Part:
    """A picture that stands alone, in this width, with a caption above it; of its own width only
    what is `shown`.
    """
    box = re.findall(r'viewBox="([^"]*)"', drawing)[0]
    _, _, *extent = map(float, box.split())
    if shown:
        extent[0] = shown
        drawing = drawing.replace(box, f"0 0 {shown:g} {extent[1]:g}")
    height = width * extent[1] / extent[0]
    above = written(wrap(caption, int(width / 6.6)), width)
    inside = re.sub(r' (width|height)="[\d.]+"', "", drawing.replace(STYLE, ""), count=2).replace(
        "<svg ", f'<svg y="{above.height:g}" width="{width:g}" height="{height:g}" ', 1
    )
    return Part(width, above.height + height, above.body + inside.strip())


def written(lines: Lines, width: float) -> Part:
    """Lines of text below one another."""
    body = "".join(
        f'<text y="{ROW * k + 13}" font-size="{FONT}" xml:space="preserve"'
        f"{HEADING if line.startswith('# ') else ''}>{escape(line.removeprefix('# '))}</text>"
        for k, line in enumerate(lines)
    )
    return Part(width, ROW * len(lines) + (6 if lines else 0), body)


HEADING = ' style="fill:var(--soft)"'


def clause_lines(formula: Formula, symbol: Callable[[int], str], characters: int) -> list[str]:
    """All clauses of a formula in symbols, below what they state.

    Two clauses that say together that two literals are equal are written as one equation.
    """
    lines: list[str] = []
    rules = [*formula.rules, (len(formula.clauses), "")]
    for (first, rule), (end, _) in pairwise(rules):
        if end == first:
            continue
        numbers = f"{first + 1} to {end}" if end > first + 1 else f"{end}"
        lines += [f"# {part}" for part in wrap(f"{numbers}: {rule}", characters)]
        texts: list[str] = []
        group = {frozenset(clause): clause for clause in formula.clauses[first:end]}
        for key, clause in group.items():
            converse = frozenset(-literal for literal in key)
            equal = len(key) == 2 and converse in group
            if equal and min(clause, key=abs) > 0:
                continue
            signs = [("" if literal > 0 else "¬") + symbol(abs(literal)) for literal in clause]
            if equal:
                one, other = (literal if literal[0] != "¬" else literal[1:] for literal in signs)
                opposite = (clause[0] > 0) == (clause[1] > 0)
                texts.append(f"{one} = {'¬' if opposite else ''}{other}")
            else:
                texts.append(" ∨ ".join(signs))
        lines += flowed(texts, characters)
    return lines


def flowed(texts: Sequence[str], characters: int) -> list[str]:
    """Texts one after the other, two blanks apart, in lines; none is broken."""
    lines = [""]
    for text in texts:
        if lines[-1] and len(lines[-1]) + len(text) + 2 > characters:
            lines.append("")
        lines[-1] += ("  " if lines[-1] else "") + text
    return lines


def columns_of(lines: Lines, number: int) -> list[Part]:
    """Lines in columns of about the same height; a heading goes with what it is the heading of."""
    width, parts, rest = (WIDE - 16 - 12 * (number - 1)) / number, list[Part](), list(lines)
    for left in range(number, 0, -1):
        cut = -(-len(rest) // left)
        while 0 < cut < len(rest) and rest[cut - 1].startswith("# "):
            cut -= 1
        parts.append(written(rest[:cut], width))
        rest = rest[cut:]
    return parts


def glyphs(rows: Sequence[str], hidden: str = ".", size: float = 0.6) -> BoardPicture:
    """A board with its characters in its cells, walls grey."""
    drawing = BoardPicture(len(rows), len(rows[0]))
    for cell, kind in enumerate("".join(rows)):
        if kind == "#" and kind not in hidden:
            drawing.add(cell, wall)
        elif kind not in hidden:
            row, column = divmod(cell, drawing.columns)
            drawing.shapes.append(note(row + 0.5, column + 0.5, kind, size))
    return drawing


def note(row: float, column: float, text: str, size: float = 0.2, fill: str = "var(--ink)") -> str:
    """A short text anywhere on a board, in cells."""
    return (
        f'<text x="{column:g}" y="{row:g}" style="font-size:{size:g}px;fill:{fill}">'
        f"{escape(text)}</text>"
    )


def dot(row: float, column: float, fill: str, radius: float) -> str:
    """A disc anywhere on a board, in cells."""
    return f'<circle cx="{column:g}" cy="{row:g}" r="{radius:g}" fill="{fill}"/>'


def arrow(
    start: tuple[float, float], end: tuple[float, float], colour: str, width: float = 0.03
) -> str:
    """An arrow through (row, column) points."""
    angle = atan2(end[0] - start[0], end[1] - start[1])
    tips = [
        (end[0] - 4 * width * sin(angle + turn), end[1] - 4 * width * cos(angle + turn))
        for turn in (0.5, -0.5)
    ]
    return stroke([start, end], colour, width) + stroke([tips[0], end, tips[1]], colour, width)


def clause_sheet(
    drawing: BoardPicture,
    legend: Sequence[str],
    formula: Formula,
    symbols: Mapping[int, str],
    width: float = 380,
) -> str:
    """The variables of `cnf` on a board, what they mean, and the clauses in symbols."""
    lines = clause_lines(formula, symbols.__getitem__, 36)
    return sheet(
        "the variables and clauses of cnf on a board of 3x3",
        (card(drawing.svg(""), width, shown=SMALL), written(["# variables", *legend], 150)),
        columns_of(lines, 2),
    )


def step_sheet(steps: Mapping[str, str], title: str = "three steps of the algorithm") -> str:
    """Drawings side by side, by their captions."""
    return sheet(title, [card(drawing, 172, text, SMALL) for text, drawing in steps.items()])


ARROWS = {"east": "→", "south": "↓", "west": "←", "north": "↑"}
HEADINGS = {"east": (0, 1), "south": (1, 0), "west": (0, -1), "north": (-1, 0)}


def beams_page() -> Pictures:
    """The pictures of docs/puzzles/beams.md."""
    puzzle = puzzles.get("beams")
    board, walled = puzzle.parse("2\n3 3\n-.-\n\\..\n#-#\n3 3\n-.-\n\\#.\n#-#\n")
    solved, refused = (direct.solve(each, certify=True) for each in (board, walled))
    pair = (
        card(puzzle.picture(board), 245, "the board"),
        card(puzzle.picture(board, solved), 245, "its only solution"),
    )
    yield "beams-board", sheet("a beams board and its solution", pair)

    encoding = encode_board(board)
    symbols: dict[int, str] = {}
    drawing = glyphs(board.lines(), size=0.3)
    for variable, name in encoding.names:
        row, column = (int(word) for word in re.findall(r"(\d+),(\d+)", name)[0])
        going = name.rpartition(" ")[2]
        symbols[variable] = f"{ARROWS.get(going, '')}{row},{column}"
        if going in HEADINGS:
            down, right = HEADINGS[going]
            # Arrows keep to the right, so that those of neighbours do not meet.
            at, step = (row - 0.5 + 0.13 * right, column - 0.5 - 0.13 * down), (down, right)
            start, end, number = (
                (at[0] - k * step[0], at[1] - k * step[1]) for k in (0.47, 0.28, 0.17)
            )
            drawing.shapes += [
                arrow(start, end, "var(--cool)"),
                note(*number, f"{variable}", 0.11),
            ]
        else:
            symbols[variable] = "ABC"[variable - 1]
            at = (row - 0.24, column - 0.24)
            drawing.shapes.append(note(*at, f"{variable}", 0.13, "var(--light)"))
    legend = [
        *(f"{k:>2} {symbols[k]}" for k in (1, 2, 3, 8, 9, 10, 11)),
        "and so on",
        "",
        "A: the turret at",
        "1,1 is horizontal",
        "→1,2: a beam",
        "enters 1,2 going",
        "east",
    ]
    yield "beams-clauses", clause_sheet(drawing, legend, encoding.formula, symbols)

    lit_by = [("", "A B ¬C", ""), ("", "¬A ¬C", "¬A ¬B"), ("", "", "")]
    legal = [("", "¬C", ""), *lit_by[1:]]
    shown = str(solved).splitlines()[1:]
    steps = {
        "1. who lights a cell": literals(board.lines(), lit_by),
        "2. legal beams only": literals(board.lines(), legal),
        "3. ¬A, ¬B, so ¬C": literals(shown, lit_by[2:] * 3, ""),
    }
    yield "beams-steps", step_sheet(steps)

    cycle = {"A": (30, 40), "¬A": (170, 40), "B": (170, 150), "¬B": (30, 150)}
    arrows = [
        ("A", "¬A", "1,3 unhit"),
        ("¬A", "B", "1,2 lit"),
        ("B", "¬B", "1,1 unhit"),
        ("¬B", "A", "1,2 lit"),
    ]
    core = (
        card(puzzle.picture(walled, refused), 270, "a wall more, and its core"),
        graph(cycle, arrows, 210, "what implies what"),
    )
    yield "beams-core", sheet("an impossible board, its core, and the cycle of implications", core)


def geography_page() -> Pictures:
    """The pictures of docs/puzzles/geography.md."""
    puzzle = puzzles.get("geography")
    board = puzzle.parse("3 3\n.##\n...\n#.#\n")[0]
    pair = (
        card(puzzle.picture(board), 200, "the board"),
        card(puzzle.picture(board, direct.solve(board, certify=True)), 292, "the answer"),
    )
    yield "geography-board", sheet("a geography board and its losing cells", pair)
    formula, columns = Formula(), board.columns
    pairing(graph_of(board), formula)
    symbols: dict[int, str] = {}
    drawing = glyphs(board.lines())
    for variable, name in sorted(pair for each in formula.meanings for pair in each.names(columns)):
        places = [tuple(map(int, pair)) for pair in re.findall(r"(\d+),(\d+)", name)]
        row, column = (sum(parts) / len(parts) - 0.5 for parts in zip(*places, strict=True))
        letter = "x" if "exposed" in name else "L" if "set" in name else ""
        cells = " ".join(f"{r}{c}" for r, c in places)
        symbols[variable] = f"{letter}{cells}" if letter else f"[{cells}]"
        if letter:
            away, colour = (-0.27, "var(--ink)") if letter == "L" else (0.27, "var(--light)")
            text = f"{letter} {variable}"
            drawing.shapes.append(note(row + away, column + 0.8 * away, text, 0.15, colour))
        else:
            drawing.shapes += [
                pair_of(places, "var(--cool)", 0.5),
                dot(row, column, "var(--paper)", 0.13),
                note(row, column, f"{variable}", 0.13, "var(--cool)"),
            ]
    legend = [
        "L: in the losing set",
        "x: exposed",
        "[ ] and line: matched",
        "",
        *(f"{k:>2} {symbols[k]}" for k in (1, 6, 11)),
        "and so on",
    ]
    yield "geography-clauses", clause_sheet(drawing, legend, formula, symbols)
    pairs = [[(1, 1), (2, 1)], [(2, 2), (2, 3)]]
    shifted = [pairs[0], [(2, 2), (3, 2)]]
    steps: dict[str, str] = {}
    for caption, matched, losing, path in (
        ("1. pair neighbours", pairs, [], []),
        ("2. who is left loses", pairs, [(3, 2)], []),
        ("3. shift the pairs", shifted, [(3, 2), (2, 3)], [(3, 2), (2, 2), (2, 3)]),
    ):
        drawing = glyphs(board.lines())
        drawing.shapes += [square(r - 1, c - 1, "var(--bad)", 0.25) for r, c in losing]
        drawing.shapes += [pair_of(each, "var(--cool)", 0.9) for each in matched]
        for one, other in pairwise(path):
            start, end = ((r - 0.36, c - 0.36) for r, c in (one, other))
            drawing.shapes.append(arrow(start, end, "var(--light)", 0.04))
        steps[caption] = drawing.svg("")
    yield "geography-steps", step_sheet(steps)


def pair_of(places: Sequence[Sequence[int]], colour: str, part: float) -> str:
    """A line between two cells (row and column from 1), this part of the way between them."""
    (r, c), (s, d) = places
    middle, half = ((r + s - 1) / 2, (c + d - 1) / 2), ((s - r) * part / 2, (d - c) * part / 2)
    ends = [(middle[0] + k * half[0], middle[1] + k * half[1]) for k in (-1, 1)]
    return stroke(ends, colour, 0.08 if part > 0.7 else 0.04)


def nogo_page() -> Pictures:
    """The pictures of docs/puzzles/nogo.md."""
    puzzle = puzzles.get("nogo")
    board = puzzle.parse("3\nXOO\nXO.\nX..\n")[0]
    pair = (
        card(puzzle.picture(board), 235, "the board"),
        card(puzzle.picture(board, direct.solve(board)), 255, "the game: one move"),
    )
    yield "nogo-board", sheet("a nogo board and its game", pair)
    formula = Formula()
    one_move(neighbours_on(3, 3), formula)
    letters = {"black at": "B", "white at": "W", "is empty": "E", "before it": "R"}
    symbols: dict[int, str] = {}
    drawing = glyphs(board.lines(), size=0.36)
    for variable, name in sorted(pair for each in formula.meanings for pair in each.names(3)):
        place = re.findall(r"(\d+),(\d+)", name)
        letter = next((sign for words, sign in letters.items() if words in name), "M")
        symbols[variable] = letter + "".join(place[0]) if place else "T"
        if place:
            row, column = (int(part) - 1 for part in place[0])
            down, right = {
                "B": (0.18, 0.22),
                "W": (0.18, 0.78),
                "E": (0.84, 0.18),
                "M": (0.84, 0.5),
                "R": (0.84, 0.82),
            }[letter]
            text = f"{letter}={variable}"
            drawing.shapes.append(note(row + down, column + right, text, 0.11, "var(--cool)"))
    legend = [
        "B: black after it",
        "W: white after it",
        "E: empty before it",
        "M: the move",
        "R: the move, or an",
        "   earlier point",
        "T: black moves",
        "",
        *(f"{k:>2} {symbols[k]}" for k in (1, 10, 19, 28, 37, 46)),
        "and so on",
    ]
    yield "nogo-clauses", clause_sheet(drawing, legend, formula, symbols)
    before, after = ("XOO", "XO.", "X.."), ("XOO", "XOX", "X..")
    steps = {
        "1. count by edges": liberties(before, [(2, 3), (3, 2), (3, 3)]),
        "3. black is at 2,3": liberties(after, [(3, 2), (3, 3)]),
        "2. white tries 3,2": liberties((*after[:2], "XO."), [(3, 3)]),
    }
    yield "nogo-steps", step_sheet(steps)


def liberties(rows: Sequence[str], empty: Sequence[tuple[int, int]]) -> str:
    """A nogo position, with a mark on each edge between a stone and an empty point."""
    drawing = BoardPicture(len(rows), len(rows[0]))
    kinds = {(r, c): kind for r, line in enumerate(rows) for c, kind in enumerate(line)}
    for (row, column), kind in kinds.items():
        if kind != ".":
            fill = "#24292f" if kind == "X" else "#fff"
            drawing.shapes.append(disc(row, column, fill, 0.34, "var(--line)"))
    for r, c in empty:
        for down, right in HEADINGS.values():
            near = (r - 1 + down, c - 1 + right)
            if kinds.get(near, ".") != ".":
                at = (r - 0.5 + 0.5 * down, c - 0.5 + 0.5 * right)
                colour = "var(--light)" if kinds[near] == "O" else "var(--cool)"
                drawing.shapes.append(dot(*at, colour, 0.1))
    return drawing.svg("")


def minesweeper_page() -> Pictures:
    """The pictures of docs/puzzles/minesweeper.md."""
    puzzle = puzzles.get("minesweeper")
    board = puzzle.parse("3 3\n###\n2#1\n#1.\n")[0]
    answer = direct.solve(board, certify=True, probabilities=True)
    pair = (
        card(puzzle.picture(board), 235, "the board"),
        card(puzzle.picture(board, answer), 285, "the answer"),
    )
    yield "minesweeper-board", sheet("a minesweeper board and its answer", pair)
    encoding = encode_board(board)
    drawing = glyphs(board.lines(), "#")
    symbols: dict[int, str] = {}
    for letter, (variable, name) in zip("abcde", encoding.names, strict=True):
        row, column = (int(part) for part in re.findall(r"\d+", name))
        symbols[variable] = letter
        drawing.shapes += [
            square(row - 1, column - 1, "var(--cool)", 0.15),
            note(row - 0.5, column - 0.5, letter, 0.5, "var(--cool)"),
            note(row - 0.14, column - 0.14, f"{variable}", 0.15, "var(--light)"),
        ]
    legend = [*(f"{k} {symbols[k]}" for k in symbols), "", "a: a mine at 1,1"]
    yield "minesweeper-clauses", clause_sheet(drawing, legend, encoding.formula, symbols, 300)
    steps = {
        "1. the closure": ("abc", "2○1", "●1."),
        "3. one layout": ("●○●", "2○1", "●1."),
        "   the other": ("○●○", "2○1", "●1."),
    }
    drawn = {caption: glyphs(rows, "#").svg("") for caption, rows in steps.items()}
    yield "minesweeper-steps", step_sheet(drawn, "the steps of the algorithm")


def method() -> str:
    """How a board is solved twice, and its answers are checked."""
    boxes = {
        "board": (10, 95, 90, ["a board"]),
        "direct": (170, 10, 130, ["an algorithm", "(direct)"]),
        "models": (170, 80, 130, ["a model and", "a solver (models)"]),
        "program": (170, 150, 130, ["your program"]),
        "check": (394, 80, 148, ["the check", "goes by the rules"]),
        "verdict": (418, 180, 124, ["PROVED, UNPROVED", "or REFUTED"]),
    }
    shapes = ""
    for left, top, width, lines in boxes.values():
        shapes += (
            f'<rect x="{left}" y="{top}" width="{width}" height="46" rx="6" fill="none" '
            'stroke="var(--ink)"/>'
        )
        for k, line in enumerate(lines):
            y = top + 27 + 16 * k - 8 * (len(lines) - 1)
            x = left + width / 2
            shapes += (
                f'<text x="{x:g}" y="{y}" font-size="12" text-anchor="middle">{escape(line)}</text>'
            )
    for top in (33, 103, 173):
        shapes += arrow((118, 102), (top, 167), "var(--cool)", 2)
        shapes += arrow((top, 302), (103, 391), "var(--light)", 2)
    shapes += arrow((128, 480), (177, 480), "var(--ink)", 2)
    shapes += stroke([(143, 55), (222, 55), (222, 404), (140, 404)], "var(--cool)", 2)
    shapes += arrow((150, 404), (129, 404), "var(--cool)", 2)
    for x, y, text in (
        (362, 42, "answer and"),
        (362, 56, "certificate"),
        (120, 214, "the board itself"),
    ):
        shapes += f'<text x="{x}" y="{y}" font-size="11">{text}</text>'
    return sheet("a board, its solvers and the check", [Part(WIDE, 240, shapes)])


def literals(rows: Sequence[str], texts: Sequence[Sequence[str]], named: str = "ABC") -> str:
    """A board with a text in each open cell, its turrets named or as they stand."""
    drawing = glyphs(rows, ".-|" if named else ".")
    names = iter(named)
    for row, (line, own) in enumerate(zip(rows, texts, strict=True)):
        for column, (kind, text) in enumerate(zip(line, own, strict=True)):
            if named and kind in "-|":
                drawing.shapes.append(disc(row, column, "var(--paper)", 0.3, "var(--ink)"))
                drawing.shapes.append(note(row + 0.5, column + 0.5, next(names), 0.34))
            for k, word in enumerate(text.split()):
                height = row + 0.5 + 0.27 * (k - (len(text.split()) - 1) / 2)
                drawing.shapes.append(note(height, column + 0.5, word, 0.27, "var(--light)"))
    return drawing.svg("")


def graph(
    nodes: Mapping[str, tuple[float, float]],
    arrows: Sequence[tuple[str, str, str]],
    width: float,
    caption: str,
) -> Part:
    """Nodes at (x, y), and arrows between them with a text beside each."""
    above, shapes = written([caption], width), ""
    for start, end, text in arrows:
        (x, y), (u, v) = nodes[start], nodes[end]
        length = hypot(u - x, v - y)
        away = 20 * (u - x) / length, 20 * (v - y) / length
        shapes += arrow((y + away[1], x + away[0]), (v - away[1], u - away[0]), "var(--cool)", 2)
        sideways = abs(u - x) > abs(v - y)
        at = (
            ((x + u) / 2, (y + v) / 2 + (-8 if y < 100 else 16))
            if sideways
            else ((x + u) / 2 + 6, (y + v) / 2)
        )
        anchor = "middle" if sideways else "start"
        shapes += (
            f'<text x="{at[0]:g}" y="{at[1]:g}" font-size="11" text-anchor="{anchor}">'
            f"{escape(text)}</text>"
        )
    for name, (x, y) in nodes.items():
        shapes += (
            f'<circle cx="{x}" cy="{y}" r="17" fill="var(--paper)" stroke="var(--ink)"/>'
            f'<text x="{x}" y="{y + 5}" font-size="14" text-anchor="middle">{escape(name)}</text>'
        )
    height = max(y for _, y in nodes.values()) + 30
    return Part(
        width,
        above.height + height,
        f'{above.body}<g transform="translate(0 {above.height:g})">{shapes}</g>',
    )


if __name__ == "__main__":
    main()
