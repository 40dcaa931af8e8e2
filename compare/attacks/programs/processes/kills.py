"""A program that kills our processes above it gets its row, nothing that it has started stays, and the other runs go on."""

import os
import signal
import subprocess
import sys
import time

import psutil

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)", os.environ["TWOFOLD_ATTACK"]]

subprocess.Popen(SLEEP, start_new_session=True)
worker, keeper = psutil.Process().parents()[:2]
for victim in {"worker": [worker], "keeper": [keeper], "both": [keeper, worker]}[sys.argv[1]]:
    os.kill(victim.pid, signal.SIGKILL)
time.sleep(60)
