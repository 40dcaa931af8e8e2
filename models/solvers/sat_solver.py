"""What every kind of solver looks like from here: python-sat's own interface."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol


class SatSolver(Protocol):
    """A solver that holds clauses. What a kind of solver cannot do raises NotImplementedError."""

    def add_clause(self, clause: Sequence[int]) -> Any: ...

    def solve(self, assumptions: Sequence[int] = ()) -> bool | None:
        """Whether the clauses are satisfiable under the assumptions; None if the solver does not know."""
        ...

    def get_model(self) -> list[int] | None:
        """After a yes: literals that are true. A variable that is not mentioned may have either value."""
        ...

    def get_core(self) -> list[int] | None:
        """After a no: assumptions that contradict the clauses together."""
        ...

    def get_proof(self) -> list[str] | None:
        """After a no: the lines of a DRAT proof."""
        ...

    def propagate(self, assumptions: Sequence[int] = ()) -> tuple[bool, list[int]]: ...

    def set_phases(self, literals: Sequence[int]) -> Any: ...

    def conf_budget(self, conflicts: int) -> Any: ...

    def solve_limited(self) -> bool | None: ...

    def accum_stats(self) -> dict[str, int]:
        """The steps of all calls: `conflicts`, `decisions`, `propagations`, `restarts`. Only python-sat's own solvers are asked."""
        ...

    def delete(self) -> Any: ...


class Lacking:
    """The methods that many kinds of solvers lack; each raises NotImplementedError."""

    def get_proof(self) -> list[str] | None:
        raise NotImplementedError

    def propagate(self, assumptions: Sequence[int] = ()) -> tuple[bool, list[int]]:
        raise NotImplementedError

    def set_phases(self, literals: Sequence[int]) -> None:
        raise NotImplementedError

    def conf_budget(self, conflicts: int) -> None:
        raise NotImplementedError

    def accum_stats(self) -> dict[str, int]:
        raise NotImplementedError

    def solve_limited(self) -> bool | None:
        raise NotImplementedError

    def delete(self) -> None:
        """Nothing is left to do."""
