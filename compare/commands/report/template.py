"""The template of the report, the filters it uses, and what has room on a sheet of paper."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compare.show.table import Table, one_line
from puzzles.extras import not_installed
from puzzles.text import UserError

if TYPE_CHECKING:
    from markupsafe import Markup

PAPER_WIDTH, MIN_PAPER_SCALE = 680.0, 0.5
"""CSS pixels between the margins of a sheet of A4, and of texts of boards the least scale there: a
board that is wider still is made smaller by itself.
"""

MAX_PAPER_CHARACTERS, PADDING = 110, 2
"""Characters of a table that have room beside each other on a sheet of A4, and those that the space
around a column takes.
"""

MAX_UNBROKEN = 16
"""Characters of a name for which the first column of a table has room where a page is narrow."""


def page_template(path: Path, *modules: str) -> Any:
    """The template of a page that these modules draw; raises `UserError` if they, or what fills it,
    are not installed.
    """
    try:
        for name in (*modules, "jinja2"):
            import_module(name)
    except ImportError as error:
        raise UserError(not_installed([error.name or "jinja2"])) from None
    return _compiled(path)


def breakable(name: str) -> Markup:
    """A name as HTML; a long one may be broken behind `:`, `@`, `,` and `=`.

    The name is plain text, or what a macro of the template has made of it, which is HTML already.
    """
    from markupsafe import Markup, escape

    plain = name.unescape() if isinstance(name, Markup) else name
    if len(plain) <= MAX_UNBROKEN:
        return escape(plain)
    return Markup("<wbr>").join(map(escape, re.split(r"(?<=[:@,=])(?=\S)", plain)))


@cache
def _compiled(path: Path) -> Any:
    """A template; to compile it takes longer than to fill it."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    environment.filters["one_line"] = one_line
    environment.filters["breakable"] = breakable
    return environment.from_string(path.read_text(encoding="utf-8"))


def paper_scale(sections: Sequence[Mapping[str, Any]]) -> str:
    """By what factor all boards are made smaller on paper, so that the widest has room."""
    shown = [
        drawing
        for section in sections
        for drawings in (
            *(conflict.drawings for conflict in section["conflicts"]),
            section["faults"],
            section["pictures"],
            section["extra_pictures"],
        )
        for drawing in drawings
    ]
    widths = (re.match(r'<svg [^>]*\bwidth="([\d.]+)"', drawing.svg) for drawing in shown)
    widest = max((float(width[1]) for width in widths if width), default=PAPER_WIDTH)
    return f"{min(1.0, max(MIN_PAPER_SCALE, PAPER_WIDTH / widest)):.3f}"


def fits_paper(rows: Iterable[Sequence[str]]) -> bool:
    """Whether a table of these texts, its heads among them, fits on paper with no word broken."""
    columns = zip(*rows, strict=True)
    words = ([word for text in column for word in text.split()] for column in columns)
    widths = (max(map(len, some), default=0) + PADDING for some in words)
    return sum(widths) <= MAX_PAPER_CHARACTERS


def table_fits_paper(table: Table) -> bool:
    return fits_paper([table.headings, *([cell.text for cell in row] for row in table.rows)])
