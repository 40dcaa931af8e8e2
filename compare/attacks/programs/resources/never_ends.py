"""A program that does not end is stopped at its limit, even if it ignores every signal that can be ignored."""

import signal
import sys
import time

if sys.argv[1] == "deaf":
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
end = time.monotonic() + 60
while time.monotonic() < end:
    time.sleep(60 if sys.argv[1] == "sleeps" else 0)
