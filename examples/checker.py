"""A checker for `compare stress`, for a problem with several right answers.

The problem: n and s, then n numbers. Print the places of two numbers that add up to s, the smaller
place first, or -1 if there are none.

`checker.py INPUT OUTPUT ANSWER` ends with status 0 if the output is right and 1 if it is wrong. It
ends with 3 if the output is better than the answer, which is the reference's.
"""

import sys
from pathlib import Path

words, output, answer = (Path(name).read_text().split() for name in sys.argv[1:4])
n, wanted, *numbers = map(int, words)


def fault(places: list[str]) -> str:
    """Why this is no such pair; empty if it is one."""
    if len(places) != 2 or not all(place.isdecimal() for place in places):
        return "not two places"
    one, other = map(int, places)
    if not 1 <= one < other <= n:
        return f"{one} and {other} are no places of 1 to {n}, the smaller one first"
    total = numbers[one - 1] + numbers[other - 1]
    return "" if total == wanted else f"they add up to {total}, not to {wanted}"


NONE = ["-1"]
if output == NONE:
    sys.exit(0 if answer == NONE else "there is a pair")
if reason := fault(output):
    sys.exit(reason)  # printed on standard error; the status is 1
if answer == NONE:
    print("the reference says that there is none", file=sys.stderr)
    sys.exit(3)
