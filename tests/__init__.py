"""The tests, which mirror the folders of the code."""

from __future__ import annotations

import os

# Before NumPy is imported. Its library of linear algebra else starts threads that wait for work,
# each time at the cost of 80 ms of
# a core, and nothing here multiplies matrices. Workers have the same setting.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
