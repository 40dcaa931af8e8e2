"""A plugin that kills the process which imports it is bad usage, with a sentence and exit status 2."""

import os

os.abort()
