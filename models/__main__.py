"""`python -m models PUZZLE [FILE]`: solve contest text with a SAT or CP solver, in this process.

Ctrl-C, SIGTERM and SIGHUP keep the system's own action here: they end the process at once, even
inside C++, where Python would heed them only after the search. The shell sees 130, 143 or 129.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

from models.command import main
from models.solvers.external import is_command
from puzzles.shell.interruption import end_by_system


def run() -> int:
    """Run the command line; returns its exit status.

    In the main thread python-sat catches Ctrl-C and jumps out of its search, so the work is done in
    another thread. A solver that is a program is waited for in the main thread, where a signal can
    end the program first (`models.solvers.external`).
    """
    end_by_system()
    if any(map(is_command, sys.argv[1:])):
        return main()
    with ThreadPoolExecutor(1) as worker:
        return worker.submit(main).result()


if __name__ == "__main__":
    sys.exit(run())
