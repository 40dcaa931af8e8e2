"""What a solver does wrong, as an exception that names the solver."""

from __future__ import annotations

from puzzles.text import UserError


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


class ModelRefused(SolverFailure):
    """A model that cannot be read, or that is none."""
