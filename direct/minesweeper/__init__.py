"""Minesweeper: the closure of Amb's write-up, and on top of it exact dynamic programming along join
trees.

Each backend stands in a `by_NAME.py`. Begin with `by_two_sat` and `closure`: `by_frontier` goes on
from there.
"""

from __future__ import annotations

COMPILING_S = 18
"""CPU seconds that compiling the kernels takes, about."""
