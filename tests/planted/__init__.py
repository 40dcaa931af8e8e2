"""Wrong backends, models and solvers, and wrong programs, which our tests must catch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from puzzles.backend import backend

MAX_CELLS = 400


def plant(puzzle: str, bugs: Mapping[str, str], solve: Callable[..., Any], **more: Any) -> None:
    """Register a backend for each bug, which solves with the bug's name."""

    def with_bug(name: str) -> Callable[..., Any]:
        def planted(board: Any, *, certify: bool = False) -> Any:
            return solve(board, name)

        return planted

    for name, about in bugs.items():
        source = f"planted: {about}"
        enter = backend(puzzle, name, side="direct", source=source, limit=MAX_CELLS, **more)
        enter(with_bug(name))
