"""The sizes at which this side changes the algorithm. They decide what runs, never what is certain.

Tests and fuzzing force them to the values in LOW, for plain Python kernels only: a compiled kernel holds them as constants.
"""

from __future__ import annotations

SHORT_SEARCH = 4096
"""Vertices that one short search for an augmenting path may look at. On boards with 15 to 20% walls half this number takes up to
twice the time, and a quarter up to four times; twice this number gains nothing, and costs a tenth on boards with fewer walls."""

FARTHEST = 2**14 - 2
"""Matched pairs on the longest path that a label of geography's rounds can hold. Boards with longer ones are long corridors."""

ROUNDS_ALONE = 0
"""Cells of a board, with the walls around it, up to which geography's rounds find the whole matching. Elsewhere they find what is
left by the steps before them, which is nothing on most small boards. So only tests leave those steps out."""

CELLS_A_VAIN_PUSH = 6
"""A round of geography ends once the cells that gave up have taken one push for so many cells of the board. The cells nearest to a
goal come first; of the farther half some nine in ten give up, and that would take most of the round's pushes."""

STACKED_CELLS = 2**20
"""Cells of minesweeper boards that are solved as one stack."""

FEW_STATES = 2000
"""States of a component up to which a small board is solved, and its layouts counted, without loading compiled kernels."""

MAX_STATES = 2**24
"""States kept for one component, all steps together: some 300 MB. With more, the join tree takes over."""

KEPT_STATES = 2**20
"""States kept at one time, of several components, for counting and for layouts; one component more may go beyond."""

STATES_A_STEP = 16
"""States for which there is room at first, for each step; with more, the room is doubled."""

MAX_OPEN = 21
"""Clues open at once that fit into a state: three bits each, since after the closure no clue needs more than 7 mines."""

FEW_OPEN = 6
"""Clues open at once with which the first order of a component will do; with more, three other orders are tried."""

COUNTED_LAYOUTS = 2**56
"""Layouts from which on those of a component are not counted in 64 bits. One step multiplies them by at most 70."""

ROTATED_CELLS = 1000
"""Cells of a component from which on its join tree is made cheaper by rotations. In smaller ones they took about as long as they
saved, or longer."""

COMBINED_RANGE = 64
"""Numbers of mines that the components of a board can have, all together, up to which the compiled kernel combines their counts."""

COUNTED_STATES = 20_000
"""States of a component up to which its layouts are counted by the compiled kernel."""

LAST_REGION = 4096
"""Clues near a cell among which a core is searched, at most; with more, all clues of the board are the core."""

MAX_LEFT_OUT = 40
"""A core up to this size is made minimal: the search leaves out each clue in turn."""

MAX_BRANCHES = 2000
"""Branches after which the search for a core gives up."""

LOW = {
    "SHORT_SEARCH": 1,
    "FARTHEST": 1,
    "ROUNDS_ALONE": 10**9,
    "CELLS_A_VAIN_PUSH": 10**9,
    "STACKED_CELLS": 1,
    "FEW_STATES": 2,
    "MAX_STATES": 3,
    "KEPT_STATES": 1,
    "STATES_A_STEP": 1,
    "MAX_OPEN": 2,
    "FEW_OPEN": 0,
    "COUNTED_LAYOUTS": 2,
    "ROTATED_CELLS": 1,
    "COMBINED_RANGE": 1,
    "COUNTED_STATES": 2,
    "LAST_REGION": 4,
    "MAX_LEFT_OUT": 1,
    "MAX_BRANCHES": 0,
}
"""For each threshold, a value at which the other algorithm runs on the smallest boards."""
