"""`python -m compare`: see `compare.command_line`."""

from __future__ import annotations

import sys

from compare.command_line import main

if __name__ == "__main__":
    sys.exit(main())
