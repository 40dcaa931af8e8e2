"""Unit propagation and a checker of proofs in the plainest way: neither the solvers nor the code of
`models`.
"""

from __future__ import annotations

from collections.abc import Iterable

PIGEONS = [[1, 2], [3, 4], [5, 6], [-1, -3], [-1, -5], [-3, -5], [-2, -4], [-2, -6], [-4, -6]]
"""Three pigeons in two holes: clauses of which none is refuted at once."""


def propagated(clauses: list[list[int]], assumed: Iterable[int] = ()) -> set[int] | None:
    """The literals that unit propagation makes true; None if it falsifies a clause."""
    true, changed = set(assumed), True
    if any(-literal in true for literal in true):
        return None
    while changed:
        changed = False
        for clause in clauses:
            if not any(literal in true for literal in clause):
                left = {literal for literal in clause if -literal not in true}
                if not left:
                    return None
                if len(left) == 1:
                    true |= left
                    changed = True
    return true


def contradictory(clauses: list[list[int]], assumed: Iterable[int] = ()) -> bool:
    """Whether unit propagation from the assumed literals falsifies a clause."""
    return propagated(clauses, assumed) is None


def refutes(clauses: list[list[int]], steps: Iterable[object], *, rat: bool = False) -> bool:
    """Whether each step follows from the clauses that are there, and the empty one is among them.

    Deletions are as in drat-trim: one clause of these literals goes, and none if it is a unit. What
    propagation has found true stays true.

    Args:
        steps: in the words of a DRAT proof.
        rat: whether a step may be RAT on one of its literals instead.
    """
    known = [[*clause] for clause in clauses]
    forced = propagated(known)
    for words in (str(step).split() for step in steps):
        units = [[literal] for literal in forced or ()]
        clause = [int(word) for word in words if word not in ("d", "0")]
        if words[0] == "d":
            alike = [k for k, each in enumerate(known) if {*each} == {*clause}]
            if len({*clause}) > 1 and alike:
                del known[alike[0]]
            continue
        there = known + units
        follows = forced is None or contradictory(there, [-literal for literal in clause])
        if not follows and not (rat and any(_is_rat(there, clause, each) for each in clause)):
            return False
        if not clause:
            return True
        known.append(clause)
        forced = None if forced is None else propagated(known + units)
    return False


def _is_rat(clauses: list[list[int]], clause: list[int], pivot: int) -> bool:
    """Whether all resolvents of the clause on this literal follow."""
    return all(
        contradictory(
            clauses, [-each for each in clause] + [-each for each in other if each != -pivot]
        )
        for other in clauses
        if -pivot in other
    )
