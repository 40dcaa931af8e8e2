"""A case of any kind as SVG: its text, and the text of an answer, with what does not fit left out."""

from __future__ import annotations

from puzzles.pictures.svg import written

MOST_LINES, MOST_COLUMNS = 40, 100
"""Lines of a case, and characters of a line, that are drawn."""


def text_picture(title: str, case: str, answer: str = "") -> str:
    """The lines of the case, and below them those of the answer."""
    lines = [(line, "ink") for line in _bounded(case)]
    lines += [(line, "good") for line in _bounded(answer.rstrip("\n")) if answer]
    return written(lines, title)


def _bounded(text: str) -> list[str]:
    lines = text.split("\n")
    shown = [line if len(line) <= MOST_COLUMNS else f"{line[:MOST_COLUMNS]}..." for line in lines[:MOST_LINES]]
    return shown + [f"... ({len(lines) - MOST_LINES} more lines)"] * (len(lines) > MOST_LINES)
