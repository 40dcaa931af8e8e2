"""`compare equivalent`.

Whether two models of a puzzle say the same: their solutions, board by board, on the names that
both have.
"""

from __future__ import annotations

from compare.commands import FUNCTIONS, Command

COMMAND = Command(
    group="models and solvers",
    place=2,
    about="whether two models of a puzzle have the same solutions, on all small boards",
    examples=(
        "equivalent {beams} {beams:cnf} {beams:cnf-traced}",
        "equivalent {nogo} {nogo:cnf} {nogo:cnf-ranked}",
    ),
    preload=("compare.commands.equivalent.equivalence",),
    functions={"equivalent": FUNCTIONS},
)
