"""Minesweeper: the closure of Amb's write-up, and on top of it exact dynamic programming along join
trees.

Read the files in the order of their steps: `closure`, `components`, `join_tree` and `mine_numbers`
are put together in `decide`, which says what is certain. `counts` and `probability` say how likely
a mine is. `layouts` and `cores` prove an answer, and `certificate` makes the proof of them.

Each backend stands in a `by_NAME.py`: `by_two_sat` is the closure alone, `by_frontier` is exact.
"""

from __future__ import annotations

COMPILING_S = 28
"""CPU seconds that compiling the kernels takes, about."""
