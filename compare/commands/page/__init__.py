"""`compare page`.

The web page: a board is drawn, and both sides answer.

A server on the loopback address; solving is the workers' job.
"""

from __future__ import annotations

from compare.commands import Command

COMMAND = Command(
    group="look at results",
    place=2,
    about="draw a board in the browser and see both answers, each with its proof",
    examples=(
        "page --puzzle lights.py",
        "page --no-browser",
        "page --export lesson",
    ),
    starts_children=True,
)
