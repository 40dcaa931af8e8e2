"""The sizes at which the matching changes the algorithm. They decide what runs, never what is
certain.

Tests force them low, for plain Python kernels only: a compiled kernel holds them as constants.
"""

from __future__ import annotations

SHORT_SEARCH = 4096
"""Vertices that one short search for an augmenting path may look at. On boards with 15 to 20% walls
half this number takes up to twice the time, and a quarter up to four times; twice this number gains
nothing, and costs a tenth on boards with fewer walls."""

FARTHEST = 2**14 - 2
"""Matched pairs on the longest path that a label of a round can hold.

Boards with longer ones are long corridors.
"""

ROUNDS_ALONE = 0
"""Cells of a board, with the walls around it, up to which the rounds find the whole
matching. Elsewhere they find what is left by the steps before them, which is nothing on most small
boards. So only tests leave those steps out."""

CELLS_A_VAIN_PUSH = 6
"""A round ends once the cells that gave up have taken one push for so many cells of
the board. The cells nearest to a goal come first; of the farther half some nine in ten give up, and
that would take most of the round's pushes."""
