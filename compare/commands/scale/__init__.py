"""`compare scale`."""

from __future__ import annotations

from compare.commands import FUNCTIONS, Command

COMMAND = Command(
    group="compare backends",
    place=1,
    about=("measure backends on growing boards of a family: growth exponents and crossover sizes"),
    examples=(
        "scale {geography} -b direct --largest 60",
        "scale {nogo} -b direct --family empty --largest 18 --format csv",
    ),
    starts_children=True,
    functions={"scale": FUNCTIONS},
)
