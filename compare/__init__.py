"""The harness: run every backend on the same boards, relate and check the answers, tabulate speed.

For tests of users: `assert_agrees`, its error `Disagreement`, and `examples`. They are
loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from compare.testing.agreement import Disagreement, assert_agrees, examples

__all__ = ["Disagreement", "assert_agrees", "examples"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.testing.agreement"), name)
