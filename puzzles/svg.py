"""Parts of the pictures: a grid of unit cells as a self-contained SVG for light and dark pages."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

_STYLE = """
.board{--ink:#1f2328;--paper:#fff;--line:#d0d7de;--wall:#57606a;--good:#1a7f37;--bad:#cf222e;--light:#d97706;--cool:#0969da}
@media (prefers-color-scheme:dark){.board{--ink:#e6edf3;--paper:#0d1117;--line:#3d444d;--wall:#9198a1;--good:#3fb950;--bad:#f85149;
--light:#e3b341;--cool:#58a6ff}}
.board text{font:.6px ui-monospace,Menlo,Consolas,monospace;text-anchor:middle;dominant-baseline:central;fill:var(--ink)}
"""

_MOST_CELLS = 40_000


def drawing(rows: int, columns: int, shapes: Iterable[str], title: str) -> str:
    """An SVG of `rows` x `columns` unit cells with these shapes; colours are the CSS variables of `.board`.

    A cell is 24 pixels wide, or less so that the board is at most 960 pixels wide. A board of more than 40,000 cells has no grid
    lines.
    """
    pixels = min(24.0, 960 / columns)
    lines = ""
    if rows * columns <= _MOST_CELLS:
        lines = "".join(f"M0 {row}H{columns}" for row in range(rows + 1)) + "".join(
            f"M{column} 0V{rows}" for column in range(columns + 1)
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="board" role="img" viewBox="-.1 -.1 {columns + 0.2:g} {rows + 0.2:g}" '
        f'width="{columns * pixels:g}" height="{rows * pixels:g}"><title>{escape(title)}</title><style>{_STYLE}</style>'
        f'<rect width="{columns}" height="{rows}" fill="var(--paper)"/>'
        f'<path d="{lines}" stroke="var(--line)" stroke-width=".03"/>{"".join(shapes)}</svg>\n'
    )


def square(row: int, column: int, fill: str, opacity: float = 1) -> str:
    """A filled cell; `fill` is a CSS colour such as `var(--wall)`."""
    return f'<rect x="{column}" y="{row}" width="1" height="1" fill="{fill}" opacity="{opacity:g}"/>'


def label(row: int, column: int, text: str, fill: str = "var(--ink)") -> str:
    """A short text in the middle of a cell."""
    return f'<text x="{column + 0.5}" y="{row + 0.5}" style="fill:{fill}">{escape(text)}</text>'


def disc(row: int, column: int, fill: str, radius: float = 0.36, stroke: str = "none") -> str:
    """A disc in the middle of a cell."""
    return f'<circle cx="{column + 0.5}" cy="{row + 0.5}" r="{radius:g}" fill="{fill}" stroke="{stroke}" stroke-width=".06"/>'


def stroke(points: Iterable[tuple[float, float]], colour: str, width: float = 0.08) -> str:
    """A line through (row, column) points, measured in cells."""
    joined = " ".join(f"{column:g},{row:g}" for row, column in points)
    return f'<polyline points="{joined}" fill="none" stroke="{colour}" stroke-width="{width:g}" stroke-linecap="round"/>'
