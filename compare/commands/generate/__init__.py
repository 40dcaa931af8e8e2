"""`compare generate`."""

from __future__ import annotations

from compare.commands import Command

COMMAND = Command(
    group="puzzles, built-in and your own",
    place=2,
    about="boards of a family in the contest's format",
    examples=(
        "generate {beams} cycle 40 --cases 10 > boards.in",
        "generate {nogo} random 9",
    ),
)
