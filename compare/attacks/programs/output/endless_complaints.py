"""A program that complains on standard error without end fills neither memory nor a disk, and is stopped at its limit."""

import os
import signal

signal.alarm(60)
while True:
    os.write(2, b"it is not my fault\n" * 5000)
