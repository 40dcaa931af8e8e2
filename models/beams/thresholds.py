"""The sizes at which these models change how they solve. They decide what runs, never what is
certain.

Tests force them low.
"""

from __future__ import annotations

STACKED_CELLS = 2**14
"""Cells of boards that are solved as one formula."""
