"""Which puzzles have no compiled kernels on this machine yet, and compiling these before a command
starts a clock.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from pathlib import Path

from compare.engine.isolate.processes import cores
from compare.engine.work.contenders import BackendContender, Contender
from compare.engine.work.pool import Pool, local
from direct.kernel import Kernel

_COMPILERS = 2
"""Processes that compile side by side. One puzzle may take longer than all others together."""


def compiling_s(puzzle: str) -> int:
    """About how many CPU seconds compiling all kernels of a puzzle takes, as its module of `direct`
    says: measured on one core of an AMD EPYC with Numba 0.68. 0 if it says nothing, or is not
    loaded.
    """
    return getattr(sys.modules.get(f"direct.{puzzle}"), "COMPILING_S", 0)


def uncompiled_backends(contenders: Iterable[Contender]) -> dict[str, list[BackendContender]]:
    """By puzzle, our direct backends whose kernels Numba's cache beside the sources does not have.

    A puzzle with some kernel in the cache counts as compiled. So does one beside whose sources
    nothing can be written, since other caches are not searched.
    """
    waiting: dict[str, list[BackendContender]] = {}
    for contender in dict.fromkeys(contenders):
        if (
            isinstance(contender, BackendContender)
            and contender.ours
            and contender.side == "direct"
        ):
            waiting.setdefault(contender.puzzle, []).append(contender)
    return {puzzle: backends for puzzle, backends in waiting.items() if _needs_compiling(puzzle)}


def _needs_compiling(puzzle: str) -> bool:
    name = f"direct.{puzzle}"
    modules = [
        module
        for each, module in sys.modules.items()
        if each == name or each.startswith(f"{name}.")
    ]
    kernels = [
        value for module in modules for value in vars(module).values() if isinstance(value, Kernel)
    ]
    own = [each for each in kernels if each.function.__module__.startswith(name)] or kernels
    folders = {Path(each.function.__code__.co_filename).parent for each in own}
    return (
        bool(own)
        and not any(each.kept for each in own)
        and all(os.access(folder, os.W_OK) for folder in folders)
    )


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
