"""`compare fuzz`.

Fuzzing: seeded boards go to every contender, and a board on which something is wrong is
shrunk.
"""

from __future__ import annotations

from compare.commands import FUNCTIONS, Command

COMMAND = Command(
    group="check a solution of your own",
    place=2,
    about="search for a board on which contenders disagree or fail, and shrink it",
    examples=(
        "fuzz {beams} -b direct --program mine=mine.cpp",
        "fuzz {nogo} -b direct -b {nogo:cnf} --cases 500",
    ),
    starts_children=True,
    preload=("compare.commands.fuzz.trial",),
    functions={
        "fuzz": FUNCTIONS,
        **dict.fromkeys(
            ("assert_agrees", "Disagreement", "examples"), "compare.commands.fuzz.agreement"
        ),
    },
)
