"""What each SAT solver of python-sat can do.

That is tried in another process; if it crashes or hangs there, each ability in one of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from threading import Timer
from typing import NamedTuple

from compare.engine.isolate.child import call
from compare.engine.isolate.outcome import Limits, Status
from compare.engine.isolate.serving import ends_with
from compare.engine.work.plain import to_plain
from models.cnf import Formula
from models.proofs.drat import OtherFormat
from models.proofs.refutation import refutation
from models.solvers.external import PROOF_PLACE, is_command
from models.solvers.opening import open_solver
from models.solvers.sat_solver import SolverFailure
from models.solvers.solver_names import runs_foreign_code
from puzzles.text import UserError

_LIMITS = Limits(20.0)  # no trial takes a second, but on a busy machine it may wait for its turn
_LOADING = Limits(60.0)
_INTERRUPT_S = 0.02
_PIGEONS = 11


class Abilities(NamedTuple):
    """What a solver can do.

    Attributes:
        interrupted: another thread can stop its search, which then ends without a verdict.
        proofs: it writes a proof of unsatisfiability that ends with the empty clause.
        again: a second call, after one more clause, gives the right verdict.
        assumptions: under assumptions it gives the right verdict and a core.
    """

    interrupted: bool
    proofs: bool
    again: bool
    assumptions: bool


def refuse_unusable(solver: str) -> None:
    """Raise `UserError` if a foreign solver cannot be loaded, or if a command writes its proofs in
    another format than DRAT.

    That is tried in a process of its own.
    """
    if is_command(solver) and PROOF_PLACE in solver:
        ended = call(_proves, solver, limits=_LIMITS)
        if ended.status is Status.ERROR:
            raise UserError(ended.detail)
    if not runs_foreign_code(solver):
        return
    ended = call(_load, solver, limits=_LOADING, foreign=True)
    if not ended.ok:
        raise UserError(
            ended.detail
            if ended.status is Status.ERROR
            else f"--solver {solver}: {ended.status} {ended.detail}"
        )


@ends_with({UserError: Status.ERROR})
def _load(solver: str) -> str:
    with open_solver(Formula(), solver):
        return to_plain(None, {})


@ends_with({OtherFormat: Status.ERROR})
def _proves(solver: str) -> None:
    """Let a command prove a small formula. Whatever else goes wrong is left to the real runs."""
    with suppress(SolverFailure):
        refutation(Formula.of(2, [[1, 2], [-1, 2], [1, -2], [-1, -2]]), solver)


@cache
def abilities(solver: str) -> Abilities:
    """Try a solver. A crash or a hang means that it lacks the ability.

    Takes some hundredths of a second, more if it hangs.
    """
    ended = call(_all, solver, limits=_LIMITS)
    return ended.value if ended.ok else Abilities(*(_try(each, solver) for each in _trials()))


def _all(solver: str) -> Abilities:
    return Abilities(*(trial(solver) for trial in _trials()))


def _trials() -> tuple[Callable[[str], bool], ...]:
    """In the order of `Abilities`."""
    return _interrupt, _proofs, _again, _assumptions


def _try(attempt: Callable[[str], bool], solver: str) -> bool:
    ended = call(attempt, solver, limits=_LIMITS)
    return ended.ok and ended.value


def _pigeonhole(pigeons: int) -> list[list[int]]:
    """The pigeonhole formula, one hole too few: hard for every solver here."""
    from pysat.examples.genhard import PHP

    return PHP(pigeons - 1).clauses


def _interrupt(solver: str) -> bool:
    from pysat.solvers import Solver

    with Solver(solver, bootstrap_with=_pigeonhole(_PIGEONS)) as opened:
        try:
            opened.clear_interrupt()
        except NotImplementedError:
            return False
        stop = Timer(_INTERRUPT_S, opened.interrupt)
        stop.start()
        verdict = opened.solve_limited(expect_interrupt=True)
        stop.join()
        return verdict is None


def _proofs(solver: str) -> bool:
    from pysat.solvers import Solver

    try:
        with Solver(solver, bootstrap_with=_pigeonhole(5), with_proof=True) as opened:
            return opened.solve() is False and [line.split() for line in opened.get_proof() or []][
                -1:
            ] == [["0"]]
    except (NotImplementedError, TypeError):
        return False


def _again(solver: str) -> bool:
    from pysat.solvers import Solver

    with Solver(solver, bootstrap_with=[[1, 2], [-1, 2]]) as opened:
        first = opened.solve()
        opened.add_clause([-2])
        return first is True and opened.solve() is False


def _assumptions(solver: str) -> bool:
    from pysat.solvers import Solver

    with Solver(solver, bootstrap_with=[[1, 2], [-1, 2]]) as opened:
        return opened.solve(assumptions=[-2, 3]) is False and opened.get_core() == [-2]
