"""A program that forks again and again, into sessions of their own, is stopped at its limit with all its processes."""

import os
import signal
import time

for _ in range(5):  # 32 processes, and no more
    if os.fork() == 0:
        os.setsid()
signal.alarm(60)
time.sleep(60)
