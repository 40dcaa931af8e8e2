"""More answers than boards, and an answer to another board, are a row ERROR."""

import sys

OUTPUTS = {
    "two": "Case #1: IMPOSSIBLE\nCase #2: IMPOSSIBLE",
    "twice": "Case #1: IMPOSSIBLE\nCase #1: IMPOSSIBLE",
    "other": "Case #2: IMPOSSIBLE",
}

print(OUTPUTS[sys.argv[1]])
