"""Numbers of thousands of digits in an answer are a row ERROR."""

import sys

print(f"Case #{sys.argv[1] * 5000}: IMPOSSIBLE")
