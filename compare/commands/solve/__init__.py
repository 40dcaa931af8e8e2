"""`compare solve`."""

from __future__ import annotations

from compare.commands import Command

COMMAND = Command(
    group="solve",
    place=1,
    about="the answers of one backend to a file, in the contest's format, under limits",
    examples=(
        "solve {beams} boards.in -b models",
        "solve {beams} boards.in -b {beams:cnf} --solver glucose4",
    ),
    starts_children=True,
)
