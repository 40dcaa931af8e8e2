"""A solver program that prints without end is stopped at a bound, long before memory is full."""

import os
import signal

signal.alarm(60)
while True:
    os.write(1, b"c I am thinking\n" * 5000)
