"""`compare prove`."""

from __future__ import annotations

from compare.commands import FUNCTIONS, Command

COMMAND = Command(
    group="models and solvers",
    place=3,
    about=(
        "the claims that the direct algorithms rest on: proved for all boards up to a "
        "size, or refuted by a smallest one"
    ),
    examples=(
        "prove {beams}-no-turrets",
        "prove {beams}-no-turrets --format json",
    ),
    functions={"prove": FUNCTIONS},
)
