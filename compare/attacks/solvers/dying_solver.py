"""A solver program that dies is a row CRASH with its last words."""

import os

os.write(2, b"I give up\n")
os.abort()
