"""The harness: run every backend on the same boards, relate and check the answers, tabulate speed.

What commands offer in Python is here, and is loaded when it is first used: the commands as
functions, such as `run` and `fuzz`; and for tests of users `assert_agrees`, its error
`Disagreement`, and `examples`. `__init__.pyi` beside this file has their signatures.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def _functions() -> dict[str, str]:
    """What the commands that are here offer, and the module of each."""
    from compare.commands import commands  # late: it reads the folders

    return {
        name: module
        for command in commands().values()
        for name, module in command.functions.items()
    }


def __getattr__(name: str) -> Any:
    try:
        modules = {} if name.startswith("_") else _functions()
        if name in modules:
            return getattr(import_module(modules[name]), name)
    except KeyboardInterrupt:
        from puzzles.shell.interruption import forget_interrupt

        forget_interrupt()
        raise
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*_functions(), *(name for name in globals() if name.startswith("__"))])
