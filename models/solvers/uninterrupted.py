"""CaDiCaL for processes that Ctrl-C ends, or that ignore it: nothing there has to be interrupted and to go on.

Elsewhere python-sat catches the signal around each call. That takes half as long as a call on a small formula. What else its Python
code does around each clause and each model takes a fifth of the time to load a formula, so that is left out here as well.
"""

from __future__ import annotations

import signal
from collections.abc import Iterable, Sequence
from typing import Any

import pysolvers
from pysat.solvers import Cadical153


def may_go_uninterrupted() -> bool:
    """Whether Ctrl-C ends this process, or does nothing. It does so in the forks in which `compare` solves."""
    return signal.getsignal(signal.SIGINT) in (signal.SIG_DFL, signal.SIG_IGN)


class UninterruptedCadical(Cadical153):
    """python-sat's CaDiCaL 1.5.3 that does not catch Ctrl-C."""

    cadical: Any

    def new(self, bootstrap_with: Iterable[Sequence[int]] | None = None, use_timer: bool = False, with_proof: bool = False) -> None:
        super().new(use_timer=use_timer, with_proof=with_proof)
        add, solver = pysolvers.cadical153_add_cl, self.cadical
        for clause in bootstrap_with or ():
            add(solver, clause)

    def add_clause(self, clause: Sequence[int], no_return: bool = True) -> None:
        pysolvers.cadical153_add_cl(self.cadical, clause)

    def get_model(self) -> list[int] | None:
        return pysolvers.cadical153_model(self.cadical) if self.status else None

    def solve(self, assumptions: Sequence[int] = ()) -> bool | None:
        self.status = pysolvers.cadical153_solve(self.cadical, assumptions, 0)
        self.prev_assumps = assumptions or []  # it has to be a list where a core is asked for
        return self.status
