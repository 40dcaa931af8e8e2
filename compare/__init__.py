"""The harness: run every backend on the same boards, relate and check the answers, tabulate speed.

What commands offer in Python is here, and is loaded when it is first used: for tests of users
`assert_agrees`, its error `Disagreement`, and `examples`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from compare.commands.fuzz.agreement import Disagreement as Disagreement
    from compare.commands.fuzz.agreement import assert_agrees as assert_agrees
    from compare.commands.fuzz.agreement import examples as examples


def __getattr__(name: str) -> Any:
    from compare.commands import commands  # late: it reads the folders

    if not name.startswith("_"):
        for command in commands().values():
            if name in command.functions:
                return getattr(import_module(command.functions[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
