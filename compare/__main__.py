"""`python -m compare`: see `compare.start`."""

import sys

from compare.start import begin

if __name__ == "__main__":
    sys.exit(begin())
