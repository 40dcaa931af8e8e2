"""Minesweeper: the closure of Amb's write-up, and on top of it exact dynamic programming along join
trees.

Read the files in the order of their steps:

| step | file | what it finds |
|:---|:---|:---|
| 1 | `closure` | what single clues and chains of implications force |
| 2 | `components` | the components of what is left, and their groups of cells |
| 3 | `join_tree` | the states of each component, and which of them are part of a layout |
| 4 | `mine_numbers` | what a number of mines for the whole board leaves possible |
| 5 | `counts` | how many layouts a component has, by their number of mines |
| 6 | `probability` | how many layouts the board has, and how likely each cell is a mine |
| 7 | `layouts` | layouts that show both values of the undecided cells |
| 8 | `cores` | few clues that force a certain cell |

`decide` takes steps 1 to 4 and says what is certain. `certificate` makes a proof by steps 7 and 8.
`thresholds` has sizes and limits.

Each backend stands in a `by_NAME.py`: `by_two_sat` is step 1 alone, `by_frontier` takes all.
"""

from __future__ import annotations

COMPILING_S = 28
"""CPU seconds that compiling the kernels takes, about."""
