"""The sizes at which this side changes the algorithm. They decide what runs, never what is certain.

Tests force them low, for plain Python kernels only: a compiled kernel holds them as constants.
"""

from __future__ import annotations

SHORT_SEARCH = 4096
"""Vertices that one short search for an augmenting path may look at. On boards with 15 to 20% walls
half this number takes up to twice the time, and a quarter up to four times; twice this number gains
nothing, and costs a tenth on boards with fewer walls."""

FARTHEST = 2**14 - 2
"""Matched pairs on the longest path that a label of geography's rounds can hold.

Boards with longer ones are long corridors.
"""

ROUNDS_ALONE = 0
"""Cells of a board, with the walls around it, up to which geography's rounds find the whole
matching. Elsewhere they find what is left by the steps before them, which is nothing on most small
boards. So only tests leave those steps out."""

CELLS_A_VAIN_PUSH = 6
"""A round of geography ends once the cells that gave up have taken one push for so many cells of
the board. The cells nearest to a goal come first; of the farther half some nine in ten give up, and
that would take most of the round's pushes."""

STACKED_CELLS = 2**20
"""Cells of minesweeper boards that are solved as one stack."""

FEW_PAIRS = 2000
"""Pairs of states of a component up to which a small board is solved, and its layouts counted,
without loading compiled kernels.
"""

COUNTED_LAYOUTS = 2**56
"""Layouts from which on those of a component are not counted in 64 bits.

One step multiplies them by at most 70.
"""

COUNTED_SIZE = 2**22
"""Coefficients, for each of two polynomials a state, up to which a component's layouts are counted
in 64 bits: 64 MB.
"""

JOINED_NUMBERS = 256
"""Components are counted as one as long as that takes no more numbers than this."""

LAST_REGION = 4096
"""Clues near a cell among which a core is searched, at most; with more, all clues of the board are
the core.
"""

MAX_LEFT_OUT = 40
"""A core up to this size is made minimal: the search leaves out each clue in turn."""

MAX_BRANCHES = 2000
"""Branches after which the search for a core gives up."""
