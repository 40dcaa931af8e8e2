"""2-SAT: values for variables, so that each clause of at most two literals has a true one.

A case is a line `V C`, then C lines `a b`: a clause of the literals a and b, which are numbers from
1 to V, or minus such a number. A clause of one literal names it twice. A solution is the list of
the literals that are true.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from direct import two_sat
from models.cnf import Formula
from models.session import core_groups, session
from puzzles.backend import backend
from puzzles.case import Case
from puzzles.case_solution import CaseSolution, CaseSolutionPuzzle
from puzzles.puzzle import Family
from puzzles.text import Reader


@dataclass(frozen=True, eq=False, repr=False)
class TwoClauses(Case):
    """A formula in conjunctive normal form with two literals a clause."""

    puzzle: ClassVar[str] = "two-sat"
    variables: int
    clauses: tuple[tuple[int, int], ...]

    def text(self) -> str:
        return f"{self.variables} {len(self.clauses)}\n" + "".join(
            f"{a} {b}\n" for a, b in self.clauses
        )

    @classmethod
    def read(cls, reader: Reader) -> Self:
        variables, number = reader.numbers(
            "the number of variables", "the number of clauses", least=(1, 0)
        )
        clauses: list[tuple[int, int]] = []
        for _ in range(number):
            start = reader.position
            a, b = reader.numbers("a literal", "a literal", signed=True)
            if not 0 < min(abs(a), abs(b)) <= max(abs(a), abs(b)) <= variables:
                reader.fail(
                    f"the literals are not among 1 to {variables} and -1 to -{variables}", start
                )
            clauses.append((a, b))
        return cls(variables, tuple(clauses))


class TwoSatPuzzle(CaseSolutionPuzzle[TwoClauses, CaseSolution]):
    """The rules: a model satisfies each clause, and the clauses of a core contradict each other."""

    name = "two-sat"
    case_type = TwoClauses
    source = "2-SAT"

    def broken_rule(self, case: TwoClauses, witness: Sequence[int], /) -> str:
        """Each variable has one value, and each clause a true literal."""
        if sorted(map(abs, witness)) != [*range(1, case.variables + 1)]:
            return f"the solution is no list of {case.variables} literals, one for each variable"
        true = {*witness}
        false = [clause for clause in case.clauses if not true & {*clause}]
        return f"the clause {false[0][0]} {false[0][1]} has no true literal" if false else ""

    def core_fault(self, case: TwoClauses, core: Any, /) -> str:
        """A core names clauses by their places, counted from 1.

        Some variable must fail with both values, by propagation alone.
        """
        if not isinstance(core, tuple) or not all(
            isinstance(k, int) and 1 <= k <= len(case.clauses) for k in core
        ):
            return f"the core {core!r:.60} is no tuple of clauses"
        clauses = [case.clauses[k - 1] for k in core]
        for variable in {abs(literal) for clause in clauses for literal in clause}:
            if _fails(clauses, variable) and _fails(clauses, -variable):
                return ""
        return "no variable of the core fails with both values"

    @property
    def families(self) -> Mapping[str, Family[TwoClauses]]:
        return {
            "random": Family(
                random_formula,
                "up to size variables, up to three clauses for each of them",
                most=3000,
            )
        }


def _fails(clauses: Sequence[tuple[int, int]], literal: int) -> bool:
    """Whether this literal forces another one and its negation."""
    true, before = {literal}, 0
    while len(true) > before:
        before = len(true)
        true |= {b for a, b in clauses if -a in true} | {a for a, b in clauses if -b in true}
    return any(-each in true for each in true)


def random_formula(size: int, seed: int) -> TwoClauses:
    """A size and a seed always give the same formula."""
    rng = random.Random(f"{size} {seed}")
    variables = rng.randint(1, size)
    literals = [literal for literal in range(-variables, variables + 1) if literal]
    number = int(variables * rng.choice((0.5, 1, 1.5, 3))) + rng.randint(0, 2)
    return TwoClauses(
        variables, tuple((rng.choice(literals), rng.choice(literals)) for _ in range(number))
    )


@backend(
    "two-sat",
    "two-sat",
    side="direct",
    source="strongly connected components; Aspvall, Plass, Tarjan 1979",
    certifies=True,
)
def by_components(case: TwoClauses, *, certify: bool = False) -> CaseSolution:
    """`direct.two_sat`; the clauses of its implication cycle are the core."""
    solution = two_sat.solve(
        case.variables, np.array(case.clauses, np.int32).reshape(-1, 2), certify=certify
    )
    if solution.assignment is None:
        rows = [] if solution.reasons is None else solution.reasons.tolist()
        return CaseSolution(
            False, certificate=tuple(sorted({row + 1 for row in rows})) if certify else None
        )
    return CaseSolution(
        True, tuple(v if true else -v for v, true in enumerate(solution.assignment.tolist(), 1))
    )


@backend("two-sat", "sat", side="models", source="the formula itself", certifies=True)
def _by_solver(case: TwoClauses, *, certify: bool = False) -> CaseSolution:
    """A SAT solver. Each clause is a group of its own, so that the solver names a core."""
    formula = Formula(grouped=True)
    formula.new(case.variables)
    places = range(1, len(case.clauses) + 1)
    formula.extend_groups(places, np.array(case.clauses, np.int64).reshape(-1, 2))
    with session(formula) as opened:
        if opened.solve([*formula.selectors.values()]):
            values = opened.model()
            literals = (v if values[v] else -v for v in range(1, case.variables + 1))
            return CaseSolution(True, tuple(literals))
    return CaseSolution(False, certificate=core_groups(formula) if certify else None)


PUZZLE = TwoSatPuzzle()
