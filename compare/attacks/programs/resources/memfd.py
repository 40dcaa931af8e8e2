"""A program that fills a file in memory is stopped at its limit of time, and the file is gone with it."""

import os
import tempfile
import time

with os.fdopen(os.memfd_create("hidden"), "wb") if hasattr(os, "memfd_create") else tempfile.TemporaryFile() as file:
    file.write(bytes(64 * 2**20))
    time.sleep(60)
