"""Beams as 2-SAT. Each backend stands in a `by_NAME.py`; begin with `by_two_sat`."""

from __future__ import annotations

COMPILING_S = 6
"""CPU seconds that compiling the kernels takes, about."""
