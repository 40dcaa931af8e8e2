"""A program that prints without end is stopped at a bound, with or without ends of lines."""

import os
import signal
import sys

BLOCKS = {"lines": b"Case #1: IMPOSSIBLE\n" * 5000, "one-line": b"9" * 10**5, "zeros": bytes(10**5)}

signal.alarm(60)
while True:
    os.write(1, BLOCKS[sys.argv[1]])
