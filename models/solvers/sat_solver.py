"""What every kind of solver looks like from here: python-sat's own interface, and what a solver
does wrong, as exceptions.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from operator import neg
from typing import Any

import numpy as np

from puzzles.text import UserError, count_noun


class SatSolver:
    """A solver that holds clauses. What a kind of solver cannot do raises NotImplementedError.

    python-sat's own solvers have these methods, and are taken for one.
    """

    def add_clause(self, clause: Sequence[int]) -> Any:
        raise NotImplementedError

    def solve(self, assumptions: Sequence[int] = ()) -> bool | None:
        """Whether the clauses are satisfiable under the assumptions; None if the solver does not
        know.
        """
        raise NotImplementedError

    def get_model(self) -> list[int] | None:
        """After SAT: literals that are true.

        A variable that is not mentioned may have either value.
        """
        raise NotImplementedError

    def get_core(self) -> list[int] | None:
        """After UNSAT: assumptions that contradict the clauses together."""
        raise NotImplementedError

    def get_proof(self) -> list[str] | None:
        """After UNSAT: the lines of a DRAT proof."""
        raise NotImplementedError

    def propagate(self, assumptions: Sequence[int] = ()) -> tuple[bool, list[int]]:
        raise NotImplementedError

    def set_phases(self, literals: Sequence[int]) -> Any:
        raise NotImplementedError

    def conf_budget(self, conflicts: int) -> Any:
        raise NotImplementedError

    def solve_limited(self) -> bool | None:
        raise NotImplementedError

    def accum_stats(self) -> dict[str, int]:
        """The steps of all calls: `conflicts`, `decisions`, `propagations`, `restarts`.

        Only python-sat's own solvers are asked.
        """
        raise NotImplementedError

    def delete(self) -> Any:
        """Nothing is left to do."""


class SolverFailure(UserError):
    """A solver that is wrong, or that is no solver. The message names it and says what it did.

    Attributes:
        solver: its name, or its command.
        what: what it did, as the rest of a sentence that begins with the solver.
    """

    def __init__(self, solver: str, what: str) -> None:
        super().__init__(f"the solver {solver!r} {what}")
        self.solver, self.what = solver, what

    def __reduce__(self) -> tuple[type[SolverFailure], tuple[str, str]]:
        return type(self), (self.solver, self.what)


class SolverDied(SolverFailure):
    """A program that was ended by a signal."""


class NoVerdict(SolverFailure):
    """A solver that says that it does not know, or that says nothing. That is no mistake."""


class ModelRefused(SolverFailure):
    """A model that cannot be read, or that is none."""


_MAX_SHOWN = 12
"""Literals of a model, a core or a clause that a message shows."""


def shown_literals(literals: Sequence[int]) -> str:
    """The literals for people, the first of them if there are many."""
    more = " ..." if len(literals) > _MAX_SHOWN else ""
    return " ".join(map(str, literals[:_MAX_SHOWN])) + more


def wrong_model(
    variables: int,
    clauses: Sequence[Sequence[int]],
    assumed: Sequence[int],
    true: Sequence[int],
) -> str:
    """What is wrong with a model, as the rest of a sentence that begins with "its model"; empty if
    it is right.

    Args:
        variables: of the formula; none of its literals is beyond them.
        assumed: literals that must be true.
        true: the literals of the model. A variable that it does not mention satisfies nothing.
    """
    model = set(true)
    both = model.intersection(map(neg, model)) - {0}
    if both:
        return f"has both {max(both)} and -{max(both)}"
    if 0 in model or max(map(abs, model), default=0) > variables:
        beyond = [literal for literal in true if not 0 < abs(literal) <= variables]
        return f"has {shown_literals(beyond)}, the formula {count_noun(variables, 'variable')}"
    missing = next((literal for literal in assumed if literal not in model), None)
    if missing is not None:
        return f"does not hold the assumption {missing}"
    index = _first_broken(clauses, true)
    if index is None:
        return ""
    return f"satisfies no literal of clause {index + 1}: {shown_literals([*clauses[index], 0])}"


def broken_clause(clauses: Sequence[Sequence[int]], true: Sequence[int]) -> Sequence[int] | None:
    """The first clause of which no literal is among these, tautologies aside; None if there is
    none. Linear in all literals.
    """
    index = _first_broken(clauses, true)
    return None if index is None else clauses[index]


def _first_broken(clauses: Sequence[Sequence[int]], true: Sequence[int]) -> int | None:
    """The index of that clause."""
    if not clauses:
        return None
    most = max((abs(literal) for literal in chain(*clauses)), default=0)
    holds = np.zeros(2 * most + 1, np.bool_)
    holds[[literal + most for literal in true if abs(literal) <= most]] = (
        True  # a faulty solver may name any number
    )
    lengths = np.fromiter(map(len, clauses), np.int64, len(clauses))
    flat = np.fromiter(chain.from_iterable(clauses), np.int64, int(lengths.sum()))
    owners = np.repeat(np.arange(len(clauses)), lengths)
    satisfied = np.bincount(owners, holds[flat + most], len(clauses)) > 0
    broken = np.flatnonzero(~satisfied).tolist()
    return next(
        (k for k in broken if not any(-literal in clauses[k] for literal in clauses[k])), None
    )
