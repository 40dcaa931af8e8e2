"""Pictures as SVG: shapes and their frame, the picture of a board of any grid puzzle, and that of
any case.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from html import escape
from typing import TYPE_CHECKING

from puzzles.text import excerpt

if TYPE_CHECKING:
    from puzzles.grid import Board

_STYLE = """
.board{--ink:#1f2328;--soft:#59636e;--paper:#fff;--line:#818b98;--wall:#57606a;
--good:#1a7f37;--bad:#cf222e;--light:#b45309;--cool:#0969da}
@media (prefers-color-scheme:dark){.board{--ink:#e6edf3;--soft:#9198a1;--paper:#0d1117;
--line:#656c76;--wall:#9198a1;--good:#3fb950;--bad:#f85149;--light:#e3b341;--cool:#58a6ff}}
.board text{font-family:ui-monospace,Menlo,Consolas,monospace;fill:var(--ink)}
.board .cells text{font-size:.6px;text-anchor:middle;dominant-baseline:central}
.board .numbers text{fill:var(--soft);text-anchor:middle;dominant-baseline:central}
"""

_CELL, _FONT, _MIN_SIDE, _MAX_SIDE = 24.0, 12.0, 160.0, 960.0
"""Pixels of a cell and of texts; at least of the longer side of a board; at most of its width."""

_ONE_SCALE: ContextVar[bool] = ContextVar("_ONE_SCALE", default=False)


@contextmanager
def one_scale() -> Iterator[None]:
    """Within, cells and texts have the same size in every picture: for pictures that stand beside
    each other, on a page that scrolls those for which it has no room.
    """
    token = _ONE_SCALE.set(True)
    try:
        yield
    finally:
        _ONE_SCALE.reset(token)


_READABLE_WIDTH = 480.0
"""Pixels of a board up to which texts have their normal size; wider pictures are shrunk by a page
of some 390 pixels.
"""

_MAX_CELLS = 40_000
"""Cells of a board up to which its grid is drawn."""

_MIN_WIDTH, _ADVANCE = 260.0, 0.61
"""Pixels of the narrowest picture, so that its texts have room; the width of a character, relative
to its height.
"""


Sign = Callable[[int, int], str]
"""(row, column) -> shapes in that cell."""


class BoardPicture:
    """Shapes on a board of numbered unit cells, and what they mean; colours are the CSS variables
    of `.board`.

    Attributes:
        shapes: SVG, later ones above earlier ones.
        legend: by meaning, in a few words, shapes in the cell (0, 0).
    """

    def __init__(self, rows: int, columns: int) -> None:
        self.rows, self.columns = rows, columns
        self.shapes: list[str] = []
        self.legend: dict[str, str] = {}

    def add(self, cell: int, sign: Sign, meaning: str = "") -> None:
        """Draw a sign in a cell (flat index).

        The first sign of a meaning stands for it in the legend.
        """
        self.shapes.append(sign(*divmod(cell, self.columns)))
        if meaning:
            self.legend.setdefault(meaning, sign(0, 0))

    def svg(self, title: str, headline: str = "") -> str:
        """The picture, with the headline above the board and the legend below it.

        A cell is 24 pixels wide; cells of small boards are larger, so that the board's longer side
        has at least 160 pixels, and those of wide boards smaller, so that it is at most 960 pixels
        wide. Texts grow with the picture, because a page that has no room for a large picture
        shrinks it. Within `one_scale` all of this has one size.
        """
        rows, columns = self.rows, self.columns
        cell, font = _CELL, _FONT
        if not _ONE_SCALE.get():
            cell = min(max(_CELL, _MIN_SIDE / max(rows, columns)), _MAX_SIDE / columns)
            font *= max(1.0, columns * cell / _READABLE_WIDTH)
        left = font * (_ADVANCE * len(str(rows)) + 0.8)
        beside = max(
            0.5 * font, font * (0.85 * _ADVANCE * len(str(columns)) / 2 + 0.2) - cell / 2
        )  # the last number ends there
        width = max(left + columns * cell + beside, _MIN_WIDTH)
        words = [*_lines(headline, width, font)]
        top = font * 1.45 * len(words) + (0.4 * font if words else 0) + 1.6 * font
        entries, height = _legend(self.legend, top + rows * cell + 0.7 * font, width, font)
        grid = ""
        if rows * columns <= _MAX_CELLS:
            lines = "".join(
                [f"M0 {row}H{columns}" for row in range(rows + 1)]
                + [f"M{k} 0V{rows}" for k in range(columns + 1)]
            )
            grid = f'<path d="{lines}" stroke="var(--line)" stroke-width="{1 / cell:.3g}"/>'
        above = (
            '<g class="headline" '
            f'font-size="{font:.4g}">{_texts([(each, "") for each in words], font)}</g>'
            if words
            else ""
        )
        numbers = (
            '<g class="numbers" '
            f'font-size="{0.85 * font:.3g}">{_numbers(rows, columns, cell, left, top, font)}</g>'
        )
        at = f'transform="translate({left:.6g} {top:.6g}) scale({cell:.6g})"'
        board = f'<g class="cells" {at}>{grid}{"".join(self.shapes)}</g>'
        return _svg(width, height, title, f"{above}{numbers}{board}{entries}")


def _svg(width: float, height: float, title: str, body: str) -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" class="board" role="img" viewBox="0 0 '
        f'{width:.6g} {height:.6g}" '
        f'width="{width:.6g}" '
        f'height="{height:.6g}"><title>{escape(title)}</title><style>{_STYLE}</style>'
        f'<rect width="100%" height="100%" fill="var(--paper)"/>{body}</svg>\n'
    )


def _lines(text: str, width: float, font: float) -> list[str]:
    """The text in lines that fit into the picture."""
    return [
        line
        for part in text.split("\n")
        for line in textwrap.wrap(part, int(width / (font * _ADVANCE)) - 1)
    ]


def _texts(lines: Sequence[tuple[str, str]], font: float) -> str:
    """Lines of text from the top left corner, each with the attributes of its element."""
    return "".join(
        f'<text x="{0.4 * font:.5g}" y="{(1.45 * number + 1.25) * font:.5g}" '
        f'xml:space="preserve"{attributes}>{escape(line)}</text>'
        for number, (line, attributes) in enumerate(lines)
    )


def _numbers(rows: int, columns: int, cell: float, left: float, top: float, font: float) -> str:
    """The numbers of rows and columns, counted from 1; so few that none touches the next, the first
    and the last among them.
    """

    def row_numbers(count: int, room: float) -> list[int]:
        step = next(
            step
            for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, count + 1)
            if step * cell >= room or step > count
        )
        inner = range(1, count, 2) if step == 2 else [1, *range(max(step, 2), count, step)]
        return [k for k in inner if (count - k) * cell >= room] + [count]

    across = row_numbers(columns, font * (0.55 * len(str(columns)) + 0.5))
    parts = [
        f'<text x="{left + (k - 0.5) * cell:.5g}" y="{top - 0.75 * font:.5g}">{k}</text>'
        for k in across
    ]
    middle = (left - 0.2 * font) / 2
    parts += [
        f'<text x="{middle:.5g}" y="{top + (k - 0.5) * cell:.5g}">{k}</text>'
        for k in row_numbers(rows, 1.1 * font)
    ]
    return "".join(parts)


def _legend(legend: Mapping[str, str], top: float, width: float, font: float) -> tuple[str, float]:
    """The signs with their meanings below each other, and the height of the picture that they
    end.
    """
    side, line, parts = 1.4 * font, 1.45 * font, list[str]()
    for meaning, sign in legend.items():
        parts.append(
            f'<g class="cells" transform="translate({0.4 * font:.5g} {top:.5g}) '
            f'scale({side:.5g})">{sign}</g>'
        )
        for text in _lines(meaning, width - side - font, font):
            parts.append(
                f'<text x="{side + font:.5g}" y="{top + 1.1 * font:.5g}">{escape(text)}</text>'
            )
            top += line
        top += 0.25 * font
    return (
        f'<g class="legend" font-size="{font:.4g}">{"".join(parts)}</g>' if parts else ""
    ), top + 0.2 * font


def square(row: int, column: int, fill: str, opacity: float = 1) -> str:
    """A filled cell; `fill` is a CSS colour such as `var(--wall)`."""
    return (
        f'<rect x="{column}" y="{row}" width="1" height="1" fill="{fill}" opacity="{opacity:g}"/>'
    )


def frame(row: int, column: int, colour: str, *, dashed: bool = False) -> str:
    """A thick line around a cell, within it."""
    dashes = ' stroke-dasharray=".14 .1"' if dashed else ""
    return (
        f'<rect x="{column + 0.06:g}" y="{row + 0.06:g}" width=".88" height=".88" fill="none" '
        f'stroke="{colour}" '
        f'stroke-width=".1"{dashes}/>'
    )


def label(row: int, column: int, text: str, fill: str = "var(--ink)") -> str:
    """A short text in the middle of a cell."""
    return f'<text x="{column + 0.5}" y="{row + 0.5}" style="fill:{fill}">{escape(text)}</text>'


def disc(row: int, column: int, fill: str, radius: float = 0.36, stroke: str = "none") -> str:
    """A disc in the middle of a cell."""
    return (
        f'<circle cx="{column + 0.5}" cy="{row + 0.5}" r="{radius:g}" fill="{fill}" '
        f'stroke="{stroke}" stroke-width=".06"/>'
    )


def cross(row: int, column: int, colour: str) -> str:
    """A diagonal cross in a cell."""
    return (
        f'<path d="M{column + 0.18:g} {row + 0.18:g}l.64 .64m0 -.64l-.64 .64" stroke="{colour}" '
        'stroke-width="0.12" stroke-linecap="round" fill="none"/>'
    )


def stroke(
    points: Iterable[tuple[float, float]], colour: str, width: float = 0.08, *, dashed: bool = False
) -> str:
    """A line through (row, column) points, measured in cells."""
    joined = " ".join(f"{column:g},{row:g}" for row, column in points)
    dashes = ' stroke-dasharray=".16 .14"' if dashed else ""
    return (
        f'<polyline points="{joined}" fill="none" stroke="{colour}" stroke-width="{width:g}" '
        'stroke-linecap="round"'
        f' stroke-linejoin="round"{dashes}/>'
    )


wall = partial(square, fill="var(--wall)")
"""A cell that is no part of the board."""

MAX_DRAWN_LINES, MAX_DRAWN_COLUMNS = 40, 100
"""Lines of a case, and characters of a line, that are drawn."""


def plain_picture(board: Board, shown: Board, says: str) -> str:
    """The characters of a board, or of the board to show instead, which is a solution of the same
    size. `says` is the headline.

    The characters `.` and `#` are an empty cell and a filled one.
    """
    drawing = BoardPicture(board.rows, board.columns)
    symbols = zip("".join(board.lines()), "".join(shown.lines()), strict=True)
    for cell, (before, kind) in enumerate(symbols):
        if kind == "#":
            drawing.add(cell, wall)
        if before != kind:
            drawing.add(cell, _changed_cell, "what the solution changes")
        if kind not in ".#":
            drawing.add(
                cell,
                partial(label, text=kind, fill="var(--ink)" if before == kind else "var(--good)"),
            )
    verdict = f": {says.lower()}" if says else ""
    return drawing.svg(f"{board.puzzle} {board.shown_size}{verdict}", says)


def _changed_cell(row: int, column: int) -> str:
    """A green cell with a frame, which needs no colour."""
    return square(row, column, "var(--good)", 0.25) + frame(row, column, "var(--good)")


def text_picture(title: str, case: str, answer: str = "") -> str:
    """The lines of the case, and below them those of the answer."""
    lines = [
        (line, ' style="fill:var(--ink)"')
        for line in excerpt(case, MAX_DRAWN_LINES, MAX_DRAWN_COLUMNS)
    ]
    if answer:
        lines += [
            (line, ' style="fill:var(--good)"')
            for line in excerpt(answer, MAX_DRAWN_LINES, MAX_DRAWN_COLUMNS)
        ]
    font = _FONT
    width = max(_MIN_WIDTH, font * (_ADVANCE * max(len(line) for line, _ in lines) + 1))
    height = font * (1.45 * len(lines) + 0.8)
    return _svg(width, height, title, f'<g font-size="{font:g}">{_texts(lines, font)}</g>')


def picture_of_parts(
    title: str,
    headline: str,
    body: str = "",
    size: tuple[float, float] = (0.0, 0.0),
    legend: Mapping[str, str] | None = None,
) -> str:
    """A picture with a headline above it and a legend below it.

    Args:
        body: SVG in pixels, from (0, 0) to `size`.
        legend: by meaning, shapes from (0, 0) to (1, 1).
    """
    width = max(size[0], _MIN_WIDTH)
    words = _lines(headline, width, _FONT)
    top = _FONT * (1.45 * len(words) + 0.4)
    entries, height = _legend(legend or {}, top + size[1] + 0.7 * _FONT, width, _FONT)
    above = _texts([(each, "") for each in words], _FONT)
    return _svg(
        width,
        height,
        title,
        f'<g class="headline" font-size="{_FONT:g}">{above}</g>'
        f'<g transform="translate(0 {top:.5g})">{body}</g>{entries}',
    )
