"""A program that stops our processes above it is stopped at its limit all the same."""

import os
import signal
import sys
import time

import psutil

MARK = os.environ["TWOFOLD_ATTACK"]

worker, keeper = psutil.Process().parents()[:2]
for victim in {"worker": [worker], "both": [worker, keeper]}[sys.argv[1]]:
    os.kill(victim.pid, signal.SIGSTOP)
time.sleep(60)
