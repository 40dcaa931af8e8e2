"""`compare run`."""

from __future__ import annotations

from compare.commands import FUNCTIONS, Command

COMMAND = Command(
    group="check a solution of your own",
    place=1,
    about="run backends and programs on datasets, relate and check their answers, tabulate",
    examples=(
        "run {beams} -b direct --program mine=mine.cpp",
        "run {nogo} -b direct -b {nogo:cnf} --show tests",
    ),
    starts_children=True,
    functions={"run": FUNCTIONS},
)
