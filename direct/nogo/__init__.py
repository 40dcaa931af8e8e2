"""NoGo by union-find. Each backend stands in a `by_NAME.py`; begin with `by_union_find`."""

from __future__ import annotations

COMPILING_S = 2
"""CPU seconds that compiling the kernels takes, about."""
