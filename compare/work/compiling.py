"""Which puzzles have no compiled kernels on this machine yet, so that a command can compile them
before it starts a clock.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from compare.work.contenders import BackendContender, Contender
from compare.work.pool import Pool
from direct.kernel import Kernel

COMPILING_S = {"beams": 3, "geography": 3, "minesweeper": 16, "nogo": 1}
"""About how many CPU seconds compiling all kernels of a puzzle takes, as measured on one core of an
AMD EPYC with Numba 0.68.
"""


def uncompiled(contenders: Iterable[Contender]) -> dict[str, list[BackendContender]]:
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


def compile_kernels(pool: Pool, contenders: Sequence[BackendContender]) -> None:
    """Compile the kernels of some backends in a child; Numba's cache keeps them."""
    for contender in contenders:
        with pool.solver(contender, new=True):
            pass
