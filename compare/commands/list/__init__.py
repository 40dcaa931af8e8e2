"""`compare list`."""

from __future__ import annotations

from compare.commands import Command

COMMAND = Command(
    group="this installation",
    place=1,
    about="puzzles, families, backends, solvers, versions",
    examples=(
        "list",
        "list {beams}",
    ),
)
