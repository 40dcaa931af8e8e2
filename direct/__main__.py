"""`python -m direct PUZZLE [FILE]`: solve contest text with the specialised algorithm."""

from __future__ import annotations

import sys

from direct import SIDE
from puzzles.shell.interruption import leave
from puzzles.shell.shared_command import main

if __name__ == "__main__":
    sys.exit(leave(main(SIDE)))
