"""The sizes at which this side changes how it solves. They decide what runs, never what is certain.

Tests and fuzzing force them to the values in LOW.
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

LOW = {
    "STACKED_BEAMS": 1,
    "STACKED_GEOGRAPHY": 1,
    "STACKED_MINESWEEPER": 1,
    "COVER_CELLS": 1,
    "FIRST_BUDGET": 1,
    "ASKED_TOGETHER": 1,
    "FIRST_REGION": 1,
    "CORE_BLOCK": 2,
    "CORE_MARGIN": 1,
}
"""For each threshold, a value at which small boards are solved in the other way."""
