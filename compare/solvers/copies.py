"""Metamorphic copies: scripts that look different and have the same verdicts, call by call."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from random import Random

from compare.solvers.script import Literals, Script, Step, call, clause

SOME = 1 / 4
"""The share of steps or literals that are doubled."""

MOST_ADDED = 3
"""Tautologies that one copy gets, and unused variables."""

_Change = Callable[[Script, Random], Script]


def renamed(script: Script, rng: Random) -> Script:
    """The variables in another order."""
    names = [0, *rng.sample(range(1, script.variables + 1), script.variables)]
    return _mapped(script, lambda literal: names[literal] if literal > 0 else -names[-literal])


def flipped(script: Script, rng: Random) -> Script:
    """Some variables stand for their opposites."""
    signs = [rng.choice((-1, 1)) for _ in range(script.variables + 1)]
    return _mapped(script, lambda literal: signs[abs(literal)] * literal)


def shuffled(script: Script, rng: Random) -> Script:
    """The clauses between two calls, and the literals of each step, in another order."""
    steps: list[Step] = []
    for solves, group in groupby(script.steps, key=lambda step: step.solves):
        some = [Step(solves, tuple(rng.sample(step.literals, len(step.literals)))) for step in group]
        steps += some if solves else rng.sample(some, len(some))
    return Script(script.variables, tuple(steps))


def doubled(script: Script, rng: Random) -> Script:
    """Some clauses stand there twice, and some steps have a literal twice."""
    steps: list[Step] = []
    for step in script.steps:
        literals = step.literals
        if literals and rng.random() < SOME:
            literals = (*literals, rng.choice(literals))
        steps += [Step(step.solves, literals)] * (2 if not step.solves and rng.random() < SOME else 1)
    return Script(script.variables, tuple(steps))


def with_tautologies(script: Script, rng: Random) -> Script:
    """Some more clauses, each with a variable and its opposite."""
    if script.variables == 0:
        return script
    steps = list(script.steps)
    for _ in range(rng.randint(1, MOST_ADDED)):
        variable, others = rng.randint(1, script.variables), rng.randint(0, 2)
        literals = [variable, -variable, *(rng.choice((-1, 1)) * rng.randint(1, script.variables) for _ in range(others))]
        steps.insert(rng.randint(0, len(steps) - 1), clause(*rng.sample(literals, len(literals))))
    return Script(script.variables, tuple(steps))


def with_unused_variables(script: Script, rng: Random) -> Script:
    """Some more variables, which no clause has; if a call has assumptions, it may assume one of them as well."""
    more = rng.randint(1, MOST_ADDED)
    steps = [
        call(*step.literals, rng.choice((-1, 1)) * (script.variables + more)) if step.literals and step.solves else step
        for step in script.steps
    ]
    return Script(script.variables + more, tuple(steps))


CHANGES: dict[str, _Change] = {
    "renamed": renamed,
    "flipped": flipped,
    "shuffled": shuffled,
    "doubled": doubled,
    "tautologies": with_tautologies,
    "unused": with_unused_variables,
}
"""The changes by name, in the order in which a copy makes them."""


def copied(script: Script, seed: int) -> Script:
    """A copy with some of the changes; the same seed gives the same copy."""
    rng = Random(seed)
    chosen = rng.sample(list(CHANGES), rng.randint(1, len(CHANGES)))
    for name, change in CHANGES.items():
        if name in chosen:
            script = change(script, rng)
    return script


def _mapped(script: Script, other: Callable[[int], int]) -> Script:
    def literals(step: Step) -> Literals:
        return tuple(other(literal) for literal in step.literals)

    return Script(script.variables, tuple(Step(step.solves, literals(step)) for step in script.steps))
