"""`compare diff`."""

from __future__ import annotations

from compare.commands import Command

COMMAND = Command(
    group="compare backends",
    place=2,
    about="the same runs then and now: what has become slower, what answers differently",
    examples=(
        "diff before.jsonl after.jsonl",
        "diff before.jsonl after.jsonl --fail-above 20",
        "diff runs.jsonl --between direct cnf",
    ),
)
