"""A small solver of cardinality constraints for the checks, which use it to refute: is there no solution at all?

It shares nothing with `direct` or `models`. It only propagates and branches; it is slow, and has a limit instead of cleverness.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic
from typing import NamedTuple, TypeVar

T = TypeVar("T")


class Cardinality(NamedTuple):
    """At least `low` and at most `high` of the literals are true; a literal is +v or -v, v >= 1."""

    literals: tuple[int, ...]
    low: int
    high: int


def clause(*literals: int) -> Cardinality:
    """At least one of the literals is true."""
    return Cardinality(literals, 1, len(literals))


def irreducible(parts: Sequence[T], refutes: Callable[[Sequence[T]], bool], seconds: float = 1.0) -> list[T]:
    """Some of the parts that `refutes` accepts, of which none can be left out; the order stays.

    Whole blocks are left out first, so few of many parts take about `2 k log2(n / k)` calls for the k of n that stay.

    Args:
        refutes: whether some parts contradict one another. It accepts all of them together, and more parts never make it say no.
        seconds: after these the search ends with what it has; that may still be reducible.
    """
    kept, deadline = list(parts), monotonic() + seconds
    block = max(1, len(kept) // 2)
    while True:
        start = 0
        while start < len(kept):
            if monotonic() > deadline:
                return kept
            rest = kept[:start] + kept[start + block :]
            if refutes(rest):
                kept = rest
            else:
                start += block
        if block == 1:
            return kept
        block //= 2


class LimitReached(Exception):
    """The search stopped at its limit of branches: neither a solution nor a proof that there is none."""


def find_solution(constraints: Sequence[Cardinality], most_branches: int = 20_000) -> dict[int, bool] | None:
    """A solution of all constraints by variable; None if there is none, by propagation and complete branching.

    Variables in no constraint are not in the solution. Iterative; a branch costs at most the total size of the constraints.

    Raises:
        LimitReached: more than `most_branches` branches were tried.
    """
    search = _Assignment(constraints)
    choices: list[tuple[int, int]] = []
    branches = 0
    consistent = search.propagate(range(len(constraints)))
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
            return {literal: true for literal, true in search.value.items() if literal > 0}
        branches += 1
        if branches > most_branches:
            raise LimitReached(f"no refutation within {most_branches} branches")
        choices.append((len(search.trail), variable))
        consistent = search.assign(variable)


class _Assignment:
    """A partial assignment that can be taken back.

    Attributes:
        value: whether an assigned literal is true; each assigned variable has both its literals here.
        trail: the literals that are true, in the order of their assignment.
        uses: by variable, the indices of the constraints that mention it.
        order: the variables, those in most constraints first.
    """

    def __init__(self, constraints: Sequence[Cardinality]) -> None:
        self.constraints = [Cardinality(tuple(literals), low, high) for literals, low, high in constraints]
        self.value: dict[int, bool] = {}
        self.trail: list[int] = []
        self.uses: dict[int, list[int]] = {}
        for index, constraint in enumerate(self.constraints):
            for literal in constraint.literals:
                self.uses.setdefault(abs(literal), []).append(index)
        self.order = sorted(self.uses, key=lambda variable: -len(self.uses[variable]))

    def unassigned(self) -> int | None:
        """A variable to branch on, preferably in a constraint that is partly assigned; None if all are assigned."""
        for literal in reversed(self.trail):
            for index in self.uses[abs(literal)]:
                for near in self.constraints[index].literals:
                    if near not in self.value:
                        return abs(near)
        return next((variable for variable in self.order if variable not in self.value), None)

    def undo(self, mark: int) -> None:
        """Take back all assignments after the first `mark`."""
        for literal in self.trail[mark:]:
            del self.value[literal], self.value[-literal]
        del self.trail[mark:]

    def assign(self, literal: int) -> bool:
        """Make a literal true and propagate; False on a contradiction."""
        self._assign(literal)
        return self.propagate(self.uses[abs(literal)])

    def _assign(self, literal: int) -> None:
        self.value[literal], self.value[-literal] = True, False
        self.trail.append(literal)

    def propagate(self, indices: Sequence[int]) -> bool:
        """Assign every forced literal, starting from these constraints; False on a contradiction."""
        waiting = list(indices)
        while waiting:
            literals, low, high = self.constraints[waiting.pop()]
            values = [self.value.get(literal) for literal in literals]
            true, free = values.count(True), values.count(None)
            if true > high or true + free < low:
                return False
            if not free or (true < high and true + free > low):
                continue
            sign = 1 if true + free == low else -1
            for literal, value in zip(literals, values, strict=True):
                if value is None:
                    if literal not in self.value:  # else the constraint mentions this variable twice
                        self._assign(sign * literal)
                    waiting.extend(self.uses[abs(literal)])
        return True
