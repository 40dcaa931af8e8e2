"""The sizes at which this side changes how it solves. They decide what runs, never what is certain.

Tests force them low.
"""

from __future__ import annotations

STACKED_BEAMS, STACKED_GEOGRAPHY, STACKED_MINESWEEPER = 2**14, 2**10, 2**12
"""Cells of boards that are solved as one formula."""

COVER_CELLS = 64
"""Geography: components of up to this many open cells share a formula; a larger one has its own."""

FIRST_BUDGET = 2000
"""The number of conflicts that each solver of a portfolio gets on its first turn."""

ASKED_TOGETHER = 64
"""Minesweeper: the most cells of which one call of the solver asks whether one of them can be
otherwise.
"""

FIRST_REGION = 4
"""Minesweeper: clues near a cell among which its core is searched at first."""

CORE_BLOCK, CORE_MARGIN = 16, 6
"""Minesweeper: the cores of the cells of one block are searched together. CORE_BLOCK: its rows and
columns. CORE_MARGIN: how far around it clues count."""
