"""`compare check`."""

from __future__ import annotations

from compare.commands import FUNCTIONS, Command

COMMAND = Command(
    group="check a solution of your own",
    place=3,
    about="judge an output that you already have",
    examples=(
        "check {beams} boards.in output.txt",
        "check {beams} boards.in output.txt --answer-format codejam",
        "check --checker checker.py --better less case.in jury.ans mine.out",
    ),
    starts_children=True,
    functions={"check": FUNCTIONS},
)
