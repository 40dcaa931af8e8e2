"""`compare conform`.

What every puzzle must do, built-in or a user's: each point is tried, and what fails is a
sentence with the remedy.
"""

from __future__ import annotations

from compare.commands import FUNCTIONS, Command

COMMAND = Command(
    group="puzzles, built-in and your own",
    place=4,
    about="whether a puzzle of your own is all that the commands expect of it",
    examples=(
        "conform ./lights.py",
        "conform ./lights.py --point answers",
    ),
    functions={"conform": FUNCTIONS},
)
