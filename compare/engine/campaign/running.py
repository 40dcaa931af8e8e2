"""Carrying out what is asked: who does it, and what comes of it. What is not compiled yet is
compiled first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import AbstractContextManager

import puzzles
from compare.engine.campaign.plan import Settings
from compare.engine.elsewhere import run_places
from compare.engine.isolate.processes import cores
from compare.engine.work.ask import Ask
from compare.engine.work.contenders import BackendContender, Contender
from compare.engine.work.pool import Executor, Lost, Pool, local
from compare.engine.work.result import Result
from direct.kernel import compiling_s, needs_compiling
from puzzles.text import UserError

IN_TURN = 2
"""Threads for one run at a time: one is timed while the other certifies and checks the answer
before it.
"""


def executor(settings: Settings, *, many_runs: bool = False) -> AbstractContextManager[Executor]:
    """The executor that the settings ask for. Its children load the users' puzzles that this
    process has loaded.

    Args:
        many_runs: whether several runs are submitted at once.
    """
    user_files = tuple(puzzles.user_files().values())
    if settings.elsewhere is not None:
        place = run_places()[settings.elsewhere.place]
        return place.executor(settings.elsewhere.address, settings.plugins, user_files)
    if many_runs and settings.jobs == 1 and settings.check and cores() >= IN_TURN:
        return local(IN_TURN, settings.plugins, user_files, one_timed=True)
    return local(settings.jobs, settings.plugins, user_files)


def collect(ask: Ask, results: Future[list[Result]]) -> list[Result]:
    """The results of an ask. If the worker was lost, or if this project's own code raised, they are
    CRASH and say so; the comparison goes on.

    Raises:
        UserError: see `carry_out`; or the cluster is gone.
    """
    try:
        return results.result()
    except (UserError, CancelledError):
        raise
    except Lost as lost:
        return ask.failed(str(lost))
    except Exception as error:
        return ask.crashed(error)


_COMPILERS = 2
"""Processes that compile side by side. One puzzle may take longer than all others together."""


def uncompiled_backends(contenders: Iterable[Contender]) -> dict[str, list[BackendContender]]:
    """By puzzle, our direct backends whose kernels Numba's cache beside the sources does not have.

    A puzzle with some kernel in the cache counts as compiled. So does one beside whose sources
    nothing can be written, since other caches are not searched.
    """
    of_puzzles: dict[str, list[BackendContender]] = {}
    for each in dict.fromkeys(contenders):
        if isinstance(each, BackendContender) and each.ours and each.side == "direct":
            of_puzzles.setdefault(each.puzzle, []).append(each)
    return {puzzle: some for puzzle, some in of_puzzles.items() if needs_compiling(puzzle)}


def compile_first(contenders: Iterable[Contender], announce: Callable[[str], object]) -> None:
    """Compile what this machine has not compiled yet; `announce` is called with each such puzzle
    first.

    The puzzle that takes longest comes first, and the others are compiled beside it if there are
    two cores.
    """
    waiting = uncompiled_backends(contenders)
    if not waiting:
        return
    with local(min(len(waiting), _COMPILERS, cores())) as workers:
        compiling: list[Future[None]] = []
        for puzzle in sorted(waiting, key=compiling_s, reverse=True):
            announce(puzzle)
            compiling.append(workers.submit(_compile, waiting[puzzle]))
        for each in compiling:
            each.result()


def _compile(pool: Pool, contenders: Sequence[BackendContender]) -> None:
    """Compile the kernels of some backends in a child; Numba's cache keeps them."""
    for contender in contenders:
        with pool.solver(contender, new=True):
            pass
