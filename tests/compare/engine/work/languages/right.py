import sys

cell = sys.stdin.read().split()[-1]
print("Case #1: IMPOSSIBLE" if cell == "." else f"Case #1: POSSIBLE\n{cell}")
