"""A small refuter for the checks: do bounded sums over literals have no common solution?

It shares nothing with `direct` or `models`: plain propagation and branching, slow, with a limit instead of cleverness.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Sum(NamedTuple):
    """At least `low` and at most `high` of the literals are true; a literal is +v or -v, v >= 1."""

    literals: tuple[int, ...]
    low: int
    high: int


def clause(*literals: int) -> Sum:
    """At least one of the literals is true."""
    return Sum(literals, 1, len(literals))


class LimitReached(Exception):
    """The refuter gave up; this is no verdict."""


def satisfy(sums: Sequence[Sum], most_nodes: int = 20_000) -> dict[int, bool] | None:
    """A solution of all sums, or None where propagation and branching prove that there is none.

    Variables that no sum mentions are left out of the solution. Iterative; each node costs at most the sums' total size.

    Raises:
        LimitReached: more than `most_nodes` branches were tried.
    """
    search = _Search(sums)
    choices: list[tuple[int, int]] = []
    nodes = 0
    consistent = search.propagate(range(len(sums)))
    while True:
        if not consistent:
            while choices and choices[-1][1] == 0:
                search.undo(choices.pop()[0])
            if not choices:
                return None
            mark, literal = choices.pop()
            search.undo(mark)
            choices.append((mark, 0))
            consistent = search.assign(-literal)
            continue
        variable = search.unassigned()
        if variable is None:
            return search.value
        nodes += 1
        if nodes > most_nodes:
            raise LimitReached(f"no refutation within {most_nodes} branches")
        choices.append((len(search.trail), variable))
        consistent = search.assign(variable)


class _Search:
    def __init__(self, sums: Sequence[Sum]) -> None:
        self.sums = [Sum(tuple(literals), low, high) for literals, low, high in sums]
        self.value: dict[int, bool] = {}
        self.trail: list[int] = []
        self.uses: dict[int, list[int]] = {}
        for index, each in enumerate(self.sums):
            for literal in each.literals:
                self.uses.setdefault(abs(literal), []).append(index)
        self.order = sorted(self.uses, key=lambda variable: -len(self.uses[variable]))

    def unassigned(self) -> int | None:
        """A variable to branch on: one of a sum that is partly decided, if there is any."""
        for literal in reversed(self.trail):
            for index in self.uses[abs(literal)]:
                for near in self.sums[index].literals:
                    if abs(near) not in self.value:
                        return abs(near)
        return next((variable for variable in self.order if variable not in self.value), None)

    def undo(self, mark: int) -> None:
        for literal in self.trail[mark:]:
            del self.value[abs(literal)]
        del self.trail[mark:]

    def assign(self, literal: int) -> bool:
        self.value[abs(literal)] = literal > 0
        self.trail.append(literal)
        return self.propagate(self.uses[abs(literal)])

    def propagate(self, indices: Sequence[int]) -> bool:
        """Draw every forced literal, starting from these sums; False on a contradiction."""
        waiting = list(indices)
        while waiting:
            literals, low, high = self.sums[waiting.pop()]
            true = sum(1 for x in literals if self.value.get(abs(x)) == (x > 0))
            free = [x for x in literals if abs(x) not in self.value]
            if true > high or true + len(free) < low:
                return False
            if not free or (true < high and true + len(free) > low):
                continue
            sign = 1 if true + len(free) == low else -1
            for literal in free:
                if abs(literal) in self.value:  # the same literal twice, or both signs, in one sum
                    waiting.extend(self.uses[abs(literal)])
                    continue
                self.value[abs(literal)] = sign * literal > 0
                self.trail.append(sign * literal)
                waiting.extend(self.uses[abs(literal)])
        return True
