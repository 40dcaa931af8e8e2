"""Faulty SAT solvers as Python classes: CaDiCaL with one fault each.

Whether a call shows the fault depends on its clauses and assumptions alone, by a checksum, but for
the one that is flaky.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from zlib import crc32

from pysat.solvers import Cadical153


class RightSolver:
    """No fault: what the others change."""

    def __init__(self, with_proof: bool = False) -> None:
        self.solver = Cadical153(with_proof=with_proof)
        self.asked: list[tuple[int, ...]] = []
        self.assumptions: tuple[int, ...] = ()

    def add_clause(self, clause: Sequence[int]) -> None:
        self.asked.append(tuple(clause))
        self.solver.add_clause(clause)

    def solve(self, assumptions: Sequence[int] = ()) -> bool | None:
        self.assumptions = tuple(assumptions)
        return self.solver.solve(assumptions=list(assumptions))

    def get_model(self) -> list[int] | None:
        return self.solver.get_model()

    def get_core(self) -> list[int] | None:
        return self.solver.get_core()

    def get_proof(self) -> list[str] | None:
        return self.solver.get_proof()

    def delete(self) -> None:
        self.solver.delete()

    def chosen(self, one_in: int) -> bool:
        """Whether this call is one of those that show the fault."""
        return crc32(repr((self.asked, self.assumptions)).encode()) % one_in == 0


class FlipsSat(RightSolver):
    """One satisfiable call in 50 is called unsatisfiable."""

    def solve(self, assumptions: Sequence[int] = ()) -> bool | None:
        return bool(super().solve(assumptions)) and not self.chosen(50)


class InventsModels(RightSolver):
    """One unsatisfiable call in 50 gets a model: all variables are true."""

    def solve(self, assumptions: Sequence[int] = ()) -> bool | None:
        self.invents = not super().solve(assumptions) and self.chosen(50)
        return self.invents or self.solver.get_status()

    def get_model(self) -> list[int] | None:
        variables = {abs(literal) for clause in self.asked for literal in clause}
        return sorted(variables) if self.invents else super().get_model()


class FlipsLiteral(RightSolver):
    """One model in 20 has its first literal the wrong way round."""

    def get_model(self) -> list[int] | None:
        model = super().get_model() or []
        return [-model[0], *model[1:]] if model and self.chosen(20) else model


class LeavesOutVariables(RightSolver):
    """One model in ten mentions only the variables that are true."""

    def get_model(self) -> list[int] | None:
        model = super().get_model() or []
        return [literal for literal in model if literal > 0] if self.chosen(10) else model


class LeavesVariables(RightSolver):
    """One model in ten has a variable that nobody has asked about."""

    def get_model(self) -> list[int] | None:
        model = super().get_model() or []
        return [*model, 10**6] if self.chosen(10) else model


class ShortensCores(RightSolver):
    """One core in five lacks its last literal."""

    def get_core(self) -> list[int] | None:
        core = super().get_core() or []
        return core[:-1] if self.chosen(5) else core


class WidensCores(RightSolver):
    """One core in ten has the opposite of a literal that was assumed."""

    def get_core(self) -> list[int] | None:
        core = super().get_core() or []
        return [*core, -self.assumptions[0]] if self.chosen(10) else core


class LosesClauses(RightSolver):
    """One clause in five that is added after the first call is lost."""

    called = False

    def add_clause(self, clause: Sequence[int]) -> None:
        if not (self.called and crc32(repr(tuple(clause)).encode()) % 5 == 0):
            super().add_clause(clause)

    def solve(self, assumptions: Sequence[int] = ()) -> bool | None:
        self.called = True
        return super().solve(assumptions)


class ForgetsAssumptions(RightSolver):
    """From the second call on, the first assumption is forgotten."""

    called = False

    def solve(self, assumptions: Sequence[int] = ()) -> bool | None:
        kept = assumptions[1:] if self.called else assumptions
        self.called = True
        return super().solve(kept)


class SkipsProofs(RightSolver):
    """One proof in three has no step but the empty clause."""

    def get_proof(self) -> list[str] | None:
        proof = super().get_proof()
        return ["0"] if self.chosen(3) else proof


class InventsSteps(RightSolver):
    """One proof in three is two unit clauses that contradict each other."""

    def get_proof(self) -> list[str] | None:
        proof = super().get_proof()
        return ["1 0", "-1 0", "0"] if self.chosen(3) else proof


class DiesOfEmptyClause(RightSolver):
    """An empty clause ends its process."""

    def add_clause(self, clause: Sequence[int]) -> None:
        if not clause:
            os.abort()
        super().add_clause(clause)


class Hangs(RightSolver):
    """One call in 50 does not end."""

    def solve(self, assumptions: Sequence[int] = ()) -> bool | None:
        satisfiable = super().solve(assumptions)
        while self.chosen(50):
            time.sleep(1)
        return satisfiable


class EatsMemory(RightSolver):
    """One call in 50 takes a gigabyte."""

    def solve(self, assumptions: Sequence[int] = ()) -> bool | None:
        satisfiable = super().solve(assumptions)
        if self.chosen(50):
            time.sleep(len(b"x" * 2**30) and 2)
        return satisfiable


class Silent(RightSolver):
    """One call in 20 gets no verdict."""

    def solve(self, assumptions: Sequence[int] = ()) -> bool | None:
        satisfiable = super().solve(assumptions)
        return None if self.chosen(20) else satisfiable


class ChangesItsMind(RightSolver):
    """One call in ten is answered in the other way if it is repeated at once."""

    last: tuple[object, ...] = ()

    def solve(self, assumptions: Sequence[int] = ()) -> bool | None:
        satisfiable = super().solve(assumptions)
        now = (len(self.asked), *assumptions)
        repeated, self.last = now == self.last, now
        return not satisfiable if repeated and self.chosen(10) else satisfiable


class Flaky(RightSolver):
    """Every other process calls satisfiable clauses unsatisfiable, by chance."""

    def solve(self, assumptions: Sequence[int] = ()) -> bool | None:
        return bool(super().solve(assumptions)) and os.getpid() % 2 == 0
