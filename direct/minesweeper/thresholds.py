"""The sizes at which the steps change their algorithm. They decide what runs, never what is
certain. Limits beyond which a board is refused stand in `join_tree`, `counts` and `probability`.

Tests force them low, for plain Python kernels only: a compiled kernel holds them as constants.
"""

from __future__ import annotations

FEW_PAIRS = 2000
"""Pairs of states of a component up to which a small board is solved, and its layouts counted,
without loading compiled kernels.
"""

COUNTED_LAYOUTS = 2**56
"""Layouts from which on those of a component are counted modulo primes, not in 64 bits."""

JOINED_NUMBERS = 256
"""Components are counted as one as long as that takes no more numbers than this."""

LAST_REGION = 8192
"""Clues near a cell among which a core is searched, at most; where these do not force it, all clues
of the board are the core.
"""

MAX_LEFT_OUT = 40
"""Clues of a core up to which the search tries to leave out each clue in turn. A clue stays where
the search stops at its limit. So such a core is mostly irreducible, but not always the smallest.
"""

MAX_BRANCHES = 2000
"""Branches after which one refutation gives up: the clues are taken as not sufficient."""
