"""`compare fuzz formula`.

SAT solvers are tried, on their own and behind our backends. What they are asked is a puzzle,
`formula`, so that every command takes it. The puzzle `two-sat` tries our own solver for clauses of
two literals.
"""

from __future__ import annotations

from compare.commands import Command

COMMAND = Command(
    group="models and solvers",
    place=1,
    about="search for formulas and calls on which SAT solvers disagree or fail",
    examples=("fuzz formula --solver minisat22 --cases 200",),
)
