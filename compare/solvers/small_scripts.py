"""Scripts at the edge of what a solver is asked, and random ones: tiny ones, and some that need a search."""

from __future__ import annotations

from random import Random

from compare.solvers.script import Script, Step, call, clause

EDGES: dict[str, Script] = {
    "empty formula": Script.formula(0, []),
    "no clauses": Script.formula(3, []),
    "empty clause": Script.formula(0, [[]]),
    "empty clause among others": Script.formula(2, [[1, 2], [], [-1]]),
    "one unit clause": Script.formula(1, [[1]]),
    "unit clauses": Script.formula(4, [[1], [-2], [3], [-4]]),
    "unit clauses that contradict each other": Script.formula(2, [[1], [2], [-1]]),
    "units in a chain": Script.formula(3, [[1], [-1, 2], [-2, 3], [-3]]),
    "unused variables": Script.formula(9, [[2, 5], [-2, 5]]),
    "a repeated literal": Script.formula(2, [[1, 1], [-1, -1, 2], [2, 2, 2]]),
    "a tautology": Script.formula(2, [[1, -1], [2, -2, 1]]),
    "all signs": Script.formula(2, [[1, 2], [1, -2], [-1, 2], [-1, -2]]),
    "an assumption": Script(2, (clause(1, 2), call(-1), call(-2), call())),
    "assumptions without clauses": Script(2, (call(1, -2), call())),
    "assumptions that contradict each other": Script(2, (clause(1, 2), call(1, -1), call(1))),
    "assumptions that contradict a clause": Script(3, (clause(1, 2), call(3, -1, -2), call(3, -1))),
    "an assumption of an unused variable": Script(3, (clause(1, 2), call(3), call(-3, -1, -2))),
    "a repeated assumption": Script(2, (clause(-1, 2), call(1, 1, 1), call(1, 1, -2))),
    "clauses between calls": Script(2, (clause(1, 2), call(), clause(-1), call(), clause(-2), call())),
    "a clause after a contradiction": Script(2, (clause(1), clause(-1), call(), clause(2), call())),
    "an empty clause between calls": Script(1, (clause(1), call(), clause(), call())),
    "a new variable between calls": Script(3, (clause(1, 2), call(-1), clause(-2, 3), call(-1, -3), call(-1))),
    "long clauses between calls": Script(
        4, (clause(1, 2, 3), call(-1), clause(-1, 2, -3), clause(-2, -3, 4), call(1, 3, -4), call(3))
    ),
    "calls before clauses": Script(1, (call(), clause(1), call(-1), call())),
}
"""By name. None of them needs a search."""

_MOST_VARIABLES, _MOST_CLAUSES, _MOST_CALLS = 3, 6, 3


def tiny(rng: Random, *, only_formulas: bool) -> Script:
    """A random script of a few clauses over a few variables; about half of the calls have a model."""
    variables = rng.randint(1, _MOST_VARIABLES)

    def literals(most: int) -> tuple[int, ...]:
        some = rng.sample(range(1, variables + 1), min(most, variables))
        return tuple(rng.choice((-1, 1)) * variable for variable in some)

    steps = [Step(False, literals(rng.choice((1, 2, 2, 3)))) for _ in range(rng.randint(1, _MOST_CLAUSES))]
    if only_formulas:
        return Script(variables, (*steps, call()))
    for _ in range(rng.randint(0, _MOST_CALLS - 1)):
        steps.insert(rng.randint(1, len(steps)), Step(True, literals(rng.randint(0, 2))))
    return Script(variables, (*steps, Step(True, literals(rng.randint(0, 2)))))


RATIOS = (3.0, 4.26, 4.26, 5.5)
"""Clauses for each variable of a random script: from about 4.26 on, most formulas with three literals a clause have no model."""

_LEAST, _MOST = 5, 50
"""Variables of a random script that needs a search."""


def random_script(rng: Random) -> Script:
    """Random clauses, mostly of three literals, on which a solver has to search; half of the scripts have several calls."""
    variables = rng.randint(_LEAST, _MOST)

    def literals(count: int) -> tuple[int, ...]:
        return tuple(rng.choice((-1, 1)) * variable for variable in rng.sample(range(1, variables + 1), count))

    steps = [Step(False, literals(rng.choice((2, 3, 3, 3, 3, 4)))) for _ in range(round(rng.choice(RATIOS) * variables))]
    if rng.random() < 1 / 2:
        return Script(variables, (*steps, call()))
    for _ in range(rng.randint(1, _MOST_CALLS)):
        steps.insert(rng.randint(len(steps) // 2, len(steps)), Step(True, literals(rng.randint(0, 4))))
    return Script(variables, (*steps, Step(True, literals(rng.randint(0, 4)))))
