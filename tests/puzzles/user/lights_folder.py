"""The example `lights.py`, taken apart into a folder with the modules that our puzzles have."""

from __future__ import annotations

import re
from pathlib import Path

from tests.places import ROOT

LIGHTS = (ROOT / "examples" / "lights.py").read_text()

_PARTS = re.split(r"^(?=class |(?<!\)\n)def |@backend|PUZZLE)", LIGHTS, flags=re.MULTILINE)
_HEAD, _BOARD, _PUZZLE, _SWITCHED, _RANDOM, _ELIMINATION, _CLAUSES, _INSTANCE = _PARTS

FILES = {
    "__init__.py": f"{_HEAD}\nfrom .board import Lights\nfrom .check import switched\nfrom "
    ".families import "
    "random_lights\n\n\n"
    f"{_PUZZLE}{_INSTANCE}",
    "board.py": f"{_HEAD}{_BOARD}",
    "check.py": f"{_HEAD}{_SWITCHED}",
    "families.py": f"{_HEAD}\nfrom .board import Lights\n\n\n{_RANDOM}",
    "direct.py": f"{_HEAD}\nfrom .board import Lights\n\n\n{_ELIMINATION}",
    "models/by_clauses.py": f"{_HEAD}\nfrom ..board import Lights\n\n\n{_CLAUSES}",
    "rules.md": "# Lights\n",
    "data/sample/one.in": "1\n1 2\n**\n",
}
"""The files of the folder, by their paths in it."""


def write_folder(folder: Path) -> Path:
    """Write the example into this folder, which is made."""
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder
