"""What the forkserver does before it forks anything: it imports what its children need, and solves
nothing.
"""

from __future__ import annotations

import gc
import os
import warnings
from contextlib import suppress
from functools import cache
from importlib import import_module

ENVIRONMENT = {
    "TWOFOLD_KERNELS": "compiled",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
}
"""What the environment of all children must say before anything is imported."""

_COLLECT_EVERY = 100_000
"""Objects after whose making a child looks for garbage.

Boards make many objects and little garbage.
"""


def load_everything() -> None:
    """Import all puzzles, their backends and the packages that these need.

    Children then share the memory of all that.
    """
    os.environ.update(ENVIRONMENT)
    import puzzles
    from compare.commands import commands
    from compare.engine.work import programs  # noqa: F401
    from compare.engine.work.contenders import backends

    for command in commands().values():
        for module in command.preload:
            import_module(module)
    for name in puzzles.names():
        for backend in backends(name):
            backend.available()
    _set_up_llvm()
    warnings.filterwarnings("ignore", category=DeprecationWarning, message=".*fork.*")
    gc.collect()
    gc.freeze()  # no child looks through all this for garbage, and so copies its pages
    gc.set_threshold(_COLLECT_EVERY, *gc.get_threshold()[1:])


@cache
def _set_up_llvm() -> None:
    """Set up LLVM, and import what kernels over arrays need: once in a process and its forks."""
    import numba
    import numpy as np

    with suppress(Exception):  # Numba's cache cannot be written, or a file of it is damaged
        numba.njit(cache=True)(_nothing)(np.zeros(1))


def _nothing(array: object) -> object:
    return array
