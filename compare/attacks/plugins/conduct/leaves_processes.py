"""What a plugin leaves running in sessions of its own is killed when its run ends."""

import os
import signal
import subprocess
import sys
import time

from puzzles.backend import backend
from puzzles.beams.board import Beams, Layout

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)", os.environ["TWOFOLD_ATTACK"]]


@backend("beams", "leaves-processes", side="direct", source="an attack")
def solve(board: Beams, *, certify: bool = False) -> Layout:
    subprocess.Popen(SLEEP, start_new_session=True, env={})
    if os.fork() == 0:
        os.setsid()
        signal.alarm(60)
        time.sleep(60)
    return Layout(False)
