"""What a picture of a board shows, part by part."""

from __future__ import annotations

import re
from html import unescape
from typing import NamedTuple


class Shown(NamedTuple):
    """The parts of a picture.

    Attributes:
        headline: the text above the board.
        numbers: those of the columns and rows that are numbered.
        cells: the shapes on the board, as SVG.
        legend: the texts below the board, a line each.
        signs: the shapes in the legend, as SVG.
        width, height: pixels.
    """

    headline: str
    numbers: list[int]
    cells: str
    legend: list[str]
    signs: list[str]
    width: float
    height: float


def shown(svg: str | None) -> Shown:
    """The parts of a picture that a `puzzles.pictures.BoardPicture` makes."""
    assert svg is not None
    match = re.fullmatch(
        r'<svg [^>]* width="([\d.]+)" height="([\d.]+)"><title>.*?</style><rect [^>]*>(?:<g '
        r'class="headline"[^>]*>(.*?)</g>)?'
        r'<g class="numbers"[^>]*>(.*?)</g><g class="cells"[^>]*>(.*?)</g>(?:<g '
        r'class="legend"[^>]*>(.*)</g>)?</svg>\n',
        svg,
        re.S,
    )
    assert match, svg
    width, height, headline, numbers, cells, legend = (part or "" for part in match.groups())
    signs = re.findall(r'<g class="cells" [^>]*>(.*?)</g>', legend)
    return Shown(
        " ".join(texts(headline)),
        [int(text) for text in texts(numbers)],
        cells,
        texts(legend),
        signs,
        float(width),
        float(height),
    )


def texts(svg: str) -> list[str]:
    """The texts in a part of a picture."""
    return [unescape(text) for text in re.findall(r"<text [^>]*>(.*?)</text>", svg)]
