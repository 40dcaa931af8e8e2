"""`compare doctor`."""

from __future__ import annotations

from compare.commands import Command

COMMAND = Command(
    group="this installation",
    place=2,
    about="what is installed, what is missing and how to get it, which limits hold here",
    examples=("doctor",),
)
