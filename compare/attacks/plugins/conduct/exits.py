"""A plugin that ends Python with status 0 when it is imported does not end the command."""

import sys

sys.exit(0)
