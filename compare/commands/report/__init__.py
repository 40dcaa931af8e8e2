"""`compare report`.

Pages that are kept as one file: the report of a comparison with its plots and drawings, and that
of a trial of SAT solvers.
"""

from __future__ import annotations

from compare.commands import Command

COMMAND = Command(
    group="look at results",
    place=1,
    about="a file of records as one self-contained HTML page",
    examples=(
        "report runs.jsonl -o report.html",
        "report runs.jsonl",
    ),
)
