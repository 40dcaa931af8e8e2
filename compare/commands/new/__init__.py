"""`compare new`."""

from __future__ import annotations

from compare.commands import Command

COMMAND = Command(
    group="puzzles, built-in and your own",
    place=3,
    about="a file to begin a puzzle of your own with; it works at once",
    examples=(
        "new lights",
        "new sums --numbers",
    ),
)
