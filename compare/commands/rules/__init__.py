"""`compare rules`."""

from __future__ import annotations

from compare.commands import Command

COMMAND = Command(
    group="puzzles, built-in and your own",
    place=1,
    about="the rules of a puzzle, its formats and a sample",
    examples=(
        "rules {beams}",
        "rules {nogo}",
    ),
)
