"""The sizes at which these models change how they solve. They decide what runs, never what is
certain.

Tests force them low.
"""

from __future__ import annotations

STACKED_CELLS = 2**10
"""Cells of boards that are solved as one formula."""

COVER_CELLS = 64
"""Components of up to this many open cells share a formula; a larger one has its own."""
