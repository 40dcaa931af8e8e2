"""`python -m compare`: see `compare.start` and `compare.command_line`."""

from __future__ import annotations

import sys

from compare.start import begin

if __name__ == "__main__":
    sys.exit(begin())
