"""The limit of memory holds for a program and for all its children together."""

import os
import signal
import sys
import time

signal.alarm(60)
if sys.argv[1] == "children":
    for _ in range(3):
        if os.fork() == 0:
            break
megabytes = bytearray((350 if sys.argv[1] == "own" else 100) * 2**20)
megabytes[::4096] = b"x" * len(megabytes[::4096])
time.sleep(60)
