"""The clauses that are there at each step of a proof, and what follows from them by unit
propagation.

A solver of python-sat propagates fast, but it deletes no clause. So a proof is replayed in
stretches. Each stretch has a new solver. A clause that is deleted within the stretch gets a
*selector* there: a new variable, so that the clause holds only where its negation is assumed. Most
steps follow without the deleted clauses. For the others unit propagation runs once more, with those
of them that are still there.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Self

from models.cnf import Formula
from models.proofs.drat import ProofStep
from models.solvers.opening import open_solver
from models.solvers.sat_solver import SatSolver

PROPAGATOR = "minisat22"
"""The solver that propagates.

It is one that writes no proofs, so no solver checks its own proof.
"""

_FEWEST, _SHARE = 64, 4
"""A stretch deletes up to one clause in `_SHARE` of those that are there, or `_FEWEST` if that is
more.
"""

Key = tuple[int, ...]
"""The literals of a clause in ascending order, each once: so deletions find it."""


class ClauseDatabase:
    """The clauses at one step of a proof. It is a context, which closes the solver.

    What unit propagation has found true stays true when clauses are deleted. drat-trim does the
    same: it ignores the deletion of unit clauses, and of clauses from which such a literal comes.
    """

    _propagator: SatSolver

    def __init__(self, formula: Formula) -> None:
        self._variables = formula.variables
        self._new_variables: dict[int, int] = {}
        self._there = Counter(map(_key, formula.clauses))
        self._forced: _Forced | None = None
        self._selectors: dict[Key, int] = {}
        self._assumed: dict[int, None] = {}
        self._closing = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.close()

    def stretch(self, steps: Sequence[ProofStep], start: int) -> list[ProofStep]:
        """Begin the stretch of the proof at `steps[start]`: its steps. Linear in all clauses.

        New variables are numbered anew, from the formula's largest one on, so that a large number
        takes no memory.
        """
        stretch: list[ProofStep] = []
        doomed: dict[Key, None] = {}
        most = max(_FEWEST, len(self._there) // _SHARE)
        for k in range(start, len(steps)):
            deletes, literals = steps[k]
            key = self._number(_key(literals))
            if deletes:
                doomed[key] = None
            stretch.append(ProofStep(deletes, key))
            if len(doomed) == most:
                break
        if doomed and self._forced is None:
            self._forced = _Forced()
            for key in self._there.elements():
                self._forced.add(key)
        first = self._variables + len(self._new_variables) + 1
        self._selectors = {key: first + k for k, key in enumerate(doomed) if len(key) > 1}
        self._assumed = {
            -selector: None for key, selector in self._selectors.items() if key in self._there
        }
        self._closing.close()
        self._propagator = self._closing.enter_context(
            open_solver(Formula.of(first + len(doomed), self._load()), PROPAGATOR)
        )
        return stretch

    def _load(self) -> Iterator[Key]:
        """The clauses of the stretch's solver."""
        yield from ((literal,) for literal in (self._forced.true if self._forced else ()))
        yield from (key for key in self._there if key not in self._selectors)
        yield from ((*key, selector) for key, selector in self._selectors.items())

    def _number(self, key: Key) -> Key:
        if not key or max(-key[0], key[-1]) <= self._variables:
            return key
        for variable in map(abs, key):
            if variable > self._variables and variable not in self._new_variables:
                self._new_variables[variable] = self._variables + len(self._new_variables) + 1
        new = self._new_variables
        return _key([new.get(each, each) if each > 0 else -new.get(-each, -each) for each in key])

    def add(self, key: Key) -> None:
        """Add a clause of the stretch."""
        self._there[key] += 1
        if key in self._selectors:
            self._assumed[-self._selectors[key]] = None
        else:
            self._propagator.add_clause(key)
        if self._forced is not None:
            for literal in self._forced.add(key):
                self._propagator.add_clause([literal])

    def delete(self, key: Key) -> None:
        """Delete a clause of the stretch once; a unit clause stays, and one that is not there is
        passed over.
        """
        if key not in self._there or key not in self._selectors:
            return
        assert self._forced is not None
        self._forced.drop(key)
        self._there[key] -= 1
        if not self._there[key]:
            del self._there[key]
            del self._assumed[-self._selectors[key]]

    def entails(self, key: Key) -> bool:
        """Whether unit propagation from the negations of these literals comes to a conflict."""
        negated = [-literal for literal in key]
        return not self._propagator.propagate(assumptions=negated)[0] or (
            bool(self._assumed)
            and not self._propagator.propagate(assumptions=[*self._assumed, *negated])[0]
        )

    def is_rat(self, key: Key) -> bool:
        """Whether for a literal of this clause all resolvents on it follow by unit propagation.
        Linear in the clauses, and one propagation for each resolvent.
        """
        forced = self._forced.true if self._forced else ()
        for pivot in key:
            resolvents = (
                (*key, *(each for each in other if each != -pivot))
                for other in self._there
                if -pivot in other
            )
            if -pivot not in forced and all(self.entails(each) for each in resolvents):
                return True
        return False


def _key(literals: Sequence[int]) -> Key:
    return tuple(sorted({*literals}))


class _Forced:
    """The literals that unit propagation alone finds true, while clauses come and go.

    Each clause is watched by two of its literals, as in a solver, but nothing is ever taken back:
    all propagation together is linear in the clauses, but for their lengths.

    Attributes:
        true: the literals, in the order in which they were found; after a contradiction one of them
            and its negation.
    """

    def __init__(self) -> None:
        self.true: dict[int, None] = {}
        self._clauses: defaultdict[Key, list[list[int]]] = defaultdict(list)
        self._watching: defaultdict[int, list[list[int]]] = defaultdict(list)

    def add(self, key: Key) -> list[int]:
        """Add a clause; returns the literals that are true by it."""
        clause = sorted(key, key=lambda literal: -literal in self.true)
        self._clauses[key].append(clause)
        if any(literal in self.true for literal in clause):
            return []
        if len(clause) > 1 and -clause[1] not in self.true:
            for literal in clause[:2]:
                self._watching[literal].append(clause)
            return []
        return self._propagate(clause[:1])

    def drop(self, key: Key) -> None:
        """Delete a clause that was added: whoever watches it finds it empty."""
        self._clauses[key].pop().clear()

    def _propagate(self, literals: list[int]) -> list[int]:
        implied: list[int] = []
        while literals:
            literal = literals.pop()
            if literal in self.true:
                continue
            self.true[literal] = None
            implied.append(literal)
            if -literal in self.true:
                return implied
            for clause in self._watching.pop(-literal, ()):
                if not clause:
                    continue
                if clause[0] == -literal:
                    clause[0], clause[1] = clause[1], clause[0]
                if clause[0] in self.true:
                    continue
                other = next(
                    (k for k in range(2, len(clause)) if -clause[k] not in self.true), None
                )
                if other is None:
                    literals.append(clause[0])
                else:
                    clause[1], clause[other] = clause[other], clause[1]
                    self._watching[clause[1]].append(clause)
        return implied
