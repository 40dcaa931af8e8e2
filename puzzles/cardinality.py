"""A small search for the checks, which use it to refute: can limits on sums hold together?

It only propagates and branches, and has a limit in place of cleverness. A set of variables is an
integer with a bit for each, so a step on one sum is a few operations. Nothing here is shared with
`direct` or `models`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from puzzles.answer import BeyondCheck
from puzzles.shell.time_limits import Deadline

T = TypeVar("T")


class Cardinality(NamedTuple):
    """At least `low` and at most `high` of the variables are true."""

    variables: int
    low: int
    high: int


def find_solution(constraints: Sequence[Cardinality], max_branches: int = 20_000) -> int | None:
    """The variables that are true in some solution of all constraints; None if there is no
    solution. Variables that nothing forces are false.

    A branch costs at most a few operations on each constraint for each variable that follows.

    Raises:
        BeyondCheck: more than `max_branches` branches were tried.
    """
    branches = 0
    waiting = [(0, 0, -1)]
    while waiting:
        known = _propagate(constraints, *waiting.pop())
        if known is None:
            continue
        true, false = known
        unknown = ~(true | false)
        unsettled = [
            (left == variables, left.bit_count(), left)
            for variables, low, high in constraints
            if (left := variables & unknown)
            and not low <= (variables & true).bit_count() <= high - left.bit_count()
        ]
        if not unsettled:
            return true
        branches += 1
        if branches > max_branches:
            raise BeyondCheck(f"no refutation within {max_branches} branches")
        _, _, left = min(
            unsettled
        )  # a sum that is partly known refutes sooner, and a short one has few branches
        variable = left & -left
        waiting += [(true, false | variable, variable), (true | variable, false, variable)]
    return None


def _propagate(
    constraints: Sequence[Cardinality], true: int, false: int, changed: int
) -> tuple[int, int] | None:
    """All true and false variables that follow, one constraint at a time; None on a contradiction.

    `changed`: the variables that became known since the last time; -1 for the first time.
    """
    while changed:
        due, changed = changed, 0
        for variables, low, high in constraints:
            if variables and not variables & due:
                continue
            left = variables & ~(true | false)
            already, room = (variables & true).bit_count(), left.bit_count()
            if already > high or already + room < low:
                return None
            if left and (already == high or already + room == low):
                if already == high:
                    false |= left
                else:
                    true |= left
                changed |= left
                due |= left
    return true, false


def irreducible(
    parts: Sequence[T], refutes: Callable[[Sequence[T]], bool], seconds: float = 1.0
) -> list[T]:
    """Some of the parts that `refutes` accepts, of which none can be left out; the order stays.

    Whole blocks are left out first, so few of many parts take about `2 k log2(n / k)` calls for the
    k of n that stay.

    Args:
        refutes: whether some parts contradict one another. It accepts all of them together, and
            more parts never make it say no.
        seconds: after these the search ends with what it has; that may still be reducible.
    """
    kept, deadline = list(parts), Deadline(seconds)
    block = max(1, len(kept) // 2)
    while True:
        start = 0
        while start < len(kept):
            if deadline.over:
                return kept
            rest = kept[:start] + kept[start + block :]
            if refutes(rest):
                kept = rest
            else:
                start += block
        if block == 1:
            return kept
        block //= 2
