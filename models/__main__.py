"""`python -m models PUZZLE [FILE]`: solve contest text with a SAT or CP solver."""

from __future__ import annotations

import sys

from models.command import main
from models.isolation import run_isolated
from puzzles.shell.streams import leave_if_interrupted

if __name__ == "__main__":
    sys.exit(leave_if_interrupted(run_isolated(main)))
