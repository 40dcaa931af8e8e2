"""Calls that need children, for tests: those are forks of the test's own process, so they know all
that the test has planted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from compare.engine.work.pool import Pool

P = ParamSpec("P")
T = TypeVar("T")


def in_pool(function: Callable[Concatenate[Pool, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What `function(pool, *args)` returns, with a new pool."""
    pool = Pool(forks_of_this=True)
    try:
        return function(pool, *args, **kwargs)
    finally:
        pool.close()
