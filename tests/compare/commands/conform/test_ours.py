"""Our puzzles hold every point that somebody's own puzzle has to hold, and those of `built_in`.

`test_check_mutants.py` changes their checks.
"""

from __future__ import annotations

from importlib import import_module

import pytest

import puzzles
from compare.commands.conform.points import findings, points_of

SLOW = {
    *((name, "damage") for name in ("nogo", "minesweeper", "geography")),
    *((name, "tiny") for name in ("nogo", "minesweeper", "geography")),
    *((name, "answers") for name in ("nogo", "minesweeper", "geography")),
    *((name, "proofs") for name in ("nogo", "minesweeper", "geography")),
}
CASES = [(name, point) for name in puzzles.names() for point in points_of(puzzles.get(name))]


@pytest.fixture(scope="module", autouse=True)
def or_tools() -> None:
    """Import them here: each point forks this process, and some import them in the fork."""
    import_module("ortools.sat.python.cp_model")


@pytest.mark.parametrize(
    ("name", "point"),
    [
        pytest.param(
            name,
            point,
            id=f"{name}-{point}",
            marks=[pytest.mark.slow] if (name, point) in SLOW else [],
        )
        for name, point in CASES
    ],
)
def test_a_point_holds(name: str, point: str) -> None:
    assert findings(puzzles.get(name), point) == []
