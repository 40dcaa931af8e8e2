"""A solver program that never ends is stopped at the limit of its run, and its files are gone."""

import signal
import time

signal.signal(signal.SIGTERM, signal.SIG_IGN)
time.sleep(60)
