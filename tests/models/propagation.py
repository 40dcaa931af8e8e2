"""Unit propagation and a checker of proofs in the plainest way: neither the solvers nor the code of
`models`.
"""

from __future__ import annotations

PIGEONS = [[1, 2], [3, 4], [5, 6], [-1, -3], [-1, -5], [-3, -5], [-2, -4], [-2, -6], [-4, -6]]
"""Three pigeons in two holes: clauses of which none is refuted at once."""


def contradictory(clauses: list[list[int]], assumed: list[int]) -> bool:
    """Whether unit propagation from the assumed literals falsifies a clause."""
    true, changed = set(assumed), True
    while changed:
        changed = False
        for clause in clauses:
            if not any(literal in true for literal in clause):
                left = [literal for literal in clause if -literal not in true]
                if not left:
                    return True
                if len(left) == 1:
                    true.add(left[0])
                    changed = True
    return False


def refutes(clauses: list[list[int]], steps: list[str]) -> bool:
    """Whether each step follows from those before by unit propagation, and the empty clause is
    among them.

    Deletions are ignored: they only make a check cheaper.
    """
    known = list(clauses)
    for step in steps:
        if step.startswith("d"):
            continue
        clause = [int(word) for word in step.split()[:-1]]
        if not contradictory(known, [-literal for literal in clause]):
            return False
        if not clause:
            return True
        known.append(clause)
    return False
