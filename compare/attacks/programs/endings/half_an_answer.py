"""A program that aborts in the middle of its answer is a row CRASH."""

import os

os.write(1, b"Case #1: POSS")
os.abort()
