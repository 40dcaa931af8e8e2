"""`compare stress`.

Any two programs: inputs of a generator go to both, and the smallest input on which they differ
is sought.
"""

from __future__ import annotations

from compare.commands import FUNCTIONS, Command

COMMAND = Command(
    group="check a solution of your own",
    place=4,
    about="any two programs and a generator: the smallest input on which they differ",
    examples=(
        "stress brute.py fast.cpp --generator gen.py",
        "stress brute.py fast.cpp brute.py --generator gen.py --cases 20",
    ),
    starts_children=True,
    functions={"stress": FUNCTIONS},
)
