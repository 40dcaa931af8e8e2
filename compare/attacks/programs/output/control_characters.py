"""Control characters of a program never reach the terminal: they are shown escaped."""

import sys

print("\x1b[2J\x1b]0;owned\x07\x9b31m\u202e\nALL AGREE", file=sys.stdout if sys.argv[1] == "output" else sys.stderr)
print("\x1b[1A\x1b[2K\r\x08 all is well \x7f", file=sys.stderr)
sys.exit(sys.argv[1] != "output")
