"""A plugin that never answers is stopped at its limit, even if it changes the handlers of all signals."""

import signal
import time

from puzzles.backend import backend
from puzzles.beams.board import Beams, Layout


@backend("beams", "endless-loop", side="direct", source="an attack")
def solve(board: Beams, *, certify: bool = False) -> Layout:
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    end = time.monotonic() + 60
    while time.monotonic() < end:
        pass
    return Layout(False)
