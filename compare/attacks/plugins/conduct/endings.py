"""A plugin that ends its process in place of answering is a row, and the other runs go on."""

import os
import sys
from collections.abc import Callable

from puzzles.backend import backend
from puzzles.beams.board import Beams, Layout


def register(name: str, end: Callable[[], object]) -> None:
    @backend("beams", name, side="direct", source="an attack")
    def solve(board: Beams, *, certify: bool = False) -> Layout:
        end()
        return Layout(False)


register("sys-exit", sys.exit)
register("status-0", lambda: os._exit(0))
register("status-3", lambda: os._exit(3))
register("aborts", os.abort)
register("recursion", lambda: eval("(lambda f: f(f))(lambda f: f(f))"))
