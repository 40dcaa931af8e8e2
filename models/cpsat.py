"""CP-SAT (ortools): one worker and a seed, so that runs can be repeated; cores from assumptions.

ortools is imported when a model is first made.
"""

from __future__ import annotations

from typing import Any

SEED = 1


class Model:
    """A CP-SAT model whose demands can be switched on by selectors, as in `models.cnf.Formula`."""

    def __init__(self, *, guarded: bool = False) -> None:
        from ortools.sat.python import cp_model

        self.cp = cp_model.CpModel()
        self.guarded = guarded
        self.selectors: dict[int, Any] = {}
        self.solver = cp_model.CpSolver()
        self.solver.parameters.num_workers = 1
        self.solver.parameters.random_seed = SEED

    def variables(self, count: int, name: str) -> list[Any]:
        """That many 0-1 variables."""
        return [self.cp.new_bool_var(f"{name}{k}") for k in range(count)]

    def demand(self, origin: int, constraint: Any) -> None:
        """In a guarded model the constraint only holds where its origin is assumed."""
        if self.guarded:
            if origin not in self.selectors:
                self.selectors[origin] = self.cp.new_bool_var(f"s{origin}")
            constraint.only_enforce_if(self.selectors[origin])

    def solve(self) -> bool:
        """Whether the model is feasible, and solved to the optimum if it has an objective; a guarded one under all its selectors.

        Raises:
            KeyboardInterrupt: the solver stopped without a verdict; no limit is set, so nothing else stops it.
            RuntimeError: it found fault with the model.
        """
        from ortools.sat.python import cp_model

        if self.guarded:
            self.cp.clear_assumptions()
            self.cp.add_assumptions(list(self.selectors.values()))
        status = self.solver.solve(self.cp)
        if status == cp_model.OPTIMAL or (status == cp_model.FEASIBLE and not self.cp.has_objective()):
            return True
        if status == cp_model.INFEASIBLE:
            return False
        if status in (cp_model.UNKNOWN, cp_model.FEASIBLE):
            raise KeyboardInterrupt
        raise RuntimeError(f"CP-SAT ended with {self.solver.status_name(status)}")

    def value(self, variable: Any) -> int:
        """The variable's value in the last solution."""
        return self.solver.value(variable)

    def core(self) -> tuple[int, ...]:
        """After an infeasible call of a guarded model: origins of demands that are infeasible together."""
        kept = set(self.solver.sufficient_assumptions_for_infeasibility())
        return tuple(sorted(origin for origin, selector in self.selectors.items() if selector.index in kept))

    @property
    def size(self) -> tuple[int, int]:
        """The numbers of variables and constraints."""
        return len(self.cp.proto.variables), len(self.cp.proto.constraints)
