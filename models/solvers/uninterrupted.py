"""CaDiCaL for processes that Ctrl-C ends, or that ignore it: nothing there has to be interrupted and to go on.

Elsewhere python-sat catches the signal around each call. That takes half as long as a call on a small formula.
"""

from __future__ import annotations

import signal
from collections.abc import Sequence
from typing import Any

import pysolvers
from pysat.solvers import Cadical153


def may_go_uninterrupted() -> bool:
    """Whether Ctrl-C ends this process, or does nothing. It does so in the forks in which `compare` solves."""
    return signal.getsignal(signal.SIGINT) in (signal.SIG_DFL, signal.SIG_IGN)


class UninterruptedCadical(Cadical153):
    """python-sat's CaDiCaL 1.5.3 that does not catch Ctrl-C."""

    cadical: Any

    def solve(self, assumptions: Sequence[int] = ()) -> bool | None:
        self.status = pysolvers.cadical153_solve(self.cadical, assumptions, 0)
        self.prev_assumps = assumptions or []  # it has to be a list where a core is asked for
        return self.status
