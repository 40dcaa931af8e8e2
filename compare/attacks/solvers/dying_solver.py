"""A solver program that dies is a row ERROR with its name and its last words."""

import os

os.write(2, b"I give up\n")
os.abort()
