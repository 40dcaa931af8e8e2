"""The sizes at which these models change how they solve. They decide what runs, never what is
certain.

Tests force them low.
"""

from __future__ import annotations

STACKED_CELLS = 2**12
"""Cells of boards that are solved as one formula."""

ASKED_TOGETHER = 64
"""The most cells of which one call of the solver asks whether one of them can be otherwise."""

CORE_BLOCK, CORE_MARGIN = 16, 6
"""The cores of the cells of one block are searched together. CORE_BLOCK: its rows and
columns. CORE_MARGIN: how far around it clues count."""
