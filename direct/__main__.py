"""`python -m direct PUZZLE [FILE]`: solve contest text with the specialised algorithm."""

from __future__ import annotations

import sys

from direct import SIDE
from puzzles.shell.shared_command import main
from puzzles.shell.streams import leave_if_interrupted

if __name__ == "__main__":
    sys.exit(leave_if_interrupted(main(SIDE)))
