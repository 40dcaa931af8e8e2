"""`python -m compare`: see `compare.command`."""

from __future__ import annotations

import sys

from compare.command import main

if __name__ == "__main__":
    sys.exit(main())
