"""The puzzles: boards, text formats, answers, independent checks, families and pictures."""

from __future__ import annotations

from puzzles.shell import interruption

# The line above puts Ctrl-C in order, so nothing else is imported before it.
# isort: split
from puzzles.registry import (
    fault_of_own,
    find,
    get,
    installed_names,
    load,
    loadable,
    names,
    user_files,
)

__all__ = [
    "fault_of_own",
    "find",
    "get",
    "installed_names",
    "interruption",
    "load",
    "loadable",
    "names",
    "user_files",
]
