"""What this process knows of a plugin's backend is what the plugin registered."""

from __future__ import annotations

from pathlib import Path

import direct
from compare.work.foreign.plugins import register_plugins

PLUGIN = """
from puzzles.backend import backend
from puzzles.beams.board import Layout

@backend("beams", "described", side="direct", source="a plugin", assumes="luck", complete=False,
         finds="closure", quick=36, options=("depth", "rule"), limit=400, slow=True,
         certifies=False, requires=("no_such_module",))
def solve(board, *, certify=False, depth=3, rule=print):
    return Layout(False)
"""


def test_a_stand_in_has_every_field_of_its_backend(tmp_path: Path) -> None:
    path = tmp_path / "described.py"
    path.write_text(PLUGIN)
    register_plugins([str(path)])
    backend = direct.SIDE.get("beams", "described")
    assert (backend.label, backend.source, backend.assumes, backend.finds) == (
        "direct:described",
        "a plugin",
        "luck",
        "closure",
    )
    assert (backend.complete, backend.slow, backend.certifies, backend.quick, backend.limit) == (
        False,
        True,
        False,
        36,
        400,
    )
    assert (backend.options, backend.defaults) == (("depth", "rule"), {"depth": 3})
    assert "no_such_module" in (backend.available() or "")
